/* SPDX-License-Identifier: MIT */
#include "serve/wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/limit.h"

/* --- writing -------------------------------------------------------------------------------------- */

enum { HEAD = 5 }; /* length and kind */

static void put_bytes(struct buf *out, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_addc(out, (char)(value >> 8 * i & 0xff));
    }
}

static void put_byte(struct buf *out, unsigned value)
{
    put_bytes(out, value, 1);
}

static void put_int(struct buf *out, int64_t value)
{
    put_bytes(out, (uint64_t)value, 8);
}

static void put_wide(struct buf *out, wide_int value)
{
    put_int(out, (int64_t)value);
    put_int(out, (int64_t)(value >> 64));
}

static void put_real(struct buf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_bytes(out, bits, 8);
}

/* The null string is not the empty one. */
static void put_text(struct buf *out, struct str text)
{
    put_bytes(out, text.ptr ? text.len : UINT32_MAX, 4);
    buf_add(out, text);
}

/* Begins a frame; returns where it does, for frame_end to write its length. */
static size_t frame_begin(struct buf *out, enum frame_kind kind)
{
    const size_t at = out->len;
    put_bytes(out, 0, 4);
    put_byte(out, kind);
    return at;
}

static void frame_end(struct buf *out, size_t at)
{
    if (out->overflow) {
        return;
    }
    const size_t length = out->len - at - HEAD;
    for (size_t i = 0; i < 4; i++) {
        out->ptr[at + i] = (char)(length >> 8 * i & 0xff);
    }
}

void wire_put_request(struct buf *out, const struct wire_request *request)
{
    const size_t at = frame_begin(out, FRAME_REQUEST);
    put_bytes(out, WIRE_VERSION, 4);
    put_text(out, STR(STINT_VERSION));
    put_text(out, str_of(request->request.operation->name));
    put_text(out, request->zone);
    put_int(out, request->year_month);
    put_byte(out, request->for_people);
    put_byte(out, request->streams);
    put_bytes(out, request->request.count, 4);
    for (size_t i = 0; i < request->request.count; i++) {
        put_text(out, str_of(request->request.values[i].name));
        put_text(out, request->request.values[i].text);
    }
    frame_end(out, at);
}

static void put_cell(struct buf *out, const struct column *column, size_t row)
{
    const union cell *cell = &column->cells[row];
    put_byte(out, column->present[row]);
    if (!column->present[row]) {
        return;
    }
    switch (column->type) {
    case CELL_TEXT:
        put_text(out, cell->text);
        break;
    case CELL_INT:
        put_int(out, cell->integer);
        break;
    case CELL_WIDE:
        put_wide(out, cell->wide);
        break;
    case CELL_REAL:
        put_real(out, cell->real);
        break;
    }
}

static void put_table(struct buf *out, const struct table *table)
{
    put_text(out, str_of(table->title));
    put_bytes(out, table->column_count, 4);
    put_bytes(out, table->row_count, 4);
    put_bytes(out, table->footer_count, 4);
    for (size_t c = 0; c < table->column_count; c++) {
        const struct column *column = &table->columns[c];
        put_text(out, str_of(column->id));
        put_text(out, str_of(column->label));
        put_byte(out, column->type);
        put_byte(out, column->unit);
        put_byte(out, column->role);
        put_text(out, str_of(column->picture));
        put_byte(out, column->additive);
    }
    for (size_t c = 0; c < table->column_count; c++) {
        for (size_t row = 0; row < table->row_count; row++) {
            put_cell(out, &table->columns[c], row);
        }
    }
}

void wire_put_rows(struct buf *out, const struct table *chunk)
{
    const size_t at = frame_begin(out, FRAME_ROWS);
    put_table(out, chunk);
    frame_end(out, at);
}

