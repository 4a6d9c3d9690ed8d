/* SPDX-License-Identifier: MIT */
#include "service/core/service.h"

#include <stdarg.h>
#include <string.h>

#include "base/limit.h"
#include "base/scan.h"
#include "service/core/params.h"

const struct operation *operation_find(struct str name)
{
    for (size_t i = 0; operations[i]; i++) {
        if (str_eq(name, str_of(operations[i]->name))) {
            return operations[i];
        }
    }
    return NULL;
}

bool operation_param(const struct operation *operation, size_t index, struct param *out)
{
    if (index < operation->param_count) {
        *out = operation->params[index];
        return true;
    }
    index -= operation->param_count;
    if (operation->sets & PARAMS_PERIOD) {
        if (index < period_param_count) {
            *out = period_params[index];
            if (operation->from_help && strcmp(out->name, "from") == 0) {
                out->help = operation->from_help;
            }
            return true;
        }
        index -= period_param_count;
    }
    if (operation->sets & PARAMS_KIND) {
        return kind_param(operation->name, index, out);
    }
    if (operation->sets & PARAMS_SAMPLES) {
        return sample_param(index, out);
    }
    return operation->sets & PARAMS_FILTERS && filter_param(index, out);
}

void service_adopt(struct service *service, const struct service *from)
{
    service->config = from->config;
    service->zone = from->zone;
    service->address = from->address;
}

int service_no_config(const struct service *service, struct error *err)
{
    if (service->config && service->config->path) {
        return error_set(err, ERROR_MISSING,
                         "'%s' lists no cluster; for an example: stint config example",
                         service->config->path);
    }
    return error_set(
        err, ERROR_MISSING,
        "there is no stint.conf in '%s' or in /etc/stint; for an example: stint config example",
        service->store);
}

/* The operation's parameter of that name; one that does not exist is a bug of the caller. */
static struct param param_of(const struct request *request, const char *name)
{
    struct param param = {0};
    for (size_t i = 0; operation_param(request->operation, i, &param); i++) {
        if (str_eq(str_of(param.name), str_of(name))) {
            return param;
        }
    }
    return (struct param){0};
}

bool request_each(const struct request *request, const char *name, size_t index,
                  struct str *out)
{
    for (size_t i = 0; i < request->count; i++) {
        if (str_eq(str_of(request->values[i].name), str_of(name)) && index-- == 0) {
            *out = request->values[i].text;
            return true;
        }
    }
    return false;
}

bool request_has(const struct request *request, const char *name)
{
    struct str ignored;
    return request_each(request, name, 0, &ignored);
}

bool request_flag(const struct request *request, const char *name)
{
    return request_has(request, name);
}

void param_words(struct buf *out, const struct param *param)
{
    buf_addz(out, param->choices ? param->choices : "");
    for (size_t i = 0; !param->choices && param->name_at && param->name_at(i); i++) {
        buf_addf(out, "%s%s", i ? " " : "", param->name_at(i));
    }
}

struct str request_text(const struct request *request, const char *name)
{
    struct str text = str_of(param_of(request, name).fallback);
    for (size_t i = 0; request_each(request, name, i, &text); i++) {
    }
    return text;
}

int request_number(const struct request *request, const char *name, int64_t otherwise,
                   int64_t *out, struct error *err)
{
    struct str text = request_text(request, name);
    *out = otherwise;
    if (text.ptr && (!scan_int(text, out) || *out < 0)) {
        return error_set(err, ERROR_USAGE, "--%s needs a whole number, not '%.*s'", name,
                         STR_ARG(text));
    }
    return 0;
}

int answer_take_piece(void *context, struct str piece, struct error *err)
{
    struct answer *answer = context;
    if (answer->pieces) {
        return answer->pieces->take(answer->pieces->context, piece, err);
    }
    if (!answer->document.ptr) {
        buf_init(&answer->document, LIMIT_OUTPUT);
    }
    return text_sink_buf(&answer->document, piece, err);
}

int answer_take(void *context, const struct table *chunk, struct error *err)
{
    struct answer *answer = context;
    answer->row_count += chunk->row_count;
    for (size_t c = 0; answer->table.column_count < chunk->column_count; c++) {
        table_column_like(&answer->table, &chunk->columns[c]);
    }
    if (!answer->sink) {
        return table_collect(&answer->table, chunk, err);
    }
    return chunk->row_count > 0 ? answer->sink->take(answer->sink->context, chunk, err) : 0;
}

void answer_note(struct answer *answer, enum note_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note_add(&answer->notes, kind, (struct str){0}, format, args);
    va_end(args);
}

void answer_note_about(struct answer *answer, enum note_kind kind, struct str about,
                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note_add(&answer->notes, kind, about, format, args);
    va_end(args);
}

void answer_release(struct answer *answer)
{
    table_release(&answer->table);
    table_release(&answer->shown);
    table_release(&answer->drawn);
    arena_release(&answer->cover_names);
    note_release(&answer->notes);
    buf_release(&answer->document);
    *answer = (struct answer){0};
}

void answer_seen(const struct answer *answer, enum column_audience by, struct answer *out)
{
    *out = *answer;
    table_seen(&answer->table, by, &out->table);
    table_seen(&answer->shown, by, &out->shown);
}

void answer_seen_release(struct answer *seen)
{
    table_seen_release(&seen->table);
    table_seen_release(&seen->shown);
}

size_t request_for_people(const struct operation *operation, struct request_value *values,
                          size_t count)
{
    struct param param;
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        if (str_eq(str_of(param.name), STR("targets"))) {
            values[count++] = (struct request_value){"targets", STR("")};
        }
    }
    return count;
}
