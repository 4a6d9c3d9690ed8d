#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Pulling from a Nomad: tests/support/nomad-server.mjs answers in its place, and tells what happens there at which second.
. "$(dirname "$0")/../support/sh.sh"

export STINT_CONFIG="$TMP/stint.conf"
servers=

# serve FOLDER: starts a server; its folder is also how it is told what to do.
serve() {
    node "$TESTS/support/nomad-server.mjs" "$1" >"$1/said" 2>&1 &
    servers="$servers $!"
    until_true test -s "$1/port" || { cat "$1/said"; exit 1; }
}

end_servers() {
    for server in $servers; do
        kill "$server" 2>/dev/null
        wait "$server" 2>/dev/null
    done
    servers=
}
trap 'end_servers; rm -rf "$TMP"' EXIT

at() { echo "$1" >nomad/clock.new && mv nomad/clock.new nomad/clock; } # whole, whenever it is read

configure() { # KEY=VALUE lines of the section
    {
        printf '[cluster c]\nscheduler = nomad\nignore = tutorials\ntimeout = 120s\n'
        printf '%s\n' "$@"
    } >stint.conf
}

pull() { stint pull --format csv --no-header >.pull; }

# counts WHAT: added,replaced,unchanged,rejected,vanished of the rows of the last pull that are of it.
counts() { awk -F, -v what="$1" '$2 == what { print $7 "," $8 "," $9 "," $10 "," $11 }' .pull; }

jobs() { stint jobs --from 1d --to now --limit 0 --format csv --no-header --sort job_key "$@"; }

# run_of KEY FIELDS: of one run.
run_of() { jobs --fields "job_key,$2" | sed -n "s/^$1,//p"; }

# instant SECONDS: since the server's life began.
instant() { date -u -d "@$(($(cat nomad/begin) + $1))" +%Y-%m-%dT%H:%M:%S; }

mkdir nomad
at 90
serve nomad
configure "address = http://127.0.0.1:$(cat nomad/port)"

it 'shows what it would ask'
expect_exit 0 stint pull --dry-run
expect_out_has '/v1/allocations?namespace=*'

it 'takes what waits and runs'
expect_exit 0 pull
expect_out '9999-stopped,running
aaaa-web,running
big@default,pending
cccc-1,running
eeee-again,running
ffff-purged,running' jobs --fields job_key,class

it 'with all that is known of it'
expect_out 'web,ann,default,dc1,n1,2,4194304000,314572800,1,A100-SXM4,example/web:1 go --now x y,50,group=all cpu_mhz=4800' \
    run_of aaaa-web name,user,account,partition,node,cpus,mem,disk,gpus,gpu_type,command,priority,request
expect_out "$(instant 5).000123Z,$(instant 20).000123Z,," run_of aaaa-web submit,start,end,exit_code
expect_out '8,62914560000,0,' run_of big@default req_cpus,req_mem,req_gpus,cpus

it 'and nothing of a namespace that is ignored'
expect_out 0 sh -c '"$STINT" jobs --from 1d --to now --account tutorials --format csv --no-header | wc -l | tr -d " "'

it 'again finds nothing new'
expect_exit 0 pull
expect_out 0,0,6,0,0 counts queue
expect_out 0,0,0,0,0 counts history

it 'what began and ended between two pulls is not missed'
at 135
expect_exit 0 pull
expect_out "complete,completed,$(instant 101).000123Z,$(instant 103).500456Z,2,0" \
    run_of bbbb-short state,class,start,end,cpus,exit_code

it 'a rescheduled one is a run of its own, waited for since it was given up'
expect_out "failed,oom,$(instant 49).000123Z,137,Exceeded allowed attempts" \
    run_of cccc-1 state,class,submit,exit_code,reason
expect_out "running,$(instant 125).000123Z,$(instant 130).000123Z" run_of cccc-2 class,submit,start

it 'one that is stopped was cancelled; one that starts again in place is the same, since its first start'
at 170
expect_exit 0 pull
expect_out "cancelled,$(instant 140).000456Z,143,15" run_of 9999-stopped class,end,exit_code,signal
expect_out "running,$(instant 35).000123Z" run_of eeee-again class,start

