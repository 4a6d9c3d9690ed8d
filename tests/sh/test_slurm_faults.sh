#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A Slurm that dies, sleeps, lies or hangs while it is asked: a sentence that says what to look at, nothing taken, and
# all of it at the next pull. Half of it with a real one, half with programs that pretend.
. "$(dirname "$0")/../support/sh.sh"

day=$(date -d -3days +%F)

conf() { # LINE...: of the cluster `rowan`
    { printf '[cluster rowan]\nscheduler = slurm\nsince = %s\n' "$(date -d -2days +%F)" && printf '%s\n' "$@"; } >stint.conf
}

pull() { stint pull --config "$TMP/stint.conf" "$@"; }
jobs() { stint jobs -M rowan --from "$day" --limit 0 --fields job,state --format csv --no-header | sort; }

# --- programs that pretend ------------------------------------------------------------------------------

mkdir bin
pretend() { # PROGRAM LINE...: a shell script
    pretend_name=$1
    shift
    { echo '#!/bin/sh' && printf '%s\n' "$@"; } >"bin/$pretend_name.new"
    chmod 755 "bin/$pretend_name.new" && mv "bin/$pretend_name.new" "bin/$pretend_name"
}

# sacct: prints $TMP/rows in the columns it is asked for, with the delimiter it is asked for.
honest_sacct() {
    pretend sacct 'case " $* " in *" -e "*) echo "JobID JobIDRaw State Submit Start End NCPUS User JobName"; exit ;; esac' \
        'for word; do case $word in --delimiter=*) by=${word#*=} ;; esac; done' \
        "printf '%s\\n' 'JobID|JobIDRaw|State|Submit|Start|End|User|NCPUS|JobName' 'dummy' >/dev/null" \
        "sed \"s/|/\$by/g\" '$TMP/rows' ${1:-}"
}
{
    echo 'JobID|JobIDRaw|State|Submit|Start|End|User|NCPUS|JobName'
    now=$(date +%s)
    for job in 1 2 3; do
        echo "$job|$job|COMPLETED|$((now - 900))|$((now - 800))|$((now - 700))|ann|$job|relax"
    done
} >rows
pretend squeue 'echo "{\"meta\":{\"Slurm\":{}},\"jobs\":[],\"errors\":[]}"'
pretend scontrol 'case " $* " in *" node "*) echo "NodeName=n1 CPUTot=4 State=IDLE" ;;' \
    '*" partition "*) echo "PartitionName=p State=UP" ;; *) echo "No reservations in the system" ;; esac'
conf "bin = $TMP/bin" 'timeout = 120'

it 'garbage is not taken'
pretend sacct 'case " $* " in *" -e "*) echo JobID JobIDRaw Submit State; exit ;; esac' 'head -c 3000 /dev/urandom'
expect_exit 1 pull
expect_err_has 'sacct did not print the requested columns'
expect_equal '' "$(jobs 2>/dev/null)"

it 'half a row is not taken, nor those before it'
honest_sacct '| head -c 150'
expect_exit 1 pull
expect_err_has 'in the middle of a row'
expect_equal '' "$(jobs 2>/dev/null)"

it 'half a row that ends its line is not taken'
honest_sacct '| head -c 150; echo'
expect_exit 1 pull
expect_err_has 'in the middle of a row'

it 'a failure is told with what the program said'
honest_sacct '>/dev/null; echo "sacct: error: slurmdbd is away" >&2; exit 1'
expect_exit 1 pull
expect_err_has 'slurmdbd is away'
expect_err_has 'rowan'

it 'a program that hangs is ended'
honest_sacct '>/dev/null; sleep 36000' # longer than this test may take
conf "bin = $TMP/bin" 'timeout = 30'
expect_exit 1 pull
expect_err_has 'sacct'
conf "bin = $TMP/bin" 'timeout = 120'

it 'one that is not sacct is named'
pretend sacct 'echo hello'
expect_exit 1 pull
expect_err_has 'does not list the columns of sacct'

it 'one that is not there is named'
rm bin/sacct
expect_exit 1 pull
expect_err_has "$TMP/bin/sacct"

it 'squeue that fails in JSON is not taken for an empty queue'
honest_sacct
pretend squeue 'echo "{\"jobs\":[],\"errors\":[{\"error\":\"Unable to contact slurm controller\",\"error_number\":1}]}"'
expect_exit 1 pull
expect_err_has 'Unable to contact slurm controller'
pretend squeue 'printf "{\"jobs\":[{\"job_id\":1,"'
expect_exit 1 pull
expect_err_has 'ends in the middle'
expect_equal '' "$(jobs 2>/dev/null)"

