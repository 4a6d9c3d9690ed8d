#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Books of a bank with another byte in any part of any page (tests/unit/bank/test_mutated.c).
. "$(dirname "$0")/../support/sh.sh"

it 'a byte that changed is noticed, or changes no answer'
STINT_BYTES=all
export STINT_BYTES
check "$(dirname "$STINT")/../tests/unit/bank/test_mutated"
finish
