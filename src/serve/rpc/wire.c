/* SPDX-License-Identifier: MIT */
#include "serve/rpc/wire.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "report/coverage.h"
#include "serve/rpc/frame.h"

/* --- writing ------------------------------------------------------------------------------ */

void wire_put_request(struct buf *out, const struct wire_request *request)
{
    const size_t at = frame_begin(out, FRAME_REQUEST);
    frame_put_bytes(out, WIRE_VERSION, 4);
    frame_put_text(out, STR(STINT_VERSION));
    frame_put_text(out, str_of(request->request.operation->name));
    frame_put_text(out, request->zone);
    frame_put_int(out, request->year_month);
    frame_put_byte(out, request->bare);
    frame_put_byte(out, request->noteless);
    frame_put_byte(out, request->streams);
    frame_put_byte(out, request->watches);
    frame_put_bytes(out, request->request.count, 4);
    for (size_t i = 0; i < request->request.count; i++) {
        frame_put_text(out, str_of(request->request.values[i].name));
        frame_put_text(out, request->request.values[i].text);
    }
    frame_end(out, at);
}

static void put_cell(struct buf *out, const struct column *column, size_t row)
{
    const union cell *cell = &column->cells[row];
    frame_put_byte(out, column->present[row]);
    if (!column->present[row]) {
        return;
    }
    switch (column->type) {
    case CELL_TEXT:
        frame_put_text(out, cell->text);
        if (column->names) {
            frame_put_text(out, column->names[row]);
        }
        break;
    case CELL_INT:
        frame_put_int(out, cell->integer);
        break;
    case CELL_WIDE:
        frame_put_wide(out, cell->wide);
        break;
    case CELL_REAL:
        frame_put_real(out, cell->real);
        break;
    }
}

static void put_table(struct buf *out, const struct table *table)
{
    frame_put_text(out, str_of(table->title));
    frame_put_bytes(out, table->column_count, 4);
    frame_put_bytes(out, table->row_count, 4);
    frame_put_bytes(out, table->footer_count, 4);
    frame_put_byte(out, table->in_sequence);
    frame_put_byte(out, table->raw);
    for (size_t c = 0; c < table->column_count; c++) {
        const struct column *column = &table->columns[c];
        frame_put_text(out, str_of(column->id));
        frame_put_text(out, str_of(column->label));
        frame_put_byte(out, column->type);
        frame_put_byte(out, column->unit);
        frame_put_byte(out, column->role);
        frame_put_text(out, str_of(column->picture));
        frame_put_byte(out, column->additive);
        frame_put_byte(out, column->exact);
        frame_put_byte(out, column->audience);
        frame_put_byte(out, column->names != NULL);
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
    frame_put_bytes(out, notes->count, 4);
    for (size_t i = 0; i < notes->count; i++) {
        frame_put_byte(out, notes->rows[i].kind);
        frame_put_text(out, str_of(notes->rows[i].about));
        frame_put_text(out, str_of(notes->rows[i].text));
    }
}

static void put_covers(struct buf *out, const struct answer *answer)
{
    frame_put_bytes(out, answer->cover_count, 4);
    for (size_t i = 0; i < answer->cover_count; i++) {
        frame_put_text(out, answer->covers[i].cluster);
        frame_put_int(out, answer->covers[i].period.from);
        frame_put_int(out, answer->covers[i].period.to);
    }
}

void wire_put_answer(struct buf *out, const struct answer *answer, int failed,
                     const struct error *err)
{
    const size_t at = frame_begin(out, FRAME_ANSWER);
    frame_put_end(out, failed, err);
    frame_put_int(out, (int64_t)answer->row_count);
    put_table(out, &answer->table);
    put_table(out, &answer->shown);
    put_table(out, &answer->drawn);
    frame_put_byte(out, answer->as_records);
    frame_put_byte(out, answer->as_list);
    frame_put_text(out, answer->document.ptr ? buf_str(&answer->document) : (struct str){0});
    frame_put_int(out, answer->period.from);
    frame_put_int(out, answer->period.to);
    frame_put_int(out, answer->covered.from);
    frame_put_int(out, answer->covered.to);
    put_covers(out, answer);
    frame_put_int(out, answer->as_of);
    put_notes(out, &answer->notes);
    frame_put_int(out, answer->status);
    frame_end(out, at);
}

void wire_put_busy(struct buf *out)
{
    frame_end(out, frame_begin(out, FRAME_BUSY));
}

/* --- reading ------------------------------------------------------------------------------ */

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
    struct frame_reading in = {.rest = content};
    out->request = (struct request){0};
    out->arena = (struct arena){0};
    if (frame_get_bytes(&in, 4) != WIRE_VERSION ||
        !str_eq(frame_get_text(&in), STR(STINT_VERSION))) {
        return error_set(err, ERROR_INPUT, "the request is of another version of stint");
    }
    out->request.operation = operation_find(frame_get_text(&in));
    out->zone = frame_get_text(&in);
    out->year_month = frame_get_int(&in);
    out->bare = frame_get_flag(&in);
    out->noteless = frame_get_flag(&in);
    out->streams = frame_get_flag(&in);
    out->watches = frame_get_flag(&in);
    const size_t count = frame_get_count(&in);
    out->request.values = out->values;
    in.bad |= !out->request.operation || count > WIRE_VALUES_MAX;
    for (size_t i = 0; !in.bad && i < count; i++) {
        const struct str name = frame_get_text(&in);
        struct request_value *value = &out->values[i];
        in.bad |= !is_of_operation(out->request.operation, name, &value->name);
        value->text = frame_get_text(&in);
        /* values are texts that end with a NUL, as arguments of a command are */
        value->text =
            value->text.ptr ? str_of(arena_text(&out->arena, value->text)) : (struct str){0};
        out->request.count = i + 1;
    }
    return frame_done(&in, "the request", err);
}

