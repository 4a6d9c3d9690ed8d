#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint check over a made-up site: what it compares, and that it finds nothing.
. "$(dirname "$0")/../support/sh.sh"

stint demo --out site --runs 3000 --from 2025 --seed 7 >/dev/null 2>&1
for cluster in alder birch cedar; do
    stint import sge --cluster $cluster site/$cluster/accounting >/dev/null 2>&1
done

it 'says what it compared, and that it agrees'
expect_exit 0 stint check --zone Europe/Oslo
expect_out_has ' 0 differ'
expect_out_has 'by question against row by row: 48 measures, 3 rows, all the same'
expect_out_has 'every month'
expect_out_has 'not compared: quantiles'

it 'compares a period only'
expect_exit 0 stint check --from 2025-03 --to 2025-04 --zone UTC --format csv --no-header
expect_out_has 'every day,ok,"by question against row by row: 48 measures, 61 rows, all the same"'

it 'has nothing to compare in an empty store'
mkdir empty
stint import sge --store empty --cluster none /dev/null >/dev/null 2>&1
expect_exit 0 stint check --store empty
expect_out_has 'the store is empty'

it 'fails without a store'
expect_exit 1 stint check --store nowhere

finish