static void put_notes(struct buf *out, const struct note_list *notes)
{
    put_bytes(out, notes->count, 4);
    for (size_t i = 0; i < notes->count; i++) {
        put_byte(out, notes->rows[i].kind);
        put_text(out, str_of(notes->rows[i].about));
        put_text(out, str_of(notes->rows[i].text));
    }
}

void wire_put_answer(struct buf *out, const struct answer *answer, int failed,
                     const struct error *err)
{
    const size_t at = frame_begin(out, FRAME_ANSWER);
    put_int(out, failed);
    put_text(out, failed ? str_of(err->text) : (struct str){0});
    put_int(out, (int64_t)answer->row_count);
    put_table(out, &answer->table);
    put_table(out, &answer->shown);
    put_byte(out, answer->as_records);
    put_byte(out, answer->as_list);
    put_text(out, answer->document.ptr ? buf_str(&answer->document) : (struct str){0});
    put_int(out, answer->period.from);
    put_int(out, answer->period.to);
    put_int(out, answer->covered.from);
    put_int(out, answer->covered.to);
    put_int(out, answer->as_of);
    put_notes(out, &answer->notes);
    put_int(out, answer->status);
    frame_end(out, at);
}

void wire_put_busy(struct buf *out)
{
    frame_end(out, frame_begin(out, FRAME_BUSY));
}

/* --- reading -------------------------------------------------------------------------------------- */

/* What is left of a content; `bad` once something did not fit, after which everything is 0. */
struct reading {
    struct str rest;
    bool bad;
};

static uint64_t get_bytes(struct reading *in, size_t count)
{
    uint64_t value = 0;
    if (in->rest.len < count) {
        in->bad = true;
        in->rest.len = 0;
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        value |= (uint64_t)(unsigned char)in->rest.ptr[i] << 8 * i;
    }
    in->rest.ptr += count;
    in->rest.len -= count;
    return value;
}

static int64_t get_int(struct reading *in)
{
    return (int64_t)get_bytes(in, 8);
}

static bool get_flag(struct reading *in)
{
    return get_bytes(in, 1) != 0;
}

static wide_int get_wide(struct reading *in)
{
    const uint64_t low = get_bytes(in, 8);
    const int64_t high = get_int(in);
    return (wide_int)high * ((wide_int)1 << 64) + (wide_int)low;
}

static double get_real(struct reading *in)
{
    const uint64_t bits = get_bytes(in, 8);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static struct str get_text(struct reading *in)
{
    const uint64_t length = get_bytes(in, 4);
    if (in->bad || length == UINT32_MAX) {
        return (struct str){0};
    }
    if (length > in->rest.len) {
        in->bad = true;
        return (struct str){0};
    }
    const struct str text = {in->rest.ptr, (size_t)length};
    in->rest.ptr += length;
    in->rest.len -= (size_t)length;
    return text;
}

/* An enumerator below `count`. */
static int get_choice(struct reading *in, int count)
{
    const int value = (int)get_bytes(in, 1);
    if (value >= count) {
        in->bad = true;
        return 0;
    }
    return value;
}

/* How many of something follow, each of which takes a byte at least. */
static size_t get_count(struct reading *in)
{
    const uint64_t count = get_bytes(in, 4);
    if (count > in->rest.len) {
        in->bad = true;
        return 0;
    }
    return (size_t)count;
}

/* A text that is to end with a NUL; NULL where there was none. */
static const char *get_name(struct reading *in, struct arena *arena)
{
    const struct str text = get_text(in);
    return text.ptr ? arena_text(arena, text) : NULL;
}

static int done(const struct reading *in, const char *what, struct error *err)
{
    return in->bad || in->rest.len > 0
               ? error_set(
                     err, ERROR_INPUT,
                     "%s is not as it should be; are both sides the same version of stint?",
                     what)
               : 0;
}

static bool is_of_operation(const struct operation *operation, struct str name,
                            const char **known)
{
    struct param param;
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        if (str_eq(str_of(param.name), name)) {
            *known = param.name;
            return true;
        }
    }
    return false;
}

