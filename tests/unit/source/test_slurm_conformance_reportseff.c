/* SPDX-License-Identifier: MIT */
#include "unit/source/slurm_data.h"

/*
 * The driver against the efficiency that reportseff works out of the same rows.
 */

static void add_cells(struct buf *text, const json_t *cells)
{
    for (size_t i = 0; i < json_array_size(cells); i++) {
        buf_addf(text, "%s%s", i ? "|" : "", json_string_value(json_array_get(cells, i)));
    }
    buf_addc(text, '\n');
}

static int64_t cell_seconds(const json_t *one, const char *column)
{
    const json_t *columns = json_object_get(one, "columns");
    const json_t *row = json_array_get(json_object_get(one, "rows"), 0);
    int64_t us = 0;
    for (size_t i = 0; i < json_array_size(columns); i++) {
        if (strcmp(json_string_value(json_array_get(columns, i)), column) == 0) {
            expect_true(scan_duration(str_of(json_string_value(json_array_get(row, i))), &us));
        }
    }
    return us;
}

/* reportseff divides by Elapsed, which has no place in a run without a start: it is in the case. */
static void expect_efficiency(const json_t *one, const struct run *run)
{
    const json_t *want = json_object_get(one, "expect");
    const json_t *cpu = json_object_get(want, "CPUEff"), *mem = json_object_get(want, "MemEff");
    double wall = (double)cell_seconds(one, "Elapsed");
    if (json_is_number(cpu)) {
        expect_double(100 * (double)run->cpu_used_us / wall / (double)run->req_cpus,
                      json_number_value(cpu), 0.0501);
    }
    if (json_is_number(mem)) {
        double peak = RUN_HAS(run, mem_peak_bytes) ? (double)run->mem_peak_bytes : 0;
        expect_double(100 * peak / (double)run->req_mem_bytes, json_number_value(mem), 0.0501);
    }
    if (json_object_get(want, "TotalMemBytes")) {
        expect_int(run->req_mem_bytes, peer_int(want, "TotalMemBytes"));
    }
}

static void efficiency_agrees_with_reportseff(void **state)
{
    (void)state;
    json_t *cases = peer_json("slurm/reportseff-cases.json");
    size_t compared = 0;
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        const json_t *rows = json_object_get(one, "rows");
        struct slurm_reading r;
        struct buf text;
        if (!json_is_object(json_object_get(one, "expect")) ||
            !json_object_get(one, "columns") ||
            json_array_size(json_object_get(one, "columns")) < 3) {
            continue;
        }
        buf_init(&text, PEER_FILE_MAX);
        add_cells(&text, json_object_get(one, "columns"));
        for (size_t k = 0; k < json_array_size(rows); k++) {
            add_cells(&text, json_array_get(rows, k));
        }
        slurm_read(&r, text.ptr);
        expect_uint(r.count, 1);
        expect_efficiency(one, slurm_run_at(&r, 0));
        slurm_reading_release(&r);
        buf_release(&text);
        compared++;
    }
    expect_true(compared >= 5);
    json_decref(cases);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, efficiency_agrees_with_reportseff);
    return suite_run(&suite, "slurm_conformance_reportseff");
}
