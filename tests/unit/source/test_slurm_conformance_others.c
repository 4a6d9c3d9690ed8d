/* SPDX-License-Identifier: MIT */
#include "source/slurm/slurm_things.h"
#include "unit/source/slurm_data.h"

/*
 * What sreport says of reservations, sizes and the whole cluster, and what another collector (telegraf) and another
 * interface (FirecREST) made of a controller's answers.
 */

#define LIVE "slurm/live-22.05/"

struct things {
    struct arena arena;
    struct inventory_item_list list;
};

static void read_text(struct things *things, enum inventory_item_kind kind, struct str text)
{
    struct error err = {0};
    *things = (struct things){0};
    if (slurm_things_read(kind, text, NULL, &things->arena, &things->list, &err)) {
        expect_fail("%s", err.text);
    }
}

static void read_things(struct things *things, enum inventory_item_kind kind, const char *name)
{
    struct buf text;
    peer_file(name, &text);
    read_text(things, kind, buf_str(&text));
    buf_release(&text);
}

static void things_release(struct things *things)
{
    inventory_item_list_release(&things->list);
    arena_release(&things->arena);
}

static const struct inventory_item *find_thing(const struct things *things, struct str name)
{
    for (size_t i = 0; i < things->list.count; i++) {
        if (str_eq(things->list.rows[i].values[0].text, name)) {
            return &things->list.rows[i];
        }
    }
    expect_fail("there is no '%.*s'", STR_ARG(name));
    return NULL;
}

/* The cells of a line; how many there are. */
static size_t cut_cells(struct str line, char by, struct str *cells, size_t max)
{
    size_t count = 0;
    while (line.ptr && count < max) {
        struct str cell = str_trim(str_cut(&line, by));
        if (by != ' ' || cell.len > 0) {
            cells[count++] = cell;
        }
    }
    return count;
}

static int64_t number_of(struct str text)
{
    int64_t number = -1;
    expect_true(scan_int(text, &number));
    return number;
}

/* --- sreport ------------------------------------------------------------------------------------ */

static int64_t held_s(const struct inventory_item *reservation)
{
    const struct inventory_item_value *values = reservation->values;
    expect_true(values[RESERVATION_start].has && values[RESERVATION_end].has &&
                values[RESERVATION_cpus].has);
    return (values[RESERVATION_end].integer - values[RESERVATION_start].integer) / SECOND_US *
           values[RESERVATION_cpus].integer;
}

static bool is_in(const struct run *run, struct str account, struct str reservation)
{
    return RUN_HAS(run, start) && RUN_HAS(run, end) && RUN_HAS(run, cpus) &&
           (!account.ptr || str_eq(run->account, account)) &&
           (!reservation.ptr || str_eq(run->reservation, reservation));
}

/* Suspended time included: see test_slurm_conformance_slurm.c. */
static int64_t cpu_seconds(const struct slurm_reading *r, struct str account,
                           struct str reservation)
{
    int64_t sum_us = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct run *run = slurm_run_at(r, i);
        sum_us += is_in(run, account, reservation) ? (run->end - run->start) * run->cpus : 0;
    }
    return sum_us / SECOND_US;
}

/* tb|res2|2026-11-14T23:36:15|2026-11-14T23:46:15|cpu|0|38400: times were moved, their length was not. */
static void idle_reserved_time_is_that_of_sreport(void **state)
{
    (void)state;
    struct things reservations;
    struct slurm_reading runs;
    struct buf text;
    size_t compared = 0;
    peer_file(LIVE "sreport-resv-shifted.psv", &text);
    read_things(&reservations, INVENTORY_ITEM_RESERVATION, LIVE "scontrol-resv.txt");
    slurm_read_data(&runs, LIVE "sacct-D-steps.psv", "", NULL);
    for (struct str rest = buf_str(&text); rest.ptr;) {
        struct str cells[7];
        if (cut_cells(str_cut(&rest, '\n'), '|', cells, COUNT_OF(cells)) == COUNT_OF(cells) &&
            str_eq(cells[4], STR("cpu"))) {
            int64_t used = cpu_seconds(&runs, (struct str){0}, cells[1]);
            expect_int(used, number_of(cells[5]));
            expect_int(held_s(find_thing(&reservations, cells[1])) - used, number_of(cells[6]));
            compared++;
        }
    }
    expect_uint(compared, 2);
    buf_release(&text);
    slurm_reading_release(&runs);
    things_release(&reservations);
}

/* Two small jobs have a second more in sreport than in sacct and sshare. */
enum { MORE_CHEM_S = 1, MORE_PHYS_S = 1, MORE_S = MORE_CHEM_S + MORE_PHYS_S };

/*
 * What is allocated is the time of jobs and that of the reservation, all of which lay idle. The other one, for maintenance
 * and with IGNORE_JOBS, is in none of sreport's columns.
 */
