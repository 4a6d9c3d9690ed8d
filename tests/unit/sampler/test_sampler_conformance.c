/* SPDX-License-Identifier: MIT */

/*
 * What others made of the same files of /proc and of the same GPUs: the tests of procfs and sonar,
 * node_exporter's output, telegraf's reading of nvidia-smi.
 */

#include <math.h>

#include "sampler/counter.h"
#include "sampler/node_sample.h"
#include "unit/source/peer.h"

enum { TICKS = 100 };

#define PROCFS   "proc/procfs/fixtures"
#define EXPORTER "proc/node_exporter"
#define SONAR    "sonar/src/linux/testdata/"
#define GPU      "gpu/nvidia_smi/"

static void expect_known(const struct look_values *values, unsigned field, int64_t want)
{
    expect_true(look_has(values, field));
    expect_int(values->at[field], want);
}

/* --- procfs ------------------------------------------------------------------------------------- */

static void the_tree_of_procfs_is_looked_at(void **state)
{
    (void)state;
    char root[PEER_PATH_LEN];
    struct node_sample look;
    struct error err;
    peer_path(PROCFS, root);
    node_sample_init(&look, 0);
    expect_int(node_sample_at(&look, root, TICKS, &err), 0);

    const struct process *vim = node_sample_find(&look, 26231);
    expect_true(vim != NULL);
    expect_text_n(vim->cmd.ptr, vim->cmd.len, "vim");
    expect_int(vim->state, 'R');
    expect_known(&vim->values, PROCESS_ppid, 5392);
    expect_known(&vim->values, PROCESS_user_ticks, 1677);
    expect_known(&vim->values, PROCESS_system_ticks, 44);
    expect_known(&vim->values, PROCESS_start_ticks, 82375);
    expect_known(&vim->values, PROCESS_uid, 1000);
    expect_known(&vim->values, PROCESS_resident_memory, 2092);
    expect_known(&vim->values, PROCESS_virtual_memory, 2580 + 136);
    expect_known(&vim->values, PROCESS_data_read, 1);
    expect_known(&vim->values, PROCESS_data_written, 2);
    expect_false(look_has(&vim->values, PROCESS_data_cancelled)); /* -1024 */

    const struct process *threads = node_sample_find(&look, 27079);
    expect_true(threads != NULL);
    expect_known(&threads->values, PROCESS_num_threads, 4);

    const struct process *brackets = node_sample_find(&look, 584);
    expect_true(brackets != NULL);
    expect_text_n(brackets->cmd.ptr, brackets->cmd.len, "(a b ) ( c d) ");

    expect_true(node_sample_find(&look, 26232) == NULL); /* a thread of the kernel */
    expect_true(node_sample_find(&look, 26233) == NULL); /* without stat */
    expect_uint(look.process_count, 3);
    expect_int(look.node.boot, 1418183276);
    node_sample_release(&look);
}

static void the_absurd_counters_of_procfs_are_absent(void **state)
{
    (void)state;
    struct buf text;
    struct process process = {0};
    struct arena arena = {0};
    peer_file(PROCFS "/proc/26232/stat", &text);
    process_read_stat(&process, buf_str(&text), &arena);
    process_settle(&process, TICKS, 100000);
    expect_text_n(process.cmd.ptr, process.cmd.len, "ata_sff");
    expect_false(look_has(&process.values, PROCESS_child_user_ticks));
    expect_false(look_has(&process.values, PROCESS_child_system_ticks));
    expect_false(look_has(&process.values, PROCESS_cpu_time));
    expect_known(&process.values, PROCESS_cpu_avg, 0);
    expect_true(process_is_kernel(&process));
    arena_release(&arena);
    buf_release(&text);
}

/* --- node_exporter ------------------------------------------------------------------------------ */

/* The value in a line "name{labels} value" of its output that begins like this. */
static double exported(const struct buf *output, const char *begin)
{
    for (struct str rest = buf_str(output); rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        if (str_starts(line, str_of(begin))) {
            return strtod(line.ptr + strlen(begin), NULL);
        }
    }
    expect_fail("node_exporter tells no %s", begin);
}

static void look_as_exporter(struct node_sample *look, struct buf *output)
{
    char root[PEER_PATH_LEN];
    struct error err;
    peer_path(EXPORTER, root);
    peer_file(EXPORTER "/e2e-output.txt", output);
    node_sample_init(look, 0);
    expect_int(node_sample_at(look, root, TICKS, &err), 0);
}

