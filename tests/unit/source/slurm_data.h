/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * For the tests that compare the Slurm driver with what others have made of the same files. $STINT_DATA
 * names the folder that has them; without it these tests skip. Where we differ on purpose, the tests
 * say so; docs/sources/slurm.md says why.
 */

#include "base/zone.h"
#include "unit/source/peer.h"
#include "unit/source/slurm_reader.h"

/* The columns of sacct that Open XDMoD asks for. */
#define XDMOD_COLUMNS                                                                          \
    "JobID,JobIDRaw,Cluster,Partition,QOS,Account,Group,GID,User,UID,Submit,Eligible,Start,"   \
    "End,Elapsed,ExitCode,State,NNodes,NCPUS,ReqCPUS,ReqMem,ReqTRES,AllocTRES,Timelimit,"      \
    "NodeList,JobName"

/* Reads a file of the data, which must have a header or these columns. */
static inline void slurm_read_data(struct slurm_reading *reading, const char *name,
                                   const char *columns, const struct zone *zone)
{
    struct buf text;
    const struct source_options options = {.columns = str_of(columns), .zone = zone};
    peer_file(name, &text);
    slurm_read_with(reading, buf_str(&text), &options);
    buf_release(&text);
    if (reading->failed) {
        expect_fail("%s: %s", name, reading->err.text);
    }
}

#define SECONDS_OF(run, member) (RUN_HAS((run), member) ? (run)->member / SECOND_US : -1)
#define NUMBER_OF(run, member)  (RUN_HAS((run), member) ? (run)->member : -1)