static void allocated_is_jobs_and_reservations(void **state)
{
    (void)state;
    struct things reservations;
    struct slurm_reading runs;
    struct buf text;
    size_t compared = 0;
    peer_file(LIVE "sreport-util-shifted.txt", &text);
    read_things(&reservations, INVENTORY_ITEM_RESERVATION, LIVE "scontrol-resv.txt");
    slurm_read_data(&runs, LIVE "sacct-D-steps.psv", "", NULL);
    for (struct str rest = buf_str(&text); rest.ptr;) {
        struct str cells[8];
        if (cut_cells(str_cut(&rest, '\n'), ' ', cells, COUNT_OF(cells)) == COUNT_OF(cells) &&
            str_eq(cells[1], STR("cpu"))) {
            expect_int(cpu_seconds(&runs, (struct str){0}, (struct str){0}) + MORE_S +
                           held_s(find_thing(&reservations, STR("res2"))),
                       number_of(cells[2]));
            compared++;
        }
    }
    expect_uint(compared, 1);
    buf_release(&text);
    slurm_reading_release(&runs);
    things_release(&reservations);
}

/* tb|chem|3|0|0|0|0|55.33%: minutes in bins of cpus, none of which had 50; the share of the jobs' time. */
static void expect_sizes(const struct slurm_reading *runs, const struct str cells[8])
{
    const bool chem = str_eq(cells[1], STR("chem")), phys = str_eq(cells[1], STR("phys"));
    const int64_t all = cpu_seconds(runs, (struct str){0}, (struct str){0}) + MORE_S;
    const int64_t seconds = cpu_seconds(runs, cells[1], (struct str){0}) + (chem   ? MORE_CHEM_S
                                                                            : phys ? MORE_PHYS_S
                                                                                   : 0);
    char share[16];
    expect_int((seconds + 30) / 60, number_of(cells[2]));
    for (size_t bin = 3; bin < 7; bin++) {
        expect_int(number_of(cells[bin]), 0);
    }
    (void)snprintf(share, sizeof(share), "%.2f%%", 100.0 * (double)seconds / (double)all);
    expect_text_n(cells[7].ptr, cells[7].len, share);
}

static void sizes_are_those_of_sreport(void **state)
{
    (void)state;
    struct slurm_reading runs;
    struct buf text;
    size_t compared = 0;
    peer_file(LIVE "sreport-sizes-shifted.psv", &text);
    slurm_read_data(&runs, LIVE "sacct-D-steps.psv", "", NULL);
    for (size_t i = 0; i < runs.count; i++) {
        expect_true(slurm_run_at(&runs, i)->cpus < 50);
    }
    for (struct str rest = buf_str(&text); rest.ptr;) {
        struct str cells[8];
        if (cut_cells(str_cut(&rest, '\n'), '|', cells, COUNT_OF(cells)) == COUNT_OF(cells) &&
            str_eq(cells[0], STR("tb"))) {
            expect_sizes(&runs, cells);
            compared++;
        }
    }
    expect_uint(compared, 3);
    buf_release(&text);
    slurm_reading_release(&runs);
}

/* --- telegraf ----------------------------------------------------------------------------------- */

#define TELEGRAF "slurm/telegraf/gather/"

/* The value of `key=` in a line of theirs, without quotes and the i of a whole number. */
static struct str told(struct str line, const char *key)
{
    size_t len = strlen(key);
    for (size_t i = 0; i + len < line.len; i++) {
        if ((i == 0 || line.ptr[i - 1] == ',' || line.ptr[i - 1] == ' ') &&
            memcmp(line.ptr + i, key, len) == 0 && line.ptr[i + len] == '=') {
            struct str value = {line.ptr + i + len + 1, line.len - i - len - 1};
            bool quoted = value.len > 0 && value.ptr[0] == '"';
            size_t end = quoted;
            while (end < value.len &&
                   (quoted ? value.ptr[end] != '"'
                           : value.ptr[end] != ',' && value.ptr[end] != ' ')) {
                end++;
            }
            value.len = end;
            value.ptr += quoted;
            value.len -= quoted;
            value.len -= !quoted && value.len > 0 && value.ptr[value.len - 1] == 'i';
            return value;
        }
    }
    expect_fail("no %s in '%.*s'", key, STR_ARG(line));
    return (struct str){0};
}

static void expect_told(struct str got, struct str line, const char *key)
{
    struct str want = told(line, key);
    if (!str_eq(got, want)) {
        expect_fail("%s: '%.*s' is not '%.*s'", key, STR_ARG(got), STR_ARG(want));
    }
}

/* Its tres_cpu and tres_mem are what was asked for; that what was given is `cpus` and so much more memory. */
static void expect_job(const struct slurm_reading *r, struct str line)
{
    const int64_t id = number_of(told(line, "job_id"));
    const struct run *run = NULL;
    for (size_t i = 0; i < r->count; i++) {
        run = slurm_run_at(r, i)->job == id ? slurm_run_at(r, i) : run;
    }
    expect_true(run != NULL);
    expect_told(run->name, line, "name");
    expect_told(run->nodes, line, "nodes");
    expect_told(run->partition, line, "partition");
    expect_told(run->state, line, "state");
    expect_told(run->work_dir, line, "current_working_directory");
    expect_int(run->cpus, number_of(told(line, "cpus")));
    expect_int(run->req_cpus, number_of(told(line, "tres_cpu")));
    expect_int(run->req_mem_bytes >> 20, number_of(told(line, "tres_mem")));
    expect_int(run->node_count, number_of(told(line, "node_count")));
    expect_int(run->start / SECOND_US, number_of(told(line, "start_time")));
    expect_int(run->submit / SECOND_US, number_of(told(line, "submit_time")));
    expect_int(run->req_wall_us / SECOND_US / 60, number_of(told(line, "time_limit")));
    expect_int(run->gid, number_of(told(line, "group_id")));
    expect_int(run->priority, number_of(told(line, "priority")));
}

