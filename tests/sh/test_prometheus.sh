#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A real Prometheus scrapes a server for a minute, through an import and a restart; its own tools find nothing wrong with the
# metrics, the alert rules and what the Grafana dashboard asks.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/live_site.sh"
. "$TESTS/support/server.sh"

prometheus=
t_at_exit=stop_all

stop_all() {
    [ -z "$prometheus" ] || kill "$prometheus" 2>/dev/null
    [ -z "$prometheus" ] || wait "$prometheus"
    stop_server
}

# value QUERY: the sum of what Prometheus answers; nothing if it has no sample.
value() {
    curl -sS --data-urlencode "query=$1" "$prom/api/v1/query" | node -e '
        const {data} = JSON.parse(require("fs").readFileSync(0, "utf8"));
        const values = data.result.map(one => Number(one.value[1]));
        if (values.length) console.log(values.reduce((a, b) => a + b, 0));'
}

# scraped TIMES: so often since the start, with an answer: on a busy machine some come too late.
scraped() { curl -sS --data-urlencode "query=sum_over_time(up{job=\"stint\"}[1h]) >= $1" "$prom/api/v1/query" | grep -q '"value"'; }

live_site "$TMP/elm"
STINT_CONFIG=$TMP/elm/stint.conf
export STINT_CONFIG
check stint import sge --cluster c "$TESTS/fixtures/import/accounting"
check stint pull
stint metrics >metrics

it 'promtool finds nothing wrong with the metrics'
expect_exit 0 promtool check metrics <metrics
expect_equal '' "$(cat "$OUT" "$ERR")"

it 'the alert rules are sound and fire when they should'
expect_exit 0 promtool check rules "$TOP/contrib/prometheus/stint-alerts.yml"
expect_exit 0 promtool test rules "$TOP/contrib/prometheus/stint-alerts.test.yml"

it 'rules and dashboard ask for metrics that there are'
sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' metrics | sort -u >there
grep -ohE 'stint_[a-z0-9_]+' "$TOP/contrib/grafana/stint.json" "$TOP/contrib/prometheus/stint-alerts.yml" | sort -u >asked
expect_equal '' "$(comm -13 there asked)"

token=$(stint token add prometheus --role staff --format csv --no-header 2>/dev/null | cut -d, -f 2)
# show_target: where the server is now. Prometheus reads the file when it changes, and what it is called there stays the same.
show_target() { printf '[{"targets": ["%s"]}]\n' "${at#http://}" >targets.new && mv targets.new targets.json; }
start_server
show_target
cat >prometheus.yml <<END
global: {scrape_interval: 5s, scrape_timeout: 5s}
rule_files: [$TOP/contrib/prometheus/stint-alerts.yml]
scrape_configs:
  - job_name: stint
    authorization: {credentials: $token}
    file_sd_configs: [{files: [$TMP/targets.json], refresh_interval: 1s}]
    relabel_configs: [{target_label: instance, replacement: stint}]
END
it 'a Prometheus takes the configuration, rules included'
expect_exit 0 promtool check config prometheus.yml
prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address=127.0.0.1:0 >prometheus.log 2>&1 &
prometheus=$!
until_true grep -q 'Listening on' prometheus.log
prom=http://$(sed -n 's/.*msg="Listening on" address=\([^ ]*\).*/\1/p' prometheus.log | head -n 1)

it 'it scrapes through an import and a restart'
check until_true scraped 3
check stint import sge --cluster d "$TESTS/fixtures/import/accounting"
check until_true scraped 6
stop_server
start_server
show_target
check until_true scraped 9


it 'what the server gives is sound, too'
curl -sS -H "Authorization: Bearer $token" "$at/metrics" >served
expect_exit 0 promtool check metrics <served
expect_equal '' "$(cat "$OUT" "$ERR")"

# Of GPUs nothing is known here: a counter without a sample has nothing to go back from.
it 'no counter went back, of all that there are'
sed -n 's/^# TYPE \([^ ]*\) counter$/\1/p' served >counters
check [ "$(grep -c . counters)" -ge 2 ]
while read -r counter; do
    went=$(value "sum(resets($counter[1h]))")
    expect_equal "$counter 0" "$counter ${went:-0}"
done <counters

it 'the import is in them, and what they say is what a report says'
grew() { value "sum(last_over_time($1[5m])) - sum(min_over_time($1{cluster=\"c\"}[1h]))"; }
ended=$(stint report jobs --cluster d --from 1970-01-01 --to now --format csv --no-header)
check [ "$ended" -gt 0 ]
check [ "$(grew stint_jobs_ended_total)" -ge "$ended" ]
expect_equal "$(stint report jobs --from 1970-01-01 --to now --format csv --no-header)" "$(value 'sum(last_over_time(stint_jobs_ended_total[5m]))')"

# The last samples, whether or not the latest scrape of a busy machine came in time.
it 'the sums of states are the totals'
nodes=$(stint nodes --format csv --no-header | grep -c .)
expect_equal "$nodes" "$(value 'sum(last_over_time(stint_nodes[5m]))')"
cpus=$(stint nodes --by cluster --format json | node -e '
    console.log(JSON.parse(require("fs").readFileSync(0, "utf8")).reduce((sum, row) => sum + row.cpus, 0));')
expect_equal "$cpus" "$(value 'sum(last_over_time(stint_cpus[5m]))')"
expect_equal "$cpus" "$(value 'sum(last_over_time(stint_partition_cpus[5m]))')"
expect_equal "$nodes" "$(value 'sum(last_over_time(stint_partition_nodes[5m]))')"
memory=$(stint nodes --format json | node -e '
    console.log(JSON.parse(require("fs").readFileSync(0, "utf8")).reduce((sum, row) => sum + row.mem, 0));')
expect_equal "$memory" "$(value 'sum(last_over_time(stint_memory_bytes[5m]))')"
expect_equal "$(stint queue --state running --format csv --no-header | grep -c .) $(stint queue --state pending --format csv --no-header | grep -c .)" \
    "$(value 'sum(last_over_time(stint_jobs_running[5m]))') $(value 'sum(last_over_time(stint_jobs_pending[5m]))')"

finish
