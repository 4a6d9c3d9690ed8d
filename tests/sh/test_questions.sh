#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Random questions of `stint report`, by the socket of the store, over HTTP and by the command line, as admin, manager, user and nobody:
# every answer is what tests/tools/questions.c works out without SQL, and the same bytes at every door.
#
# A failure prints the command that was asked, and what repeats it: STINT_SEED=N STINT_QUESTION=N ./run test sh/test_questions
# STINT_QUESTIONS=N asks more of them; tests/slow/test_questions.sh asks 100,000.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

tools=$(dirname "$STINT")/../tests
token() { stint token add "$@" --format csv --no-header | cut -d, -f 2; }

it 'a store of random runs'
mkdir -m 700 "$STINT_STORE"
expect_exit 0 "$tools/questions" make "$STINT_STORE"

printf '[serve]\nanyone = nothing\n' >"$STINT_STORE/stint.conf"
server_listens="open=unix:$TMP/open"
start_server --listen 127.0.0.1:0
QUESTIONS_AT=$(sed -n 's/.* on [a-z]*=*\(http:\/\/[^ ]*\)$/\1/p' server.err | head -n 1)
QUESTIONS_UNIX=unix:$TMP/open
QUESTIONS_TOKENS="$(token all --role admin) $(token some --role manager --logins eve --groups bio --accounts climate) $(token own --role user --logins ann)"
export QUESTIONS_AT QUESTIONS_UNIX QUESTIONS_TOKENS

it 'every answer at every door, in every role, is what was worked out without SQL'
ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # of a failure only what failed
expect_exit 0 "$tools/questions" ask "$STINT_STORE"
echo "figure - random questions, seed ${STINT_SEED:-20250310}: ${STINT_QUESTIONS:-300} at three doors in four roles"

finish
