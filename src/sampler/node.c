/* SPDX-License-Identifier: MIT */
#include "sampler/node.h"

#include "base/attribute.h"
#include "base/limit.h"
#include "base/scan.h"

const struct look_field system_fields[SYSTEM_FIELD_COUNT] = {SYSTEM_FIELDS(LOOK_FIELD_ROW)};

/* --- /proc/stat --------------------------------------------------------------------------- */

/*
 * user nice system idle iowait irq softirq: idle and iowait are no work; guests are counted in
 * user.
 */
static bool read_work(struct str line, int64_t ticks, int64_t *seconds)
{
    static const bool is_work[] = {true, true, true, false, false, true, true};
    int64_t sum = 0;
    for (size_t i = 0; i < COUNT_OF(is_work); i++) {
        int64_t count = 0;
        if (!look_count(look_word(&line), &count)) {
            return false;
        }
        sum += is_work[i] ? count : 0;
    }
    *seconds = sum / ticks;
    return true;
}

/* The number of a line "cpu3 ...", which is taken off; false for "cpu ..." and all others. */
static bool take_cpu(struct str *line, int64_t *number)
{
    struct str rest = *line;
    struct str word = look_word(&rest);
    if (!str_starts(word, STR("cpu")) ||
        !look_count((struct str){word.ptr + 3, word.len - 3}, number) ||
        *number >= LIMIT_CPUS) {
        return false;
    }
    *line = rest;
    return true;
}

static size_t count_cpus(struct str text)
{
    int64_t number = 0, most = -1;
    for (struct str rest = text; rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        if (take_cpu(&line, &number) && number > most) {
            most = number;
        }
    }
    return (size_t)(most + 1);
}

static bool read_stat_line(struct node *node, struct str line, int64_t ticks)
{
    int64_t number = 0;
    if (take_cpu(&line, &number)) {
        struct node_cpu *cpu = &node->cpus[number];
        cpu->known = read_work(line, ticks, &cpu->seconds);
        return cpu->known;
    }
    if (str_eq(look_word(&line), STR("btime"))) {
        node->has_boot = look_count(look_word(&line), &node->boot);
        return node->has_boot;
    }
    return true;
}

bool node_read_stat(struct node *node, struct str text, int64_t ticks, struct arena *arena)
{
    bool good = true;
    node->cpu_count = count_cpus(text);
    node->cpus = arena_alloc(arena, (node->cpu_count + 1) * sizeof(*node->cpus));
    for (struct str rest = text; rest.ptr;) {
        good &= read_stat_line(node, str_cut(&rest, '\n'), ticks);
    }
    return good && node->cpu_count > 0 && node->has_boot;
}

/* --- the shorter ones --------------------------------------------------------------------- */

/* "MemTotal:   16093776 kB" */
static bool take_kib(struct str line, struct str name, int64_t *kib)
{
    return str_eq(look_word(&line), name) && look_count(look_word(&line), kib) &&
           str_eq(look_word(&line), STR("kB"));
}

bool node_read_meminfo(struct node *node, struct str text)
{
    int64_t total = 0, available = 0;
    bool has_total = false, has_available = false;
    for (struct str rest = text; rest.ptr && !(has_total && has_available);) {
        struct str line = str_cut(&rest, '\n');
        has_total = has_total || take_kib(line, STR("MemTotal:"), &total);
        has_available = has_available || take_kib(line, STR("MemAvailable:"), &available);
    }
    if (!has_total || !has_available || available > total) {
        return false;
    }
    look_set(&node->values, SYSTEM_used_memory, total - available);
    return true;
}

bool node_read_loadavg(struct node *node, struct str text)
{
    struct look_values values = node->values;

    static const enum system_field loads[] = {SYSTEM_load1, SYSTEM_load5, SYSTEM_load15};

    for (size_t i = 0; i < COUNT_OF(loads); i++) {
        int64_t load = 0;
        if (!scan_decimal(look_word(&text), system_fields[loads[i]].decimals, &load) ||
            load < 0 || load >= LOOK_COUNT_MAX) {
            return false;
        }
        look_set(&values, loads[i], load);
    }
    struct str entities = look_word(&text);
    int64_t runnable = 0, existing = 0;
    if (!entities.ptr || !look_count(str_cut(&entities, '/'), &runnable) ||
        !look_count(entities, &existing)) {
        return false;
    }
    look_set(&values, SYSTEM_runnable_entities, runnable);
    look_set(&values, SYSTEM_existing_entities, existing);
    node->values = values;
    return true;
}

bool node_read_uptime(struct node *node, struct str text, int64_t ticks)
{
    int64_t hundredths = 0;
    if (!scan_decimal(look_word(&text), 2, &hundredths) || hundredths < 0 ||
        hundredths >= LOOK_COUNT_MAX / ticks) {
        return false;
    }
    node->uptime_ticks = hundredths * ticks / 100;
    node->has_uptime = true;
    return true;
}

/* --- /proc/diskstats ---------------------------------------------------------------------- */

/*
 * " 8 0 sda 25354637 34367663 1003346126 ...": numbers, and a name that is the third.
 */
static bool read_disk(struct str line, struct node_disk *disk)
{
    struct str digits = {0};
    if (!look_count(look_word(&line), &disk->major) ||
        !look_count(look_word(&line), &disk->minor)) {
        return false;
    }
    disk->name = look_word(&line);
    disk->stats = str_trim(line);
    for (struct str rest = disk->stats; (digits = look_word(&rest)).ptr;) {
        for (size_t i = 0; i < digits.len; i++) {
            if (digits.ptr[i] < '0' || digits.ptr[i] > '9' || (i > 0 && digits.ptr[0] == '0')) {
                return false;
            }
        }
    }
    return disk->name.ptr && disk->stats.len > 0;
}

static size_t count_lines(struct str text)
{
    size_t count = 0;
    for (struct str rest = text; rest.ptr; count++) {
        (void)str_cut(&rest, '\n');
    }
    return count;
}

bool node_read_diskstats(struct node *node, struct str text, struct arena *arena)
{
    bool good = true;
    text = arena_copy(arena, text);
    node->disks = arena_alloc(arena, count_lines(text) * sizeof(*node->disks) + 1);
    node->disk_count = 0;
    for (struct str rest = text; rest.ptr;) {
        struct str line = str_trim(str_cut(&rest, '\n'));
        if (line.len > 0 && read_disk(line, &node->disks[node->disk_count])) {
            node->disk_count++;
        } else {
            good &= line.len == 0;
        }
    }
    return good;
}
