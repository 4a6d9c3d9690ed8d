#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What differs from run to run, taken out of what a golden test prints: `stint ... | sh "$TOP/tests/golden/mask.sh"`.
exec sed -E \
    -e 's/as of [0-9T:-]+(Z|[+-][0-9:]+)/as of NOW/' \
    -e 's/^  [0-9T:-]+(Z|[+-][0-9:]+)$/  NOW/' \
    -e 's/it is [0-9T:-]+Z/it is NOW/' \
    -e 's/last import [0-9]+ [a-z]+ ago/last import N seconds ago/' \
    -e 's/[0-9.]+ GiB free/N GiB free/' \
    -e 's/schema [0-9]+/schema N/' \
    -e 's/^(Imported +).*/\1NOW/' \
    -e 's/^(Took +).*/\1N s/'
