#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Files of a store are for their owner alone, whatever the umask is, and wherever the folder lies.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

open_to_others() { find "$STINT_STORE" ! -type s -perm /077 | sed "s|$STINT_STORE|store|" | sort | tr '\n' ' '; }

it 'a store that is made by commands'
umask 0
check stint import sge --cluster c "$TESTS/fixtures/import/accounting"
check stint metagroup add chem
check stint user add ann --role user --password 'correct horse battery'
expect_equal '' "$(open_to_others)"

it 'a store in a folder that others may enter'
rm -rf "$STINT_STORE"
mkdir -m 711 "$STINT_STORE"
check stint import sge --cluster c "$TESTS/fixtures/import/accounting"
check stint metagroup add chem
expect_equal 'store ' "$(open_to_others)"

it 'a store that a server writes'
rm -rf "$STINT_STORE"
mkdir -m 711 "$STINT_STORE"
start_server
check stint import sge --cluster c "$TESTS/fixtures/import/accounting"
check stint metagroup add chem
expect_equal 'store ' "$(open_to_others)"
stop_server
expect_equal 'store ' "$(open_to_others)"

finish