it 'scontrol that says something else is not taken for a cluster without nodes'
pretend squeue 'echo "{\"meta\":{\"Slurm\":{}},\"jobs\":[],\"errors\":[]}"'
mv bin/scontrol bin/scontrol.good
pretend scontrol 'echo slurm_load_node error: Unable to contact slurm controller'
expect_exit 1 pull
expect_err_has 'without NodeName='
mv bin/scontrol.good bin/scontrol

it 'then all of it comes'
expect_exit 0 pull
expect_equal '1,COMPLETED 2,COMPLETED 3,COMPLETED' "$(jobs | tr '\n' ' ' | sed 's/ $//')"

it 'nobody forges a row by the name of a job'
forged="x
9|9|COMPLETED|$now|$now|$now|eve|1000|fake"
sed -i '$d' rows
printf '%s\n' "3|3|COMPLETED|$((now - 900))|$((now - 800))|$((now - 700))|ann|3|$forged" >>rows
# what the database has is bars; only sacct's own are turned into the delimiter
pretend sacct 'case " $* " in *" -e "*) echo "JobID JobIDRaw State Submit Start End NCPUS User JobName"; exit ;; esac' \
    'for word; do case $word in --delimiter=*) by=${word#*=} ;; esac; done' \
    "awk -v by=\"\$by\" '/^9\\|/ { print; next } { gsub(/\\|/, by); print }' '$TMP/rows'"
expect_exit 0 pull
expect_equal '1,COMPLETED 2,COMPLETED 3,COMPLETED' "$(jobs | tr '\n' ' ' | sed 's/ $//')"

# --- a real one ------------------------------------------------------------------------------------------

. "$TESTS/support/slurm.sh"
slurm_need || finish
t_up=0
slurm_up || t_up=1
it 'a Slurm comes up'
expect_exit 0 test $t_up -eq 0
[ $t_up -eq 0 ] || finish
rm -rf "$STINT_STORE"
slurm_account physics games

# All that a store knows of runs and nodes, but for where and when it was heard.
facts() { # STORE
    stint jobs -M rowan --store "$1" --from "$day" --limit 0 --fields all --format tsv | awk -F'\t' '
        NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ /^(source|file|line|batch|digest|seen)$/ }
        { out = ""; for (i = 1; i <= NF; i++) if (keep[i]) out = out "\t" $i; print out }' | sort
    stint nodes -M rowan --store "$1" --fields node,cpus,cores,mem,gpus,gpu_type,partitions,state,class --format tsv | sort
}

nodes_are() { sinfo -hN -o '%N %T' | sort -u; }
queue_is() { squeue -h -o '%i %T' | sort; }

# Jobs of two times, and a store that has seen the first; one job that goes on, one that was going on then.
some_jobs() {
    for n in 1 2 3; do
        slurm_submit games -n$n --wrap 'srun sleep 1' >/dev/null || return 1
    done
}
only_left() { # COUNT: so many run, and nothing else is there
    [ "$(squeue -h -o %T | sort | uniq -c | tr -d ' ')" = "$1RUNNING" ]
}
long=$(slurm_submit games -t 600 --wrap 'sleep 36000')
other=$(slurm_submit games -t 600 --wrap 'sleep 36000')

