/* SPDX-License-Identifier: MIT */
#include "source/slurm/slurm_json.h"
#include "base/limit.h"
#include "source/common/members.h"
#include "source/common/record_text.h"

/*
 * The document of `sacct --json` and slurmrestd:
 *
 *     {"meta": {...}, "errors": [], "jobs": [ {...}, {...} ], "warnings": []}
 *
 * "jobs" may also come first. The document can be gigabytes, so it is never held: slices begin
 * where a document begins or after a job. What is next is known by the first byte: a document
 * {, a job [ or , and the end of the jobs ].
 *
 * Here only the borders of jobs are found, by counting braces outside strings; jansson reads
 * one job at a time.
 */

enum { SURE = 100, SURE_OF_NO_JOBS = 50 };

enum found { FOUND_MORE, FOUND_JOBS, FOUND_END };

/* Whether the key that ends at `end` is that of the jobs; *at is then at their [. */
static bool is_jobs(struct str data, struct str key, size_t end, size_t *at)
{
    size_t colon = members_blanks(data, end);
    if (!str_eq(key, STR("\"jobs\"")) || colon == data.len || data.ptr[colon] != ':') {
        return false;
    }
    *at = members_blanks(data, colon + 1);
    return *at < data.len && data.ptr[*at] == '[';
}

/*
 * Goes through a document from *at, which is `depth` levels inside it, to the [ of its jobs or
 * its end.
 */
static enum found find_jobs(struct str data, size_t depth, size_t *at)
{
    bool key_next = false;
    for (size_t i = *at; i < data.len;) {
        char byte = data.ptr[i];
        if (byte == '"') {
            size_t end = members_string_end(data, i);
            if (end == 0) {
                return FOUND_MORE;
            }
            if (key_next && is_jobs(data, (struct str){data.ptr + i, end - i}, end, at)) {
                return FOUND_JOBS;
            }
            key_next = false;
            i = end;
            continue;
        }
        i++;
        if (byte == '{' || byte == '[') {
            depth++;
            key_next = depth == 1;
        } else if (byte == '}' || byte == ']') {
            if (--depth == 0) {
                *at = i;
                return FOUND_END;
            }
        } else if (byte == ',') {
            key_next = depth == 1;
        }
    }
    return FOUND_MORE;
}

/*
 * The value of the first such member of a document, from `at`, which is `depth` levels inside
 * it; null where it ends without one, or does not end.
 */
static struct str find_member(struct str data, size_t depth, size_t at, struct str key)
{
    bool key_next = false;
    while (at < data.len) {
        const char byte = data.ptr[at];
        if (byte == '"') {
            const size_t end = members_string_end(data, at);
            const size_t colon = end > 0 ? members_blanks(data, end) : data.len;
            if (end == 0) {
                break;
            }
            if (key_next && colon < data.len && data.ptr[colon] == ':' &&
                str_eq((struct str){data.ptr + at, end - at}, key)) {
                const size_t value = members_blanks(data, colon + 1);
                return (struct str){data.ptr + value, data.len - value};
            }
            key_next = false;
            at = end;
            continue;
        }
        at++;
        if (byte == '{' || byte == '[') {
            depth++;
            key_next = depth == 1;
        } else if ((byte == '}' || byte == ']') && --depth == 0) {
            break;
        } else if (byte == ',') {
            key_next = depth == 1;
        }
    }
    return (struct str){0};
}

/*
 * `last_update` of a document of the controller, from `at` on: when its jobs were so. A number,
 * or in an object; 0 if it is not there.
 */
static int64_t find_update(struct str data, size_t depth, size_t at)
{
    const struct str value = find_member(data, depth, at, STR("\"last_update\""));
    int64_t seconds = 0;
    json_t *json = value.ptr ? json_loadb(value.ptr, value.len,
                                          JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL)
                             : NULL;
    const bool known = json && slurm_json_number(json, &seconds) &&
                       slurm_json_scale(SLURM_UNIT_INSTANT_S, &seconds);
    json_decref(json);
    return known ? seconds : 0;
}

/* Where the document begins: tools may have something to say first, on lines of their own. */
static size_t document_start(struct str data)
{
    size_t at = members_blanks(data, 0);
    while (at < data.len && data.ptr[at] != '{') {
        const char *feed = memchr(data.ptr + at, '\n', data.len - at);
        if (!feed) {
            return data.len;
        }
        at = members_blanks(data, (size_t)(feed - data.ptr));
    }
    return at;
}

enum piece {
    PIECE_NONE, /* nothing whole is left */
    PIECE_JOB,  /* *object is one */
    PIECE_OPEN, /* what leads to the first job, or to the end of no jobs: is not known alone */
    PIECE_SKIP, /* something between jobs */
    PIECE_NOT_JOBS, /* a document without jobs */
};

