/* SPDX-License-Identifier: MIT */
#include "sampler/process.h"

#include "base/attribute.h"

enum {
    KIB = 1024,
    FLAG_KERNEL_THREAD = 0x00200000, /* PF_KTHREAD of the kernel */
    STAT_WORDS = 20,                 /* words after the name that are looked at */
    NONE = -1
};

const struct look_field process_fields[PROCESS_FIELD_COUNT] = {PROCESS_FIELDS(LOOK_FIELD_ROW)};

/*
 * The words of stat after the name, the state being the first; proc(5) counts from the pid, so
 * 3 more.
 */
static const signed char stat_words[STAT_WORDS] = {
    [0] = NONE,
    [1] = PROCESS_ppid,
    [2] = PROCESS_group,
    [3] = NONE,
    [4] = NONE,
    [5] = NONE,
    [6] = PROCESS_flags,
    [7] = NONE,
    [8] = NONE,
    [9] = NONE,
    [10] = NONE,
    [11] = PROCESS_user_ticks,
    [12] = PROCESS_system_ticks,
    [13] = PROCESS_child_user_ticks,
    [14] = PROCESS_child_system_ticks,
    [15] = NONE,
    [16] = NONE,
    [17] = PROCESS_num_threads,
    [18] = NONE,
    [19] = PROCESS_start_ticks,
};

void process_read_stat(struct process *process, struct str text, struct arena *arena)
{
    const char *begin = str_byte(text, '(');
    const char *end = begin ? memrchr(begin, ')', text.len - (size_t)(begin - text.ptr)) : NULL;
    if (!end) {
        return;
    }
    process->cmd = arena_copy(arena, (struct str){begin + 1, (size_t)(end - begin) - 1});
    struct str rest = {end + 1, text.len - (size_t)(end - text.ptr) - 1};
    for (size_t i = 0; i < STAT_WORDS; i++) {
        struct str word = look_word(&rest);
        if (i == 0 && word.len == 1) {
            process->state = word.ptr[0];
        } else if (word.ptr && stat_words[i] != NONE) {
            look_set_count(&process->values, (unsigned)stat_words[i], word);
        }
    }
}

/* A line "Name:   value ..." of status and io. */
struct file_line {
    struct str name;
    enum process_field field;
    int word;         /* which of the words after the name, from 0 */
    const char *unit; /* what must follow it; NULL: nothing need */
};

static void read_line(struct process *process, struct str line, const struct file_line *row)
{
    struct str word = {0};
    for (int i = 0; i <= row->word; i++) {
        word = look_word(&line);
    }
    if (!row->unit || str_eq(look_word(&line), str_of(row->unit))) {
        look_set_count(&process->values, row->field, word);
    }
}

static void read_lines(struct process *process, struct str text, const struct file_line *rows,
                       size_t count)
{
    for (struct str rest = text; rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        for (size_t i = 0; i < count; i++) {
            if (str_starts(line, rows[i].name)) {
                const size_t skipped = rows[i].name.len;
                read_line(process, (struct str){line.ptr + skipped, line.len - skipped},
                          &rows[i]);
            }
        }
    }
}

#define LINE_NAME(text)                                                                        \
    {                                                                                          \
        (text), sizeof(text) - 1                                                               \
    }

void process_read_status(struct process *process, struct str text)
{
    static const struct file_line rows[] = {
        {LINE_NAME("Uid:"), PROCESS_uid, 1, NULL},
        {LINE_NAME("Uid:"), PROCESS_real_uid, 0, NULL},
        {LINE_NAME("RssAnon:"), PROCESS_resident_memory, 0, "kB"},
        {LINE_NAME("VmData:"), PROCESS_data_kib, 0, "kB"},
        {LINE_NAME("VmStk:"), PROCESS_stack_kib, 0, "kB"},
    };
    read_lines(process, text, rows, COUNT_OF(rows));
}

void process_read_io(struct process *process, struct str text)
{
    static const struct file_line rows[] = {
        {LINE_NAME("read_bytes:"), PROCESS_data_read, 0, NULL},
        {LINE_NAME("write_bytes:"), PROCESS_data_written, 0, NULL},
        {LINE_NAME("cancelled_write_bytes:"), PROCESS_data_cancelled, 0, NULL},
    };
    struct process read = {0};
    read_lines(&read, text, rows, COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (look_has(&read.values, rows[i].field)) {
            int64_t bytes = read.values.at[rows[i].field];
            look_set(&process->values, rows[i].field, (bytes + KIB - 1) / KIB);
        }
    }
}

/* The sum of some values, if all of them are known. */
static bool add_up(const struct look_values *values, const enum process_field *fields,
                   size_t count, int64_t *sum)
{
    *sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!look_has(values, fields[i])) {
            return false;
        }
        *sum += values->at[fields[i]];
    }
    return true;
}

static void settle_cpu(struct look_values *values, int64_t ticks, int64_t uptime)
{
    static const enum process_field all[] = {PROCESS_user_ticks, PROCESS_system_ticks,
                                             PROCESS_child_user_ticks,
                                             PROCESS_child_system_ticks};

    int64_t used = 0;
    if (add_up(values, all, COUNT_OF(all), &used)) {
        look_set(values, PROCESS_cpu_time, (used + ticks / 2) / ticks);
    }
    if (!add_up(values, all, 2, &used) || !look_has(values, PROCESS_start_ticks) ||
        uptime < values->at[PROCESS_start_ticks]) {
        return;
    }
    /* One that began within this tick has lived for a part of it. */
    const int64_t life = uptime - values->at[PROCESS_start_ticks];
    const int64_t permille = INT64_C(1000);
    if (used < INT64_MAX / permille) {
        const int64_t divisor = life > 0 ? life : 1;
        look_set(values, PROCESS_cpu_avg, (used * permille + divisor / 2) / divisor);
    }
}

void process_settle(struct process *process, int64_t ticks, int64_t uptime)
{
    static const enum process_field parts[] = {PROCESS_data_kib, PROCESS_stack_kib};
    struct look_values *values = &process->values;
    int64_t kib = 0;
    settle_cpu(values, ticks, uptime);
    if (add_up(values, parts, COUNT_OF(parts), &kib)) {
        look_set(values, PROCESS_virtual_memory, kib);
    }
    if (look_has(values, PROCESS_num_threads)) {
        /*
         * A process that is on its way out has no thread any more: then there is nothing to
         * report.
         */
        if (values->at[PROCESS_num_threads] > 0) {
            values->at[PROCESS_num_threads]--;
        } else {
            values->has &= ~(UINT32_C(1) << PROCESS_num_threads);
        }
    }
}

bool process_is_dead(const struct process *process)
{
    return process->state == 'X' || process->state == 'x';
}

bool process_is_kernel(const struct process *process)
{
    return look_has(&process->values, PROCESS_flags) &&
           process->values.at[PROCESS_flags] & FLAG_KERNEL_THREAD;
}