it 'one that Nomad has forgotten ended when it was last seen'
expect_out other run_of ffff-purged class
expect_exit 0 test "$(run_of ffff-purged flags)" -gt 0
expect_out 1 sh -c 'awk -F, "\$2 == \"queue\" { print \$11 }" .pull'

it 'what waited has started, and waits no more'
at 220
expect_exit 0 pull
expect_out 'running,8' run_of dddd-big class,cpus
expect_out 0 sh -c '"$STINT" jobs --from 1d --to now --format csv --no-header --fields job_key | grep -c @ || true'

it 'what it waited, and until when, is kept'
expect_equal 'c,big@default,ann,ended' "$(stint waits --periods --from 1d --format csv --no-header 2>"$ERR" |
    awk -F, '$2 == "big@default" { print $1 "," $2 "," $5 "," ($13 > $12 ? "ended" : "goes on") }')"
expect_equal 0 "$(stint waits --periods --from 1d --format csv --no-header 2>"$ERR" | awk -F, '$13 == ""' | wc -l | tr -d ' ')"

it 'more than a round takes comes in several, each once'
at 310
: >nomad/asked
expect_exit 0 pull
expect_out 510 sh -c 'grep -c "^/v1/allocation/7777" nomad/asked'
expect_out 510 sh -c '"$STINT" jobs --from 1d --to now --limit 0 --user dan --format csv --no-header --fields job_key | sort -u | wc -l | tr -d " "'
expect_out 518 sh -c '"$STINT" jobs --from 1d --to now --limit 0 --format csv --no-header --fields job_key | wc -l | tr -d " "'

it 'nodes, and how they are'
expect_out 'n1,8,8,67108864000,2,A100-SXM4,dc1,ready,allocated
n2,4,4,16777216000,0,,dc1,ready+drain,draining
n3,4,4,16777216000,0,,dc1,down,down' stint nodes --format csv --no-header \
    --fields node,cpus,cores,mem,gpus,gpu_type,partitions,state,class

# --- what can go wrong ----------------------------------------------------------------------------------

echo 'nothing of the answer is used' >said-die
echo 'did not answer completely within 30 seconds' >said-slow
echo 'is not a list of JSON objects' >said-nonsense
echo 'is not a list of JSON objects' >said-strange
echo 'status 500: rpc error: No cluster leader' >said-busy
jobs --fields job_key,class,start,end,seen >before.csv
for mode in die slow nonsense strange busy; do
    it "a Nomad that is $mode changes nothing"
    echo $mode >nomad/mode
    configure "address = http://127.0.0.1:$(cat nomad/port)"
    [ $mode != slow ] || sed -i 's/timeout = .*/timeout = 30s/' stint.conf
    expect_exit 1 stint pull
    expect_err_has "$(cat said-$mode)"
    jobs --fields job_key,class,start,end,seen >after.csv
    expect_exit 0 cmp before.csv after.csv
done
echo ok >nomad/mode

it 'a token that is wrong is told'
echo right >nomad/token
expect_exit 1 stint pull
expect_err_has 'denies access to'
expect_err_has 'token_file'
echo wrong >token
configure "address = http://127.0.0.1:$(cat nomad/port)" "token_file = $TMP/token"
expect_exit 1 stint pull
expect_err_has 'Permission denied'
: >token
expect_exit 1 stint pull
expect_err_has 'contains no token'

it 'the right one is let in, and is not shown'
echo right >token
expect_exit 0 pull
expect_exit 0 stint config show
rm nomad/token

it 'with wait, a pull comes back when something happens'
at 104
configure "address = http://127.0.0.1:$(cat nomad/port)" 'wait = 1h' # longer than this test may take
rm -rf store
expect_exit 0 pull
waiting() { grep -c 'index=.*wait=3600s' nomad/asked; }
waited=$(waiting)
asked_to_wait() { [ "$(waiting)" -gt "$waited" ]; }
(until_true asked_to_wait && at 121) &
expect_exit 0 pull
wait $!
expect_out failed run_of cccc-1 state
expect_exit 0 asked_to_wait
configure "address = http://127.0.0.1:$(cat nomad/port)" 'wait = 1s'

it 'a Nomad that counts from the start again is read from the start'
at 60
expect_exit 0 pull
expect_exit 0 sh -c 'test "$(tail -n 4 nomad/asked | grep -c /v1/allocation/)" -ge 1'

