#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A real Slurm, small and short-lived: munged, mariadbd, slurmdbd, slurmctld, three slurmd with 16 cpus each and two
# with GPUs, slurmrestd on a Unix socket and, with tokens, on loopback. All of it in one folder and on free ports.
# For a person:
#
#     tests/support/slurm.sh up DIR      then: . DIR/env
#     tests/support/slurm.sh down DIR
#
# For a test, after support/sh.sh:
#
#     . "$TESTS/support/slurm.sh"
#     slurm_need || finish               # skips the test without root
#     slurm_up                           # a few seconds
#     slurm_account physics games,news   # an account, and who may charge it
#     id=$(slurm_submit games -n2 --wrap 'sleep 1')
#     slurm_wait                         # until nothing waits or runs
#     slurm_told                         # until slurmdbd knows
#     sacct ...                          # the commands find it by SLURM_CONF
#
# It ends with the test, however that ends. Users are those that every Debian has (games, news, man, lp, ...), so
# that the machine's own need not be touched.
#
# SLURM_MORE is what else slurm.conf has.
# SLURM_TASK=cgroup has memory limits enforced by them.
# SLURM_PROCTRACK=cgroup has jobs in control groups, of version 1, which outlive the bed, SLURM_GATHER=cgroup those that count cpu time and memory, too: see
# test_agent_slurm.sh.
#
# What takes its time in Slurm: a time limit is of a minute at least and looked at twice a minute; a requeued job
# waits for two minutes before it starts again.

# shellcheck source=tests/support/bed.sh
. "${TESTS:-$(dirname "$0")/..}/support/bed.sh"

SLURM_CLUSTER=${SLURM_CLUSTER:-rowan}
SLURM_NODES='c1 c2 c3 g1 g2'
slurm_commands='munged mariadbd mariadb mariadb-install-db slurmdbd slurmctld slurmd slurmrestd sacct sacctmgr sbatch'

# slurm_lacks: says why there can be no Slurm here; nothing if there can.
slurm_lacks() {
    [ "$(id -u)" -eq 0 ] || { echo 'it takes root to run jobs of others'; return; }
    for slurm_command in $slurm_commands; do
        command -v "$slurm_command" >/dev/null || { echo "there is no $slurm_command"; return; }
    done
    case $(slurmctld -V) in
    'slurm-wlm 22.05.'* | 'slurm 22.05.'*) ;;
    *) echo "written for Slurm 22.05, not $(slurmctld -V)" ;;
    esac
    grep -q " /sys/fs/cgroup" /proc/mounts || echo "nothing is mounted at /sys/fs/cgroup, without which slurmd does not start"
}

# slurm_need: there can be one, or the current test is skipped for what sh.sh lists, and has failed otherwise.
slurm_need() { need_cgroup_mount && bed_need 'a real Slurm' "$(slurm_lacks)"; }

# --- configuration ----------------------------------------------------------------------------------

# Who may talk to whom: one munge key, one key for tokens, and the bed's own munge socket, which clients find in
# AuthInfo and, when they talk to slurmdbd, in AccountingStoragePass.
slurm_auth() {
    cat <<CONF
AuthType=auth/munge
AuthInfo=socket=$BED/munge/socket
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=$BED/etc/jwt.key
SlurmUser=root
CONF
}

slurm_dbd_conf() {
    slurm_auth
    cat <<CONF
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$((SLURM_PORT + 1))
LogFile=$BED/log/slurmdbd.log
PidFile=$BED/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct_db
CONF
}

