#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A real Grid Engine, small and short-lived: sge_qmaster and sge_execd with one host, two queues of 16 slots (all.q,
# long.q), three parallel environments (smp: one host, one record a job; mpi: a record for each slave task; mpisum:
# their sum), a consumable `gpu` of 8. All of it in one folder and on free ports. For a person:
#
#     tests/support/sge.sh up DIR      then: . DIR/env
#     tests/support/sge.sh down DIR
#
# For a test, after support/sh.sh:
#
#     . "$TESTS/support/sge.sh"
#     sge_need || finish               # skips the test without root
#     sge_up                           # a second or two
#     id=$(sge_submit games -pe smp 4 sleep 1)
#     sge_wait                         # until nothing waits or runs
#     qacct -j "$id"                   # the commands find it by SGE_ROOT
#     stint import sge "$SGE_ACCOUNTING"
#
# It ends with the test, however that ends. Users are those that every Debian has (games, news, man, lp, ...), so
# that the machine's own need not be touched.
#
# One host is all there can be: Grid Engine tells hosts apart by name and reaches all their execd at one port.

# shellcheck source=tests/support/bed.sh
. "${TESTS:-$(dirname "$0")/..}/support/bed.sh"

SGE_TOOLS=/usr/lib/gridengine

# sge_lacks: says why there can be no Grid Engine here; nothing if there can.
sge_lacks() {
    [ "$(id -u)" -eq 0 ] || { echo 'it takes root to run jobs of others'; return; }
    for sge_command in sge_qmaster sge_execd qconf qsub qacct; do
        command -v "$sge_command" >/dev/null || { echo "there is no $sge_command"; return; }
    done
    [ -x "$SGE_TOOLS/spooldefaults" ] || echo "there is no $SGE_TOOLS/spooldefaults"
}

# sge_need: there can be one, or the current test is skipped without root, and has failed otherwise.
sge_need() { bed_need 'a real Grid Engine' "$(sge_lacks)"; }

# --- configuration ----------------------------------------------------------------------------------

sge_bootstrap() {
    cat <<CONF
admin_user sgeadmin
default_domain none
ignore_fqdn true
spooling_method berkeleydb
spooling_lib libspoolb
spooling_params $BED/spool/db
binary_path /usr/sbin
qmaster_spool_dir $BED/spool/qmaster
security_mode none
listener_threads 2
worker_threads 2
scheduler_threads 1
CONF
}

# What a shell needs to talk to it.
sge_environment() {
    cat <<CONF
BED='$BED' SGE_PORT='$SGE_PORT'
export SGE_ROOT='$BED/root' SGE_CELL=rowan SGE_CLUSTER_NAME=rowan SGE_SINGLE_LINE=1
export SGE_QMASTER_PORT=$SGE_PORT SGE_EXECD_PORT=$((SGE_PORT + 1))
export SGE_ACCOUNTING='$BED/root/rowan/common/accounting' SGE_REPORTING='$BED/root/rowan/common/reporting'
CONF
}

sge_write() { # everything that is there before the first daemon
    sge_common=$BED/root/rowan/common
    mkdir -p "$sge_common" "$BED/spool/qmaster/job_scripts" "$BED/spool/db" "$BED/spool/execd" "$BED/etc" || return 1
    for sge_link in bin lib util utilbin; do
        ln -s "/var/lib/gridengine/$sge_link" "$BED/root/$sge_link"
    done
    sge_bootstrap >"$sge_common/bootstrap"
    # The host is called localhost, whatever the machine's name is and resolves to.
    echo localhost >"$sge_common/act_qmaster"
    echo "localhost $(uname -n) $(uname -n | cut -d. -f1)" >"$sge_common/host_aliases"
    sge_environment >"$BED/env"
    chown -R sgeadmin "$BED/root" "$BED/spool"
}

# The spooled configuration before anybody has started, made by the package's own script; root becomes a manager.
# shellcheck disable=SC2153 # SGE_ROOT is in env
sge_spool() {
    sge_as_admin /usr/share/gridengine/scripts/init_cluster "$SGE_ROOT" "$SGE_CELL" "$BED/spool/db" sgeadmin &&
        sge_as_admin "$SGE_TOOLS/spooldefaults" managers root
} >"$BED/log/spool.out" 2>&1

sge_as_admin() { setpriv --reuid sgeadmin --regid "$(id -g sgeadmin)" --clear-groups "$@"; }

# sge_edit SHOW REPLACE NAME EXPRESSION: an object of qconf's, shown, changed by sed and put back.
sge_edit() {
    # shellcheck disable=SC2086 # an option, or an option and a name
    qconf $1 | sed -E "$4" >"$BED/etc/$3" && qconf "$2" "$BED/etc/$3"
}

# sge_add OPTION NAME: an object from what is on stdin.
sge_add() { cat >"$BED/etc/$2" && qconf "$1" "$BED/etc/$2"; }

