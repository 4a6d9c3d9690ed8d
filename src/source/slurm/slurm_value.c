/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "source/slurm/slurm_row.h"

/*
 * The values of sacct's columns. Slurm has many words for "nothing"; they make a value unknown,
 * not zero. What is neither such a word nor what the column must hold makes the row unreadable.
 */

enum {
    NANOS_DIGITS = 6,
    UID_NOBODY = 65534,
    /* ReqMem of some versions: a flag of 2^31 says that what is below it is for a cpu. */
    MEM_PER_CPU_BIT = 31,
};

static bool is_nothing(struct str text)
{
    static const char *const words[] = {
        "Unknown",         "None",    "N/A",    "INVALID", "UNLIMITED", "Partition_Limit",
        "PARTITION_LIMIT", "NOT_SET", "(null)", "NO_VAL",  "INFINITE",  "NONE",
    };

    if (text.len == 0) {
        return true;
    }
    if ((text.ptr[0] >= '0' && text.ptr[0] <= '9') || text.ptr[0] == '-') {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (str_eq(text, str_of(words[i]))) {
            return true;
        }
    }
    return false;
}

static inline bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Takes digits off `text`; false if there are none or too many. */
static bool take_number(struct str *text, int64_t *out)
{
    size_t len = 0;
    int64_t value = 0;
    while (len < text->len && is_digit(text->ptr[len])) {
        if (len == 18) {
            return false;
        }
        value = value * 10 + (text->ptr[len++] - '0');
    }
    text->ptr += len;
    text->len -= len;
    *out = value;
    return len > 0;
}

/* --- ids ---------------------------------------------------------------------------------- */

/* "4-10", "0-15:4" or "7": how many that is. */
static bool count_range(struct str range, int64_t *count)
{
    int64_t first = 0, last = 0, step = 1;
    if (!take_number(&range, &first)) {
        return false;
    }
    last = first;
    if ((str_take(&range, '-') && !take_number(&range, &last)) ||
        (str_take(&range, ':') && !take_number(&range, &step)) || range.len > 0 ||
        last < first || step == 0) {
        return false;
    }
    *count = (last - first) / step + 1;
    return true;
}

/* "3E": a bit a task. */
static bool count_bits(struct str mask, int64_t *count)
{
    *count = 0;
    for (size_t i = 0; i < mask.len; i++) {
        char byte = mask.ptr[i] | 0x20;
        if (!is_digit(mask.ptr[i]) && !(byte >= 'a' && byte <= 'f')) {
            return false;
        }
        *count += __builtin_popcount((unsigned)(byte <= '9' ? byte - '0' : byte - 'a' + 10));
    }
    return *count > 0;
}

/*
 * "4-10,12%2": the tasks of an array that wait together. sacct cuts a long list to "1,3,5,..."
 * unless SLURM_BITSTR_LEN is raised: then their number is not known. JSON of 22.05 has the mask
 * "0x3E" that the database keeps of an array that was cancelled while all of it waited.
 */
static bool read_tasks(struct str list, struct slurm_id *id)
{
    struct str tasks = str_cut(&list, '%');
    int64_t sum = 0;
    id->has_task_count = true;
    if (str_starts(tasks, STR("0x"))) {
        return count_bits((struct str){tasks.ptr + 2, tasks.len - 2}, &id->task_count);
    }
    while (tasks.ptr) {
        struct str range = str_cut(&tasks, ',');
        int64_t count = 0;
        if (str_ends(range, STR("..."))) {
            id->has_task_count = false;
        } else if (!count_range(range, &count)) {
            return false;
        }
        if (__builtin_add_overflow(sum, count, &sum)) {
            return false;
        }
    }
    id->task_count = sum;
    return true;
}

static bool is_step_name(struct str step)
{
    for (size_t i = 0; i < step.len; i++) {
        char byte = step.ptr[i];
        if (!is_digit(byte) && !(byte >= 'a' && byte <= 'z') && byte != '+' && byte != '_' &&
            !(byte >= 'A' && byte <= 'Z')) {
            return false;
        }
    }
    return step.len > 0;
}

