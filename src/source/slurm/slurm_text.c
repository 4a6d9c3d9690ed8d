/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/civil.h"
#include "base/limit.h"
#include "base/mem.h"
#include "source/common/record_text.h"
#include "source/slurm/slurm_row.h"

/*
 * The rows of `sacct -P`. A row begins with an id and ends where the next one begins: nearly
 * always that is a line, but texts may hold line feeds. A record is a job's row and those of
 * its steps, which sacct prints below it.
 */

enum {
    FIELDS_MAX = SLURM_SLOTS_MAX + SLURM_EXTRA_MAX + 1,
    LINES_TO_RECOGNISE = 20,
    ROW_TRIES_MAX = 64, /* ends of a row of many lines that are tried */
    ID_MOVES_MAX = 8,   /* delimiters in texts left of an id that are expected */
    SURE = 100,
    SURE_WITHOUT_HEADER = 40,
};

static struct str line_of(struct str rest)
{
    const char *feed = str_byte(rest, '\n');
    return (struct str){rest.ptr, feed ? (size_t)(feed - rest.ptr) : rest.len};
}

static struct str without_end(struct str text)
{
    while (text.len > 0 && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r')) {
        text.len--;
    }
    return text;
}

/*
 * Where the next byte of this kind is, or NULL. Most columns are empty or short: a call would
 * take longer.
 */
static const char *find_near(const char *from, const char *end, char byte)
{
    enum { NEAR = 16 };

    const char *near = end - from < NEAR ? end : from + NEAR;
    for (; from < near; from++) {
        if (*from == byte) {
            return from;
        }
    }
    return from < end ? memchr(from, byte, (size_t)(end - from)) : NULL;
}

/* The bytes before the next delimiter, or NULL if there is none. */
static const char *find_delimiter(const struct slurm_format *format, const char *from,
                                  const char *end)
{
    return format->delimiter_len == 1
               ? find_near(from, end, format->delimiter[0])
               : memmem(from, (size_t)(end - from), format->delimiter, format->delimiter_len);
}

/*
 * Cuts a row at its delimiters; returns how many fields that are, FIELDS_MAX + 1 if too many.
 */
static unsigned split(const struct slurm_format *format, struct str row,
                      struct str fields[FIELDS_MAX])
{
    const char *from = row.ptr;
    const char *end = row.ptr + row.len;
    for (unsigned count = 0; count < FIELDS_MAX; count++) {
        const char *next = find_delimiter(format, from, end);
        fields[count] = (struct str){from, (size_t)((next ? next : end) - from)};
        if (!next) {
            return count + 1;
        }
        from = next + format->delimiter_len;
    }
    return FIELDS_MAX + 1;
}

static bool is_header(const struct slurm_format *format, struct str line)
{
    return format->header.len > 0 && str_eq(without_end(line), format->header);
}

static bool id_at_its_place(const struct slurm_format *format, struct str line,
                            struct slurm_id *id)
{
    const char *from = line.ptr;
    const char *end = line.ptr + line.len;
    if (line.len == 0) {
        return false;
    }
    for (unsigned slot = 0; slot < format->id_slot; slot++) {
        from = find_delimiter(format, from, end);
        if (!from) {
            return false;
        }
        from += format->delimiter_len;
    }
    if (from == end || *from < '0' || *from > '9') {
        return false;
    }
    const char *next = find_delimiter(format, from, end);
    return next && slurm_value_id((struct str){from, (size_t)(next - from)}, id);
}

/* A text left of the id holds delimiters: then the whole row has to be looked at. */
static bool id_moved(const struct slurm_format *format, struct str line, struct slurm_id *id)
{
    struct str fields[FIELDS_MAX];
    unsigned count = split(format, without_end(line), fields);
    return count > format->count && count <= format->count + ID_MOVES_MAX &&
           slurm_align(format, fields, count - format->count) &&
           slurm_value_id(fields[format->id_slot], id);
}

/* Whether a line begins with the id of a job or step, which it gives. */
static bool begins_row(const struct slurm_format *format, struct str line, struct slurm_id *id)
{
    return id_at_its_place(format, line, id) ||
           (format->id_moves && id_moved(format, line, id));
}