# Records are written and jobs started within a second. Processes are known by a group that no other bed of this
# machine gives: execd kills all that have the one of a job that ended.
sge_configure() {
    sge_edit -sconf -Mconf global "
        s|^(execd_spool_dir) .*|\1 $BED/spool/execd|; s|^(min_[ug]id) .*|\1 0|; s|^(enforce_user) .*|\1 auto|
        s|^(gid_range) .*|\1 $((SGE_PORT * 100))-$((SGE_PORT * 100 + 99))|
        s|^(load_report_time) .*|\1 00:00:02|; s|^(auto_user_fshare) .*|\1 100|
        s|^(reporting_params) .*|\1 accounting=true reporting=true flush_time=00:00:01 accounting_flush_time=00:00:00 joblog=true sharelog=00:00:00|" &&
        sge_edit -ssconf -Msconf scheduler "
        s|^(schedule_interval) .*|\1 0:0:1|; s|^(flush_[a-z]*_sec) .*|\1 1|; s|^(job_load_adjustments) .*|\1 NONE|
        s|^(load_formula) .*|\1 slots|" &&
        qconf -as localhost
}

sge_pe() { # NAME RULE SUMMARY
    sge_add -Ap "$1" <<CONF
pe_name $1
slots 999
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule $2
control_slaves TRUE
job_is_first_task TRUE
urgency_slots min
accounting_summary $3
qsort_args NONE
CONF
}

sge_queue() { # NAME
    sge_edit -sq -Aq "$1" "
        s|^(qname) .*|\1 $1|; s|^(hostlist) .*|\1 localhost|; s|^(slots) .*|\1 16|; s|^(pe_list) .*|\1 smp mpi mpisum|
        s|^(load_thresholds) .*|\1 NONE|; s|^(shell) .*|\1 /bin/sh|; s|^(shell_start_mode) .*|\1 unix_behavior|
        s|^(rerun) .*|\1 TRUE|"
}

# sge_project NAME; sge_department NAME USERS
sge_project() { printf 'name %s\noticket 0\nfshare 0\nacl NONE\nxacl NONE\n' "$1" | sge_add -Aprj "$1"; }
sge_department() { printf 'name %s\ntype DEPT\nfshare 0\noticket 0\nentries %s\n' "$1" "$2" | sge_add -Au "$1"; }

# shellcheck disable=SC2016 # Grid Engine's names of rules
sge_furnish() {
    { qconf -sc; echo 'gpu gpu INT <= YES YES 0 0'; } | sge_add -Mc complexes &&
        qconf -rattr exechost complex_values gpu=8 localhost &&
        sge_pe smp '$pe_slots' TRUE && sge_pe mpi '$round_robin' FALSE && sge_pe mpisum '$round_robin' TRUE &&
        sge_queue all.q && sge_queue long.q
}

# --- daemons ----------------------------------------------------------------------------------------

sge_start() {
    case $1 in
    qmaster)
        bed_start qmaster env SGE_ND=1 ${SGE_ZONE:+"TZ=$SGE_ZONE"} sge_qmaster
        bed_until $BED_LONG qconf -sconf
        ;;
    execd)
        bed_start execd env SGE_ND=1 sge_execd
        bed_until $BED_LONG sge_host
        ;;
    *) echo "there is no daemon '$1'" >&2 && return 1 ;;
    esac || bed_failed "$1"
}

sge_host() { qconf -sel | grep -qx localhost; }
sge_ready() { qstat -f -q '*' | awk '/^(all|long)\.q@/ { if ($4 != "-NA-" && NF < 6) n++ } END { exit n != 2 }'; }

# sge_up [DIR]: all of it, with queues that take jobs.
sge_up() {
    bed_make sge "$@" && SGE_PORT=$(bed_port 2) && sge_write && . "$BED/env" && sge_spool &&
        sge_start qmaster && sge_configure >"$BED/log/configure.out" 2>&1 &&
        sge_start execd && sge_furnish >>"$BED/log/configure.out" 2>&1 && bed_until $BED_LONG sge_ready ||
        bed_failed configure
}

sge_down() { bed_down; }

# sge_kill DAEMON: at once, as a crash would. sge_restart DAEMON: in order, and back again.
sge_kill() { bed_kill "$1" KILL; }
sge_restart() { bed_kill "$1" TERM && sge_start "$1"; }

# sge_midnight: the master's day ends. It is started again in a time zone in which it is midnight now.
sge_midnight() {
    sge_east=$((86400 - $(date +%s) % 86400))
    SGE_ZONE="bed-$((sge_east / 3600)):$((sge_east / 60 % 60)):$((sge_east % 60))"
    sge_restart qmaster
}

# --- using it ---------------------------------------------------------------------------------------

# sge_as USER COMMAND...: as that user.
sge_as() { bed_as "$@"; }

# sge_submit USER ARGUMENT... COMMAND...: of qsub; prints the id (of an array without its tasks). sge_script USER
# ARGUMENT...: the same for a script on stdin, for the words of a COMMAND lose their quotes on the way.
sge_submit() {
    sge_user=$1
    shift
    sge_script "$sge_user" -b y "$@"
}
sge_script() {
    sge_user=$1
    shift
    sge_as "$sge_user" qsub -terse -o /dev/null -j y -wd / "$@" | cut -d. -f1
}

# sge_wait [SECONDS]: until no job waits or runs.
sge_wait() { bed_until "${1:-$BED_LONG}" sge_over; }
sge_over() { sge_list=$(qstat -u '*') && [ -z "$sge_list" ]; }

# sge_state ID STATE: true if the job is in that state now (r, qw, ...).
sge_state() { qstat -u '*' | awk -v id="$1" -v state="$2" '$1 == id && $5 == state { found = 1 } END { exit !found }'; }

# --- on its own -------------------------------------------------------------------------------------

if bed_alone sge.sh; then
    set -u
    bed_command sge "$@"
fi
