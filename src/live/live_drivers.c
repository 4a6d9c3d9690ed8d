/* SPDX-License-Identifier: MIT */
#include "live/htcondor/htcondor_live.h"
#include "live/live.h"
#include "live/nomad/nomad_live.h"
#include "live/pbs/pbs_live.h"
#include "live/sge/sge_live.h"
#include "live/slurm/slurm_live.h"

const struct live_driver *const live_drivers[] = {
    &htcondor_live_driver, &nomad_live,        &pbs_live_driver,
    &sge_live_driver,      &slurm_live_driver, NULL,
};

const struct live_driver *live_find(struct str name)
{
    for (size_t i = 0; live_drivers[i]; i++) {
        if (str_eq(name, str_of(live_drivers[i]->name))) {
            return live_drivers[i];
        }
    }
    return NULL;
}
