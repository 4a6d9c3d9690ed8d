/* SPDX-License-Identifier: MIT */
#include "enforce/enforce.h"
#include "enforce/program/program_enforce.h"
#include "enforce/sge/sge_enforce.h"
#include "enforce/slurm/slurm_enforce.h"

const struct enforce_driver *const enforce_drivers[] = {
    &slurm_enforce_driver,
    &sge_enforce_driver,
    &program_enforce_driver,
    NULL,
};
