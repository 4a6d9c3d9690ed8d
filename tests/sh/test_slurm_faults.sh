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
conf "bin = $TMP/bin" 'timeout = 3'

it 'garbage is not taken'
pretend sacct 'case " $* " in *" -e "*) echo JobID JobIDRaw Submit State; exit ;; esac' 'head -c 3000 /dev/urandom'
expect_exit 1 pull
expect_err_has 'sacct printed something else than it was asked for'
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
honest_sacct '>/dev/null; sleep 60'
began=$(date +%s)
expect_exit 1 pull
expect_err_has 'sacct'
expect_exit 0 test $(($(date +%s) - began)) -lt 30

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
conf "slurm_conf = $SLURM_CONF" 'timeout = 4'
for n in 1 2 3 4 5; do
    slurm_submit games -n$n --wrap 'sleep 1' >/dev/null
done
long=$(slurm_submit games --wrap 'sleep 600')
bed_until 20 slurm_state "$long" RUNNING
bed_until 30 sh -c '[ "$(squeue -h | wc -l)" -eq 1 ]'
slurm_restart slurmctld # which writes down what it knows: a crash loses what it has not
bed_until 20 slurm_state "$long" RUNNING
expect_exit 0 pull

it 'without slurmctld: a sentence, and the facts as they were'
before=$(jobs)
slurm_kill slurmctld
expect_exit 1 pull
expect_err_has 'rowan: '
expect_equal "$before" "$(jobs)"

it 'without slurmdbd: a sentence, and the facts as they were'
slurm_start slurmctld
slurm_kill slurmdbd
expect_exit 1 pull
expect_err_has 'sacct'
expect_equal "$before" "$(jobs)"

it 'with slurmdbd asleep: a sentence, after the time that was given'
slurm_start slurmdbd
kill -STOP "$(cat "$BED/pid/slurmdbd")"
expect_exit 1 pull
expect_err_has 'sacct'
kill -CONT "$(cat "$BED/pid/slurmdbd")"
expect_equal "$before" "$(jobs)"

it 'what ended meanwhile is there at the next pull'
scancel "$long"
slurm_wait 30
# The controller tells the database when it has found it again: until then the job only has vanished.
has_ended() { pull >/dev/null 2>&1 && [ "$(jobs | grep "^$long,")" = "$long,CANCELLED" ]; }
tries=0
until has_ended || [ $tries -eq 20 ]; do
    tries=$((tries + 1))
    sleep 1
done
check has_ended
expect_equal 5 "$(jobs | grep -c COMPLETED)"

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

it 'who may see only own jobs is told so'
echo 'PrivateData=jobs,usage' >>"$BED/etc/slurmdbd.conf"
echo 'PrivateData=jobs' >>"$BED/etc/slurm.conf"
slurm_restart slurmdbd && slurm_restart slurmctld
conf "slurm_conf = $SLURM_CONF"
chmod 755 "$TMP"
chmod 644 "$TMP/stint.conf"
mkdir -m 777 "$TMP/theirs"
expect_exit 1 slurm_as games "$STINT" pull --config "$TMP/stint.conf" --store "$TMP/theirs/store"
expect_err_has "tells 'games' only of its own"
conf "slurm_conf = $SLURM_CONF" 'only_own = yes'
expect_exit 0 slurm_as games "$STINT" pull --config "$TMP/stint.conf" --store "$TMP/theirs/store"
sacctmgr -i -Q modify user games set AdminLevel=Operator >/dev/null
conf "slurm_conf = $SLURM_CONF"
expect_exit 0 slurm_as games "$STINT" pull --config "$TMP/stint.conf" --store "$TMP/theirs/store"

finish