# Usage never decays, so that what sshare says can be compared; nodes claim what the machine does not have. A node
# that was set down stays so (ReturnToService=2 would bring it back at the next ping).
slurm_conf() {
    slurm_auth
    cat <<CONF
ClusterName=$SLURM_CLUSTER
SlurmctldHost=$(uname -n | cut -d. -f1)(127.0.0.1)
SlurmctldPort=$SLURM_PORT
CredType=cred/munge
StateSaveLocation=$BED/state
SlurmdSpoolDir=$BED/spool/%n
SlurmctldPidFile=$BED/run/slurmctld.pid
SlurmdPidFile=$BED/run/slurmd-%n.pid
SlurmctldLogFile=$BED/log/slurmctld.log
SlurmdLogFile=$BED/log/slurmd-%n.log
ProctrackType=proctrack/${SLURM_PROCTRACK:-linuxproc}
TaskPlugin=task/${SLURM_TASK:-none}
SwitchType=switch/none
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=1
SlurmdTimeout=60
MessageTimeout=30
KillWait=2
MinJobAge=300
JobRequeue=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=0
PriorityType=priority/multifactor
PriorityDecayHalfLife=0
PriorityUsageResetPeriod=NONE
PriorityCalcPeriod=1
JobAcctGatherType=jobacct_gather/${SLURM_GATHER:-linux}
JobAcctGatherFrequency=1
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((SLURM_PORT + 1))
AccountingStoragePass=$BED/munge/socket
AccountingStorageEnforce=associations,limits,qos,safe
AccountingStorageTRES=gres/gpu,gres/gpu:a100,gres/gpu:h200
AccountingStoreFlags=job_comment
GresTypes=gpu
NodeName=c[1-3] NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((SLURM_PORT + 3))-$((SLURM_PORT + 5)) $(slurm_cores 8) RealMemory=64000
NodeName=g1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((SLURM_PORT + 6)) $(slurm_cores 16) RealMemory=256000 Gres=gpu:a100:4
NodeName=g2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((SLURM_PORT + 7)) $(slurm_cores 32) RealMemory=512000 Gres=gpu:h200:8
PartitionName=cpu Nodes=c[1-3] Default=YES MaxTime=2-0 DefaultTime=10 TRESBillingWeights="CPU=1.0,Mem=0.25G"
PartitionName=gpu Nodes=g[1-2] MaxTime=1-0 DefaultTime=10 TRESBillingWeights="CPU=1.0,Mem=0.25G,GRES/gpu=8.0"
${SLURM_MORE:-}
CONF
}

# Control groups of version 1. With SLURM_TASK=cgroup a job that takes more memory than it has is killed.
slurm_cgroups() {
    echo CgroupPlugin=cgroup/v1
    [ "${SLURM_TASK:-}" != cgroup ] || printf "%s\n" ConstrainRAMSpace=yes ConstrainSwapSpace=yes AllowedSwapSpace=0
}

slurm_cores() { echo "CPUs=$(($1 * 2)) Boards=1 SocketsPerBoard=2 CoresPerSocket=$1 ThreadsPerCore=1"; }

# GPUs are counted by their device files: any will do, but there must be one for each.
slurm_gpus() {
    echo AutoDetect=off
    for slurm_gpu in g1:a100:4 g2:h200:8; do
        slurm_type=${slurm_gpu#*:}
        echo "NodeName=${slurm_gpu%%:*} Name=gpu Type=${slurm_type%:*} File=$BED/dev/${slurm_type%:*}-[0-$((${slurm_gpu##*:} - 1))]"
    done
}

slurm_devices() {
    for slurm_device in a100-0 a100-1 a100-2 a100-3 h200-0 h200-1 h200-2 h200-3 h200-4 h200-5 h200-6 h200-7; do
        mknod "$BED/dev/$slurm_device" c 1 3 2>/dev/null || : >"$BED/dev/$slurm_device"
    done
}

slurm_write() { # everything that daemons read
    mkdir "$BED/etc" "$BED/run" "$BED/state" "$BED/spool" "$BED/dev" "$BED/db" "$BED/munge" || return 1
    for slurm_node in $SLURM_NODES; do
        mkdir "$BED/spool/$slurm_node"
    done
    head -c 128 /dev/urandom >"$BED/munge/key"
    head -c 32 /dev/urandom >"$BED/etc/jwt.key"
    chown -R munge:munge "$BED/munge"
    chown nobody "$BED/db"
    slurm_devices
    slurm_gpus >"$BED/etc/gres.conf"
    [ "${SLURM_PROCTRACK:-}" != cgroup ] || slurm_cgroups >"$BED/etc/cgroup.conf"
    slurm_conf >"$BED/etc/slurm.conf"
    slurm_dbd_conf >"$BED/etc/slurmdbd.conf"
    chmod 600 "$BED/munge/key" "$BED/etc/jwt.key" "$BED/etc/slurmdbd.conf"
    slurm_environment >"$BED/env"
}

# --- daemons ----------------------------------------------------------------------------------------

# What a daemon is started with, and how it is known to be ready: told once for slurm_up and slurm_restart.
slurm_start() {
    case $1 in
    munged)
        bed_start munged setpriv --reuid munge --regid munge --clear-groups munged --foreground --force --num-threads 2 \
            --key-file "$BED/munge/key" --socket "$BED/munge/socket" --pid-file "$BED/munge/pid" \
            --log-file "$BED/munge/log" --seed-file "$BED/munge/seed"
        bed_until $BED_LONG munge -S "$BED/munge/socket" -n
        ;;
    mariadbd)
        # It is nobody, who may not write where tests have their temporary files.
        bed_start mariadbd env TMPDIR="$BED/db" mariadbd --no-defaults --user=nobody --datadir="$BED/db/data" --socket="$BED/db/socket" \
            --pid-file="$BED/db/pid" --skip-networking --innodb-buffer-pool-size="${SLURM_DB_MEMORY:-128M}" \
            --innodb-flush-log-at-trx-commit=0 --innodb-lock-wait-timeout=900 --max-allowed-packet=64M
        bed_until $BED_LONG mariadb --no-defaults -uroot -S "$BED/db/socket" -e 'SELECT 1'
        ;;
    slurmdbd)
        bed_start slurmdbd env MYSQL_UNIX_PORT="$BED/db/socket" slurmdbd -D
        bed_until $BED_LONG sacctmgr -n show cluster
        ;;
    slurmctld)
        bed_start slurmctld slurmctld -D
        bed_until $BED_LONG slurm_answers && slurm_register
        ;;
    slurmd-*) bed_start "$1" slurmd -D -N "${1#slurmd-}" ;;
    slurmrestd-local)
        rm -f "$BED/run/rest"
        bed_start "$1" env SLURMRESTD_SECURITY=disable_user_check slurmrestd -a rest_auth/local "unix:$BED/run/rest"
        bed_until $BED_LONG test -S "$BED/run/rest" && chmod 666 "$BED/run/rest"
        ;;
    slurmrestd-jwt)
        bed_start "$1" env SLURMRESTD_SECURITY=disable_user_check SLURM_JWT=daemon \
            slurmrestd -a rest_auth/jwt "127.0.0.1:$((SLURM_PORT + 2))"
        bed_until $BED_LONG slurm_listens
        ;;
    *) echo "there is no daemon '$1'" >&2 && return 1 ;;
    esac || bed_failed "$1"
}

