#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A real Prometheus scrapes a server for half a minute, through an import and a restart; its own tools find nothing wrong with the
# metrics, the alert rules and what the Grafana dashboard asks. timeout: 1800
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

# scraped TIMES: so often since the start.
scraped() { curl -sS --data-urlencode "query=count_over_time(up{job=\"stint\"}[1h]) >= $1" "$prom/api/v1/query" | grep -q '"value"'; }

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
start_server
cat >prometheus.yml <<END
global: {scrape_interval: 3s, scrape_timeout: 3s}
rule_files: [$TOP/contrib/prometheus/stint-alerts.yml]
scrape_configs:
  - job_name: stint
    authorization: {credentials: $token}
    static_configs: [{targets: ["${at#http://}"]}]
END
it 'a Prometheus takes the configuration, rules included'
expect_exit 0 promtool check config prometheus.yml
prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address=127.0.0.1:0 >prometheus.log 2>&1 &
prometheus=$!
until_true grep -q 'Listening on' prometheus.log
prom=http://$(sed -n 's/.*msg="Listening on" address=\([^ ]*\).*/\1/p' prometheus.log | head -n 1)

it 'it scrapes through an import and a restart, for half a minute'
until_true scraped 4
check stint import sge --cluster d "$TESTS/fixtures/import/accounting"
until_true scraped 7
stop_server
server_listens=${at#http://}
start_server
until_true scraped 10
until_true sh -c "curl -sS '$prom/api/v1/query?query=up' | grep -q '\"1\"'"
expect_equal 1 "$(value 'up{job="stint"}')"

it 'no counter went back'
for counter in stint_cpu_seconds_total stint_jobs_ended_total; do
    expect_equal 0 "$(value "sum(resets($counter[1h]))")"
done

# The last samples, whether or not the latest scrape of a busy machine came in time.
it 'the sums of states are the totals'
nodes=$(stint nodes --format csv --no-header | grep -c .)
expect_equal "$nodes" "$(value 'sum(last_over_time(stint_nodes[5m]))')"
cpus=$(stint nodes --by cluster --format json | node -e '
    console.log(JSON.parse(require("fs").readFileSync(0, "utf8")).reduce((sum, row) => sum + row.cpus, 0));')
expect_equal "$cpus" "$(value 'sum(last_over_time(stint_cpus[5m]))')"

finish