void wire_request_release(struct wire_request *request)
{
    arena_release(&request->arena);
}

static void get_text_cell(struct frame_reading *in, struct table *table, size_t column,
                          size_t row, bool named)
{
    table_set_text(table, column, row, frame_get_text(in));
    const struct str name = named ? frame_get_text(in) : (struct str){0};
    if (name.ptr) {
        table_set_name(table, column, row, name);
    }
}

static void get_cell(struct frame_reading *in, struct table *table, size_t column, size_t row,
                     bool named)
{
    if (!frame_get_flag(in)) {
        return;
    }
    switch (table->columns[column].type) {
    case CELL_TEXT:
        get_text_cell(in, table, column, row, named);
        break;
    case CELL_INT:
        table_set_int(table, column, row, frame_get_int(in));
        break;
    case CELL_WIDE:
        table_set_wide(table, column, row, frame_get_wide(in));
        break;
    case CELL_REAL:
        table_set_real(table, column, row, frame_get_real(in));
        break;
    }
}

/* Returns whether its texts have names beside them. */
static bool get_column(struct frame_reading *in, struct table *table)
{
    const char *id = frame_get_name(in, &table->names),
               *label = frame_get_name(in, &table->names);
    const enum cell_type type = (enum cell_type)frame_get_choice(in, CELL_REAL + 1);
    const enum unit unit = (enum unit)frame_get_choice(in, UNIT_COUNT_OF);
    const enum column_role role = (enum column_role)frame_get_choice(in, COLUMN_STAR + 1);
    const char *picture = frame_get_name(in, &table->names);
    const bool additive = frame_get_flag(in);
    const bool exact = frame_get_flag(in);
    const enum column_audience audience =
        (enum column_audience)frame_get_choice(in, COLUMN_AUDIENCES);
    const bool named = frame_get_flag(in);
    const size_t at = table_column(table, id ? id : "", label ? label : "", type, unit, role);
    if (picture || additive) {
        table_picture(table, at, picture, additive);
    }
    table->columns[at].audience = audience;
    table->columns[at].exact = exact;
    return named;
}