static enum piece take_document(struct str data, size_t at, size_t *end)
{
    switch (find_jobs(data, 0, &at)) {
    case FOUND_JOBS:
        *end = at;
        return PIECE_OPEN;
    case FOUND_END:
        *end = at;
        return PIECE_NOT_JOBS;
    case FOUND_MORE:
        break;
    }
    return PIECE_NONE;
}

/* After the jobs: the rest of the document. */
static enum piece take_rest(struct str data, size_t at, size_t *end)
{
    if (find_jobs(data, 1, &at) == FOUND_MORE) {
        return PIECE_NONE;
    }
    *end = at;
    return PIECE_SKIP;
}

/* What comes next in `data`; *end is the place after it. */
static enum piece next_piece(struct str data, struct str *object, size_t *end)
{
    size_t at = members_blanks(data, 0);
    *end = at;
    if (at == data.len) {
        return data.len > 0 ? PIECE_SKIP : PIECE_NONE;
    }
    char byte = data.ptr[at];
    if (byte == ']') {
        return take_rest(data, at + 1, end);
    }
    if (byte != '[' && byte != ',') {
        at = document_start(data);
        return at == data.len ? PIECE_NONE : take_document(data, at, end);
    }
    size_t start = members_blanks(data, at + 1);
    if (start == data.len) {
        return PIECE_NONE;
    }
    if (data.ptr[start] == ']') {
        *end = start;
        return PIECE_OPEN;
    }
    if (data.ptr[start] != '{') { /* a list of something else: to its next element */
        const char *comma = memchr(data.ptr + start, ',', data.len - start);
        *end = comma ? (size_t)(comma - data.ptr) : data.len;
        return comma ? PIECE_NOT_JOBS : PIECE_NONE;
    }
    size_t after = members_value_end(data, start);
    if (after == 0) {
        return PIECE_NONE;
    }
    *object = (struct str){data.ptr + start, after - start};
    *end = after;
    return PIECE_JOB;
}

/*
 * After the last whole document, since what a document says of all of its jobs is in front of
 * them or behind them; in one that is longer than the data, after a job.
 */
size_t slurm_json_cut(struct str data)
{
    size_t cut = 0;
    size_t ended = 0;
    size_t at = 0;
    for (;;) {
        struct str object;
        size_t end = 0;
        enum piece piece =
            next_piece((struct str){data.ptr + at, data.len - at}, &object, &end);
        if (piece == PIECE_NONE) {
            return ended > 0 ? ended : cut;
        }
        const size_t first = members_blanks(data, at);
        const bool closes =
            piece == PIECE_SKIP && (first == data.len ? ended == at : data.ptr[first] == ']');
        at += end;
        cut = piece == PIECE_OPEN ? cut : at;
        ended = closes ? at : ended;
    }
}

bool slurm_json_skip(uint64_t *state, struct str data, size_t *used)
{
    return members_skip(state, data, true, used); /* tools may have something to say first */
}

/* Takes `len` bytes off the cursor; the record is the last `record.len` of them. */
static void advance(struct source_cursor *cursor, struct str record, size_t len)
{
    const char *start = cursor->rest.ptr;
    cursor->record = record;
    cursor->line = cursor->next_line +
                   source_count_lines((struct str){start, (size_t)(record.ptr - start)});
    cursor->next_line =
        cursor->line +
        source_count_lines((struct str){record.ptr, (size_t)(start + len - record.ptr)});
    cursor->rest.ptr += len;
    cursor->rest.len -= len;
}

static enum source_step reject_rest(struct source_cursor *cursor, struct error *err)
{
    error_set(err, ERROR_INPUT, "is not the whole of a job or of a list of jobs");
    advance(cursor, cursor->rest, cursor->rest.len);
    return SOURCE_REJECT;
}

static void keep_update(struct source_cursor *cursor, int64_t update)
{
    cursor->context =
        arena_copy(cursor->arena, (struct str){(const char *)&update, sizeof(update)});
}

/*
 * When the jobs of the document at the cursor were as it says, as far as the slice tells; 0: it
 * does not. The cursor keeps it until the document ends, so that it is looked for once.
 */
static int64_t update_of_slice(struct source_cursor *cursor)
{
    enum { INSIDE_OF_JOBS = 2 };

    int64_t update;
    if (!cursor->context.ptr) {
        keep_update(cursor, find_update(cursor->rest, INSIDE_OF_JOBS, 0));
    }
    memcpy(&update, cursor->context.ptr, sizeof(update));
    return update;
}

/*
 * What stands before the jobs of a document, or after them: says when it was made, for all of
 * it.
 */
static void pass_border(struct source_cursor *cursor, struct str passed)
{
    const size_t first = members_blanks(passed, 0);
    const bool closes = first < passed.len && passed.ptr[first] == ']';
    const size_t at = closes ? first + 1 : document_start(passed);
    const int64_t update = at < passed.len ? find_update(passed, closes, at) : 0;
    cursor->as_of = update;
    cursor->context = (struct str){0};
    if (!closes && update > 0) {
        keep_update(cursor, update);
    }
}