static void cores_and_load_are_those_of_node_exporter(void **state)
{
    (void)state;
    static const char *const modes[] = {"user", "nice", "system", "irq", "softirq"};
    struct node_sample look;
    struct buf output;
    look_as_exporter(&look, &output);
    expect_uint(look.node.cpu_count, 8);
    for (size_t i = 0; i < look.node.cpu_count; i++) {
        double work = 0;
        for (size_t k = 0; k < COUNT_OF(modes); k++) {
            char begin[128];
            (void)snprintf(begin, sizeof(begin),
                           "node_cpu_seconds_total{cpu=\"%zu\",mode=\"%s\"}", i, modes[k]);
            work += exported(&output, begin);
        }
        expect_int(look.node.cpus[i].seconds, (int64_t)floor(work + 1e-6));
    }
    expect_double((double)look.node.values.at[SYSTEM_load1] / 1000,
                  exported(&output, "node_load1 "), 0);
    expect_double((double)look.node.values.at[SYSTEM_load5] / 1000,
                  exported(&output, "node_load5 "), 0);
    expect_double((double)look.node.values.at[SYSTEM_load15] / 1000,
                  exported(&output, "node_load15 "), 0);
    expect_int(look.node.boot, (int64_t)exported(&output, "node_boot_time_seconds "));
    expect_false(look_has(&look.node.values, SYSTEM_used_memory)); /* an old kernel */
    buf_release(&output);
    node_sample_release(&look);
}

/* One file system that is mounted at two places counts once, as it does there. */
static void what_goes_over_nfs_is_that_of_node_exporter(void **state)
{
    (void)state;
    static const char *const protocols[] = {"tcp", "udp"};
    static const struct counter read = {
        .form = COUNTER_MOUNTS, .key = "5", .times = 1, .by = 1};
    struct buf output, mounts;
    double bytes = 0;
    int64_t found = 0;
    peer_file(EXPORTER "/e2e-output.txt", &output);
    peer_file(EXPORTER "/proc/10/mountstats", &mounts);
    for (size_t i = 0; i < COUNT_OF(protocols); i++) {
        char begin[192];
        (void)snprintf(
            begin, sizeof(begin),
            "node_mountstats_nfs_total_read_bytes_total{export=\"192.168.1.1:/srv/test\","
            "mountaddr=\"192.168.1.1\",protocol=\"%s\"}",
            protocols[i]);
        bytes += exported(&output, begin);
    }
    expect_true(counter_read(&read, buf_str(&mounts), &found));
    expect_int(found, (int64_t)bytes);
    buf_release(&output);
    buf_release(&mounts);
}

static void disks_are_those_of_node_exporter(void **state)
{
    (void)state;
    struct node_sample look;
    struct buf output;
    int compared = 0;
    look_as_exporter(&look, &output);
    for (size_t i = 0; i < look.node.disk_count; i++) {
        char begin[128];
        const struct node_disk *disk = &look.node.disks[i];
        struct str stats = disk->stats;
        (void)snprintf(begin, sizeof(begin), "node_disk_reads_completed_total{device=\"%.*s\"}",
                       STR_ARG(disk->name));
        if (memmem(output.ptr, output.len, begin, strlen(begin))) { /* it leaves some out */
            expect_double((double)strtoll(look_word(&stats).ptr, NULL, 10),
                          exported(&output, begin), 0);
            compared++;
        }
    }
    expect_int(compared, 15);
    expect_uint(look.node.disk_count, 51);
    buf_release(&output);
    node_sample_release(&look);
}

/* --- sonar -------------------------------------------------------------------------------------- */

static void the_node_is_as_sonar_has_it(void **state)
{
    (void)state;
    struct buf text;
    struct node node = {0};
    struct arena arena = {0};
    peer_file(SONAR "stat.txt", &text);
    expect_true(node_read_stat(&node, buf_str(&text), TICKS, &arena));
    buf_release(&text);
    expect_int(node.boot, 1698303295);
    expect_uint(node.cpu_count, 8);
    expect_int(node.cpus[0].seconds, 534);
    expect_int(node.cpus[7].seconds, 406);
    peer_file(SONAR "meminfo.txt", &text);
    expect_true(node_read_meminfo(&node, buf_str(&text)));
    buf_release(&text);
    expect_known(&node.values, SYSTEM_used_memory, 16093776 - 8162068);
    expect_true(node_read_loadavg(&node, STR("1.75 2.125 10.5 128/10340 12345")));
    expect_known(&node.values, SYSTEM_runnable_entities, 128);
    expect_known(&node.values, SYSTEM_existing_entities, 10340);
    arena_release(&arena);
}

