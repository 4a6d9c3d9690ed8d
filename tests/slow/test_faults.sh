#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every fault of tests/sh/test_faults.sh. timeout: 3600
STINT_FAULTS=all exec sh "$(dirname "$0")/../sh/test_faults.sh"