it 'a Slurm with jobs is pulled, and pulled again later'
plain() { conf "slurm_conf = $SLURM_CONF" 'timeout = 120'; }
by_rest() { conf 'via = slurmrestd' "address = unix:$1" "timeout = ${2:-120}"; }
plain
check some_jobs
check bed_until $BED_LONG only_left 2
check pull --store "$TMP/early"
by_rest "$SLURM_REST_SOCKET"
check pull --store "$TMP/early-rest"
plain
check some_jobs
check scancel "$other"
check bed_until $BED_LONG only_left 1
# slurmdbd knows all of it: six are over and one is cancelled, each with its steps; one goes on
told_but_one() {
    sacct -aDnP -o JobID,State,End >told &&
        [ "$(grep -c '^[0-9]*|COMPLETED|' told)" -eq 6 ] && [ "$(grep -c '^[0-9]*\.0|COMPLETED|' told)" -eq 6 ] &&
        [ "$(grep -c '^[0-9]*|CANCELLED' told)" -eq 1 ] && ! grep -v "^$long[.|]" told | grep '|Unknown$'
}
check bed_until $BED_LONG told_but_one
check slurm_restart slurmctld # which writes down what it knows: a crash loses what it has not
as_before() { [ "$(nodes_are | tr '\n' ' ')" = 'c1 mixed c2 idle c3 idle g1 idle g2 idle ' ] && slurm_state "$long" RUNNING; }
check bed_until $BED_LONG as_before
calm="$(nodes_are) $(queue_is)"
settled() { [ "$(nodes_are) $(queue_is)" = "$calm" ] && sdiag && sacctmgr -n show cluster; }
check pull --store "$TMP/once"
early=early
facts "$TMP/early" >early.facts
facts "$TMP/early-rest" >early-rest.facts
facts "$TMP/once" >once.facts
expect_equal '6 1 1' "$(for state in COMPLETED CANCELLED RUNNING; do cut -f 1-80 once.facts | grep -c "	$state	"; done | xargs)"

# again: the store is the early one. survives: what is there after a pull that failed. completes: the next one brings all
# of it, and the facts are those of the store that was asked once, by nobody disturbed.
again() { rm -rf "$STINT_STORE" && cp -R $early "$STINT_STORE"; }
survives() {
    facts "$STINT_STORE" >now.facts
    expect_same $early.facts now.facts
}
completes() {
    check bed_until $BED_LONG settled
    check pull
    facts "$STINT_STORE" >now.facts
    expect_same "${1:-once.facts}" now.facts
}

it 'undisturbed it is the same'
again
completes

# --- that is not there, or asleep ---

for daemon in slurmctld slurmdbd; do
    it "without $daemon: a sentence, and the facts as they were"
    again
    check slurm_kill $daemon
    conf "slurm_conf = $SLURM_CONF" 'timeout = 2'
    expect_exit 1 pull
    expect_err_has 'rowan: '
    survives
    check slurm_start $daemon
    plain
    completes

    it "with $daemon asleep: a sentence, after the time that was given"
    again
    kill -STOP "$(cat "$BED/pid/$daemon")"
    conf "slurm_conf = $SLURM_CONF" 'timeout = 2'
    expect_exit 1 pull
    expect_err_has 'rowan: '
    survives
    kill -CONT "$(cat "$BED/pid/$daemon")"
    plain
    completes
done

# --- that dies while it is asked ---