# slurm_register: nodes that are up say so at once. A controller that was started anew asks them after some seconds.
slurm_register() {
    for slurm_node in $SLURM_NODES; do
        [ ! -e "$BED/pid/slurmd-$slurm_node" ] || ! bed_owns "$(cat "$BED/pid/slurmd-$slurm_node")" ||
            kill -HUP "$(cat "$BED/pid/slurmd-$slurm_node")"
    done
}

slurm_answers() { scontrol ping | grep -q 'is UP'; }
slurm_listens() { ! bed_ports_free $((SLURM_PORT + 2)) 1; }

slurm_idle() { # all nodes are there
    [ "$(sinfo -hN -t idle -o %N | sort -u | wc -w)" -eq "$(echo "$SLURM_NODES" | wc -w)" ]
}

slurm_database() { # an empty one
    TMPDIR="$BED/db" mariadb-install-db --no-defaults --user=nobody --datadir="$BED/db/data" --skip-test-db --skip-name-resolve \
        --auth-root-authentication-method=normal >"$BED/log/mariadb-install.out" 2>&1 || bed_failed mariadb-install
    slurm_start mariadbd &&
        mariadb --no-defaults -uroot -S "$BED/db/socket" -e "CREATE DATABASE slurm_acct_db;
            CREATE USER slurm@localhost IDENTIFIED BY 'slurm'; GRANT ALL ON slurm_acct_db.* TO slurm@localhost"
}

# What a shell needs to talk to it.
slurm_environment() {
    cat <<CONF
BED='$BED' SLURM_CLUSTER='$SLURM_CLUSTER' SLURM_PORT='$SLURM_PORT'
export SLURM_CONF='$BED/etc/slurm.conf'
export SLURM_REST_SOCKET='$BED/run/rest' SLURM_REST_URL='http://127.0.0.1:$((SLURM_PORT + 2))'
CONF
}

# slurm_up_database [DIR]: only the accounting, slurmdbd and what it stands on.
slurm_up_database() {
    bed_make slurm "$@" && SLURM_PORT=$(bed_port 8) && slurm_write && . "$BED/env" &&
        slurm_start munged && slurm_database && slurm_start slurmdbd &&
        sacctmgr -i -Q add cluster "$SLURM_CLUSTER" >/dev/null
}

# slurm_up [DIR]: all of it, with nodes idle.
slurm_up() {
    slurm_up_database "$@" && slurm_start slurmctld || return 1
    for slurm_node in $SLURM_NODES; do
        slurm_start "slurmd-$slurm_node" || return 1
    done
    slurm_start slurmrestd-local && slurm_start slurmrestd-jwt || return 1
    bed_until $BED_LONG slurm_idle || bed_failed slurmctld
}