static void expect_node(const struct things *nodes, struct str line)
{
    const struct inventory_item_value *values = find_thing(nodes, told(line, "name"))->values;
    struct str flags = values[NODE_state].text; /* theirs is the state without its flags */
    expect_true(str_eq_nocase(str_cut(&flags, '+'), told(line, "state")));
    expect_int(values[NODE_cpus].integer, number_of(told(line, "cpus")));
    expect_int(values[NODE_mem_bytes].integer >> 20, number_of(told(line, "real_memory")));
    /* theirs is of a socket, of which these have two */
    expect_int(values[NODE_cores].integer, 2 * number_of(told(line, "cores")));
}

static void expect_partition(const struct things *partitions, struct str line)
{
    const struct inventory_item_value *values =
        find_thing(partitions, told(line, "name"))->values;
    expect_told(values[PARTITION_state].text, line, "state");
    expect_told(values[PARTITION_nodes].text, line, "nodes");
    expect_int(values[PARTITION_cpus].integer, number_of(told(line, "total_cpu")));
    expect_int(values[PARTITION_node_count].integer, number_of(told(line, "total_nodes")));
}

static void jobs_nodes_and_partitions_are_those_of_telegraf(void **state)
{
    (void)state;
    struct slurm_reading jobs;
    struct things nodes, partitions;
    struct buf text;
    size_t compared = 0;
    peer_file(TELEGRAF "expected.out", &text);
    slurm_read_data(&jobs, TELEGRAF "responses/jobs.json", "", NULL);
    read_things(&nodes, INVENTORY_ITEM_NODE, TELEGRAF "responses/nodes.json");
    read_things(&partitions, INVENTORY_ITEM_PARTITION, TELEGRAF "responses/partitions.json");
    for (struct str rest = buf_str(&text); rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        if (str_starts(line, STR("slurm_jobs,"))) {
            expect_job(&jobs, line);
        } else if (str_starts(line, STR("slurm_nodes,"))) {
            expect_node(&nodes, line);
        } else if (str_starts(line, STR("slurm_partitions,"))) {
            expect_partition(&partitions, line);
        } else {
            continue; /* slurm_diag: how the controller feels is not kept */
        }
        compared++;
    }
    expect_uint(compared, 7);
    buf_release(&text);
    slurm_reading_release(&jobs);
    things_release(&nodes);
    things_release(&partitions);
}

/* --- FirecREST ---------------------------------------------------------------------------------- */

#define FIRECREST "slurm/firecrest/"

/* The same partitions, by ssh and scontrol, which has one more, and by slurmrestd. */
static void partitions_by_scontrol_are_those_of_slurmrestd(void **state)
{
    (void)state;
    struct things text, json;
    struct buf lines;
    json_t *said = peer_json(FIRECREST "mocked_ssh_outputs/ssh_scontrol_partitions.json");
    buf_init(&lines, 1 << 20);
    buf_addf(&lines, "%s\n",
             json_string_value(json_object_get(said, "stdout"))); /* they took its end */
    read_text(&text, INVENTORY_ITEM_PARTITION, buf_str(&lines));
    buf_release(&lines);
    read_things(&json, INVENTORY_ITEM_PARTITION,
                FIRECREST "mocked_api_responses/slurm_get_partitions.json");
    expect_uint(text.list.count, json.list.count + 1);
    for (size_t i = 0; i < json.list.count; i++) {
        const struct inventory_item_value *want = json.list.rows[i].values;
        const struct inventory_item_value *got =
            find_thing(&text, want[PARTITION_partition].text)->values;
        expect_int(got[PARTITION_cpus].integer, want[PARTITION_cpus].integer);
        expect_int(got[PARTITION_node_count].integer, want[PARTITION_node_count].integer);
        expect_true(str_eq(got[PARTITION_nodes].text, want[PARTITION_nodes].text));
        expect_true(str_eq(got[PARTITION_state].text, want[PARTITION_state].text));
    }
    json_decref(said);
    things_release(&text);
    things_release(&json);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, idle_reserved_time_is_that_of_sreport);
    SUITE_TEST(&suite, allocated_is_jobs_and_reservations);
    SUITE_TEST(&suite, sizes_are_those_of_sreport);
    SUITE_TEST(&suite, jobs_nodes_and_partitions_are_those_of_telegraf);
    SUITE_TEST(&suite, partitions_by_scontrol_are_those_of_slurmrestd);
    return suite_run(&suite, "slurm_conformance_others");
}
