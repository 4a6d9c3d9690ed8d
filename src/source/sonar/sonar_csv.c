/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "source/common/instant.h"
#include "source/common/record_text.h"
#include "source/sonar/sonar_record.h"

/*
 * A line is cut into fields first: at commas outside quotes, with quotes only around whole
 * fields and doubled inside, as CSV has it. Then either the fields have names, or there are 8,
 * 12 or 13 of them.
 */

enum { FIELDS_MAX = 64 };

enum tag_kind {
    TAG_TEXT,
    TAG_VERSION,
    TAG_TIME,
    TAG_COUNT,
    TAG_KIB,
    TAG_KIB_OR_NOT, /* 0 says that it is not known */
    TAG_PERCENT,
    TAG_SECONDS,
    TAG_CARDS,
    TAG_CARD_BITS,
    TAG_OTHERS,  /* how many processes stand behind it besides */
    TAG_CHECKED, /* of the node, not of the process: has to be a number */
    TAG_PASSED,  /* of the node, in a shape of its own */
};

struct tag {
    const char *name;
    enum tag_kind kind;
    enum sample_field field;
    bool zero; /* every version with names says it, unless it is 0, or no card, or no other */
};

/* In the order in which sonar writes them, so that the next one is found at once. */
static const struct tag tags[] = {
    {"v", TAG_VERSION, SAMPLE_version, false},
    {"time", TAG_TIME, SAMPLE_time, false},
    {"host", TAG_TEXT, SAMPLE_node, false},
    {"cores", TAG_CHECKED, SAMPLE_FIELD_COUNT, false},
    {"user", TAG_TEXT, SAMPLE_user, false},
    {"cmd", TAG_TEXT, SAMPLE_command, false},
    {"job", TAG_COUNT, SAMPLE_job, false},
    {"epoch", TAG_COUNT, SAMPLE_epoch, false},
    {"pid", TAG_COUNT, SAMPLE_pid, false},
    {"ppid", TAG_COUNT, SAMPLE_ppid, false},
    {"cpu%", TAG_PERCENT, SAMPLE_cpu_avg_ppm, true},
    {"cpukib", TAG_KIB, SAMPLE_vmem_bytes, true},
    {"rssanonkib", TAG_KIB_OR_NOT, SAMPLE_rss_bytes, false},
    {"gpus", TAG_CARDS, SAMPLE_gpus, true},
    {"gpu%", TAG_PERCENT, SAMPLE_gpu_util_ppm, true},
    {"gpumem%", TAG_PERCENT, SAMPLE_gpu_mem_util_ppm, true},
    {"gpukib", TAG_KIB, SAMPLE_gpu_mem_bytes, true},
    {"gpufail", TAG_COUNT, SAMPLE_gpu_fail, true},
    {"cputime_sec", TAG_SECONDS, SAMPLE_cpu_time_us, true},
    {"rolledup", TAG_OTHERS, SAMPLE_processes, true},
    {"memtotalkib", TAG_CHECKED, SAMPLE_FIELD_COUNT, false},
    {"load", TAG_PASSED, SAMPLE_FIELD_COUNT, false},
    {"gpuinfo", TAG_PASSED, SAMPLE_FIELD_COUNT, false},
};

/* Lines without names, until 0.6: the first 8, 12 or all. */
static const struct tag columns[] = {
    {"time", TAG_TIME, SAMPLE_time, false},
    {"host", TAG_TEXT, SAMPLE_node, false},
    {"cores", TAG_CHECKED, SAMPLE_FIELD_COUNT, false},
    {"user", TAG_TEXT, SAMPLE_user, false},
    {"job", TAG_COUNT, SAMPLE_job, false},
    {"cmd", TAG_TEXT, SAMPLE_command, false},
    {"cpu%", TAG_PERCENT, SAMPLE_cpu_avg_ppm, false},
    {"memory", TAG_KIB, SAMPLE_vmem_bytes, false},
    {"gpus", TAG_CARD_BITS, SAMPLE_gpus, false},
    {"gpu%", TAG_PERCENT, SAMPLE_gpu_util_ppm, false},
    {"gpumem%", TAG_PERCENT, SAMPLE_gpu_mem_util_ppm, false},
    {"gpukib", TAG_KIB, SAMPLE_gpu_mem_bytes, false},
    {"cputime", TAG_SECONDS, SAMPLE_cpu_time_us, false},
};

