/* SPDX-License-Identifier: MIT */
#include "source/source.h"

#include "source/csv/csv.h"
#include "source/htcondor/htcondor.h"
#include "source/lsf/lsf.h"
#include "source/nomad/nomad.h"
#include "source/pbs/pbs.h"
#include "source/sge/sge.h"
#include "source/slurm/slurm.h"
#include "source/sonar/sonar.h"
#include "source/swf/swf.h"

const struct source_driver *const source_drivers[] = {
    &sge_driver,      /* Grid Engine */
    &slurm_driver,    /* Slurm */
    &pbs_driver,      /* PBS and Torque */
    &lsf_driver,      /* LSF */
    &htcondor_driver, /* HTCondor */
    &nomad_driver,    /* Nomad */
    &swf_driver,      /* Standard Workload Format */
    &sonar_driver,    /* samples of processes */
    &csv_driver,      /* anything else, by a map */
    NULL,
};

const struct source_driver *source_find(struct str name)
{
    for (size_t i = 0; source_drivers[i]; i++) {
        if (str_eq(name, str_of(source_drivers[i]->name))) {
            return source_drivers[i];
        }
    }
    return NULL;
}

const struct source_driver *source_recognise(struct str head)
{
    const struct source_driver *surest = NULL;
    int most = 0;
    for (size_t i = 0; source_drivers[i]; i++) {
        int sure = source_drivers[i]->recognise(head);
        if (sure > most) {
            most = sure;
            surest = source_drivers[i];
        }
    }
    return surest;
}
