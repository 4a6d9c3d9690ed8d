# SPDX-License-Identifier: MIT
stint import sge --cluster alder "$TOP/tests/golden/alder.accounting" # two records are bad
stint import sge --cluster birch "$TOP/tests/golden/birch.accounting"
