#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stint pull and stint config, from the outside. The schedulers here are Grid Engines whose programs are scripts, so
# that they can be made to fail in any way; what real ones say is tested elsewhere.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"
t_at_exit=

it 'has a driver for Grid Engine'
check stint config example
expect_out_has 'scheduler = sge'

mkdir bin broken store
: >accounting

cat >stint.conf <<END
[site]
zone = Europe/Oslo
[cluster alder]
scheduler = sge
bin = $TMP/bin
accounting = $TMP/accounting
every = 1
timeout = 120
[cluster birch]
scheduler = sge
bin = $TMP/broken
accounting = $TMP/accounting
every = 1
END
STINT_CONFIG=$TMP/stint.conf
export STINT_CONFIG

# What the programs print: a document around the file of the same name.
for name in qstat qhost; do
    printf '#!/bin/sh\ncat %s/%s.xml\n' "$TMP" $name >bin/$name
    printf '#!/bin/sh\necho asked >>%s/asked\necho "error: commlib error: got select error" >&2\nexit 1\n' "$TMP" >broken/$name
done
chmod +x bin/* broken/*
cat >qhost.xml <<'END'
<?xml version='1.0'?>
<qhost xmlns:xsd="http://x/qhost.xsd">
 <host name='global'><hostvalue name='arch_string'>-</hostvalue></host>
 <host name='n1'><hostvalue name='arch_string'>lx-amd64</hostvalue><hostvalue name='num_proc'>8</hostvalue>
  <hostvalue name='mem_total'>16.0G</hostvalue>
  <queue name='all.q'><queuevalue qname='all.q' name='qtype_string'>BIP</queuevalue>
   <queuevalue qname='all.q' name='slots_used'>0</queuevalue><queuevalue qname='all.q' name='slots'>8</queuevalue>
   <queuevalue qname='all.q' name='state_string'></queuevalue></queue>
 </host>
</qhost>
END

# list STATE...: a document of job 7 in the state, or of nothing.
list() {
    {
        printf '<?xml version="1.0"?>\n<job_info xmlns:xsd="http://x/qstat.xsd">\n<queue_info>\n'
        [ "$1" != running ] || printf '%s\n' '<job_list state="running"><JB_job_number>7</JB_job_number>' \
            '<JAT_prio>0.5</JAT_prio><JB_name>work</JB_name><JB_owner>ann</JB_owner><state>r</state>' \
            '<JAT_start_time>2025-03-01T12:00:00</JAT_start_time><queue_name>all.q@n1</queue_name><slots>4</slots>' \
            '<full_job_name>work</full_job_name></job_list>'
        printf '</queue_info>\n<job_info>\n</job_info>\n</job_info>\n'
    } >qstat.new && mv qstat.new qstat.xml # whole, whenever it is read
}

it 'says whether the config is right'
check stint config check
expect_out_has alder
expect_out_has ok
check stint config show
expect_out_has 'Europe/Oslo'
printf '[cluster x]\nscheduler = sge\ntimeuot = 5\n' >wrong.conf
expect_exit 1 stint config check --config wrong.conf
expect_err_has "line 3: there is no key 'timeuot'; did you mean 'timeout'?"
expect_exit 1 stint config check --config nowhere.conf
check stint config example
sed 's/^#\([a-z_]* = [^.].*\)/\1/; s/^#\(\[.*\)/\1/; s|^#file = .*|file = /var/log/accounting|; s|^#folder = .*|folder = /backup/stint|; s|^#issuer = .*|issuer = https://id.example.org|
    s/^#client_id = .*/client_id = stint/; s/^#role = .*/role = user/; s/^#driver = .*/driver = slurm/; s/^#from = .*/from = stint@example.org/
    s|^#address = [.].*|address = https://chat.example.org/hook|' "$OUT" >example.conf
it 'and every example in the docs is one'
for doc in "$TOP"/docs/*.md "$TOP"/docs/sources/*.md; do
    awk -v to="ini.${doc##*/}" '/^```ini/ { n++; on = 1; next } /^```/ { on = 0 } on { print > (to "." n ".conf") }' "$doc"
done
expect_equal yes "$([ "$(ls ini.*.conf | wc -l)" -ge 6 ] && echo yes)"
for file in ini.*.conf; do
    check stint config check --config "$file"
done

it 'prints an example that is a config itself'
check stint config check --config example.conf

