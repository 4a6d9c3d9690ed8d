# SPDX-License-Identifier: MIT
sh "$TOP/tests/golden/weekly.sh" >weekly.accounting
stint import sge --cluster oak weekly.accounting