it 'the first pull asks no further back than since, of what is over'
at 310
rm -rf store
configure "address = http://127.0.0.1:$(cat nomad/port)" "since = $(instant 140)"
: >nomad/asked
expect_exit 0 pull
expect_out 'aaaa-web,running
bbbb-short,
cccc-1,
cccc-2,running
9999-stopped,cancelled' sh -c '
    "$STINT" jobs --from 1d --to now --limit 0 --format csv --no-header --fields job_key,class >.all
    for key in aaaa-web bbbb-short cccc-1 cccc-2 9999-stopped; do
        echo "$key,$(sed -n "s/^$key,//p" .all)"
    done'
expect_out 510 sh -c 'grep -c ^7777 .all'
expect_exit 1 grep -q '^/v1/allocation/bbbb' nomad/asked

it 'and the next goes on from there'
: >nomad/asked
expect_exit 0 pull
expect_exit 1 grep -q '^/v1/allocation/' nomad/asked

it 'a since that cannot be read is told before anything is asked'
configure "address = http://127.0.0.1:$(cat nomad/port)" 'since = soon'
expect_exit 1 stint pull
expect_err_has "'since' is a day or time"

# --- owners ---------------------------------------------------------------------------------------------

it 'owners are people, with the names and addresses that their jobs tell'
configure "address = http://127.0.0.1:$(cat nomad/port)"
rm -rf store
expect_exit 0 pull
expect_exit 0 stint people add bob --email bob@elsewhere.example --logins bob
expect_exit 0 stint people sync
expect_out_has '1 already known received the name or address recorded with their jobs'
expect_out 'ann,ann of Example,ann@example.org,ann
bob,bob of Example,bob@elsewhere.example,bob
cyd,cyd of Example,cyd@example.org,cyd
dan,dan of Example,dan@example.org,dan' sh -c '"$STINT" people list --format csv --no-header | cut -d, -f2-4,6 | sort'

it 'what people said stays, and again changes nothing'
expect_exit 0 stint people set ann --name 'Ann Smith'
expect_exit 0 pull
expect_exit 0 stint people sync
expect_out_has '0 added'
expect_out 'ann,Ann Smith,ann@example.org,ann' sh -c '"$STINT" people list --format csv --no-header | cut -d, -f2-4,6 | grep ^ann'

it 'by the key that the config names'
configure "address = http://127.0.0.1:$(cat nomad/port)" 'owner = login owner_email' 'owner_name = nothing'
rm -rf store
expect_exit 0 pull
expect_out ann@example.org run_of aaaa-web user
expect_exit 0 stint people sync
expect_out 'ann@example.org,,ann@example.org' sh -c '"$STINT" people list --format csv --no-header | cut -d, -f2-4 | grep ^ann' # nobody has a name

it 'nobody there is a sentence'
end_servers
expect_exit 1 stint pull
expect_err_has '127.0.0.1'

# --- certificates ---------------------------------------------------------------------------------------

it 'TLS with certificates of both sides'
mkdir tls
(
    cd tls || exit 1
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=test authority' -keyout ca.key -out ca.pem
    for who in server client stranger; do
        openssl req -newkey rsa:2048 -nodes -subj "/CN=$who.global.nomad" -keyout $who.key -out $who.csr
        echo "subjectAltName=DNS:$who.global.nomad" >$who.ext
    done
    for who in server client; do
        openssl x509 -req -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $who.ext -out $who.pem
    done
    openssl x509 -req -in stranger.csr -signkey stranger.key -days 2 -out stranger.pem
) >openssl.log 2>&1 || cat openssl.log
echo 90 >tls/clock
serve tls
tls_keys() { # CERTIFICATE SERVER_NAME
    configure "address = https://127.0.0.1:$(cat tls/port)" "ca = $TMP/tls/ca.pem" "certificate = $TMP/tls/$1.pem" \
        "key = $TMP/tls/$1.key" "server_name = $2"
}
tls_keys client server.global.nomad
rm -rf store
expect_exit 0 pull
expect_out running run_of aaaa-web class

it 'a certificate of a stranger is not let in'
tls_keys stranger server.global.nomad
expect_exit 1 stint pull

it 'a server of another name is not believed'
tls_keys client other.global.nomad
expect_exit 1 stint pull
expect_err_has '127.0.0.1'

end_servers
finish