slurm_down() { bed_down; }

# slurm_kill DAEMON: at once, as a crash would. slurm_restart DAEMON: in order, and back again.
slurm_kill() { bed_kill "$1" KILL; }
slurm_restart() { bed_kill "$1" TERM && slurm_start "$1"; }

# --- using it ---------------------------------------------------------------------------------------

# slurm_as USER COMMAND...: as that user.
slurm_as() { bed_as "$@"; }

# slurm_submit USER ARGUMENT...: of sbatch; prints the id.
slurm_submit() {
    slurm_user=$1
    shift
    slurm_as "$slurm_user" sbatch --parsable -o /dev/null "$@"
}

# slurm_account NAME USERS [OPTION...]: an account whose users are given with commas.
slurm_account() {
    slurm_name=$1 slurm_who=$2
    shift 2
    sacctmgr -i -Q add account "$slurm_name" "$@" >/dev/null && sacctmgr -i -Q add user "$slurm_who" account="$slurm_name" >/dev/null
}

# slurm_wait [SECONDS]: until no job waits, runs or is being ended.
slurm_wait() { bed_until "${1:-$BED_LONG}" slurm_over; }
slurm_over() { slurm_list=$(squeue -h -o %i) && [ -z "$slurm_list" ]; }

# slurm_told: until slurmdbd knows what has become of all jobs and steps. The controller tells it in its own time.
slurm_told() { bed_until $BED_LONG slurm_knows; }
slurm_knows() {
    sdiag | grep -q 'DBD Agent queue size: 0$' &&
        slurm_list=$(sacct -aDnP -S 2020-01-01 -E now+1day -o State,End) &&
        ! echo "$slurm_list" | grep -E '^(PENDING|RUNNING|SUSPENDED|COMPLETING)|\|Unknown$'
}

# slurm_state ID STATE: true if the job is in that state now.
slurm_state() { [ "$(squeue -h -j "$1" -o %T)" = "$2" ]; }

# slurm_recorded ID STATE: true if slurmdbd has the job (its last run) in that state. A requeued job that is cancelled
# before slurmdbd has heard of it waiting leaves a record without an end.
slurm_recorded() { [ "$(sacct -nXP -j "$1" -o State)" = "$2" ]; }

slurm_sql() { mariadb --no-defaults -N -uslurm -pslurm -S "$BED/db/socket" slurm_acct_db "$@"; }

# slurm_token USER: for X-SLURM-USER-TOKEN, good for an hour.
slurm_token() { scontrol token username="$1" lifespan=3600 | sed -n 's/^SLURM_JWT=//p'; }

# slurm_past SECONDS: everything happened that much earlier, and is summed up, as sreport wants it: it knows
# whole hours that are over. What slurmdbd had summed up by itself (it does so when an hour ends) is forgotten: a sum that
# has become 0 would not be written anew.
slurm_past() {
    slurm_move "$1" job time_submit time_eligible time_start time_end &&
        slurm_move "$1" step time_start time_end &&
        slurm_move "$1" suspend time_start time_end &&
        slurm_move "$1" event time_start time_end &&
        slurm_move "$1" resv time_start time_end &&
        slurm_forget_sums &&
        slurm_sql -e "UPDATE ${SLURM_CLUSTER}_assoc_table SET creation_time = creation_time - 86400" &&
        sacctmgr -i -Q rollup "$(date -d "-$(($1 + 7200)) seconds" +%FT%H:00:00)" "$(date +%FT%H:00:00)" >/dev/null
}

slurm_forget_sums() {
    for slurm_sums in assoc_usage wckey_usage usage; do
        for slurm_span in hour day month; do
            slurm_sql -e "DELETE FROM ${SLURM_CLUSTER}_${slurm_sums}_${slurm_span}_table" || return 1
        done
    done
}

slurm_move() { # SECONDS TABLE COLUMN...: 0 and values beyond all times say that there is none
    slurm_by=$1 slurm_table=${SLURM_CLUSTER}_$2_table slurm_set=
    shift 2
    for slurm_column; do
        slurm_set="${slurm_set:+$slurm_set, }$slurm_column = IF($slurm_column BETWEEN 1 AND 4294967290, $slurm_column - $slurm_by, $slurm_column)"
    done
    # In this order no row meets the key of one that was not moved yet.
    slurm_sql -e "UPDATE $slurm_table SET $slurm_set ORDER BY $1"
}

# --- on its own -------------------------------------------------------------------------------------

if bed_alone slurm.sh; then
    set -u
    bed_command slurm "$@"
fi
