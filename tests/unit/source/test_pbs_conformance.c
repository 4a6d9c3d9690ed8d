/* SPDX-License-Identifier: MIT */
#include "source/pbs/pbs.h"
#include "source/pbs/pbs_record.h"
#include "unit/source/peer.h"

/*
 * The driver against what Open XDMoD, APEL and hnormalise made of the same lines. Where we differ on
 * purpose the tables below say so; docs/sources/pbs.md says why.
 */

/* --- Open XDMoD ------------------------------------------------------------------------------- */

static const struct peer_key xdmod_keys[] = {
    {"job_id", PEER_INT, RUN_job},
    {"host", PEER_NOT_KEPT, 0}, /* the name they import it under */
    {"queue", PEER_TEXT, RUN_partition},
    {"user", PEER_TEXT, RUN_user},
    {"groupname", PEER_TEXT, RUN_group},
    {"account", PEER_TEXT, RUN_account},
    {"jobname", PEER_TEXT, RUN_name},
    {"ctime", PEER_SECONDS, RUN_submit},
    {"qtime", PEER_NOT_KEPT, 0},
    {"etime", PEER_SECONDS, RUN_eligible},
    {"start", PEER_SECONDS, RUN_start},
    {"end", PEER_SECONDS, RUN_end},
    {"exit_status", PEER_INT, RUN_exit_code},
    {"session", PEER_NOT_KEPT, 0},
    {"owner", PEER_NOT_KEPT, 0},
    {"resources_used_vmem", PEER_INT, RUN_vmem_peak_bytes},
    {"resources_used_mem", PEER_INT, RUN_mem_peak_bytes},
    {"resources_used_walltime", PEER_NOT_KEPT, 0}, /* hours are end - start */
    {"resources_used_nodes", PEER_INT, RUN_node_count},
    {"resources_used_cpus", PEER_INT, RUN_cpus},
    {"resources_used_cput", PEER_SECONDS, RUN_cpu_used_us},
    {"resources_used_gpus", PEER_INT, RUN_gpus},
    {"resource_list_walltime", PEER_SECONDS, RUN_req_wall_us},
    {"resource_list_mem", PEER_INT, RUN_req_mem_bytes},
    {"resource_list_nodes", PEER_NOT_KEPT, 0}, /* in `request`, as all the list */
    {"resource_list_neednodes", PEER_NOT_KEPT, 0},
    {"resource_list_pcput", PEER_NOT_KEPT, 0},
    {"resource_list_nodect", PEER_NOT_KEPT, 0},
    {"resource_list_ncpus", PEER_NOT_KEPT, 0},
    {"node_list", PEER_NODES, RUN_nodes},
};

static const struct peer_exception xdmod_exceptions[] = {
    {3073070,
     "resources_used_cpus"},       /* exec_host says *0: they count two vnodes, we their cpus */
    {10711, "resources_used_mem"}, /* 12.27M, which they cannot read */
    {10711, "resources_used_vmem"},
    {10712, "resources_used_gpus"}, /* Resource_List.gpu=2, which they do not look at */
};

static const struct peer xdmod = {.keys = xdmod_keys,
                                  .key_count = COUNT_OF(xdmod_keys),
                                  .exceptions = xdmod_exceptions,
                                  .exception_count = COUNT_OF(xdmod_exceptions)};

static void xdmod_reads_alike(void **state)
{
    (void)state;
    int keys = 0;
    expect_int(peer_xdmod(&xdmod, &pbs_driver, "accounting-logs", &keys), 9);
    expect_true(keys > 0);
}

static void xdmod_counts_gpus_of_nodes_alike(void **state)
{
    (void)state;
    json_t *rows = peer_json(
        "line-to-record-xdmod/pbs-resource-parser/resource-list-nodes-gpu-count.json");
    expect_true(json_array_size(rows) >= 19);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        struct pbs_places places;
        pbs_chunks(str_of(json_string_value(json_array_get(row, 0))), &places);
        expect_int(places.gpus, json_integer_value(json_array_get(row, 1)));
    }
    json_decref(rows);
}