int wire_get_request(struct str content, struct wire_request *out, struct error *err)
{
    struct reading in = {.rest = content};
    out->request = (struct request){0};
    out->arena = (struct arena){0};
    if (get_bytes(&in, 4) != WIRE_VERSION || !str_eq(get_text(&in), STR(STINT_VERSION))) {
        return error_set(err, ERROR_INPUT, "the request is of another version of stint");
    }
    out->request.operation = operation_find(get_text(&in));
    out->zone = get_text(&in);
    out->year_month = get_int(&in);
    out->for_people = get_flag(&in);
    out->streams = get_flag(&in);
    const size_t count = get_count(&in);
    out->request.values = out->values;
    in.bad |= !out->request.operation || count > WIRE_VALUES_MAX;
    for (size_t i = 0; !in.bad && i < count; i++) {
        const struct str name = get_text(&in);
        struct request_value *value = &out->values[i];
        in.bad |= !is_of_operation(out->request.operation, name, &value->name);
        value->text = get_text(&in);
        /* values are texts that end with a NUL, as arguments of a command are */
        value->text =
            value->text.ptr ? str_of(arena_text(&out->arena, value->text)) : (struct str){0};
        out->request.count = i + 1;
    }
    return done(&in, "the request", err);
}

void wire_request_release(struct wire_request *request)
{
    arena_release(&request->arena);
}

static void get_cell(struct reading *in, struct table *table, size_t column, size_t row)
{
    if (!get_flag(in)) {
        return;
    }
    switch (table->columns[column].type) {
    case CELL_TEXT:
        table_set_text(table, column, row, get_text(in));
        break;
    case CELL_INT:
        table_set_int(table, column, row, get_int(in));
        break;
    case CELL_WIDE:
        table_set_wide(table, column, row, get_wide(in));
        break;
    case CELL_REAL:
        table_set_real(table, column, row, get_real(in));
        break;
    }
}

static void get_column(struct reading *in, struct table *table)
{
    const char *id = get_name(in, &table->names), *label = get_name(in, &table->names);
    const enum cell_type type = (enum cell_type)get_choice(in, CELL_REAL + 1);
    const enum unit unit = (enum unit)get_choice(in, UNIT_COUNT_OF);
    const enum column_role role = (enum column_role)get_choice(in, COLUMN_STAR + 1);
    const char *picture = get_name(in, &table->names);
    const bool additive = get_flag(in);
    const size_t at = table_column(table, id ? id : "", label ? label : "", type, unit, role);
    if (picture || additive) {
        table_picture(table, at, picture, additive);
    }
}

static void get_table(struct reading *in, struct table *table)
{
    const char *title = get_name(in, &table->names);
    const size_t columns = get_count(in), rows = get_count(in), footers = get_count(in);
    for (size_t c = 0; !in->bad && c < columns; c++) {
        get_column(in, table);
    }
    in->bad |= columns > 0 && rows > in->rest.len / columns; /* a cell takes a byte at least */
    in->bad |= footers > rows || (columns == 0 && rows > 0);
    for (size_t row = 0; !in->bad && row < rows; row++) {
        table_row(table);
    }
    for (size_t c = 0; !in->bad && c < columns; c++) {
        for (size_t row = 0; !in->bad && row < rows; row++) {
            get_cell(in, table, c, row);
        }
    }
    table->title = title;
    table->footer_count = in->bad ? 0 : footers;
}

int wire_get_rows(struct str content, struct table *out, struct error *err)
{
    struct reading in = {.rest = content};
    get_table(&in, out);
    return done(&in, "a part of the answer", err);
}

static void get_notes(struct reading *in, struct answer *answer)
{
    const size_t count = get_count(in);
    for (size_t i = 0; !in->bad && i < count; i++) {
        const enum note_kind kind = (enum note_kind)get_choice(in, NOTE_RESULT + 1);
        const struct str about = get_text(in), text = get_text(in);
        if (!in->bad) {
            answer_note_about(answer, kind, about, "%.*s", STR_ARG(text));
        }
    }
}

