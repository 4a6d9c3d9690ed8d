#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A quote by a rate that takes what the scheduler bills: the price of a job of an hour is the number of billing units that a
# real Slurm gives it, by the sum of its resources and by the largest of them.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/slurm.sh"

it 'a real Slurm comes up'
slurm_need || finish
# Of a setting that comes twice the last holds.
SLURM_MORE='Licenses=matlab:8
AccountingStorageTRES=gres/gpu,gres/gpu:a100,gres/gpu:h200,license/matlab
PartitionName=plain Nodes=c[1-3] MaxTime=1-0
PartitionName=whole Nodes=c[1-3] MaxTime=1-0 OverSubscribe=EXCLUSIVE TRESBillingWeights="CPU=0.7,Mem=1.3G,Node=0.29"
PartitionName=given Nodes=c[1-3] MaxTime=1-0 DefMemPerNode=5000 TRESBillingWeights="CPU=0.1,Mem=3.3G,License/matlab=2.5"
PartitionName=models Nodes=g[1-2] MaxTime=1-0 TRESBillingWeights="CPU=0.5,Mem=0.1G,GRES/gpu:a100=4,GRES/gpu:h200=9.9"'
check slurm_up
[ "${status:?}" -eq 0 ] || finish
slurm_account physics games
mkdir -p "$STINT_STORE"
cat >"$STINT_STORE/stint.conf" <<CONF
[cluster rowan]
scheduler = slurm
slurm_conf = $SLURM_CONF
since = $(date +%F)
CONF
check stint rate add slurm --how recorded

# billed JOB: what Slurm gives it, while it runs.
billed() { scontrol -o show job "$1" | sed -n 's/.* TRES=[^ ]*billing=\([0-9]*\).*/\1/p'; }

# quoted OPTION...: what the quote says.
quoted() { stint quote --format csv --no-header -- -t 60 "$@" | cut -d, -f7; }

# agree OPTION...
agree() {
    it "$flags: $*"
    id=$(slurm_submit games -t 60 "$@" --wrap 'sleep 36000')
    until_true slurm_state "$id" RUNNING
    expect_equal "$(billed "$id")" "$(quoted "$@")"
    scancel "$id"
    until_true slurm_over
}

all_agree() {
    flags=$1
    check stint pull
    agree -n 3
    agree -n 5 --mem-per-cpu 1100
    agree -N 2 --ntasks-per-node 3 --mem 7G
    agree -p plain -n 7
    agree -p whole -n 2
    agree -p whole -N 2 --mem 3G
    agree -p given -n 9
    agree -p given -n 1 -L matlab:3
    agree -p cpu --exclusive -n 1
    agree -p cpu --mem=0 -n 1
    agree -p gpu -w g1 --gres=gpu:a100:2 -n 3
    agree -p gpu -N 2 --gpus-per-node=2
    agree -p models -w g2 --gpus=h200:3 -c 4
    agree -p models --gres=gpu:a100:1 -n 2 --mem=3000
}

all_agree sum
it 'the largest of the resources is billed from now on'
sed -i '$aPriorityFlags=MAX_TRES' "$SLURM_CONF"
check scontrol reconfigure
until_true slurm_answers
all_agree largest

finish
