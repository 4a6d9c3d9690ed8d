#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A simulated world, for two minutes: tests/world/world.mjs.
#
# A failure prints its seed and its step: WORLD_SEED=N WORLD_STEPS=N ./run test sh/test_world does the same again. WORLD_SECONDS=N goes on for
# longer; tests/slow/test_world.sh for an hour.
. "$(dirname "$0")/../support/sh.sh"

WORLD_TOOLS=$(cd "$(dirname "$STINT")/../tests" && pwd)
export WORLD_TOOLS
mkdir world

it 'every run is counted once, SU are conserved, nobody sees more, what was acknowledged stays, limits follow balances'
expect_exit 0 node "$TESTS/world/world.mjs" "${WORLD_SEED:-20250310}" "${WORLD_SECONDS:-120}" "$TMP/world"
tail -n 40 world/story
echo "figure - simulated world, seed ${WORLD_SEED:-20250310}: $(tail -n 1 "$OUT")"

finish
