#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint-agent and GPUs: NVIDIA's by its library, with one of our own in its place (tests/faults/fake_nvml.c); AMD's by files.
. "$(dirname "$0")/../support/sh.sh"

AGENT=${STINT_AGENT:-$(dirname "$STINT")/stint-agent}
FAKE=$(dirname "$STINT")/../tests/fake

# look [NAME=VALUE]...: one look of the daemon, into the file sample.
look() { env "$@" LD_LIBRARY_PATH="$FAKE" "$AGENT" run --cluster c --looks 1 >sample 2>"$ERR"; }

# told EXPRESSION: `g` are the cards, `p` the processes, `one` the one that is on a card, `a` all.
told() {
    node -e '
        const [pid, expression] = process.argv.slice(1);
        const a = JSON.parse(require("fs").readFileSync("sample")).data.attributes;
        const g = a.system.gpus;
        const p = a.jobs.flatMap((job) => job.processes.map((each) => ({ job, ...each })));
        const one = p.find((each) => each.pid === Number(pid));
        console.log(String(eval(expression)));' "$$" "$1"
}
expect_told() { expect_equal "$1" "$(told "$2")"; }

it 'what the library reports of a card is in the sample'
look FAKE_NVML_PID=$$
expect_no_err
expect_told 2 g.length
expect_told 'GPU-aaaa0000-0000 Exclusive_Process' '`${g[0].uuid} ${g[0].compute_mode}`'
expect_told '94,53,61,512,700,1980,2619,2,0' \
    '[g[0].ce_util, g[0].memory_util, g[0].temperature, g[0].power, g[0].power_limit, g[0].ce_clock, g[0].memory_clock, g[0].performance_state, g[0].failing]'
expect_told '10485760 undefined' '`${g[0].memory} ${g[0].fan}`'
expect_told '123456 512345 2 85899345920' \
    '`${g[0].counters.energy_j} ${g[0].counters.power_mw} ${g[0].counters.gpu_errors} ${g[0].counters.mem_total_bytes}`'
expect_told 'power limit, heat' g[0].counters.gpu_throttle
expect_told none g[1].counters.gpu_throttle

it 'and the processes on it'
expect_told '[{"uuid":"GPU-aaaa0000-0000","index":0,"gpu_util":64,"gpu_memory":5242880}]' 'JSON.stringify(one.gpus)'
expect_told '_user_unknown' 'p.find((each) => each.pid === 77777777).job.user'
expect_told undefined 'p.find((each) => each.pid === 77777777).gpus[0].gpu_memory'
expect_told true 'p.filter((each) => each.gpus === undefined).length === 0'

it 'of a process that is alone on a card, the use is the card'"'"'s own: nothing more is asked'
look FAKE_NVML=alone FAKE_NVML_PID=$$
expect_told '[{"uuid":"GPU-aaaa0000-0000","index":0,"gpu_util":94,"gpu_memory":5242880}]' 'JSON.stringify(one.gpus)'

it 'the counter of energy, which is costly, is read at each fifth look, of each card in its turn'
env LD_LIBRARY_PATH="$FAKE" "$AGENT" run --cluster c --looks 12 --every 0.01 >sample 2>"$ERR"
expect_no_err
expect_equal '0@0 0@5 0@10 1@0 1@4 1@9' "$(node -e '
    const looks = require("fs").readFileSync("sample", "utf8").trim().split("\n").map((line) => JSON.parse(line).data.attributes.system.gpus);
    const read = (card) => looks.flatMap((gpus, look) => (gpus[card].counters.energy_j === undefined ? [] : [`${card}@${look}`]));
    console.log([...read(0), ...read(1)].join(" "));')"

it 'no program is started for it'
mkdir tools
printf '#!/bin/sh\ntouch %s/asked\n' "$TMP" >tools/nvidia-smi
chmod +x tools/nvidia-smi
PATH=$TMP/tools:$PATH look
expect_exit 1 test -e asked
PATH=$TMP/tools:$PATH "$AGENT" run --cluster c --looks 1 >sample 2>"$ERR"
expect_exit 1 test -e asked

it 'a node without the library has no cards, and nothing is said'
expect_no_err
expect_told undefined a.system.gpus
expect_told undefined a.errors

it 'a driver that does not answer is said once, and asked again'
env FAKE_NVML=down LD_LIBRARY_PATH="$FAKE" "$AGENT" run --cluster c --looks 3 --every 0.01 >sample 2>"$ERR"
expect_equal 1 "$(grep -c 'the NVIDIA driver does not answer (code 9' "$ERR")"
expect_equal 3 "$(grep -c 'does not answer' sample)"

it 'a card that is lost fails, and the other is reported'
look FAKE_NVML=lost
expect_told '0,1' 'g.map((card) => card.failing)'
expect_told undefined g[1].ce_util
expect_err_has 'GPU 1 is lost or has to be reset'

