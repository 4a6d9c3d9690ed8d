/* SPDX-License-Identifier: MIT */
#include "service/core/inputs.h"

#include "base/stream.h"
#include "service/core/service.h"

bool inputs_has(const struct request *request, size_t index)
{
    const struct operation_action *action = request_action(request);
    const struct str name = str_of(request->values[index].name);
    struct param param;
    if (action && action->input && str_eq(name, str_of(action->input))) {
        return true;
    }
    for (size_t i = 0; operation_param(request->operation, i, &param); i++) {
        if (str_eq(name, str_of(param.name))) {
            return param.type == PARAM_INPUT;
        }
    }
    return false;
}

/* The index of value `nth` of a parameter; the count of all if there is none. */
static size_t find_value(const struct request *request, const char *name, size_t nth)
{
    size_t last = request->count;
    for (size_t i = 0; i < request->count; i++) {
        if (str_eq(str_of(request->values[i].name), str_of(name))) {
            last = i;
            if (nth != INPUTS_LAST && nth-- == 0) {
                return i;
            }
        }
    }
    return nth == INPUTS_LAST ? last : request->count;
}

int inputs_open(const struct request *request, const char *name, size_t nth, struct input **out,
                struct error *err)
{
    const size_t index = find_value(request, name, nth);
    *out = NULL;
    if (!request->inputs || index == request->count || !inputs_has(request, index)) {
        return error_set(err, ERROR_USAGE, "the request contains no data to read");
    }
    return request->inputs->open(request->inputs->context, index, out, err);
}

int inputs_await(const struct request *request, const char *name, struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && request->inputs && request->inputs->await &&
                       find_value(request, name, i) < request->count;
         i++) {
        failed =
            request->inputs->await(request->inputs->context, find_value(request, name, i), err);
    }
    return failed;
}

static int read_all(const struct input *input, const struct text_sink *out, struct error *err)
{
    char piece[1 << 14];
    struct stream *stream = NULL;
    size_t got = 1;
    int failed = stream_open_input(input, &stream, err);
    while (!failed && got > 0) {
        failed = stream_read(stream, piece, sizeof(piece), &got, err);
        failed = failed || got == 0 ? failed
                                    : out->take(out->context, (struct str){piece, got}, err);
    }
    stream_close(stream);
    return failed;
}

static int read_into(const struct request *request, const char *name, size_t nth,
                     const struct text_sink *out, struct error *err)
{
    struct input *input = NULL;
    int failed = inputs_open(request, name, nth, &input, err);
    failed = failed ? failed : read_all(input, out, err);
    input_close(input);
    return failed;
}

static int add_to_spool(void *context, struct str piece, struct error *err)
{
    return spool_add(context, piece, err);
}

int inputs_spool(const struct request *request, const char *name, size_t nth, struct spool *out,
                 struct error *err)
{
    const struct text_sink sink = {out, add_to_spool};
    int failed = spool_open(out, err);
    return failed ? failed : read_into(request, name, nth, &sink, err);
}

/* A buf, and what it is filled from. */
struct filled {
    struct buf *out;
    struct str name;
};

static int add_to_buf(void *context, struct str piece, struct error *err)
{
    struct filled *filled = context;
    buf_add(filled->out, piece);
    return filled->out->overflow ? error_set(err, ERROR_LIMIT, "'%.*s' is larger than %zu KiB",
                                             STR_ARG(filled->name), filled->out->max >> 10)
                                 : 0;
}

int inputs_read(const struct request *request, const char *name, size_t nth, struct buf *out,
                struct error *err)
{
    struct filled filled = {out, request_text(request, name)};
    const struct text_sink sink = {&filled, add_to_buf};
    return read_into(request, name, nth, &sink, err);
}