/*
 * A job of the controller that goes on was seen when its document was made, not before it
 * started.
 */
static void fill_seen(const struct slurm_format *format, struct source_cursor *cursor,
                      struct run *run)
{
    if (format->seen > 0 || !RUN_HAS(run, origin) || run->origin != ORIGIN_LISTING ||
        RUN_HAS(run, end)) {
        return;
    }
    const int64_t seen = update_of_slice(cursor);
    if (seen > 0) {
        RUN_SET(run, seen, RUN_HAS(run, start) && run->start > seen ? run->start : seen);
    }
}

enum source_step slurm_json_next(const struct slurm_format *format,
                                 struct source_cursor *cursor, struct run *run,
                                 struct error *err)
{
    struct str object = {0};
    size_t len = 0;
    if (cursor->rest.len == 0) {
        return SOURCE_END;
    }
    enum piece piece = next_piece(cursor->rest, &object, &len);
    struct str all = {cursor->rest.ptr, len};
    switch (piece) {
    case PIECE_NONE:
        return reject_rest(cursor, err);
    case PIECE_OPEN:
    case PIECE_SKIP:
        pass_border(cursor, all);
        advance(cursor, all, len);
        return SOURCE_SKIP;
    case PIECE_NOT_JOBS:
        advance(cursor, all, len);
        error_set(err, ERROR_INPUT, "is JSON without a list of jobs");
        return SOURCE_REJECT;
    case PIECE_JOB:
        break;
    }
    advance(cursor, object, len);
    if (slurm_json_run(format, object, cursor->arena, run, err)) {
        return SOURCE_REJECT;
    }
    if (slurm_run_is_made_up(format, run)) {
        *run = (struct run){0};
        return SOURCE_SKIP;
    }
    fill_seen(format, cursor, run);
    return SOURCE_RECORD;
}

static bool contains(struct str text, const char *word)
{
    return memmem(text.ptr, text.len, word, strlen(word)) != NULL;
}

/* The list of errors, as far as it is in the head; null if there is none or nothing in it. */
static struct str find_errors(struct str head)
{
    static const char key[] = "\"errors\"";
    const char *found = memmem(head.ptr, head.len, key, sizeof(key) - 1);
    size_t at =
        found ? members_blanks(head, (size_t)(found - head.ptr) + sizeof(key) - 1) : head.len;
    at = at < head.len && head.ptr[at] == ':' ? members_blanks(head, at + 1) : head.len;
    size_t end = at < head.len && head.ptr[at] == '[' ? members_value_end(head, at) : 0;
    bool any = end > 0 && head.ptr[members_blanks(head, at + 1)] != ']';
    return any ? (struct str){head.ptr + at, end - at} : (struct str){0};
}

/* Whether the list of jobs is there, whole and empty. */
static bool has_no_jobs(struct str head)
{
    size_t at = document_start(head);
    if (at == head.len || find_jobs(head, 0, &at) != FOUND_JOBS) {
        return false;
    }
    at = members_blanks(head, at + 1);
    return at < head.len && head.ptr[at] == ']';
}

/*
 * No jobs is an answer; no jobs and an error is not an answer, and must not pass for a quiet
 * day.
 */
int slurm_json_open(struct str head, struct error *err)
{
    struct str errors = has_no_jobs(head) ? find_errors(head) : (struct str){0};
    return errors.ptr ? slurm_json_error(errors, err) : 0;
}

/*
 * {"jobs":[]} may be anybody's, and so may a list whose first job begins with more text than
 * the head has, or one of which somebody has kept a few fields; where Slurm was asked, or is
 * named, it is Slurm's. Others are surer of it.
 */
enum { PERHAPS = 1 };

/*
 * A document with jobs as slurmdbd has them, with an association and their times in an object;
 * or as the controller does, with a state and the numbers of an array.
 */
int slurm_json_recognise(struct str head)
{
    size_t at = document_start(head);
    if (at == head.len || find_jobs(head, 0, &at) != FOUND_JOBS) {
        return 0;
    }
    struct str jobs = {head.ptr + at, head.len - at};
    size_t first = members_blanks(jobs, 1);
    if (first < jobs.len && jobs.ptr[first] == ']') {
        bool slurm = contains(head, "\"Slurm\"") || contains(head, "\"slurm\"");
        return slurm ? SURE_OF_NO_JOBS : PERHAPS;
    }
    bool database = contains(jobs, "\"association\"") || contains(jobs, "\"submission\"");
    bool stated = contains(jobs, "\"job_id\"") && contains(jobs, "\"job_state\"");
    bool controller = stated && contains(jobs, "\"array_job_id\"");
    bool cut_off = first < jobs.len && members_value_end(jobs, first) == 0;
    return (database && contains(jobs, "\"job_id\"")) || controller ? SURE
           : cut_off || stated                                      ? PERHAPS
                                                                    : 0;
}
