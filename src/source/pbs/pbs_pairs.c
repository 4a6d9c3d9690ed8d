/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "source/pbs/pbs_record.h"

/*
 * A line into its pieces:
 *
 *     04/05/2025 13:06:53;E;45.head;user=ann account="my group" start=1491390307 ...
 *
 * Values with blanks are quoted, with either quote. A quote in the text of a user is not
 * escaped by older servers, so that users can write pairs of their own into their records.
 * Hence the rule on keys that stand there twice: of texts the first is believed, a number or
 * list that differs makes the record doubtful, and it is refused.
 */

enum { HEADER_LEN = 19, SHOW_MAX = 60 };

struct key_info {
    struct str text;
    enum pbs_kind kind;
};

static const struct key_info keys[PBS_KEY_COUNT] = {
#define X(key, text_, kind_)                                                                   \
    [PBS_##key] = {.text = {(text_), sizeof(text_) - 1}, .kind = PBS_##kind_},
    PBS_KEYS(X)
#undef X
};

/* MM/DD/YYYY HH:MM:SS */
static bool is_header(const char *text)
{
    static const char form[] = "dd/dd/dddd dd:dd:dd";
    for (size_t i = 0; i < HEADER_LEN; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == 'd' ? !digit : text[i] != form[i]) {
            return false;
        }
    }
    return true;
}

static bool is_letter(char byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

bool pbs_record_begin(struct str line, struct pbs_record *record, struct str *rest)
{
    const char *mark = str_byte(line, ';');
    size_t at = mark ? (size_t)(mark - line.ptr) : 0;
    if (at < HEADER_LEN || line.len - at < 4 || !is_header(mark - HEADER_LEN) ||
        !is_letter(mark[1]) || mark[2] != ';') {
        return false;
    }
    /*
     * Log collectors put their own words before it: "torque: ", "20150327:". JSON is not one of
     * these.
     */
    if (at > HEADER_LEN && (line.ptr[0] == '{' ||
                            (mark[-HEADER_LEN - 1] != ' ' && mark[-HEADER_LEN - 1] != ':'))) {
        return false;
    }
    *record = (struct pbs_record){
        .letter = mark[1],
        .header = {mark - HEADER_LEN, HEADER_LEN},
    };
    *rest = (struct str){mark + 3, line.len - at - 3};
    record->id = str_cut(rest, ';');
    return record->id.len > 0;
}

static int two_digits(const char *text)
{
    return (text[0] - '0') * 10 + (text[1] - '0');
}

int64_t pbs_header_instant(const struct pbs_record *record, const struct zone *zone)
{
    const char *text = record->header.ptr;
    struct civil civil = {
        .month = two_digits(text),
        .day = two_digits(text + 3),
        .year = two_digits(text + 6) * 100 + two_digits(text + 8),
        .hour = two_digits(text + 11),
        .minute = two_digits(text + 14),
        .second = two_digits(text + 17),
    };
    return zone_instant(zone, civil);
}

/*
 * Where the value ends whose quote is at `start`: at the same quote before a blank or the end.
 */
static size_t find_quote(struct str text, size_t start)
{
    for (size_t i = start + 1; i < text.len; i++) {
        if (text.ptr[i] == text.ptr[start] && (i + 1 == text.len || text.ptr[i + 1] == ' ')) {
            return i;
        }
    }
    return 0;
}

/* Takes one pair off; a word without = has a null value. */
static bool take_pair(struct str *rest, struct str *key, struct str *value)
{
    while (rest->len > 0 && rest->ptr[0] == ' ') {
        rest->ptr++;
        rest->len--;
    }
    if (rest->len == 0) {
        return false;
    }
    size_t end = 0;
    while (end < rest->len && rest->ptr[end] != '=' && rest->ptr[end] != ' ') {
        end++;
    }
    *key = (struct str){rest->ptr, end};
    *value = (struct str){0};
    if (end < rest->len && rest->ptr[end] == '=') {
        size_t start = ++end;
        bool quoted =
            start < rest->len && (rest->ptr[start] == '"' || rest->ptr[start] == '\'');
        size_t close = quoted ? find_quote(*rest, start) : 0;
        if (close > 0) {
            *value = (struct str){rest->ptr + start + 1, close - start - 1};
            end = close + 1;
        } else {
            const char *blank = memchr(rest->ptr + start, ' ', rest->len - start);
            end = blank ? (size_t)(blank - rest->ptr) : rest->len;
            *value = (struct str){rest->ptr + start, end - start};
        }
    }
    rest->ptr += end;
    rest->len -= end;
    return true;
}

/* The key of this name, PBS_KEY_COUNT if we do not read it. They stand in three heaps. */
static enum pbs_key find_key(struct str text)
{
    unsigned from = 0;
    unsigned to = PBS_LIST_NCPUS;
    if (text.len > 14 && text.ptr[0] == 'R') {
        from = PBS_LIST_NCPUS;
        to = PBS_USED_CPUT;
    } else if (text.len > 15 && text.ptr[0] == 'r') {
        from = PBS_USED_CPUT;
        to = PBS_KEY_COUNT;
    }
    for (unsigned i = from; i < to; i++) {
        if (str_eq(text, keys[i].text)) {
            return i;
        }
    }
    return PBS_KEY_COUNT;
}

static bool refuse_pair(enum pbs_key key, struct str value, const char *what, struct error *err)
{
    if (value.len > SHOW_MAX) {
        value.len = SHOW_MAX;
        while (value.len > 0 && ((unsigned char)value.ptr[value.len] & 0xc0) == 0x80) {
            value.len--;
        }
    }
    error_set(err, ERROR_INPUT, "%s '%.*s' is not %s", keys[key].text.ptr, STR_ARG(value),
              what);
    return false;
}

static bool keep_pair(struct pbs_record *record, enum pbs_key key, struct str value,
                      struct error *err)
{
    enum pbs_kind kind = keys[key].kind;
    if (value.len == 0) {
        return true;
    }
    if (pbs_has(record, key)) {
        if (str_eq(record->values[key], value)) {
            return true;
        }
        record->odd = true;
        if (kind == PBS_TEXT) {
            return true;
        }
        error_set(err, ERROR_INPUT, "has %s twice, with different values", keys[key].text.ptr);
        return false;
    }
    if ((kind == PBS_TIME || kind == PBS_COUNT) && !scan_int(value, &record->numbers[key])) {
        return refuse_pair(key, value, kind == PBS_TIME ? "a time" : "a whole number", err);
    }
    record->values[key] = value;
    return true;
}

bool pbs_record_keep(struct pbs_record *record, struct str key, struct str value,
                     struct error *err)
{
    const enum pbs_key known = find_key(key);
    return known == PBS_KEY_COUNT || keep_pair(record, known, value, err);
}

bool pbs_record_pairs(struct str rest, struct pbs_record *record, struct error *err)
{
    struct str key;
    struct str value;
    while (take_pair(&rest, &key, &value)) {
        if (!value.ptr) {
            record->odd = true;
            continue;
        }
        if (str_starts(key, STR("Resource_List."))) {
            if (!record->request.ptr) {
                record->request.ptr = key.ptr;
            }
            record->request.len = (size_t)(rest.ptr - record->request.ptr);
        }
        if (!pbs_record_keep(record, key, value, err)) {
            return false;
        }
    }
    return true;
}