static bool read_array(struct str *rest, struct slurm_id *id)
{
    id->is_array = true;
    if (!str_take(rest, '[')) {
        id->has_task = true;
        return take_number(rest, &id->task);
    }
    const char *end = str_byte(*rest, ']');
    if (!end) {
        return false;
    }
    struct str list = {rest->ptr, (size_t)(end - rest->ptr)};
    rest->ptr += list.len + 1;
    rest->len -= list.len + 1;
    return read_tasks(list, id);
}

bool slurm_value_id(struct str text, struct slurm_id *id)
{
    struct str rest = text;
    *id = (struct slurm_id){0};
    if (!take_number(&rest, &id->job) || id->job > UINT32_MAX) {
        return false;
    }
    if (rest.len > 0 && str_take(&rest, '_') && !read_array(&rest, id)) {
        return false;
    }
    if (rest.len > 0 && str_take(&rest, '+')) {
        id->is_het = true;
        if (!take_number(&rest, &id->het)) {
            return false;
        }
    }
    id->whole = (struct str){text.ptr, text.len - rest.len};
    if (rest.len == 0) {
        return true;
    }
    if (!str_take(&rest, '.') || !is_step_name(rest)) {
        return false;
    }
    id->step = rest;
    return true;
}

/* --- times -------------------------------------------------------------------------------- */

/* Two digits at `at`; something above 99 if they are not one. */
static inline int two_digits(const char *at)
{
    return is_digit(at[0]) && is_digit(at[1]) ? (at[0] - '0') * 10 + at[1] - '0' : 1000;
}

enum { CIVIL_LENGTH = 19 }; /* of "2025-03-01T12:00:00" */

static bool read_civil(struct str text, struct civil *out)
{
    const char *at = text.ptr;
    if (text.len < CIVIL_LENGTH || at[4] != '-' || at[7] != '-' ||
        (at[10] != 'T' && at[10] != ' ') || at[13] != ':' || at[16] != ':') {
        return false;
    }
    *out = (struct civil){
        .year = two_digits(at) * 100 + two_digits(at + 2),
        .month = two_digits(at + 5),
        .day = two_digits(at + 8),
        .hour = two_digits(at + 11),
        .minute = two_digits(at + 14),
        .second = two_digits(at + 17),
    };
    return civil_is_valid(*out);
}

bool slurm_value_time(const struct zone *zone, struct str text, int64_t *out)
{
    struct civil civil;
    int east_s = 0;
    if (text.len < CIVIL_LENGTH) {
        int64_t seconds = 0;
        if (!scan_int(text, &seconds) || seconds < 0 || seconds > INSTANT_MAX / SECOND_US) {
            return false;
        }
        *out = seconds * SECOND_US;
        return true;
    }
    if (!read_civil(text, &civil)) {
        return false;
    }
    /* What follows the seconds is as SLURM_TIME_FORMAT wants it. */
    struct str rest = {text.ptr + CIVIL_LENGTH, text.len - CIVIL_LENGTH};
    const bool given = rest.len > 0;
    if (given && (!civil_take_offset(&rest, &east_s) || rest.len > 0)) {
        return false;
    }
    *out = zone_instant(given ? NULL : zone, civil) - east_s * SECOND_US;
    return true;
}

static bool read_time(const struct slurm_format *format, enum slurm_number target,
                      struct str text, struct slurm_row *row)
{
    int64_t value = 0;
    if (is_nothing(text)) {
        return true;
    }
    if (!slurm_value_time(format->zone, text, &value)) {
        return false;
    }
    if (value > 0) { /* 0 is "not yet" where times are printed as seconds */
        slurm_set(row, target, value);
        row->local |= (uint64_t)(text.len == CIVIL_LENGTH) << (unsigned)target;
    }
    return true;
}

/* --- amounts ------------------------------------------------------------------------------ */

static bool all_digits(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.ptr[i])) {
            return false;
        }
    }
    return text.len > 0;
}

static bool read_duration(const struct slurm_slot *slot, struct str text, struct slurm_row *row)
{
    int64_t value = 0;
    if (is_nothing(text)) {
        return true;
    }
    if (!scan_duration(text, &value)) {
        return false;
    }
    if (slot->kind == SLURM_MINUTES && all_digits(text) &&
        __builtin_mul_overflow(value, INT64_C(60), &value)) {
        return false;
    }
    slurm_set(row, slot->target, value);
    return true;
}