# whole: the true programs; `asked` has what they were asked, but for what asks nobody (sacct -e).
mkdir half
real() { command -v "$1"; }
whole() {
    : >asked
    for true_one in sacct squeue scontrol; do
        cat >half/$true_one <<SCRIPT
#!/bin/sh
case " \$* " in *' -e '*) ;; *) echo "$true_one \$*" >>'$TMP/asked' ;; esac
exec '$(real $true_one)' "\$@"
SCRIPT
    done
    chmod 755 half/*
}

# half PROGRAM DAEMON [ROUND]: a program that gives half of the true answer, in the first round of a pull or in a later
# one, each of which begins with squeue; and then the daemon, asleep, dies when the true program has a connection open and
# waits for it. Only one time.
half() {
    whole
    cat >"half/$1" <<SCRIPT
#!/bin/sh
case " \$* " in *' -e '*) exec '$(real "$1")' "\$@" ;; esac
echo "$1 \$*" >>'$TMP/asked'
[ "\$(grep -c ^squeue '$TMP/asked')" -ge ${3:-1} ] || exec '$(real "$1")' "\$@"
'$(real "$1")' "\$@" >'$TMP/whole' || exit
head -c \$((\$(wc -c <'$TMP/whole') / 2)) '$TMP/whole'
kill -STOP "\$(cat '$BED/pid/$2')"
'$(real "$1")' "\$@" >/dev/null &
until [ -n "\$(find /proc/\$!/fd -lname 'socket:*')" ] || ! kill -0 \$!; do
    sleep 0.1
done
kill -KILL "\$(cat '$BED/pid/$2')"
timeout 10 tail -f --pid=\$! /dev/null || kill \$! # it would try for minutes
wait \$!
SCRIPT
}

while read -r program daemon via reference; do
    it "$daemon dies when half of what $program says is there ($via)"
    again
    half "$program" "$daemon"
    conf "slurm_conf = $SLURM_CONF" "bin = $TMP/half" "via = $via" 'timeout = 120'
    expect_exit 1 pull
    expect_err_has 'rowan: '
    expect_exit 0 test -s whole
    rm whole
    survives
    check slurm_kill "$daemon"
    check slurm_start "$daemon"
    plain
    completes "$reference"
done <<LIST
squeue slurmctld sacct once.facts
scontrol slurmctld sacct once.facts
sacct slurmdbd sacct once.facts
sacct slurmdbd sacct-json once.facts
LIST

# --- the same by slurmrestd ---

by_rest "$SLURM_REST_SOCKET"
early=early-rest

it 'by slurmrestd, undisturbed'
check pull --store "$TMP/rest"
facts "$TMP/rest" >rest.facts
again
completes rest.facts

it 'slurmrestd dies while it is asked'
again
kill -STOP "$(cat "$BED/pid/slurmrestd-local")"
has_caller() { [ "$(grep -cF "$SLURM_REST_SOCKET" /proc/net/unix)" -ge 2 ]; } # beside the one that listens
(until_true has_caller; kill -KILL "$(cat "$BED/pid/slurmrestd-local")") &
expect_exit 1 pull
expect_err_has 'rowan: '
survives
check slurm_start slurmrestd-local
completes rest.facts

while read -r what daemon path; do
    it "$what dies when half of $path is there"
    again
    mkfifo hold.$what
    node "$TESTS/support/cut-proxy.mjs" "$TMP/cut" "$SLURM_REST_SOCKET" "$path" "$BED/pid/$daemon" <hold.$what &
    proxy=$!
    exec 9>hold.$what
    check bed_until $BED_LONG test -S cut
    by_rest "$TMP/cut"
    expect_exit 1 pull
    expect_err_has 'rowan: '
    survives
    exec 9>&-
    wait $proxy
    rm -f cut hold.$what
    check slurm_kill "$daemon"
    check slurm_start "$daemon"
    by_rest "$SLURM_REST_SOCKET"
    completes rest.facts
done <<LIST
slurmrestd slurmrestd-local /slurmdb/v0.0.38/jobs
slurmctld slurmctld /slurm/v0.0.38/nodes
slurmdbd slurmdbd /slurmdb/v0.0.38/jobs
LIST

for daemon in slurmctld slurmdbd; do
    it "slurmrestd without $daemon: a sentence, and the facts as they were"
    again
    check slurm_kill $daemon
    by_rest "$SLURM_REST_SOCKET" 2
    expect_exit 1 pull
    expect_err_has 'rowan: '
    survives
    check slurm_start $daemon
    by_rest "$SLURM_REST_SOCKET"
    completes rest.facts
done

# --- a crash that the controller forgets by ---

it 'what ended while nobody was told is there at a later pull'
again
plain
check slurm_kill slurmdbd
check scancel "$long"
check slurm_wait
check slurm_start slurmdbd
# The controller tells the database when it has found it again: until then the job only has vanished.
has_ended() { pull && [ "$(jobs | grep "^$long,")" = "$long,CANCELLED" ]; }
check bed_until $BED_LONG has_ended
expect_equal 6 "$(jobs | grep -c COMPLETED)"

# Jobs that end one second after the other: for what is below, and meanwhile something else is tried.
it 'a row of jobs is submitted'
began=$(date +%FT%T)
count=0
row_of_jobs() {
    for n in $(seq 13); do
        slurm_submit games --wrap "sleep $n" >/dev/null || return 1
        count=$((count + 1))
    done
}
row_ended() { sacct -aDnXP -S "$began" -E now -s CD -o End; }
row_told() { [ "$(row_ended | wc -l)" -eq $count ]; }
are_apart() { [ "$(row_ended | sort -u | wc -l)" -ge 10 ]; }
check row_of_jobs

it 'slurmrestd: a token that is none, one that ran out, nobody there'
conf 'via = slurmrestd' "address = $SLURM_REST_URL" 'user = root' "token_file = $TMP/token"
echo nonsense >token
expect_exit 1 pull
expect_err_has "slurmrestd at '$SLURM_REST_URL'"
: >token
expect_exit 1 pull
expect_err_has 'scontrol token username=root'
slurm_token root >token
expect_exit 0 pull
slurm_kill slurmrestd-jwt
expect_exit 1 pull
expect_err_has "$SLURM_REST_URL"

# --- that dies in a later round ---

# A first pull asks in windows, the oldest first, and takes eight that are not empty as a round. Jobs that end one
# second after the other, in windows of a second, are several rounds.
it 'jobs end one after the other'
check bed_until $BED_LONG row_told
until are_apart || [ $count -ge 130 ]; do # a machine that stands still has them end together
    check row_of_jobs
    check bed_until $BED_LONG row_told
done
check are_apart
check slurm_restart slurmctld # which writes down what it knows: after a crash it would tell old jobs anew
all_idle() { [ "$(nodes_are | cut -d ' ' -f 2 | sort -u)" = idle ] && [ -z "$(queue_is)" ] && sdiag && sacctmgr -n show cluster; }
check bed_until $BED_LONG all_idle

in_windows() { # LINE...
    printf '%s\n' '[cluster rowan]' 'scheduler = slurm' "since = $began" 'window = 1' "slurm_conf = $SLURM_CONF" "bin = $TMP/half" "$@" >stint.conf
}

# squeue lists what ended a short while ago as well, but not what it used.
from_sacct() {
    stint jobs -M rowan --from "$day" --limit 0 --fields job,cpu_used --format csv --no-header | awk -F, '$2 != "" { print $1 }' | sort -n
}

while read -r program daemon via; do
    it "$daemon dies at $program in the second round ($via): the first is kept"
    if [ ! -e "all.$via.facts" ]; then # undisturbed, in windows: one for each way
        whole
        in_windows "via = $via" 'timeout = 120'
        check pull --store "$TMP/all.$via"
        facts "$TMP/all.$via" >"all.$via.facts"
        expect_exit 0 test "$(grep -c ^squeue asked)" -ge 2
    fi
    rm -rf "$STINT_STORE"
    half "$program" "$daemon" 2
    in_windows "via = $via" 'timeout = 120'
    expect_exit 1 pull
    expect_err_has 'rowan: '
    expect_equal 2 "$(grep -c ^squeue asked)"
    check slurm_kill "$daemon"
    check slurm_start "$daemon"
    check bed_until $BED_LONG all_idle
    upto=$(awk '$1 == "squeue" && ++rounds == 2 { exit } $1 == "sacct"' asked | sed -n '$s/.* -E \([^ ]*\).*/\1/p')
    sacct -aDnXP -S "$began" -E "$upto" -s CD -o JobID | sort -n >want
    from_sacct >got
    expect_same want got
    expect_equal yes "$([ -s want ] && [ "$(wc -l <want)" -lt $count ] && echo yes)"

    it "and the next pull brings the others ($daemon, $program, $via)"
    whole
    in_windows "via = $via" 'timeout = 120'
    check pull
    facts "$STINT_STORE" >now.facts
    expect_same "all.$via.facts" now.facts