/* --- APEL ------------------------------------------------------------------------------------- */

static const struct peer_key apel_keys[] = {
    {"JobName", PEER_NOT_KEPT, 0}, /* compared below */
    {"LocalUserID", PEER_TEXT, RUN_user},
    {"LocalUserGroup", PEER_TEXT, RUN_group},
    {"WallDuration", PEER_NOT_KEPT, 0}, /* resources_used.walltime; ours is end - start */
    {"CpuDuration", PEER_SECONDS, RUN_cpu_used_us},
    {"StartTime", PEER_SECONDS, RUN_start},
    {"StopTime", PEER_SECONDS, RUN_end},
    {"MemoryReal", PEER_KIB, RUN_mem_peak_bytes},
    {"MemoryVirtual", PEER_KIB, RUN_vmem_peak_bytes},
    {"NodeCount", PEER_INT, RUN_node_count},
    {"Processors", PEER_INT, RUN_cpus},
};

static const struct peer_word apel_words[] = {
    {.part = "skip", .step = SOURCE_SKIP},
    {.part = "no space", .step = SOURCE_REJECT},
    {.part = "end before start", .step = SOURCE_RECORD, .backwards = true},
    {.part = "ppn=8", .step = SOURCE_RECORD, .cpus = 8},
};

/* Their name of a job is its number and the server. */
static void expect_apel_name(const struct run *run, const char *line, const json_t *expect)
{
    (void)line;
    char job[32];
    (void)snprintf(job, sizeof(job), "%lld.", (long long)run->job);
    expect_true(
        str_starts(str_of(json_string_value(json_object_get(expect, "JobName"))), str_of(job)));
}

static void apel_reads_alike(void **state)
{
    (void)state;
    struct peer_apel apel = {
        .driver = &pbs_driver,
        .peer = {.keys = apel_keys, .key_count = COUNT_OF(apel_keys)},
        .words = apel_words,
        .word_count = COUNT_OF(apel_words),
        .also = expect_apel_name,
    };
    expect_int(peer_apel(&apel), 11);
    expect_int(apel.records, 7);
}

static void look_at_hosts(const char *line, json_t *expect, void *context)
{
    (void)context;
    struct arena arena = {0};
    struct hosts hosts = {.arena = &arena};
    int64_t cpus = 0;
    expect_true(pbs_exec_host(str_of(line), &hosts, &cpus));
    expect_int(cpus, json_integer_value(json_object_get(expect, "Processors")));
    expect_int((int64_t)hosts.count, json_integer_value(json_object_get(expect, "NodeCount")));
    arena_release(&arena);
}

static void apel_reads_exec_host_alike(void **state)
{
    (void)state;
    expect_true(peer_cases("line-to-record-apel/cases.jsonl", "pbs-exec_host", look_at_hosts,
                           NULL) >= 4);
}

/* --- hnormalise ------------------------------------------------------------------------------- */

static const struct peer_key torque_keys[] = {
    {"number", PEER_INT, RUN_job},
    {"arrayId", PEER_INT, RUN_task},
    {"user", PEER_TEXT, RUN_user},
    {"account", PEER_TEXT, RUN_account},
    {"jobname", PEER_TEXT, RUN_name},
    {"queue", PEER_TEXT, RUN_partition},
    {"ctime", PEER_SECONDS, RUN_submit},
    {"qtime", PEER_NOT_KEPT, 0},
    {"etime", PEER_SECONDS, RUN_eligible},
    {"start", PEER_SECONDS, RUN_start},
    {"end", PEER_SECONDS, RUN_end},
    {"cputime", PEER_SECONDS, RUN_cpu_used_us},
    {"exit", PEER_NOT_KEPT, 0}, /* compared below: ours is in `state` where it is negative */
    {"slots", PEER_INT, RUN_cpus},
    {"nodes", PEER_INT, RUN_node_count},
    {"mem_bytes", PEER_INT, RUN_mem_peak_bytes},
    {"walltime_s", PEER_NOT_KEPT, 0},
};

static const struct peer torque = {.keys = torque_keys, .key_count = COUNT_OF(torque_keys)};

