/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "source/slurm/slurm.h"

/* Any bytes as what sacct -P prints, with its own header or, without one, with these columns. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct source_options options = {
        .columns =
            STR("JobID,JobIDRaw,JobName,User,Submit,Start,End,Elapsed,Suspended,State,"
                "ExitCode,NNodes,NCPUS,NTasks,ReqMem,ReqTRES,AllocTRES,AllocGRES,ReqGRES,"
                "TRESUsageInTot,Timelimit,TotalCPU,MaxRSS,NodeList,WorkDir,SubmitLine,"
                "Flags,ConsumedEnergyRaw,Constraints"),
    };
    return fuzz_driver_with(&slurm_driver, &options, data, size);
}
