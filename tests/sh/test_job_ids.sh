#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Jobs asked for as each scheduler writes them, with -j and with stint job.
. "$(dirname "$0")/../support/sh.sh"

for each in slurm/sacct-22.05 htcondor/history pbs/pbs-professional-2022 nomad/allocations.jsonl; do
    stint import "${each%/*}" --cluster "${each%/*}" "$TESTS/fixtures/$each" >.import 2>&1 || :
done

# runs LIST: ids of the runs of these jobs, each once.
runs() { stint jobs -j "$1" --limit 0 --format csv --no-header --fields cluster,id | sort -u; }

it 'tasks and components of Slurm'
expect_out 'slurm,813.1' runs 813_1
expect_out 'slurm,820+1' runs 820+1
expect_out 'slurm,820+0
slurm,820+1' runs 820

it 'numbers, ranges and several at once are as they were'
expect_out 'slurm,812
slurm,820+1
slurm,832' runs '812,820+1,832..832'
expect_out 'slurm,813' runs '813,!813[1]'
expect_exit 2 stint jobs -j '8..x'

it 'a cluster and a process of HTCondor, or its own id'
expect_out 'htcondor,13.7' runs 13.7
expect_out 'htcondor,13.7' runs 'submit1.pool#13.7#1740816000'

it 'a task of PBS, with its server or without'
expect_out 'pbs,4101.7' runs '4101[7]'
expect_out 'pbs,4101.7' runs '4101[7].pbs01'

it 'an allocation of Nomad, a pattern of them, and the name of a job'
expect_out 'nomad,06-lost' runs 06-lost
expect_out 'nomad,04-failed
nomad,05-oom' runs '04*,05-oom'
expect_exit 0 sh -c '[ "$("$STINT" jobs -j web --limit 0 --format csv --no-header | wc -l)" -gt 5 ]'
expect_exit 0 stint job 06-lost
expect_out_has node_fail

it 'names of jobs that have numbers are no ids'
expect_exit 1 stint job relax
expect_err_has "there is no run of job 'relax'"

it 'jobs of the same number on two clusters are told apart first'
for cluster in elm fir; do
    printf 'job,user,submit,start,end,cpus\n900,%s,2025-03-01T08:00:00,2025-03-01T09:00:00,2025-03-01T10:00:00,2\n' "u$cluster" >$cluster.csv
    printf 'job = job\nuser = user\nsubmit = submit\nstart = start\nend = end\ncpus = cpus\n' >map
    check stint import csv --map map --cluster $cluster $cluster.csv
done
expect_exit 0 stint job 900
expect_out_has 'uelm'
expect_out_has 'ufir'
expect_out_has '-M'
expect_exit 0 stint job 900 -M fir
expect_equal 0 "$(grep -c uelm "$OUT")"

it 'what nobody knows gets a suggestion'
expect_exit 1 stint job 06-lots
expect_err_has "did you mean '06-lost'?"
expect_exit 1 stint job 13-two
expect_err_has "did you mean '13-two-tasks'?"
expect_exit 1 stint jobs -j 4711
expect_err_has "there is no run of job '4711'; list all runs"
expect_exit 1 stint report jobs -j 813_99 --from 2025
expect_err_has "there is no run of job '813_99'"

it 'a known job that another filter excludes is an empty answer'
expect_exit 0 stint jobs -j 813 -u nobody-at-all
expect_exit 1 stint job 813 -M nomad
expect_err_has 'on that cluster'

finish
