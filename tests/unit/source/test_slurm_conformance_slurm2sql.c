/* SPDX-License-Identifier: MIT */
#include "unit/source/slurm_data.h"

/*
 * The driver against the times that slurm2sql reads off the same table.
 */

static void times_agree_with_slurm2sql(void **state)
{
    (void)state;
    struct zone *helsinki = NULL;
    struct error err;
    struct slurm_reading r;
    char path[PEER_PATH_LEN];
    peer_path("", path); /* or skip, before there is anything to release */
    expect_int(zone_open("Europe/Helsinki", &helsinki, &err), 0);
    slurm_read_data(&r, "slurm/slurm2sql/test-data1.csv", "", helsinki);
    const struct run *run = slurm_run_at(&r, 0);
    expect_run(run, start, INT64_C(1564601354) * SECOND_US);
    expect_int(run->start - run->submit, SECOND_US);
    expect_run(run, mem_peak_bytes, INT64_C(231092) << 10);
    expect_run(run, energy_mj, 54156000);
    /* No end was recorded; the time it took was. */
    const struct run *lost = slurm_run_at(&r, 1);
    expect_int(lost->end - lost->start, 17 * SECOND_US);
    slurm_reading_release(&r);
    zone_close(helsinki);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, times_agree_with_slurm2sql);
    return suite_run(&suite, "slurm_conformance_slurm2sql");
}