/* Counts may have a letter, too: "0.00K". */
static bool read_count(enum slurm_number target, struct str text, struct slurm_row *row)
{
    int64_t value = 0;
    if (is_nothing(text)) {
        return true;
    }
    if (!scan_int(text, &value) && !scan_size(text, 1, &value)) {
        return all_digits(text); /* beyond 63 bits: a "no value" */
    }
    if (value < 0) {
        return false;
    }
    slurm_set(row, target, value);
    return true;
}

/* A size that was measured; 0 is that of a step too short to be looked at. */
static bool read_bytes(enum slurm_number target, struct str text, struct slurm_row *row)
{
    int64_t value = 0;
    if (is_nothing(text)) {
        return true;
    }
    if (!scan_size(text, 1, &value)) {
        return false;
    }
    row->measured = true;
    if (value > 0 || target == SLURM_READ_AVE || target == SLURM_WRITE_AVE) {
        slurm_set(row, target, value);
    }
    return true;
}

/*
 * "8000Mn" a node, "3000Mc" a cpu, "24000M" for the job: the letter decides, not the version.
 */
static bool read_mem(struct str text, struct slurm_row *row)
{
    int64_t value = 0;
    if (is_nothing(text)) {
        return true;
    }
    /*
     * "18446744073709551616.00M": Slurm's "no value" of 64 bits, made a number of by
     * --noconvert
     */
    size_t digits = 0;
    while (digits < text.len && is_digit(text.ptr[digits])) {
        digits++;
    }
    if (digits > 18) {
        return true;
    }
    enum slurm_mem_per per = SLURM_MEM_JOB;
    char last = text.ptr[text.len - 1];
    if (last == 'n' || last == 'c' || last == '?') {
        per = last == 'c' ? SLURM_MEM_CPU : SLURM_MEM_NODE;
        text.len--;
    }
    if (text.len == 0 || (text.ptr[text.len - 1] | 0x20) == 'b' ||
        !scan_size(text, INT64_C(1) << 20, &value)) {
        return false;
    }
    const int64_t flag = INT64_C(1) << (MEM_PER_CPU_BIT + 20);
    if (value >= flag) {
        value -= flag;
        per = SLURM_MEM_CPU;
    }
    if (value > 0) { /* 0 is "all that the node has" */
        slurm_set(row, SLURM_REQ_MEM, value);
        row->mem_per = per;
    }
    return true;
}

/* "0:9": exit status and signal. */
static bool read_exit(struct str text, struct slurm_row *row)
{
    int64_t status = 0, signal = 0;
    if (is_nothing(text)) {
        return true;
    }
    if (!take_number(&text, &status) || !str_take(&text, ':') || !take_number(&text, &signal) ||
        text.len > 0) {
        return false;
    }
    slurm_set(row, SLURM_EXIT, status);
    if (signal > 0) {
        slurm_set(row, SLURM_SIGNAL, signal);
    }
    return true;
}

/* "CANCELLED by 1004" is a state and who did it. A state may be any word. */
static bool read_state(struct str text, struct slurm_row *row)
{
    if (text.len == 0) {
        return true;
    }
    const char *blank = str_byte(text, ' ');
    struct str word = {text.ptr, blank ? (size_t)(blank - text.ptr) : text.len};
    struct str rest = {word.ptr + word.len, text.len - word.len};
    for (size_t i = 0; i < word.len; i++) {
        char byte = word.ptr[i];
        if (!(byte >= 'A' && byte <= 'Z') && byte != '_' && byte != '+' && !is_digit(byte)) {
            return false;
        }
    }
    if (word.len == 0 || is_digit(word.ptr[0]) ||
        (rest.len > 0 && !str_starts(rest, STR(" by ")))) {
        return false;
    }
    if (word.ptr[word.len - 1] == '+') { /* cut to a width by sacct */
        word.len--;
    }
    slurm_set_text(row, SLURM_STATE, word);
    if (rest.len > 4) {
        slurm_set_text(row, SLURM_CANCELLER, (struct str){rest.ptr + 1, rest.len - 1});
    }
    return true;
}