static void get_document(struct reading *in, struct answer *answer)
{
    const struct str document = get_text(in);
    if (document.ptr) {
        buf_init(&answer->document, LIMIT_OUTPUT);
        buf_add(&answer->document, document);
    }
}

int wire_get_answer(struct str content, struct answer *out, int *ended, struct error *why,
                    struct error *err)
{
    struct reading in = {.rest = content};
    const int64_t kind = get_int(&in);
    const struct str text = get_text(&in);
    *ended = (int)kind;
    if (kind != 0) {
        error_set(why, (enum error_kind)kind, "%.*s", STR_ARG(text));
    }
    in.bad |= kind > 0 || kind < ERROR_STOPPED;
    out->row_count = (uint64_t)get_int(&in);
    get_table(&in, &out->table);
    get_table(&in, &out->shown);
    out->as_records = get_flag(&in);
    out->as_list = get_flag(&in);
    get_document(&in, out);
    out->period.from = get_int(&in);
    out->period.to = get_int(&in);
    out->covered.from = get_int(&in);
    out->covered.to = get_int(&in);
    out->as_of = get_int(&in);
    get_notes(&in, out);
    out->status = (int)get_int(&in);
    return done(&in, "the answer", err);
}

/* --- sending -------------------------------------------------------------------------------------- */

int wire_send(int fd, struct str bytes, struct error *err)
{
    while (bytes.len > 0) {
        const ssize_t put = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return error_errno(err, "cannot send an answer");
        }
        bytes.ptr += put;
        bytes.len -= (size_t)put;
    }
    return 0;
}

/* Waits until there is something to read, or the end was asked for. */
static int await(int fd, const struct stop *stop, struct error *err)
{
    enum { LOOK_MS = 20 };

    struct pollfd one = {.fd = fd, .events = POLLIN};
    while (poll(&one, 1, stop ? LOOK_MS : -1) <= 0) {
        if (stop_is_set(stop)) {
            return stop_explain(stop, err);
        }
    }
    return 0;
}

/* Fills `size` bytes; *got is less at the end of the stream. */
static int receive(int fd, const struct stop *stop, char *to, size_t size, size_t *got,
                   struct error *err)
{
    *got = 0;
    while (*got < size) {
        int failed = await(fd, stop, err);
        if (failed) {
            return failed;
        }
        const ssize_t more = recv(fd, to + *got, size - *got, 0);
        if (more < 0 && errno == EINTR) {
            continue;
        }
        if (more < 0) {
            return error_errno(err, "cannot receive an answer");
        }
        if (more == 0) {
            break;
        }
        *got += (size_t)more;
    }
    return 0;
}

int wire_receive(int fd, size_t max, const struct stop *stop, enum frame_kind *kind,
                 struct buf *out, struct error *err)
{
    char head[HEAD];
    size_t got = 0;
    *kind = 0;
    buf_clear(out);
    int failed = receive(fd, stop, head, sizeof(head), &got, err);
    if (failed || got == 0) {
        return failed;
    }
    struct reading in = {.rest = {head, got}};
    const uint64_t length = get_bytes(&in, 4);
    *kind = (enum frame_kind)get_bytes(&in, 1);
    if (in.bad || length > max) {
        return error_set(err, ERROR_INPUT, "what was received is no frame of stint's");
    }
    buf_reserve(out, (size_t)length);
    if (out->overflow) {
        return error_set(err, ERROR_LIMIT, "the answer is larger than %zu bytes", out->max);
    }
    failed = receive(fd, stop, out->ptr, (size_t)length, &got, err);
    out->len = got;
    out->ptr[got] = '\0';
    return failed || got == length
               ? failed
               : error_set(err, ERROR_IO, "the connection ended in the middle of an answer");
}
