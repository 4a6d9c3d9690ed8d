#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A thousand stories of the bank (tests/unit/bank/test_story.c); STINT_STORIES says how many others. timeout: 7200
. "$(dirname "$0")/../support/sh.sh"

it 'whatever happens, every balance follows from runs, rates and grants'
STINT_STORIES=${STINT_STORIES:-1000}
export STINT_STORIES
check "$(dirname "$STINT")/../tests/unit/bank/test_story"
finish