static bool read_raw_id(struct str text, struct slurm_row *row)
{
    struct slurm_id raw;
    if (text.len == 0) {
        return true;
    }
    if (!slurm_value_id(text, &raw)) {
        return false;
    }
    slurm_set(row, SLURM_RAW_JOB, raw.job);
    if (row->id.whole.len == 0) { /* there may be no other */
        row->id = raw;
    }
    return true;
}

static bool has_blank(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == ' ' || text.ptr[i] == '\t' || text.ptr[i] == '\n') {
            return true;
        }
    }
    return false;
}

static bool read_text(const struct slurm_slot *slot, struct str text, struct slurm_row *row)
{
    if ((slot->kind == SLURM_WORD && has_blank(text)) ||
        (slot->kind == SLURM_LOOSE && str_byte(text, '\n'))) {
        return false;
    }
    if (slot->target != SLURM_UNUSED && text.len > 0 && !str_eq(text, STR("(null)"))) {
        slurm_set_text(row, slot->target, text);
    }
    return true;
}

/* Whether a column needs no reading: nothing is made of it. */
static bool is_passed_over(const struct slurm_slot *slot)
{
    return slot->target == SLURM_UNUSED && slot->kind != SLURM_ID &&
           (slot->kind < SLURM_TRES_ALLOC || slot->kind > SLURM_TRES_OUT) &&
           slot->kind != SLURM_WORD && slot->kind != SLURM_LOOSE;
}

bool slurm_value_read(const struct slurm_format *format, const struct slurm_slot *slot,
                      struct str text, struct arena *arena, struct slurm_row *row)
{
    if (is_passed_over(slot)) {
        return true;
    }
    switch ((enum slurm_kind)slot->kind) {
    case SLURM_ID:
        return slurm_value_id(text, &row->id);
    case SLURM_RAW_ID:
        return read_raw_id(text, row);
    case SLURM_TIME:
        return read_time(format, slot->target, text, row);
    case SLURM_DURATION:
    case SLURM_MINUTES:
        return read_duration(slot, text, row);
    case SLURM_COUNT:
        return read_count(slot->target, text, row);
    case SLURM_BYTES:
        return read_bytes(slot->target, text, row);
    case SLURM_MEM:
        return read_mem(text, row);
    case SLURM_STATE_WORD:
        return read_state(text, row);
    case SLURM_EXIT_PAIR:
        return read_exit(text, row);
    case SLURM_TRES_ALLOC:
        return is_nothing(text) || slurm_tres_text(text, SLURM_LIST_ALLOC, arena, row);
    case SLURM_TRES_WANT:
        return is_nothing(text) || (slurm_tres_text(text, SLURM_LIST_WANT, arena, row) &&
                                    read_text(slot, text, row));
    case SLURM_TRES_IN:
        return is_nothing(text) || slurm_tres_text(text, SLURM_LIST_IN, arena, row);
    case SLURM_TRES_OUT:
        return is_nothing(text) || slurm_tres_text(text, SLURM_LIST_OUT, arena, row);
    case SLURM_GRES:
        return is_nothing(text) || slurm_tres_gres(text, slot->target, arena, row);
    case SLURM_WORD:
    case SLURM_FREE:
    case SLURM_LOOSE:
        return read_text(slot, text, row);
    }
    return false;
}

bool slurm_value_fits(const struct slurm_format *format, const struct slurm_slot *slot,
                      struct str text, struct arena *arena)
{
    struct slurm_row scratch;
    struct slurm_slot probe = *slot;
    slurm_row_clear(&scratch);
    if (slot->kind == SLURM_COUNT && text.len > 0 && !is_digit(text.ptr[0])) {
        return false;
    }
    if (slot->kind == SLURM_LOOSE && has_blank(text) &&
        (slot->target == SLURM_UNUSED || slot->target == SLURM_WCKEY)) {
        return false;
    }
    if (probe.target == SLURM_UNUSED && slot->kind != SLURM_ID && slot->kind != SLURM_FREE &&
        slot->kind != SLURM_WORD && slot->kind != SLURM_LOOSE) {
        probe.target = SLURM_UID; /* any: it is thrown away */
    }
    return slurm_value_read(format, &probe, text, arena, &scratch);
}
