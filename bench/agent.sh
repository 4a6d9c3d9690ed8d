#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a look at a node costs it: cpu time of stint-agent sample beside that of ps aux, as the node is and with so many
# processes more. They take turns, without GPUs. Where there are some of NVIDIA, a look of the daemon with them, beside one call of nvidia-smi; put a load on
# a card before, to see what both take while a program holds it.
. "$(dirname "$0")/support/bench.sh"

agent=$(dirname "$STINT")/stint-agent
more=${BENCH_PROCESSES:-500}
turns=${BENCH_TURNS:-40}
command -v ps >/dev/null || { note "no ps to measure against"; exit 0; }
[ -x "$agent" ] || die "there is no '$agent'; build it with: ./run build"

sleepers=
trap '[ -z "$sleepers" ] || kill $sleepers 2>/dev/null' EXIT

# take_turns NAME: lines of wall, cpu and memory of both, into files.
take_turns() {
    : >"$tmp/$1.agent"
    : >"$tmp/$1.ps"
    turn=0
    while [ $turn -lt "$turns" ]; do
        "$measure" "$agent" sample --no-gpus >>"$tmp/$1.agent" || die "stint-agent failed"
        "$measure" ps aux >>"$tmp/$1.ps" || die "ps failed"
        turn=$((turn + 1))
    done
}

few=$(ps -e | wc -l)
take_turns few
started=0
while [ $started -lt "$more" ]; do
    sleep 3600 &
    sleepers="$sleepers $!"
    started=$((started + 1))
done
many=$(ps -e | wc -l)
take_turns many

machine
heading "stint-agent sample; other: ps aux (median of $turns)"
row "$few processes: cpu time" "$(median 2 <"$tmp/few.agent")" "$(median 2 <"$tmp/few.ps")" ms 1
row "the same, wall time" "$(median 1 <"$tmp/few.agent")" "$(median 1 <"$tmp/few.ps")" ms ""
row "$many processes: cpu time" "$(median 2 <"$tmp/many.agent")" "$(median 2 <"$tmp/many.ps")" ms 1
row "the same, wall time" "$(median 1 <"$tmp/many.agent")" "$(median 1 <"$tmp/many.ps")" ms ""
row "the same, peak memory" "$(median 3 <"$tmp/many.agent")" "$(median 3 <"$tmp/many.ps")" KiB ""

# A look of a daemon: what so many more cost it, by so many.
looks=${BENCH_LOOKS:-200}
: >"$tmp/run.one"
: >"$tmp/run.all"
turn=0
while [ $turn -lt 5 ]; do
    "$measure" "$agent" run --no-gpus --every 0.001 --looks 1 >>"$tmp/run.one" || die "stint-agent failed"
    "$measure" "$agent" run --no-gpus --every 0.001 --looks $((looks + 1)) >>"$tmp/run.all" || die "stint-agent failed"
    turn=$((turn + 1))
done
look=$(awk -v one="$(median 2 <"$tmp/run.one")" -v all="$(median 2 <"$tmp/run.all")" -v n="$looks" \
    'BEGIN { printf "%.3f", (all - one) / n }')
row "a look of stint-agent run: cpu time" "$look" "$(median 2 <"$tmp/many.ps")" ms 0.2
row "its peak memory after $looks looks" "$(median 3 <"$tmp/run.all")" 6144 KiB 1

# As many looks as in 24 hours, one a minute: what it grows by.
"$measure" "$agent" run --no-gpus --every 0.001 --looks 1440 >"$tmp/run.day" || die "stint-agent failed"
row "its peak memory after 1440 looks, a day's" "$(median 3 <"$tmp/run.day")" "$(median 3 <"$tmp/run.all")" KiB 1.05

# With GPUs, by the library of the driver: beside one call of nvidia-smi, on cards as they are.
smi=nvidia-smi
command -v "$smi" >/dev/null || exit 0
: >"$tmp/gpu.one"
: >"$tmp/gpu.all"
: >"$tmp/gpu.smi"
turn=0
while [ $turn -lt 5 ]; do
    "$measure" "$agent" run --every 0.1 --looks 1 >>"$tmp/gpu.one" || die "stint-agent failed"
    "$measure" "$agent" run --every 0.1 --looks 51 >>"$tmp/gpu.all" || die "stint-agent failed"
    "$measure" "$smi" >>"$tmp/gpu.smi" || die "$smi failed"
    turn=$((turn + 1))
done
look=$(awk -v one="$(median 2 <"$tmp/gpu.one")" -v all="$(median 2 <"$tmp/gpu.all")" \
    'BEGIN { printf "%.3f", (all - one) / 50 }')
row "a look with GPUs: cpu time; other: nvidia-smi" "$look" "$(median 2 <"$tmp/gpu.smi")" ms 0.1