it 'what an older driver does not know is absent'
look FAKE_NVML=old
expect_no_err
expect_told undefined g[0].counters.energy_j
expect_told 94 g[0].ce_util

it 'errors that the driver reports are said, and stay with the card'
env FAKE_NVML=xid LD_LIBRARY_PATH="$FAKE" "$AGENT" run --cluster c --looks 3 --every 0.01 >sample 2>"$ERR"
expect_err_has 'GPU 0: the driver reports error 48 (XID)'
expect_equal 1 "$(grep -c 'error 79 (XID)' "$ERR")"
tail -1 sample >last && mv last sample
expect_told '48, 79|none' '`${g[0].counters.gpu_xids}|${g[1].counters.gpu_xids}`'
look FAKE_NVML=old
expect_told undefined g[0].counters.gpu_xids

it 'parts of a card are cards of their own'
look FAKE_NVML=mig FAKE_NVML_PID=$$
expect_told 'GPU-aaaa0000-0000,MIG-bbbb0000-0000,MIG-bbbb0000-0001,GPU-aaaa0000-0001' 'g.map((card) => card.uuid)'
expect_told undefined g[0].ce_util
expect_told 'MIG-bbbb0000-0001' one.gpus[0].uuid

it 'the cards come into the store, each once'
look FAKE_NVML_PID=$$
cat sample sample >twice.json
stint import sonar twice.json >/dev/null 2>"$ERR"
stint samples --kind gpu --fields gpus,gpu_uuids,gpu_util,gpu_mem,energy,power,gpu_throttle --format csv --no-header --from 1d --sort gpus >cards
cat >want <<'END'
0,GPU-aaaa0000-0000,0.94,10737418240,123456,512345,"power limit, heat"
1,GPU-aaaa0000-0001,0,0,123456,71000,none
END
expect_same want cards

# --- AMD ----------------------------------------------------------------------------------------------

it 'cards of AMD are read from files'
cp -r "$TESTS/fixtures/sampler/node" amd
put() { mkdir -p "$(dirname "amd/sys/class/drm/$1")" && echo "$2" >"amd/sys/class/drm/$1"; }
put card0/device/vendor 0x8086
put card1/device/vendor 0x1002
put card1/device/unique_id 8f3e2a1b
put card1/device/gpu_busy_percent 37
put card1/device/mem_info_vram_used 1073741824
put card1/device/mem_info_vram_total 68702699520
put card1/device/hwmon/hwmon3/power1_average 212000000
put card1/device/hwmon/hwmon3/temp1_input 54000
put card1/device/hwmon/hwmon3/freq1_input 1700000000
put card10/device/vendor 0x1002
"$AGENT" run --root amd --cluster c --looks 1 >sample 2>"$ERR"
expect_no_err
expect_told 2 g.length
expect_told '8f3e2a1b,37,1048576,212,54,1700,68702699520,212000' \
    '[g[0].uuid, g[0].ce_util, g[0].memory, g[0].power, g[0].temperature, g[0].ce_clock, g[0].counters.mem_total_bytes, g[0].counters.power_mw]'
expect_told '1 undefined' '`${g[1].index} ${g[1].ce_util}`'

it 'processes on cards of AMD are those that have memory of them'
put card1/device/drm/renderD129/dev 226:129
put card10/device/drm/renderD130/dev 226:130
kfd() { mkdir -p "$(dirname "amd/sys/class/kfd/kfd/$1")" && echo "$2" >"amd/sys/class/kfd/kfd/$1"; }
for card in '0 0 0' '1 40001 129' '2 40002 130'; do
    # shellcheck disable=SC2086
    set -- $card
    kfd "topology/nodes/$1/gpu_id" "$2"
    kfd "topology/nodes/$1/properties" "cpu_cores_count 0
drm_render_minor $3
simd_count 416"
done
kfd proc/701/vram_40001 536870912
kfd proc/701/vram_40002 0
kfd proc/710/vram_40001 0
"$AGENT" run --root amd --cluster c --looks 1 >sample 2>"$ERR"
expect_no_err
expect_told '[{"uuid":"8f3e2a1b","index":0,"gpu_util":37,"gpu_memory":524288}]' 'JSON.stringify(p.find((each) => each.pid === 701).gpus)'
expect_told '[]' 'JSON.stringify(p.find((each) => each.pid === 710).gpus)'
expect_told '4711 undefined' '`${g[0].counters.job} ${g[1].counters}`'
rm -r amd/sys/class/kfd

it 'a card that a job holds is its own, used or not'
printf 'HOME=/\0SLURM_JOB_GPUS=0\0' >amd/proc/701/environ
"$AGENT" run --root amd --cluster c --looks 1 >sample 2>"$ERR"
expect_told '4711 ann' '`${g[0].counters.job} ${g[0].counters.user}`'
expect_told undefined g[1].counters

finish
