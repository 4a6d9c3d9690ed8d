#!/bin/sh
#$ -pe mpi 8 -l h_rt=2:00:00,h_vmem=4G,gpu=1
#$ -P proj -q long.q -t 1-10:2
echo
