#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint thin: what is left of old samples, worked out a second time here.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

# A sample a minute of one job, over 3 days: cpu time grows by 30 s a minute, memory goes up and down, GPU use too.
cat >make.mjs <<'END'
const day = Math.floor(Date.now() / 86400000) * 86400000;
for (const back of process.argv.slice(2)) {
    for (let m = 0; m < 1440; m += 1) {
        const time = new Date(day - back * 86400000 + m * 60000).toISOString().replace('.000', '');
        console.log(JSON.stringify({ meta: { producer: 'stint-agent', version: '0.1.0', format: 0, attrs: [{ key: 'absent', value: 'unknown' }] },
            data: { type: 'sample', attributes: { time, cluster: 'c', node: 'n1', system: { counters: { cpus: 8 },
                gpus: [{ uuid: 'GPU-0', index: 0, ce_util: m % 5 * 20, memory: 1024 }] },
                jobs: [{ job: 4711, user: 'ann', epoch: 0, cgroup: { cpu_time_us: m * 3e7, rss_bytes: (m % 60) * 1024 }, processes: [] }] } } }));
    }
}
END
node make.mjs 400 100 3 >samples.json
check stint import sonar samples.json
count() { stint samples --kind "$1" --fields time --format csv --no-header --from 2000 --to now | wc -l; }
expect_equal 4320 "$(count job)"

it 'a month as it came, a year each 5 minutes, then an hour'
check stint thin
expect_equal $((24 + 288 + 1440)) "$(count job)"
expect_equal $((24 + 288 + 1440)) "$(count gpu)"
expect_equal $((24 + 288 + 1440)) "$(count node)"

it 'of counters the last, of memory the most, of shares the mean'
day=$(node -e 'console.log(new Date((Math.floor(Date.now() / 86400000) - 100) * 86400000).toISOString().slice(0, 10))')
stint samples --kind job --fields time,cpu_time,rss --format csv --no-header --from "$day" --to "$day" --zone UTC | head -2 >five
expect_equal "120,4096 270,9216" "$(cut -d, -f2,3 five | tr '\n' ' ' | sed 's/ $//')"
expect_equal 0.4 "$(stint samples --kind gpu --fields gpu_util --format csv --no-header --from "$day" --to "$day" --zone UTC | sort -u)"
day=$(node -e 'console.log(new Date((Math.floor(Date.now() / 86400000) - 400) * 86400000).toISOString().slice(0, 10))')
expect_equal 60416 "$(stint samples --kind job --fields rss --format csv --no-header --from "$day" --to "$day" --zone UTC | sort -u)"

it 'a second time changes nothing'
stint thin --format csv --no-header >again
expect_equal '0 0' "$(cut -d, -f3 again | tr '\n' ' ' | sed 's/ $//')"

it 'the site says for how long'
printf '[samples]\nraw = 2d\nshort = 50d\n' >stint.conf
check env STINT_CONFIG="$PWD/stint.conf" "$STINT" thin
expect_equal $((24 + 24 + 288)) "$(count job)"

it 'more processes than are thinned at once are thinned in parts, and none is lost'
cat >crowd.mjs <<'END'
for (const [second, used] of [[10, 5], [70, 8]]) {
    const time = new Date(Date.parse('2024-05-01T10:00:00Z') + second * 1000).toISOString().replace('.000', '');
    const processes = Array.from({ length: 20500 }, (_, i) => ({ cmd: 'x', pid: i + 1, ppid: 1, cpu_time: used, resident_memory: 4 }));
    console.log(JSON.stringify({ meta: { producer: 'sonar', version: '0.18.0' }, data: { type: 'sample', attributes: { time, cluster: 'c', node: 'crowd',
        jobs: [{ job: 5, user: 'ann', epoch: 0, processes }] } } }));
}
END
node crowd.mjs >crowd.json
check stint import sonar crowd.json
check stint thin
stint samples -w crowd --from 2024-05-01 --to 2024-05-01 --zone UTC --fields pid,cpu_time --format csv --no-header >crowd
expect_equal '20500 164000' "$(awk -F, '{ s += $2 } END { print NR, s }' crowd)"
expect_equal 20500 "$(cut -d, -f1 crowd | sort -u | wc -l)"

it 'a sample of a node whose clock was wrong costs no more than any other: days without samples are passed over'
sed 's/2024-05-01T/1970-01-01T/; s/crowd/lost/' crowd.json | head -1 >lost.json
check stint import sonar lost.json
check stint thin
expect_equal 20500 "$(stint samples -w lost --from 1970-01-01 --to 1970-01-01 --zone UTC --fields pid --format csv --no-header | wc -l)"

it 'a server to which agents send does it once a day'
rm -f stint.conf
node make.mjs 60 >more.json
check stint import sonar more.json
before=$(count job)
mkdir -p "$STINT_STORE/inbox"
touch -d '2 days ago' "$STINT_STORE/inbox/.thinned"
start_server
is_thinned() { [ "$(count job)" -eq "$((before - 1440 + 288))" ]; }
until_true is_thinned
check is_thinned
stop_server

finish