/*
 * The row at the start of `rest`, which begins with an id, without its line end: as many lines
 * as there are before the next that begins with one.
 */
static struct str row_at(const struct slurm_format *format, struct str rest)
{
    size_t len = 0;
    for (;;) {
        struct str line = line_of((struct str){rest.ptr + len, rest.len - len});
        size_t next = len + line.len + 1;
        len += line.len;
        if (next >= rest.len) {
            break;
        }
        struct slurm_id ignored;
        struct str below = line_of((struct str){rest.ptr + next, rest.len - next});
        if (begins_row(format, below, &ignored) || is_header(format, below)) {
            break;
        }
        len = next;
    }
    return without_end((struct str){rest.ptr, len});
}

/* --- reading a row ------------------------------------------------------------------------ */

static int check_bytes(struct str *text, struct arena *arena, bool *recoded, struct error *err)
{
    *recoded = false;
    int failed = source_check_record(*text, err);
    if (!failed) {
        *text = source_utf8(*text, arena, recoded);
    }
    return failed;
}

static int read_fields(const struct slurm_format *format, const struct str *fields,
                       struct arena *arena, struct slurm_row *row, struct error *err)
{
    for (unsigned i = 0; i < format->count; i++) {
        const struct slurm_slot *slot = &format->slots[i];
        if (fields[i].len == 0 && slot->kind != SLURM_ID) {
            continue; /* says nothing; most of a step's are so */
        }
        if (!slurm_value_read(format, slot, fields[i], arena, row)) {
            struct str shown = fields[i];
            shown.len = shown.len > 80 ? 80 : shown.len;
            return error_set(
                err, ERROR_INPUT, "cannot read %s '%.*s'%s", slot->name, STR_ARG(shown),
                slot->kind == SLURM_TIME ? ": not a time of the years " CIVIL_YEARS : "");
        }
        if (fields[i].len > LIMIT_TEXT_FIELD) {
            return error_set(err, ERROR_LIMIT, "has a text of more than %d KiB",
                             LIMIT_TEXT_FIELD >> 10);
        }
    }
    if (!format->measures) {
        row->measured = true; /* nobody can tell */
    }
    return row->id.whole.len > 0 ? 0 : error_set(err, ERROR_INPUT, "has no job id");
}

/* Reads a row; ERROR_INPUT says what is wrong with it. */
static int read_text(const struct slurm_format *format, struct str text, struct arena *arena,
                     struct slurm_row *row, struct error *err)
{
    struct str fields[FIELDS_MAX];
    bool recoded = false;
    int failed = check_bytes(&text, arena, &recoded, err);
    if (failed) {
        return failed;
    }
    unsigned count = split(format, text, fields);
    if (format->trailing && count > format->count && count <= FIELDS_MAX &&
        fields[count - 1].len == 0) {
        count--;
    }
    slurm_row_clear(row);
    if (count < format->count) {
        return error_set(err, ERROR_INPUT, "has %u fields, expected %u", count, format->count);
    }
    if (count > format->count + SLURM_EXTRA_MAX) {
        return error_set(err, ERROR_LIMIT, "has more than %d fields too many", SLURM_EXTRA_MAX);
    }
    bool odd = count > format->count;
    if (odd && !slurm_align(format, fields, count - format->count)) {
        return error_set(err, ERROR_INPUT,
                         "has %u fields, expected %u, and cannot be split in exactly one way",
                         count, format->count);
    }
    row->odd = odd;
    row->recoded = recoded;
    return read_fields(format, fields, arena, row, err);
}

/* --- records ------------------------------------------------------------------------------ */

static void advance(struct source_cursor *cursor, size_t len)
{
    for (const char *at = cursor->rest.ptr, *end = at + len; at < end;) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        if (!feed) {
            break;
        }
        cursor->next_line++;
        at = feed + 1;
    }
    cursor->rest.ptr += len;
    cursor->rest.len -= len;
}