static void expect_torque_line(const char *input, json_t *expect)
{
    struct reading r;
    char exit_status[32];
    read_first(&r, &pbs_driver, str_of(input), NULL);
    expect_int(r.step, SOURCE_RECORD);
    (void)expect_peer_record(&torque, &r.run, expect);
    (void)snprintf(exit_status, sizeof(exit_status), "%" JSON_INTEGER_FORMAT,
                   json_integer_value(json_object_get(expect, "exit")));
    expect_field_text(&r, state, exit_status);
    reading_release(&r);
}

/* Their list of the cores of each host: as many cpus, on as many hosts. */
static void expect_torque_hosts(const char *input, json_t *hosts)
{
    struct arena arena = {0};
    struct hosts ours = {.arena = &arena};
    int64_t cpus = 0;
    size_t wanted = 0;
    const char *name = NULL;
    json_t *cores = NULL;
    json_object_foreach(hosts, name, cores)
    {
        wanted += json_array_size(cores);
    }
    expect_true(pbs_exec_host(str_of(strchr(input, '=') + 1), &ours, &cpus));
    expect_int(cpus, (int64_t)wanted);
    expect_int((int64_t)ours.count, (int64_t)json_object_size(hosts));
    arena_release(&arena);
}

static void expect_torque_case(json_t *item)
{
    const char *input = json_string_value(json_object_get(item, "input"));
    json_t *expect = json_object_get(item, "expect");
    int64_t got = 0;
    if (json_object_get(expect, "seconds")) {
        expect_true(scan_duration(str_of(input), &got));
        expect_int(got, json_integer_value(json_object_get(expect, "seconds")) * SECOND_US);
    } else if (json_object_get(expect, "bytes")) {
        expect_true(pbs_size(str_of(input), &got));
        expect_int(got, json_integer_value(json_object_get(expect, "bytes")));
    } else if (json_object_get(expect, "hosts")) {
        expect_torque_hosts(input, json_object_get(expect, "hosts"));
    } else {
        expect_torque_line(input, expect);
    }
}

static void hnormalise_reads_alike(void **state)
{
    (void)state;
    struct buf cases;
    int count = 0;
    peer_file("line-to-record-torque/torque-cases.jsonl", &cases);
    for (struct str rest = buf_str(&cases); rest.ptr && rest.len > 0; count++) {
        struct str line = str_cut(&rest, '\n');
        json_t *item = json_loadb(line.ptr, line.len, 0, NULL);
        assert_non_null(item);
        expect_torque_case(item);
        json_decref(item);
    }
    expect_int(count, 26);
    buf_release(&cases);
}

/* --- a site of today -------------------------------------------------------------------------- */

static void site_of_today_is_read_whole(void **state)
{
    (void)state;
    struct buf file;
    peer_file("pbs/pbs-2026.log", &file);
    struct str rest = buf_str(&file);
    struct reading r;
    read_first(&r, &pbs_driver, str_cut(&rest, '\n'), NULL);
    const struct want first[] = {
        {"job", "2281314"}, {"account", "A0001"},   {"cpus", "1"},
        {"gpus", "0"},      {"project", NULL},      {"node", "crhtc65"},
        {"flags", "0"},     {"mem", "10737418240"}, {NULL, NULL},
    };
    expect_wants(&r.run, first);
    reading_release(&r);
    read_first(&r, &pbs_driver, str_cut(&rest, '\n'), NULL);
    expect_field(&r, cpus, 2);
    expect_field_text(&r, nodes, "crhtc67,crhtc70");
    reading_release(&r);
    buf_release(&file);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, xdmod_reads_alike);
    SUITE_TEST(&suite, xdmod_counts_gpus_of_nodes_alike);
    SUITE_TEST(&suite, apel_reads_alike);
    SUITE_TEST(&suite, apel_reads_exec_host_alike);
    SUITE_TEST(&suite, hnormalise_reads_alike);
    SUITE_TEST(&suite, site_of_today_is_read_whole);
    return suite_run(&suite, "pbs_conformance");
}
