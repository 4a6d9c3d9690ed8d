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

/* Whether the words of a line begin with these. */
static bool begins_with(struct str line, struct str words)
{
    while (words.ptr) {
        const struct str word = str_cut(&words, ' ');
        line = str_trim(line);
        if (!str_starts(line, word) ||
            (line.len > word.len && line.ptr[word.len] != ' ' && line.ptr[word.len] != '\t')) {
            return false;
        }
        line = (struct str){line.ptr + word.len, line.len - word.len};
    }
    return true;
}

static const struct source_table *table_of_line(struct str line)
{
    for (size_t i = 0; source_drivers[i]; i++) {
        const struct source_table *table = source_drivers[i]->tables;
        for (; table && table->words; table++) {
            if (begins_with(line, str_of(table->words))) {
                return table;
            }
        }
    }
    return NULL;
}

const struct source_table *source_table_of(struct str head)
{
    enum { LINES = 20 };

    const struct source_table *found = NULL;
    for (int i = 0; i < LINES && head.ptr && !found; i++) {
        found = table_of_line(str_cut(&head, '\n'));
    }
    return found;
}
