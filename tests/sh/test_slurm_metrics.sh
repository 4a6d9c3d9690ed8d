#!/bin/sh
# SPDX-License-Identifier: MIT
#
# /metrics beside a real Slurm: at the same moment its numbers are those of sinfo and squeue. The server asks the scheduler on its
# interval; a scrape asks nobody.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"
. "$TESTS/support/slurm.sh"

slurm_need || finish
t_up=0
slurm_up || t_up=1
it 'a Slurm is there'
expect_exit 0 test $t_up -eq 0
[ $t_up -eq 0 ] || finish

mkdir -p "$STINT_STORE"
cat >"$STINT_STORE/stint.conf" <<CONF
[cluster rowan]
scheduler = slurm
slurm_conf = $SLURM_CONF
since = $(date +%F)
every = 1s
CONF
slurm_end=$t_at_exit
stop_all() { stop_server; $slurm_end; }
t_at_exit=stop_all
start_server

# scrape: /metrics as "name labels value" lines, without quotes.
scrape() { curl -sS --unix-socket "$TMP/http" http://stint/metrics | grep -v '^#' | tr -d '"' | sed 's/{/ /; s/} / /' >scraped; }
# ours NAME PATTERN: the sum of the samples of a family whose labels match.
ours() { awk -v name="$1" -v want="$2" '$1 == name && $0 ~ want { s += $NF } END { printf "%.0f\n", s }' scraped; }

# Each prints "what number" lines, ours and theirs in the same words.
our_numbers() {
    scrape
    for state in allocated idle unusable; do echo "cpus $state $(ours stint_cpus "state=$state")"; done
    sed -n 's/^stint_nodes .*class=\([a-z]*\).* \([0-9]*\)$/nodes \1 \2/p' scraped | grep -v ' 0$' | sort
    echo "memory $(ours stint_memory_bytes .)"
    echo "gpus $(ours stint_gpus .) $(ours stint_gpus state=allocated)"
    for partition in cpu gpu; do
        echo "$partition $(ours stint_jobs_pending "partition=$partition") $(ours stint_jobs_running "partition=$partition") $(ours stint_cpus_pending "partition=$partition")"
    done
    for account in physics history; do
        echo "$account $(ours stint_account_jobs_pending "account=$account") $(ours stint_account_jobs_running "account=$account")"
    done
}

words='s/planned/idle/; s/completing/mixed/; s/[*$~]$//'
sum() { awk '{ s += $1 } END { print s + 0 }'; }
their_numbers() {
    sinfo -hN -o '%N %C' | sort -u | awk -F'[ /]' '{ a += $2; i += $3; o += $4 } END { print "cpus allocated", a; print "cpus idle", i; print "cpus unusable", o }'
    sinfo -hN -o '%N %T' | sort -u | sed "$words" | awk '{ print "nodes", $2 }' | sort | uniq -c | awk '{ print $2, $3, $1 }' | sort
    echo "memory $(sinfo -hN -o '%N %m' | sort -u | awk '{ s += $2 * 1048576 } END { printf "%.0f\n", s }')"
    echo "gpus $(sinfo -hN -o '%N %G' | sort -u | sed -n 's/.*gpu:[a-z0-9]*:\([0-9]*\).*/\1/p' | sum) $(sinfo -hN -O 'NodeList:20,GresUsed:60' | sort -u | sed -n 's/.*gpu:[a-z0-9]*:\([0-9]*\).*/\1/p' | sum)"
    for partition in cpu gpu; do
        echo "$partition $(squeue -hr -t PD -p $partition | grep -c .) $(squeue -hr -t R -p $partition | grep -c .) $(squeue -hr -t PD -p $partition -o %C | sum)"
    done
    for account in physics history; do
        echo "$account $(squeue -hr -t PD -A $account | grep -c .) $(squeue -hr -t R -A $account | grep -c .)"
    done
}

# same: what Slurm says did not change while ours became it.
same() { their_numbers >theirs && our_numbers >ours && cmp -s theirs ours && their_numbers | cmp -s - theirs; }
agree() { # NAME: they do, before long
    it "$1"
    bed_until "$BED_LONG" same
    expect_same theirs ours
}

slurm_account physics games
slurm_account history news
agree 'on an empty cluster'

slurm_submit games -A physics -p cpu -w c1 -n4 -t 600 --wrap 'sleep 36000' >/dev/null
slurm_submit games -A physics -p cpu -w c2 -n16 -t 600 --wrap 'sleep 36000' >/dev/null
slurm_submit news -A history -p gpu -w g1 -n2 --gres=gpu:1 -t 600 --wrap 'sleep 36000' >/dev/null
slurm_submit news -A history -p cpu -w c2 -n8 -t 600 --wrap 'sleep 36000' >/dev/null
slurm_submit games -A physics -p cpu -w c2 -n16 -t 600 --array=1-3 --wrap 'sleep 36000' >/dev/null
agree 'with jobs that run, wait and wait as an array'

scontrol update nodename=c1 state=drain reason=fan
scontrol update nodename=c3 state=drain reason=move
scontrol update nodename=g2 state=down reason=power
agree 'with nodes that drain, are drained and down, nothing collapsed'

it 'the sums of states are the totals'
scrape
expect_equal "$(sinfo -hN -o '%N %c' | sort -u | awk '{ s += $2 } END { print s }')" "$(ours stint_cpus .)"
expect_equal "$(sinfo -hN -o '%N' | sort -u | grep -c .)" "$(ours stint_nodes .)"

it 'no metric names a job or a user'
expect_equal '' "$(grep -E 'games|news|job_id|user=' scraped)"

finish