enum { COLUMNS_PLAIN = 8, COLUMNS_GPU = 12 };

/* --- fields ------------------------------------------------------------------------------- */

/* Without the doubling of quotes. */
static struct str undouble(struct str text, struct arena *arena)
{
    char *out = arena_alloc(arena, text.len);
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        out[length++] = text.ptr[i];
        i += text.ptr[i] == '"';
    }
    return (struct str){out, length};
}

/* Takes a field in quotes off *rest, which begins with one. */
static bool take_quoted(struct str *rest, struct arena *arena, struct str *out)
{
    bool doubled = false;
    size_t end = 1;
    for (; end < rest->len; end++) {
        if (rest->ptr[end] == '"') {
            if (end + 1 == rest->len || rest->ptr[end + 1] != '"') {
                break;
            }
            doubled = true;
            end++;
        }
    }
    if (end >= rest->len) {
        return false;
    }
    *out = (struct str){rest->ptr + 1, end - 1};
    if (doubled) {
        *out = undouble(*out, arena);
    }
    *rest = (struct str){rest->ptr + end + 1, rest->len - end - 1};
    return rest->len == 0 || rest->ptr[0] == ',';
}

/* Cuts a line into fields; false if quotes do not fit, or there are too many. */
static bool cut_fields(struct str line, struct arena *arena, struct str fields[FIELDS_MAX],
                       size_t *count)
{
    *count = 0;
    for (struct str rest = line; rest.ptr;) {
        struct str field;
        if (*count == FIELDS_MAX) {
            return false;
        }
        if (rest.len > 0 && rest.ptr[0] == '"') {
            if (!take_quoted(&rest, arena, &field)) {
                return false;
            }
            if (!str_take(&rest, ',')) {
                rest.ptr = NULL;
            }
        } else {
            field = str_cut(&rest, ',');
        }
        fields[(*count)++] = field;
    }
    return true;
}

/* The number by its place: it is read while the other arguments are worked out. */
static bool set_number(struct sample *sample, const struct tag *tag, bool good,
                       const int64_t *number)
{
    if (good) {
        sample_set_int(sample, tag->field, *number);
    }
    return good;
}

static bool set_cards(struct sample *sample, bool good, struct sonar_cards cards,
                      struct arena *arena)
{
    if (good) {
        sonar_set_cards(sample, cards, arena);
    }
    return good;
}

/* What a tag says goes into the sample; false if that is no such value. */
static bool set_value(struct sample *sample, const struct tag *tag, struct str value,
                      struct arena *arena)
{
    int64_t number = 0;
    struct sonar_cards cards;
    bool recoded, good;
    switch (tag->kind) {
    case TAG_VERSION:
        if (!sonar_is_version(value)) {
            return false;
        }
        sample_set_text(sample, tag->field, source_utf8(value, arena, &recoded));
        return true;
    case TAG_TEXT:
        if (value.len > 0) {
            sample_set_text(sample, tag->field, source_utf8(value, arena, &recoded));
        }
        return true;
    case TAG_TIME:
        return set_number(sample, tag, instant_read(value, &number), &number);
    case TAG_COUNT:
        return set_number(sample, tag, sonar_count(value, &number), &number);
    case TAG_KIB:
        return set_number(sample, tag, sonar_kib(value, &number), &number);
    case TAG_KIB_OR_NOT:
        good = sonar_kib(value, &number);
        return good && number == 0 ? true : set_number(sample, tag, good, &number);
    case TAG_PERCENT:
        return set_number(sample, tag, sonar_percent(value, &number), &number);
    case TAG_SECONDS:
        return set_number(sample, tag, sonar_seconds(value, &number), &number);
    case TAG_CARDS:
        good = sonar_cards_list(value, &cards);
        return set_cards(sample, good, cards, arena);
    case TAG_CARD_BITS:
        good = sonar_cards_bits(value, &cards);
        return set_cards(sample, good, cards, arena);
    case TAG_OTHERS:
        good = sonar_count(value, &number) && number < SAMPLE_COUNT_MAX;
        number += 1;
        return set_number(sample, tag, good, &number);
    case TAG_CHECKED:
        return sonar_count(value, &number);
    case TAG_PASSED:
        break;
    }
    return true;
}