done <<LIST
sacct slurmdbd sacct
sacct slurmdbd sacct-json
squeue slurmctld sacct
LIST

it 'who may see only own jobs is told so'
# A program of their own, with its library: others may not be able to enter the folder that this tree lies in.
theirs=$TMP/theirs
mkdir -p "$theirs/bin" "$theirs/lib/stint"
cp "$STINT" "$theirs/bin/"
cp "$(sed -n 's/^DUCKDB_LIBRARY:[A-Z]*=//p' "$TOP/build/asan/CMakeCache.txt")" "$theirs/lib/stint/"
chmod -R go+rX "$theirs"
echo 'PrivateData=jobs,usage' >>"$BED/etc/slurmdbd.conf"
echo 'PrivateData=jobs' >>"$BED/etc/slurm.conf"
slurm_restart slurmdbd && slurm_restart slurmctld
conf "slurm_conf = $SLURM_CONF"
chmod 755 "$TMP"
chmod 644 "$TMP/stint.conf"
chmod 777 "$theirs"
expect_exit 1 slurm_as games "$theirs/bin/stint" pull --config "$TMP/stint.conf" --store "$theirs/store"
expect_err_has "shows 'games' only its own"
conf "slurm_conf = $SLURM_CONF" 'only_own = yes'
expect_exit 0 slurm_as games "$theirs/bin/stint" pull --config "$TMP/stint.conf" --store "$theirs/store"
sacctmgr -i -Q modify user games set AdminLevel=Operator >/dev/null
conf "slurm_conf = $SLURM_CONF"
expect_exit 0 slurm_as games "$theirs/bin/stint" pull --config "$TMP/stint.conf" --store "$theirs/store"

finish