static void a_process_is_as_sonar_has_it(void **state)
{
    (void)state;
    struct buf text;
    struct process process = {0};
    struct arena arena = {0};
    peer_file(SONAR "io.txt", &text);
    process_read_io(&process, buf_str(&text));
    buf_release(&text);
    process_read_stat(
        &process,
        STR("4018 (firefox) S 2190 2189 2189 0 -1 4194560 19293188 3117638 1823 557 "
            "51361 15728 5390 2925 20 0 187 0 16400 5050597376 190102"),
        &arena);
    process_settle(&process, TICKS, 16400 + 10000 * TICKS);
    expect_known(&process.values, PROCESS_ppid, 2190);
    expect_known(&process.values, PROCESS_group, 2189);
    expect_known(&process.values, PROCESS_data_read, 31112);
    expect_known(&process.values, PROCESS_data_written, 10960);
    expect_known(&process.values, PROCESS_data_cancelled, 1400);
    expect_known(&process.values, PROCESS_cpu_time, 754);
    expect_known(&process.values, PROCESS_cpu_avg, 67);
    arena_release(&arena);
}

/* --- GPUs --------------------------------------------------------------------------------------- */

/* The text of the first element of this name. */
static struct str element(struct str xml, const char *name)
{
    char tag[128];
    (void)snprintf(tag, sizeof(tag), "<%s>", name);
    const char *begin = xml.ptr ? memmem(xml.ptr, xml.len, tag, strlen(tag)) : NULL;
    if (!begin) {
        return (struct str){0};
    }
    begin += strlen(tag);
    struct str rest = {begin, xml.len - (size_t)(begin - xml.ptr)};
    (void)snprintf(tag, sizeof(tag), "</%s>", name);
    const char *end = memmem(rest.ptr, rest.len, tag, strlen(tag));
    return end ? (struct str){begin, (size_t)(end - begin)} : (struct str){0};
}

/* What a column is called in the captures: an element, in another; spellings of several versions. */
static const struct {
    const char *outer, *inner;
} captured[] = {
    {NULL, "uuid"},
    {NULL, "fan_speed"},
    {NULL, "compute_mode"},
    {NULL, "performance_state"},
    {"fb_memory_usage", "used"},
    {"utilization", "gpu_util"},
    {"utilization", "memory_util"},
    {"temperature", "gpu_temp"},
    {"power_readings gpu_power_readings", "power_draw instant_power_draw"},
    {"power_readings gpu_power_readings", "power_limit current_power_limit"},
    {"clocks", "sm_clock"},
    {"clocks", "mem_clock"},
};

/* The first of several names, blanks between, that is there. */
static struct str any_element(struct str xml, const char *names)
{
    struct str found = {0};
    for (struct str rest = str_of(names); rest.ptr && !found.ptr;) {
        char name[64];
        struct str word = str_cut(&rest, ' ');
        (void)snprintf(name, sizeof(name), "%.*s", STR_ARG(word));
        found = element(xml, name);
    }
    return found;
}

/* A card of the captures, printed as nvidia-smi prints it on request. */
static void add_row(struct buf *out, struct str card, size_t index)
{
    const char *mig = memmem(card.ptr, card.len, "</mig_devices>", 14);
    if (mig) { /* those of its parts come before its own */
        card = (struct str){mig, card.len - (size_t)(mig - card.ptr)};
    }
    buf_addf(out, "%zu", index);
    for (size_t i = 0; i < COUNT_OF(captured); i++) {
        struct str from = captured[i].outer ? any_element(card, captured[i].outer) : card;
        struct str text = any_element(from, captured[i].inner);
        if (str_ends(text, STR(" C"))) {
            text.len -= 2;
        }
        buf_addf(out, ", %.*s", STR_ARG(text.ptr ? text : STR("[N/A]")));
    }
    buf_addc(out, '\n');
}

static const char headings[] =
    "index, uuid, fan.speed [%], compute_mode, pstate, memory.used [MiB], utilization.gpu [%], "
    "utilization.memory [%], temperature.gpu, power.draw [W], power.limit [W], "
    "clocks.current.sm [MHz], clocks.current.memory [MHz]\n";