static int refuse_value(const struct tag *tag, struct str value, struct arena *arena,
                        struct error *err)
{
    enum { SHOWN = 40 };

    bool recoded;
    value.len = value.len > SHOWN ? SHOWN : value.len;
    value = source_utf8(value, arena, &recoded);
    return error_set(err, ERROR_INPUT, "cannot read %s '%.*s'", tag->name, STR_ARG(value));
}

/* --- with names --------------------------------------------------------------------------- */

/* The tag of this name, looked for from *hint on, round the table; NULL if there is none. */
static const struct tag *find_tag(struct str name, size_t *hint)
{
    for (size_t i = 0; i < COUNT_OF(tags); i++) {
        const size_t at = (*hint + i) % COUNT_OF(tags);
        if (str_eq(name, str_of(tags[at].name))) {
            *hint = at + 1;
            return &tags[at];
        }
    }
    return NULL;
}

/* What is 0, sonar leaves out. */
static void set_zeros(struct sample *sample, uint64_t given)
{
    for (size_t i = 0; i < COUNT_OF(tags); i++) {
        if (!tags[i].zero || given >> i & 1) {
            continue;
        }
        if (tags[i].kind == TAG_CARDS) {
            sample_set_text(sample, tags[i].field, STR("none"));
        } else {
            sample_set_int(sample, tags[i].field, tags[i].kind == TAG_OTHERS);
        }
    }
}

static int read_tagged(const struct str *fields, size_t count, struct arena *arena,
                       struct sample *sample, struct error *err)
{
    uint64_t given = 0;
    size_t hint = 0;
    for (size_t i = 0; i < count; i++) {
        struct str value = fields[i];
        const struct str name = str_cut(&value, '=');
        if (!value.ptr) {
            return error_set(err, ERROR_INPUT, "field %zu has no name", i + 1);
        }
        if (str_eq(name, STR("JobID"))) {
            return error_set(err, ERROR_INPUT,
                             "a Slurm job listed by sonar (import jobs from sacct: stint help "
                             "import); only samples are read");
        }
        const struct tag *tag = find_tag(name, &hint);
        if (!tag) {
            continue; /* as its format demands: new ones come with every version */
        }
        const uint64_t bit = UINT64_C(1) << (tag - tags);
        if (given & bit) {
            return error_set(err, ERROR_INPUT, "has %s twice", tag->name);
        }
        given |= bit;
        if (!set_value(sample, tag, value, arena)) {
            return refuse_value(tag, value, arena, err);
        }
    }
    if (!SAMPLE_HAS(sample, version)) {
        return error_set(err, ERROR_INPUT, "no version");
    }
    set_zeros(sample, given);
    return 0;
}

/* --- without ------------------------------------------------------------------------------ */

static int read_untagged(const struct str *fields, size_t count, struct arena *arena,
                         struct sample *sample, struct error *err)
{
    if (count != COLUMNS_PLAIN && count != COLUMNS_GPU && count != COUNT_OF(columns)) {
        return error_set(err, ERROR_INPUT, "has %zu fields, not %d, %d or %zu", count,
                         COLUMNS_PLAIN, COLUMNS_GPU, COUNT_OF(columns));
    }
    for (size_t i = 0; i < count; i++) {
        if (!set_value(sample, &columns[i], fields[i], arena)) {
            return refuse_value(&columns[i], fields[i], arena, err);
        }
    }
    return 0;
}