static void get_table(struct frame_reading *in, struct table *table)
{
    const char *title = frame_get_name(in, &table->names);
    const size_t columns = frame_get_count(in), rows = frame_get_count(in),
                 footers = frame_get_count(in);
    const bool in_sequence = frame_get_flag(in);
    const bool raw = frame_get_flag(in);
    bool *named = mem_alloc(columns + 1, sizeof(*named));
    for (size_t c = 0; !in->bad && c < columns; c++) {
        named[c] = get_column(in, table);
    }
    in->bad |= columns > 0 && rows > in->rest.len / columns; /* a cell takes a byte at least */
    in->bad |= footers > rows || (columns == 0 && rows > 0);
    for (size_t row = 0; !in->bad && row < rows; row++) {
        table_row(table);
    }
    for (size_t c = 0; !in->bad && c < columns; c++) {
        for (size_t row = 0; !in->bad && row < rows; row++) {
            get_cell(in, table, c, row, named[c]);
        }
    }
    free(named);
    table->title = title;
    table->footer_count = in->bad ? 0 : footers;
    table->in_sequence = in_sequence;
    table->raw = raw;
}

int wire_get_rows(struct str content, struct table *out, struct error *err)
{
    struct frame_reading in = {.rest = content};
    get_table(&in, out);
    return frame_done(&in, "a part of the answer", err);
}

static void get_notes(struct frame_reading *in, struct answer *answer)
{
    const size_t count = frame_get_count(in);
    for (size_t i = 0; !in->bad && i < count; i++) {
        const enum note_kind kind = (enum note_kind)frame_get_choice(in, NOTE_KINDS);
        const struct str about = frame_get_text(in), text = frame_get_text(in);
        if (!in->bad) {
            answer_note_about(answer, kind, about, "%.*s", STR_ARG(text));
        }
    }
}

static void get_covers(struct frame_reading *in, struct answer *answer)
{
    const size_t count = frame_get_count(in);
    struct arena *arena = &answer->cover_names;
    struct coverage_stretch *rows =
        in->bad ? NULL : arena_alloc(arena, (count + 1) * sizeof *rows);
    for (size_t i = 0; !in->bad && i < count; i++) {
        const struct str cluster = frame_get_text(in);
        rows[i].cluster = in->bad ? (struct str){0} : arena_copy(arena, cluster);
        rows[i].period.from = frame_get_int(in);
        rows[i].period.to = frame_get_int(in);
    }
    answer->covers = rows;
    answer->cover_count = in->bad ? 0 : count;
}

static void get_document(struct frame_reading *in, struct answer *answer)
{
    const struct str document = frame_get_text(in);
    if (document.ptr) {
        buf_init(&answer->document, LIMIT_OUTPUT);
        buf_add(&answer->document, document);
    }
}

int wire_get_answer(struct str content, struct answer *out, int *ended, struct error *why,
                    struct error *err)
{
    struct frame_reading in = {.rest = content};
    *ended = frame_get_end(&in, why);
    out->row_count = (uint64_t)frame_get_int(&in);
    get_table(&in, &out->table);
    get_table(&in, &out->shown);
    get_table(&in, &out->drawn);
    out->as_records = frame_get_flag(&in);
    out->as_list = frame_get_flag(&in);
    get_document(&in, out);
    out->period.from = frame_get_int(&in);
    out->period.to = frame_get_int(&in);
    out->covered.from = frame_get_int(&in);
    out->covered.to = frame_get_int(&in);
    get_covers(&in, out);
    out->as_of = frame_get_int(&in);
    get_notes(&in, out);
    out->status = (int)frame_get_int(&in);
    return frame_done(&in, "the answer", err);
}

/* --- what an operation reads -------------------------------------------------------------- */

void wire_put_wish(struct buf *out, enum frame_kind kind, const struct wire_wish *wish)
{
    const size_t at = frame_begin(out, kind);
    frame_put_bytes(out, wish->value, 4);
    frame_put_bytes(out, wish->offset, 8);
    frame_put_bytes(out, wish->size, 4);
    frame_end(out, at);
}

int wire_get_wish(struct str content, struct wire_wish *out, struct error *err)
{
    struct frame_reading in = {.rest = content};
    out->value = (size_t)frame_get_bytes(&in, 4);
    out->offset = frame_get_bytes(&in, 8);
    out->size = (size_t)frame_get_bytes(&in, 4);
    return frame_done(&in, "a wish to read", err);
}

