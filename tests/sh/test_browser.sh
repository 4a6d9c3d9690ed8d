#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The pages in a real browser, with and without script: see tests/browser/. `STINT_SCREENSHOTS=FOLDER` takes pictures of every
# page besides, for people to look at.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/browser.sh"
. "$TESTS/support/live_site.sh"
. "$TESTS/support/server.sh"

# person STORE: its administrator's password.
person() { STINT_STORE=$1 "$STINT" user add vera --role admin --format csv --no-header 2>/dev/null | cut -d, -f 2; }

live_site "$TMP/elm"
STINT_CONFIG=$TMP/elm/stint.conf
export STINT_CONFIG
check stint demo --out site --runs 3000 --as slurm
for file in site/*/sacct; do
    check stint import slurm --cluster "$(basename "$(dirname "$file")")" "$file"
done
check stint pull
node "$TESTS/browser/looks.mjs" job.psv looks.json
check stint import slurm --cluster cedar --zone UTC job.psv
check stint import sonar --cluster cedar looks.json
check stint rate add cpu --cpu 1 --gpu 20
for account in chem bio; do
    check stint bank open $account --from 2026-01-01
    check stint bank grant $account 10000 --from 2026-01-01 --to 2099
done
check stint bank charge --recharge --from 2026-01-01 --apply
password=$(person store)
start_server --store "$TMP/store"
claims tour.mjs "$at" vera "$password"
claims script.mjs "$at" vera "$password" "$TMP/elm"
claims tasks.mjs "$at" vera "$password"
claims keeping.mjs "$at" vera "$password" ann "$(stint user add ann --role user --format csv --no-header 2>/dev/null | cut -d, -f 2)"
if [ -n "${STINT_SCREENSHOTS:-}" ]; then
    check node "$TESTS/browser/screenshots.mjs" "$at" vera "$password" "$STINT_SCREENSHOTS"
fi
stop_server

unset STINT_CONFIG
mkdir empty
password=$(person "$TMP/empty")
start_server --store "$TMP/empty"
claims empty.mjs "$at" vera "$password"
if [ -n "${STINT_SCREENSHOTS:-}" ]; then
    check node "$TESTS/browser/screenshots.mjs" "$at" vera "$password" "$STINT_SCREENSHOTS/empty"
fi

finish