/* --- lines -------------------------------------------------------------------------------- */

static bool is_tagged(struct str first)
{
    return str_byte(first, '=') != NULL;
}

static int read_line(struct str line, struct arena *arena, struct sample *sample,
                     struct error *err)
{
    struct str fields[FIELDS_MAX];
    size_t count;
    if (!cut_fields(line, arena, fields, &count)) {
        return error_set(err, ERROR_INPUT, "mismatched quotes, or more than %d fields",
                         FIELDS_MAX);
    }
    return is_tagged(fields[0]) ? read_tagged(fields, count, arena, sample, err)
                                : read_untagged(fields, count, arena, sample, err);
}

/* What a process must tell, and a heartbeat need not. */
static int check_sample(const struct sample *sample, struct error *err)
{
    return !SAMPLE_HAS(sample, time)      ? error_set(err, ERROR_INPUT, "no time")
           : !SAMPLE_HAS(sample, node)    ? error_set(err, ERROR_INPUT, "no host")
           : !SAMPLE_HAS(sample, command) ? error_set(err, ERROR_INPUT, "no command")
           : !SAMPLE_HAS(sample, user) && !sonar_is_heartbeat(sample->user, sample->command)
               ? error_set(err, ERROR_INPUT, "no user")
               : 0;
}

enum source_step sonar_csv_next(struct source_cursor *cursor, struct sample *sample,
                                struct error *err)
{
    if (!source_next_line(cursor)) {
        return SOURCE_END;
    }
    if (str_trim(cursor->record).len == 0) {
        return SOURCE_SKIP;
    }
    if (source_check_line(cursor, err) ||
        read_line(cursor->record, cursor->arena, sample, err) || check_sample(sample, err)) {
        return SOURCE_REJECT;
    }
    if (sonar_is_heartbeat(sample->user, sample->command)) {
        cursor->alive = sample->time;
        return SOURCE_SKIP;
    }
    return SOURCE_RECORD;
}

/* --- recognising -------------------------------------------------------------------------- */

/* What looks like a line of ours, also if something in it is broken. */
static int judge_tagged(const struct str *fields, size_t count)
{
    bool version = false, time = false, rest = false;
    for (size_t i = 0; i < count; i++) {
        struct str value = fields[i];
        const struct str name = str_cut(&value, '=');
        version |= str_eq(name, STR("v")) && sonar_is_version(value);
        time |= str_eq(name, STR("time")) || str_eq(name, STR("Submit"));
        rest |= str_eq(name, STR("host")) || str_eq(name, STR("JobID"));
    }
    return version && time && rest ? SONAR_SURE : 0;
}

static int judge_untagged(const struct str *fields, size_t count, struct arena *arena)
{
    struct sample sample = {0};
    struct error ignored;
    return read_untagged(fields, count, arena, &sample, &ignored) == 0 &&
                   SAMPLE_HAS(&sample, user)
               ? SONAR_LIKELY
               : 0;
}

int sonar_csv_recognise(struct str head)
{
    enum { LINES = 64, LENGTH = 8192 };

    struct arena arena = {0};
    struct str fields[FIELDS_MAX];
    size_t count;
    int sure = 0;
    struct str rest = source_whole_lines(head);
    for (int i = 0; i < LINES && rest.len > 0 && sure == 0; i++) {
        const struct str line = str_trim(str_cut(&rest, '\n'));
        if (line.len == 0 || line.len > LENGTH || memchr(line.ptr, '\0', line.len) ||
            !cut_fields(line, &arena, fields, &count)) {
            continue;
        }
        sure = is_tagged(fields[0]) ? judge_tagged(fields, count)
                                    : judge_untagged(fields, count, &arena);
    }
    arena_release(&arena);
    return sure;
}