/* Takes a row and its line end off the cursor; the record then goes up to the row's end. */
static void take_text_row(struct source_cursor *cursor, struct str row)
{
    size_t len = row.len;
    while (len < cursor->rest.len && (row.ptr[len] == '\n' || row.ptr[len] == '\r')) {
        len++;
    }
    cursor->record.len = (size_t)(row.ptr + row.len - cursor->record.ptr);
    advance(cursor, len);
}

/* How many delimiters are in a line. */
static unsigned count_delimiters(const struct slurm_format *format, struct str line)
{
    unsigned count = 0;
    const char *end = line.ptr + line.len;
    const char *at = line.len > 0 ? find_delimiter(format, line.ptr, end) : NULL;
    for (; at; count++) {
        at = find_delimiter(format, at + format->delimiter_len, end);
    }
    return count;
}

/*
 * Reads a row of several lines: of `all`, up to the next row, as few as make one. A text at the
 * end of a row may go on for ever, and takes them all.
 */
static bool read_lines(const struct slurm_format *format, struct str all, struct arena *arena,
                       struct str *taken, struct slurm_row *row)
{
    struct error ignored;
    bool endless = format->slots[format->count - 1].kind == SLURM_FREE;
    unsigned fields = 1;
    size_t len = 0;
    for (int tries = 0; len < all.len && tries < ROW_TRIES_MAX;) {
        size_t start = len > 0 ? len + 1 : 0;
        struct str line = line_of((struct str){all.ptr + start, all.len - start});
        len = start + line.len;
        fields += count_delimiters(format, line);
        if (fields < format->count || (endless && len < all.len)) {
            continue;
        }
        tries++;
        *taken = without_end((struct str){all.ptr, len});
        if (read_text(format, *taken, arena, row, &ignored) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Reads the row at the cursor. Lines below it that are neither part of it nor a row are
 * something else, such as a message of a tool or a row whose id nobody can find.
 */
static int read_row(const struct slurm_format *format, struct str rest, struct arena *arena,
                    struct str *taken, struct slurm_row *row, struct error *err)
{
    struct str all = row_at(format, rest);
    struct str first = without_end(line_of(all));
    *taken = first;
    if (first.len == all.len) {
        return read_text(format, first, arena, row, err);
    }
    if (read_lines(format, all, arena, taken, row)) {
        return 0;
    }
    *taken = first;
    return read_text(format, first, arena, row, err);
}

/* Reads the steps below a job, as long as there are any of it. */
static bool read_steps(const struct slurm_format *format, struct source_cursor *cursor,
                       const struct slurm_row *job, struct slurm_use *use)
{
    bool all = true;
    struct slurm_id id;
    while (begins_row(format, line_of(cursor->rest), &id) && id.step.len > 0 &&
           id.job == job->id.job && str_eq(id.whole, job->id.whole)) {
        struct slurm_row step;
        struct str text;
        struct error ignored;
        if (read_row(format, cursor->rest, cursor->arena, &text, &step, &ignored) == 0) {
            slurm_use_add(use, &step);
        } else {
            all = false;
        }
        take_text_row(cursor, text);
    }
    return all;
}

static enum source_step reject(struct source_cursor *cursor, struct str row, struct error *err,
                               const char *why)
{
    if (why) {
        error_set(err, ERROR_INPUT, "%s", why);
    }
    take_text_row(cursor, row);
    return SOURCE_REJECT;
}

/*
 * Whether two instants are the same by the clocks of the zone: in the hour that comes twice in
 * autumn.
 */
static bool reads_the_same(const struct zone *zone, int64_t a, int64_t b)
{
    const struct civil x = zone_civil(zone, a), y = zone_civil(zone, b);
    return a != b && x.year == y.year && x.month == y.month && x.day == y.day &&
           x.hour == y.hour && x.minute == y.minute && x.second == y.second;
}

/* Whether a time may have been `late` later or earlier: it had no zone of its own. */
static bool is_either(const struct slurm_format *format, const struct slurm_row *job,
                      enum slurm_number time, int64_t late)
{
    const int64_t at = job->number[time];
    return job->local >> (unsigned)time & 1 && reads_the_same(format->zone, at, at + late);
}

/*
 * In autumn an hour comes twice, and a time without a zone may be in either. How long the job
 * took says which, of its end or else of its start. A time that has its own zone, or counts
 * seconds, is in one of them. UTC, which is no zone, has no such hour.
 */
static void settle_hour(const struct slurm_format *format, struct slurm_row *job)
{
    int64_t *start = &job->number[SLURM_START], *end = &job->number[SLURM_END];
    int64_t took = 0, late = 0;
    if (!format->zone || !slurm_knows(job, SLURM_START) || !slurm_knows(job, SLURM_END) ||
        !slurm_knows(job, SLURM_ELAPSED) ||
        __builtin_add_overflow(
            job->number[SLURM_ELAPSED],
            slurm_knows(job, SLURM_SUSPENDED) ? job->number[SLURM_SUSPENDED] : 0, &took) ||
        __builtin_sub_overflow(*end - *start, took, &late) || late == 0 || late > DAY_US ||
        late < -DAY_US) {
        return;
    }
    if (is_either(format, job, SLURM_END, -late)) {
        *end -= late;
    } else if (is_either(format, job, SLURM_START, late)) {
        *start += late;
    }
}

static enum source_step read_job(const struct slurm_format *format,
                                 struct source_cursor *cursor, struct run *run,
                                 struct error *err)
{
    struct slurm_row job;
    struct slurm_use use = {0};
    struct str row;
    if (read_row(format, cursor->rest, cursor->arena, &row, &job, err)) {
        return reject(cursor, row, err, NULL);
    }
    if (job.id.step.len > 0) {
        return reject(cursor, row, err,
                      "is a step that does not follow the row of its job; import the file "
                      "again with --again if the job was read before");
    }
    take_text_row(cursor, row);
    bool all = read_steps(format, cursor, &job, &use);
    settle_hour(format, &job);
    slurm_run_fill(&job, &use, cursor->arena, run);
    if (slurm_run_is_made_up(format, run)) {
        *run = (struct run){0};
        return SOURCE_SKIP;
    }
    if (!all) {
        run->flags |= RUN_FLAG_STEP_UNREADABLE;
    }
    return SOURCE_RECORD;
}

enum source_step slurm_text_next(const struct slurm_format *format,
                                 struct source_cursor *cursor, struct run *run,
                                 struct error *err)
{
    if (cursor->rest.len == 0) {
        return SOURCE_END;
    }
    struct slurm_id id;
    struct str line = line_of(cursor->rest);
    cursor->line = cursor->next_line;
    cursor->record = (struct str){line.ptr, 0};
    if (begins_row(format, line, &id)) {
        return read_job(format, cursor, run, err);
    }
    struct str shown = without_end(line);
    if (str_trim(shown).len == 0 || shown.ptr[0] == '#' || is_header(format, line)) {
        take_text_row(cursor, shown);
        return SOURCE_SKIP;
    }
    return reject(cursor, shown, err, "does not begin with a job id where one must be");
}

/* --- slices ------------------------------------------------------------------------------- */

/*
 * Before the last job's row: its steps may follow. At the end of the file nothing does, if the
 * last row is whole.
 */
size_t slurm_text_cut(const struct slurm_format *format, struct str data, bool last)
{
    if (last && data.len > 0 && data.ptr[data.len - 1] == '\n') {
        return data.len;
    }
    const char *feed = data.len > 0 ? memrchr(data.ptr, '\n', data.len) : NULL;
    while (feed) {
        size_t at = (size_t)(feed - data.ptr) + 1;
        struct slurm_id id;
        struct str line = line_of((struct str){data.ptr + at, data.len - at});
        if (begins_row(format, line, &id) && id.step.len == 0) {
            return at;
        }
        feed = at > 1 ? memrchr(data.ptr, '\n', at - 1) : NULL;
    }
    return 0;
}

/* --- the head ----------------------------------------------------------------------------- */

/* The first line that says something, and what follows it. */
static struct str first_line(struct str head, struct str *rest)
{
    struct str line = {head.ptr, 0};
    *rest = head;
    while (rest->len > 0 && line.len == 0) {
        line = line_of(*rest);
        size_t taken = line.len < rest->len ? line.len + 1 : line.len;
        rest->ptr += taken;
        rest->len -= taken;
        line = str_trim(without_end(line));
    }
    return line;
}

/* A header may come below what a tool had to say. */
static bool find_header(struct str head, struct slurm_format *format, struct str *header)
{
    for (int i = 0; i < LINES_TO_RECOGNISE && head.len > 0; i++) {
        struct slurm_format tried = *format;
        *header = first_line(head, &head);
        if (slurm_column_header(*header, &tried)) {
            *format = tried;
            return true;
        }
    }
    return false;
}

static bool looks_like_time(struct str text)
{
    int64_t instant;
    return text.len == 19 && text.ptr[10] == 'T' && slurm_value_time(NULL, text, &instant);
}

/* Somebody's JSON may quote rows: those of a table begin with no quote or brace. */
static bool looks_like_json(struct str line)
{
    return line.len > 0 && (line.ptr[0] == '{' || line.ptr[0] == '[' || line.ptr[0] == '"');
}

/*
 * An id, and times or a state, with bars between: what else could it be? Where the id is not
 * the first of them there must be a state, since reports have names, times and numbers, too.
 */
static bool looks_like_row(struct str line)
{
    struct slurm_id id;
    int times = 0, states = 0, ids = 0;
    struct str rest = line;
    bool id_first = slurm_value_id(str_cut(&rest, '|'), &id);
    if (looks_like_json(line)) {
        return false;
    }
    while (line.ptr) {
        struct str field = str_cut(&line, '|');
        struct str word = str_cut(&field, ' ');
        times += looks_like_time(word);
        states += slurm_state_class(word) != CLASS_OTHER;
        ids += slurm_value_id(word, &id);
    }
    return times + states >= 2 && (id_first || (ids > 0 && states > 0));
}

int slurm_text_recognise(struct str head)
{
    struct slurm_format format = {0};
    struct str header;
    if (find_header(head, &format, &header)) {
        return SURE;
    }
    int rows = 0;
    for (int i = 0; i < LINES_TO_RECOGNISE && head.len > 0; i++) {
        rows += looks_like_row(first_line(head, &head));
    }
    return rows > 0 ? SURE_WITHOUT_HEADER : 0;
}

/* Without a header, sacct -p shows in the first row: one field too many, and empty. */
static bool ends_in_delimiter(struct str head, const struct slurm_format *format)
{
    struct str fields[FIELDS_MAX];
    struct str row = first_line(head, &head);
    unsigned count = split(format, row, fields);
    return count == format->count + 1 && fields[count - 1].len == 0;
}

int slurm_text_open(struct str head, const struct source_options *options,
                    struct slurm_format *format, struct error *err)
{
    struct str header = {0};
    if (options->delimiter.len > SLURM_DELIMITER_MAX) {
        return error_set(err, ERROR_USAGE, "--delimiter is longer than %d bytes",
                         SLURM_DELIMITER_MAX);
    }
    if (options->delimiter.len > 0) {
        memcpy(format->delimiter, options->delimiter.ptr, options->delimiter.len);
        format->delimiter_len = options->delimiter.len;
    }
    if (find_header(head, format, &header)) {
        format->header_text = mem_alloc(header.len, 1);
        memcpy(format->header_text, header.ptr, header.len);
        format->header = (struct str){format->header_text, header.len};
        return 0;
    }
    if (options->columns.len == 0) {
        return error_set(err, ERROR_INPUT,
                         "the file has no header line with the columns of sacct; name them "
                         "with: --columns JobID,JobIDRaw,...");
    }
    if (format->delimiter_len == 0) {
        format->delimiter[0] = '|';
        format->delimiter_len = 1;
    }
    int failed = slurm_column_names(options->columns, format, err);
    if (!failed) {
        format->trailing = ends_in_delimiter(head, format);
    }
    return failed;
}
