#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A hundred thousand questions of tests/sh/test_questions.sh: ten seeds, each with runs of its own. timeout: 36000
#
# STINT_SEED=N begins with another seed than today's.
first=${STINT_SEED:-$(date +%Y%m%d)00}
STINT_QUESTIONS=${STINT_QUESTIONS:-10000}
export STINT_QUESTIONS
failed=0
for number in 0 1 2 3 4 5 6 7 8 9; do
    said=$(STINT_SEED=$((first + number)) sh "$(dirname "$0")/../sh/test_questions.sh" 2>&1) || failed=1
    printf '%s\n' "$said" | sed '/^1\.\./d'
done
echo 1..20
exit $failed