void wire_put_opened(struct buf *out, const struct input *input, int failed,
                     const struct error *err)
{
    const size_t at = frame_begin(out, FRAME_OPENED);
    frame_put_end(out, failed, err);
    if (!failed) {
        frame_put_text(out, str_of(input->name));
        frame_put_text(out, str_of(input->path));
        frame_put_byte(out, input->about.is_file);
        frame_put_int(out, input->about.device);
        frame_put_int(out, input->about.inode);
        frame_put_int(out, input->about.size);
        frame_put_int(out, input->about.modified_us);
    }
    frame_end(out, at);
}

int wire_get_opened(struct str content, struct input **out, struct error *err)
{
    struct frame_reading in = {.rest = content};
    struct arena arena = {0};
    int failed = frame_get_end(&in, err);
    *out = NULL;
    if (!failed) {
        const char *name = frame_get_name(&in, &arena), *path = frame_get_name(&in, &arena);
        const struct input_about about = {
            .is_file = frame_get_flag(&in),
            .device = frame_get_int(&in),
            .inode = frame_get_int(&in),
            .size = frame_get_int(&in),
            .modified_us = frame_get_int(&in),
        };
        in.bad |= !name || !path || about.size < 0;
        failed = frame_done(&in, "what was opened", err);
        *out = failed ? NULL : input_new(name, path, &about);
    }
    arena_release(&arena);
    return failed;
}

void wire_put_piece(struct buf *out, struct str bytes, int failed, const struct error *err)
{
    const size_t at = frame_begin(out, FRAME_BYTES);
    frame_put_end(out, failed, err);
    frame_put_text(out, failed ? (struct str){0} : bytes);
    frame_end(out, at);
}

int wire_get_piece(struct str content, struct str *bytes, struct error *err)
{
    struct frame_reading in = {.rest = content};
    int failed = frame_get_end(&in, err);
    *bytes = frame_get_text(&in);
    return failed ? failed : frame_done(&in, "what was read", err);
}

/* --- news --------------------------------------------------------------------------------- */

void wire_put_progress(struct buf *out, const struct wire_progress *progress)
{
    const size_t at = frame_begin(out, FRAME_PROGRESS);
    frame_put_text(out, str_of(progress->what));
    frame_put_bytes(out, progress->done, 8);
    frame_put_bytes(out, progress->total, 8);
    frame_put_int(out, progress->records);
    frame_end(out, at);
}

int wire_get_progress(struct str content, struct wire_progress *out, struct error *err)
{
    struct frame_reading in = {.rest = content};
    const struct str what = frame_get_text(&in);
    snprintf(out->what, sizeof(out->what), "%.*s", STR_ARG(what));
    out->done = frame_get_bytes(&in, 8);
    out->total = frame_get_bytes(&in, 8);
    out->records = frame_get_int(&in);
    return frame_done(&in, "a progress", err);
}

void wire_put_say(struct buf *out, const char *line)
{
    const size_t at = frame_begin(out, FRAME_SAY);
    frame_put_text(out, str_of(line));
    frame_end(out, at);
}

int wire_get_say(struct str content, struct arena *arena, const char **out, struct error *err)
{
    struct frame_reading in = {.rest = content};
    *out = frame_get_name(&in, arena);
    in.bad |= !*out;
    return frame_done(&in, "a line", err);
}

void wire_put_inlet(struct buf *out, const char *id)
{
    const size_t at = frame_begin(out, FRAME_INLET);
    frame_put_text(out, str_of(id));
    frame_end(out, at);
}

int wire_get_inlet(struct str content, struct str *id, struct error *err)
{
    struct frame_reading in = {.rest = content};
    *id = frame_get_text(&in);
    in.bad |= !id->ptr;
    return frame_done(&in, "the name of an inlet", err);
}

void wire_put_hello(struct buf *out)
{
    const size_t at = frame_begin(out, FRAME_HELLO);
    frame_put_bytes(out, WIRE_VERSION, 4);
    frame_end(out, at);
}

void wire_put_takes(struct buf *out, bool changes, const char *address)
{
    const size_t at = frame_begin(out, FRAME_TAKES);
    frame_put_byte(out, changes);
    frame_put_text(out, str_of(address));
    frame_end(out, at);
}

int wire_get_takes(struct str content, bool *changes, struct str *address, struct error *err)
{
    struct frame_reading in = {.rest = content};
    *changes = frame_get_flag(&in);
    *address = frame_get_text(&in);
    return frame_done(&in, "a greeting", err);
}
