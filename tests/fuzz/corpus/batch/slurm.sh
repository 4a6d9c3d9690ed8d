#!/bin/bash
#SBATCH --ntasks=4 -c 2 -t 1-00:00 --mem=8G --gres=gpu:a100:2,shard:1
#SBATCH -A chem -p long -q high --array=1-10%3
srun x