it 'refuses a key that means nothing to the scheduler, and says why'
printf '[cluster x]\nscheduler = sge\nsince = 2025\n' >since.conf
expect_exit 1 stint config check --config since.conf
expect_err_has "line 3: 'since' does not apply to the scheduler sge: its accounting file is read from the beginning"
printf '[cluster x]\nscheduler = nomad\nsince = 2025\n[cluster y]\nscheduler = slurm\nsince = 7d\n' >since.conf
check stint config check --config since.conf

it 'goes by the zone of the config'
run stint doctor
expect_out_has Europe/Oslo
run stint doctor --zone UTC
expect_out_has 'days are those of UTC'

it 'shows what it would ask'
check stint pull alder --dry-run
expect_out_has qstat
expect_equal no "$([ -e store/facts.duckdb ] && echo yes || echo no)"

it 'ends a program that does not answer in time'
printf '#!/bin/sh\nsleep 600\n' >bin/qstat
sed 's/timeout = .*/timeout = 30/' stint.conf >hasty.conf
expect_exit 1 stint pull alder --config hasty.conf
expect_err_has 'did not answer completely within 30 seconds'
printf '#!/bin/sh\ncat %s/qstat.xml\n' "$TMP" >bin/qstat

it 'pulls what runs, and what there is'
list running
check stint pull alder --format csv
expect_out_has alder,queue,qstat
expect_out_has alder,node,qhost
check stint jobs --format csv --fields job,class,cpus --from 2025
expect_out_has 7,running,4

it 'does not let one cluster keep the other out'
expect_exit 1 stint pull --format csv
expect_out_has alder,queue,qstat
expect_err_has 'birch: '
expect_err_has 'commlib error'

it 'config check --try asks each scheduler'
expect_exit 1 stint config check --try --format csv
expect_out_has alder,
expect_out_has 'commlib error'

it 'is told by the doctor'
run stint doctor
expect_out_has 'a pull failed: '
expect_out_has commlib

it 'keeps what it knows when the answer is nonsense'
printf '<html>502</html>\n' >qstat.xml
expect_exit 1 stint pull alder
expect_err_has alder
check stint jobs --format csv --fields job,class,cpus --from 2025
expect_out_has 7,running,4

it 'ends what vanished, and says so'
list nothing
check stint pull alder --format csv
expect_out_has alder,queue,qstat
check stint jobs --format csv --fields job,class,cpus --from 2025 --flags '>1023'
expect_out_has 7,other,4
it 'lets it go on when it is listed again'
list running
check stint pull alder
check stint jobs --format csv --fields job,class,cpus --from 2025
expect_out_has 7,running,4

it 'knows no cluster that is not there'
expect_exit 2 stint pull cedar
expect_err_has 'there are: alder, birch'

it 'goes on until it is told to stop, says each failure once, and when it has passed'
list running
"$STINT" pull --every 1 >loop.out 2>loop.err & # the program itself, not a shell around it
loop=$!
t_at_exit="kill -9 $loop"
: >asked
asked_thrice() { [ "$(wc -l <asked)" -ge 3 ]; }
until_true asked_thrice
expect_equal 1 "$(grep -c 'commlib error' loop.err)"
it 'lets others use the store meanwhile'
check stint jobs --format csv --fields job,class --from 2025
for name in qhost qstat; do
    cp bin/$name broken/$name.new && mv broken/$name.new broken/$name # whole, whenever it is run
done
until_true grep -q 'birch: answers again' loop.err
it 'asks a cluster that failed again'
expect_equal 1 "$(grep -c 'birch: answers again' loop.err)"
kill -TERM $loop
wait $loop
ended=$?
it 'stops in good order'
expect_equal 0 $ended

it 'a server that has the store pulls for those who ask, and says by which stint.conf'
list nothing
t_at_exit=stop_server
start_server --no-pull
check stint pull alder
expect_out_has "queried by the server that has the store, as '$TMP/stint.conf' says"
expect_out '7' stint jobs --format csv --no-header --fields job --from 2025 --flags '>1023'
list running
expect_exit 0 stint pull alder --format csv
expect_out_has alder,queue,qstat
expect_exit 2 stint pull cedar
expect_err_has 'there are: alder, birch'
expect_exit 0 stint pull alder --dry-run
expect_out_has qstat

it 'and goes on for as long as they ask'
"$STINT" pull alder --every 1 >loop.out 2>loop.err &
loop=$!
list nothing
until_true grep -q 'alder: .*vanished 1' loop.err
kill -TERM $loop
wait $loop
expect_equal 0 $?
stop_server
finish
