#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Nodes of a real Slurm in as many states as a small one can be brought into, asked by programs and by slurmrestd:
# stint nodes says what sinfo says, in its own words.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

slurm_need || finish
it 'nodes can be listed'
check stint help nodes
t_up=0
slurm_up || t_up=1
expect_exit 0 test $t_up -eq 0
[ $t_up -eq 0 ] || finish

cat >stint.conf <<CONF
[cluster text]
scheduler = slurm
slurm_conf = $SLURM_CONF
since = $(date +%F)

[cluster rest]
scheduler = slurm
via = slurmrestd
address = unix:$SLURM_REST_SOCKET
since = $(date +%F)
CONF

# sinfo's words for a state, and ours.
words='s/allocated/allocated/; s/mixed/mixed/; s/planned/idle/; s/completing/mixed/; s/maint/maintenance/; s/[*$~]$//'
theirs() { sinfo -hN -o '%N,%T' | sed "$words" | sort -u; }
ours() { stint nodes -M "$1" --fields node,class --format csv --no-header | sort; }

are() { # WORD...: each is among the states, as sinfo says them now
    theirs >theirs
    for word; do
        grep -q ",$word\$" theirs || return 1
    done
}

stayed() { # a pull during which nothing changed
    theirs >theirs && stint pull --config stint.conf && theirs | cmp - theirs
}

agree() { # WANT: what must be among the states
    it "as sinfo says: $1"
    # shellcheck disable=SC2086 # words
    check bed_until $BED_LONG are $1
    check bed_until $BED_LONG stayed
    for cluster in text rest; do
        ours $cluster >ours
        expect_same theirs ours
    done
    # shellcheck disable=SC2086
    check are $1
}

slurm_account physics games
agree idle

slurm_submit games -w c1 -n4 -t 600 --wrap 'sleep 36000' >/dev/null
slurm_submit games -w c2 -n16 -t 600 --wrap 'sleep 36000' >/dev/null
agree 'mixed allocated idle'

scontrol update nodename=c1 state=drain reason='fan | broken [x@y] State=IDLE'
scontrol update nodename=c3 state=drain reason='to be moved'
scontrol update nodename=g1 state=down reason='no power'
agree 'draining drained down allocated'

it 'and why'
for cluster in text rest; do
    expect_out 'c1,fan | broken [x@y] State=IDLE,root
c3,to be moved,root
g1,no power,root' sh -c "'$STINT' nodes -M $cluster --fields node,reason,reason_by --format csv --no-header | grep -v ',,' | sort"
done

scontrol update nodename=c3 state=resume
scontrol update nodename=g1 state=resume
scontrol create reservation reservationname=m starttime=now duration=60 nodes=c3 users=root flags=maint >/dev/null
scontrol create reservation reservationname=r starttime=now duration=60 nodes=g2 users=games >/dev/null
agree 'maintenance reserved'

it 'what they have'
for cluster in text rest; do
    expect_out 'c1,16,67108864000,0,,cpu
c2,16,67108864000,0,,cpu
c3,16,67108864000,0,,cpu
g1,32,268435456000,4,a100,gpu
g2,64,536870912000,8,h200,gpu' sh -c "'$STINT' nodes -M $cluster --fields node,cpus,mem,gpus,gpu_type,partitions --format csv --no-header | sort"
done

finish