static void as_csv(struct str xml, struct buf *out)
{
    buf_init(out, PEER_FILE_MAX);
    buf_addz(out, headings);
    size_t index = 0;
    const char *begin;
    while ((begin = memmem(xml.ptr, xml.len, "<gpu id=", 8))) {
        struct str card = {begin, xml.len - (size_t)(begin - xml.ptr)};
        const char *end = memmem(card.ptr, card.len, "</gpu>", 6);
        expect_true(end != NULL);
        card.len = (size_t)(end - begin);
        add_row(out, card, index++);
        xml = (struct str){end, xml.len - (size_t)(end - xml.ptr)};
    }
}

static const struct {
    const char *key; /* telegraf's */
    enum gpu_field field;
    int64_t times; /* theirs, to ours */
} compared[] = {
    {"fan_speed", GPU_fan, 1},
    {"memory_used", GPU_memory, 1024},
    {"utilization_gpu", GPU_ce_util, 1},
    {"utilization_memory", GPU_memory_util, 1},
    {"temperature_gpu", GPU_temperature, 1},
    {"power_draw", GPU_power, 1},
    {"power_limit", GPU_power_limit, 1},
    {"clocks_current_sm", GPU_ce_clock, 1},
    {"clocks_current_memory", GPU_memory_clock, 1},
};

static int compare_card(const char *file, const struct gpu *card, const json_t *theirs)
{
    const json_t *fields = json_object_get(theirs, "fields");
    const json_t *tags = json_object_get(theirs, "tags");
    int absent = 0;
    expect_text_n(card->uuid.ptr, card->uuid.len,
                  json_string_value(json_object_get(tags, "uuid")));
    expect_text_n(card->compute_mode.ptr, card->compute_mode.len,
                  json_string_value(json_object_get(tags, "compute_mode")));
    expect_int(card->values.at[GPU_performance_state] - 2,
               strtol(json_string_value(json_object_get(tags, "pstate")) + 1, NULL, 10));
    for (size_t i = 0; i < COUNT_OF(compared); i++) {
        const json_t *value = json_object_get(fields, compared[i].key);
        const bool has = look_has(&card->values, compared[i].field);
        const int64_t ours = card->values.at[compared[i].field];
        if (has != (value != NULL) ||
            (has && ours != llround(json_number_value(value)) * compared[i].times)) {
            expect_fail("%s: their %s is %.2f (%s), ours %lld (%s)", file, compared[i].key,
                        json_number_value(value), value ? "there" : "absent", (long long)ours,
                        has ? "there" : "absent");
        }
        absent += !has;
    }
    return absent;
}

static void cards_are_as_telegraf_has_them(void **state)
{
    (void)state;
    json_t *wanted = peer_json(GPU "expected.json");
    const char *file = NULL;
    json_t *records = NULL;
    int absent = 0;
    json_object_foreach(wanted, file, records)
    {
        struct buf xml, csv;
        struct gpu_list list = {0};
        struct arena arena = {0};
        struct error err = {0};
        char path[PEER_PATH_LEN];
        (void)snprintf(path, sizeof(path), GPU "testdata/%s", file);
        peer_file(path, &xml);
        as_csv(buf_str(&xml), &csv);
        if (gpu_read_cards(&list, buf_str(&csv), &arena, &err) != 0) {
            expect_fail("%s: %s", file, err.text);
        }
        expect_uint(list.count, 1);
        absent += compare_card(file, &list.cards[0], json_array_get(records, 0));
        arena_release(&arena);
        buf_release(&csv);
        buf_release(&xml);
    }
    expect_uint(json_object_size(wanted), 12);
    expect_true(absent > 0); /* or nothing was learnt about what is not told */
    json_decref(wanted);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, the_tree_of_procfs_is_looked_at);
    SUITE_TEST(&suite, the_absurd_counters_of_procfs_are_absent);
    SUITE_TEST(&suite, cores_and_load_are_those_of_node_exporter);
    SUITE_TEST(&suite, disks_are_those_of_node_exporter);
    SUITE_TEST(&suite, what_goes_over_nfs_is_that_of_node_exporter);
    SUITE_TEST(&suite, the_node_is_as_sonar_has_it);
    SUITE_TEST(&suite, a_process_is_as_sonar_has_it);
    SUITE_TEST(&suite, cards_are_as_telegraf_has_them);
    return suite_run(&suite, "sampler conformance");
}
