#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Limits that a server applies on an interval, and two that would apply them at once.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

first=
t_at_exit=stop_all
stop_all() {
    touch "$TMP/go"
    [ -z "$first" ] || wait "$first"
    stop_server
}

# A program of the site that waits for the file `go`.
mkdir bin store
cat >bin/site <<SCRIPT
#!/bin/sh
cat >>"$TMP/plans"
echo >>"$TMP/plans"
touch "$TMP/called"
until [ -e "$TMP/go" ]; do sleep 0.1; done
SCRIPT
chmod 755 bin/site
enforce='[enforce rowan]
driver = program
max_share = 100
program = '$TMP/bin/site
printf '%s\n' "$enforce" >store/stint.conf
printf 'JobID|User|Account|State|NCPUS|Submit|Start|End\n1|ann|chem|COMPLETED|1|%s|%s|%s\n' \
    "$(date -d '-1 hour' +%FT%T)" "$(date -d '-1 hour' +%FT%T)" "$(date -d '-1 minute' +%FT%T)" >runs.txt
stint import slurm --cluster rowan runs.txt >/dev/null
stint rate add all --cpu 1 >/dev/null
stint bank open chem --from 2020-01-01 >/dev/null

it 'while one applies limits another is refused, and may look'
stint bank enforce --apply >first.out 2>&1 &
first=$!
until_true test -e called
expect_exit 1 stint bank enforce --apply
expect_err_has 'is running; wait until it has finished'
expect_exit 1 stint bank release --apply
check stint bank enforce
touch go
wait "$first"
expect_equal 0 $?
first=
expect_equal 1 "$(grep -c . plans)"
check stint bank enforce --apply

it 'a server applies them on its interval, and charges what it takes in'
stint bank release --apply >/dev/null 2>&1
: >plans
cp runs.txt log
printf '[follow grid]\nsource = slurm\nfile = %s/log\ncluster = rowan\n%s\nevery = 1s\n' "$TMP" "$enforce" >store/stint.conf
stint bank grant chem 1000 --from 2020-01-01 >/dev/null
start_server
printf '2|ann|chem|COMPLETED|2000|%s|%s|%s\n' "$(date -d '-1 hour' +%FT%T)" "$(date -d '-1 hour' +%FT%T)" "$(date -d '-1 minute' +%FT%T)" >>log
until_true grep -q '"account":"chem"' plans
until_true grep -q 'limits: rowan: 1 done, 0 failed' server.err
expect_equal over "$(stint bank balance chem --format csv --no-header | cut -d, -f2)"

it 'and does what is asked of it meanwhile'
check stint bank limits
check stint bank enforce

finish
