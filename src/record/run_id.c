/* SPDX-License-Identifier: MIT */
#include "record/run_id.h"

#include <inttypes.h>

#include "base/scan.h"

enum { SECOND_US = 1000000, DECIMALS = 6 };

static const char hex[] = "0123456789ABCDEF";

/* What stands for itself. A dot begins the task after a job's id, but not in the cluster. */
static bool is_plain(char c, bool dots)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-' || (dots && c == '.');
}

static void print_text(struct buf *out, struct str text, bool dots)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (is_plain(text.ptr[i], dots)) {
            buf_addc(out, text.ptr[i]);
        } else {
            const char escaped[] = {'=', hex[byte >> 4], hex[byte & 15]};
            buf_add(out, (struct str){escaped, sizeof(escaped)});
        }
    }
}

/* As printf would, which takes several times as long: every run that is charged has a name. */
static void print_int(struct buf *out, int64_t value)
{
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        digits[--at] = '-';
    }
    buf_add(out, (struct str){digits + at, sizeof(digits) - at});
}

/* A number behind its mark. */
static void print_marked(struct buf *out, char mark, int64_t value)
{
    buf_addc(out, mark);
    print_int(out, value);
}

static void print_attempt(struct buf *out, int64_t attempt)
{
    if (attempt < 0) {
        print_marked(out, '@', attempt);
        return;
    }
    print_marked(out, '@', attempt / SECOND_US);
    int64_t rest = attempt % SECOND_US;
    int places = DECIMALS;
    while (rest && rest % 10 == 0) {
        rest /= 10;
        places--;
    }
    if (rest) {
        buf_addf(out, ".%0*" PRId64, places, rest);
    }
}

void run_id_print(const struct run *run, struct buf *out)
{
    print_text(out, run->cluster, true);
    buf_addc(out, ':');
    if (RUN_HAS(run, job)) {
        print_int(out, run->job);
    }
    if (RUN_HAS(run, job_key)) {
        buf_addc(out, '~');
        print_text(out, run->job_key, false);
    }
    if (RUN_HAS(run, task)) {
        print_marked(out, '.', run->task);
    }
    if (RUN_HAS(run, het)) {
        print_marked(out, '+', run->het);
    }
    if (RUN_HAS(run, attempt)) {
        print_attempt(out, run->attempt);
    }
}

/* --- reading ------------------------------------------------------------------------------ */

/* The digits and dots, a minus first, that `rest` begins with. */
static struct str take_number(struct str *rest, bool dots)
{
    size_t len = rest->len > 0 && rest->ptr[0] == '-';
    while (len < rest->len && ((rest->ptr[len] >= '0' && rest->ptr[len] <= '9') ||
                               (dots && rest->ptr[len] == '.'))) {
        len++;
    }
    const struct str number = {rest->ptr, len};
    *rest = (struct str){rest->ptr + len, rest->len - len};
    return number;
}

/* A number as printf writes it: no plus, no zero before others, no minus zero. */
static bool read_int(struct str text, int64_t *out)
{
    const bool minus = text.len > 0 && text.ptr[0] == '-';
    const struct str digits = {text.ptr + minus, text.len - minus};
    const bool zero = digits.len > 0 && digits.ptr[0] == '0';
    return scan_int(text, out) && (!zero || (digits.len == 1 && !minus));
}

/* Decimals of a second, the last of which is not zero. */
static bool read_decimals(struct str text, int64_t *out)
{
    if (text.len == 0 || text.len > DECIMALS || text.ptr[text.len - 1] == '0' ||
        !scan_int(text, out)) {
        return false;
    }
    for (size_t i = text.len; i < DECIMALS; i++) {
        *out *= 10;
    }
    return true;
}

static bool read_attempt(struct str text, int64_t *out)
{
    struct str rest = text;
    const struct str whole = str_cut(&rest, '.');
    int64_t decimals = 0;
    if (!read_int(whole, out)) {
        return false;
    }
    if (whole.ptr[0] == '-') {
        return !rest.ptr;
    }
    return (!rest.ptr || read_decimals(rest, &decimals)) &&
           !__builtin_mul_overflow(*out, SECOND_US, out) &&
           !__builtin_add_overflow(*out, decimals, out);
}

static int digit_of(char c)
{
    const char *at = c ? strchr(hex, c) : NULL;
    return at ? (int)(at - hex) : -1;
}

/* The byte that "=2F" stands for; -1 if it is not one, or one that stands for itself. */
static int read_escape(struct str rest, bool dots)
{
    const int high = rest.len > 2 ? digit_of(rest.ptr[1]) : -1;
    const int low = rest.len > 2 ? digit_of(rest.ptr[2]) : -1;
    const int byte = high < 0 || low < 0 ? -1 : high << 4 | low;
    return byte < 0 || is_plain((char)byte, dots) ? -1 : byte;
}

/* Takes text off `rest`, up to the first byte that cannot be in one. */
static bool take_text(struct str *rest, bool dots, struct arena *arena, struct str *out)
{
    char *copy = arena_alloc(arena, rest->len + 1);
    size_t len = 0;
    while (rest->len > 0 && (rest->ptr[0] == '=' || is_plain(rest->ptr[0], dots))) {
        const bool escaped = rest->ptr[0] == '=';
        const int byte = escaped ? read_escape(*rest, dots) : (unsigned char)rest->ptr[0];
        if (byte < 0) {
            return false;
        }
        copy[len++] = (char)byte;
        *rest = (struct str){rest->ptr + (escaped ? 3 : 1), rest->len - (escaped ? 3 : 1)};
    }
    *out = (struct str){copy, len};
    return true;
}

/* The number behind `mark`, if that comes next; false if there is none behind it. */
static bool take_marked(struct str *rest, char mark, int64_t *out, bool *has)
{
    *has = str_take(rest, mark);
    return !*has || read_int(take_number(rest, false), out);
}

/* The job's number and its own id, one of which there must be. */
static bool take_job(struct str *rest, struct arena *arena, struct run *run)
{
    int64_t number = 0;
    struct str key;
    const struct str digits = take_number(rest, false);
    if (digits.len > 0 && !read_int(digits, &number)) {
        return false;
    }
    if (digits.len > 0) {
        RUN_SET(run, job, number);
    }
    if (str_take(rest, '~')) {
        if (!take_text(rest, false, arena, &key)) {
            return false;
        }
        RUN_SET(run, job_key, key);
    }
    return RUN_HAS(run, job) || RUN_HAS(run, job_key);
}

static bool take_rest(struct str *rest, struct run *run)
{
    int64_t number = 0;
    bool has;
    if (!take_marked(rest, '.', &number, &has)) {
        return false;
    }
    if (has) {
        RUN_SET(run, task, number);
    }
    if (!take_marked(rest, '+', &number, &has)) {
        return false;
    }
    if (has) {
        RUN_SET(run, het, number);
    }
    if (str_take(rest, '@')) {
        if (!read_attempt(take_number(rest, true), &number)) {
            return false;
        }
        RUN_SET(run, attempt, number);
    }
    return rest->len == 0;
}

bool run_id_parse(struct str text, struct arena *arena, struct run *run)
{
    struct str rest = text, cluster;
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].flags & FIELD_KEY) {
            run->has[i / 64] &= ~(UINT64_C(1) << i % 64);
        }
    }
    if (!take_text(&rest, true, arena, &cluster) || cluster.len == 0 || !str_take(&rest, ':')) {
        return false;
    }
    RUN_SET(run, cluster, cluster);
    return take_job(&rest, arena, run) && take_rest(&rest, run);
}
