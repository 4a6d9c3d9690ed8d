#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A server whose disk is full for a while: it goes on reading, says so, and writes again by itself when there is room. Needs the right to
# mount.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

F=$TESTS/fixtures/import
mkdir small
STINT_STORE=$TMP/small/store
leave() { stop_server; umount "$TMP/small" 2>/dev/null; }
t_at_exit=leave

it 'a disk may be full'
need_mount small || finish
mount -t tmpfs -o size=48m stint-test small || finish
check stint import sge --cluster east "$F/accounting"
stint demo --out demo --runs 20000 --from 2024-01-01 --to 2024-12-31 --seed 11 >/dev/null 2>&1
start_server
state() { curl -sS "$at/ready"; }
code() { curl -sS -o /dev/null -w '%{http_code}' "$at$1"; }
jobs() { stint report jobs --by cluster --from 2000 --to 2030 --format csv --no-header; }
expect_equal '{"ready":true,"reads":true,"writes":true,"stops":false}' "$(state)"
expect_equal 200 "$(code /health)"

it 'what is there is read while nothing can be written, and /ready says so'
dd if=/dev/zero of=small/filler bs=64k >/dev/null 2>&1
expect_exit 1 stint import sge --cluster birch demo/birch/accounting
expect_err_has 'no space left'
not_ready() { [ "$(code /ready)" = 503 ]; }
check until_true not_ready
expect_equal '{"ready":false,"reads":true,"writes":false,"stops":false}' "$(state)"
expect_equal 200 "$(code /health)"
expect_equal 'east,8' "$(jobs)"
run stint doctor --format csv
expect_out_has 'writing,TROUBLE,'
check until_true grep -q 'the store cannot be written to' server.err

it 'with room the server writes again by itself'
rm small/filler
is_ready() { [ "$(code /ready)" = 200 ]; }
check until_true is_ready
check until_true grep -q 'the store was opened again' server.err
check stint import sge --cluster birch demo/birch/accounting
check [ "$(jobs | grep -c .)" -eq 2 ]
run stint doctor --format csv
expect_out_has 'writing,note,works: the store was opened again'
stop_server
expect_equal 0 "$server_status"
expect_exit 0 stint check

finish
