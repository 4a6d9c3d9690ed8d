# SPDX-License-Identifier: MIT
stint import slurm --cluster alder "$CASES/sacct.txt" &&
    awk -f "$CASES/looks.awk" | "$(dirname "$STINT")/../tests/sightings" "$STINT_STORE"
