/* SPDX-License-Identifier: MIT */
#include "serve/api/api_format.h"

const struct api_format api_formats[] = {
    {"json", "application/json", NULL, API_ROWS, true, "an array of objects, one a row"},
    {"answer", "application/vnd.stint.answer+json", NULL, API_ANSWER, true,
     "an object: columns with their units, rows, the period, and the notes"},
    {"csv", "text/csv; charset=utf-8", NULL, API_ROWS, true, "comma-separated values"},
    {"tsv", "text/tab-separated-values; charset=utf-8", NULL, API_ROWS, true,
     "tab-separated values"},
    {"jsonl", "application/jsonl", "application/x-ndjson", API_ROWS, true, "an object a line"},
    {"markdown", "text/markdown; charset=utf-8", NULL, API_ROWS, true, "a table in Markdown"},
    {"parquet", "application/vnd.apache.parquet", NULL, API_ROWS, false, "a Parquet file"},
    {"svg", "image/svg+xml", NULL, API_CHART, true, "a picture"},
};

const size_t api_format_count = COUNT_OF(api_formats);

static const struct api_format *find_format(struct str name)
{
    for (size_t i = 0; i < api_format_count; i++) {
        if (str_eq(name, str_of(api_formats[i].name))) {
            return &api_formats[i];
        }
    }
    return NULL;
}

static int refuse_format(struct str name, struct error *err)
{
    struct buf names;
    buf_init(&names, ERROR_TEXT_MAX);
    for (size_t i = 0; i < api_format_count; i++) {
        buf_addf(&names, "%s%s", i ? ", " : "", api_formats[i].name);
    }
    int failed = error_set(err, ERROR_USAGE, "there is no format '%.*s'; there are: %s",
                           STR_ARG(name), names.ptr);
    buf_release(&names);
    return failed;
}

/* By the Accept header, which names types without their parameters. */
static const struct api_format *accepted(const struct exchange *exchange)
{
    enum { COUNT = COUNT_OF(api_formats) };

    const char *types[2 * COUNT]; /* of each its own, then the other names */
    char room[COUNT][64];
    for (size_t i = 0; i < COUNT; i++) {
        struct str type = str_of(api_formats[i].type);
        type = str_cut(&type, ';');
        memcpy(room[i], type.ptr, type.len);
        room[i][type.len] = '\0';
        types[i] = room[i];
        types[COUNT + i] = api_formats[i].also ? api_formats[i].also : room[i];
    }
    const int best = exchange_accepts(exchange, types, COUNT_OF(types));
    return best < 0 ? NULL : &api_formats[best % COUNT];
}

int api_format_choose(const struct exchange *exchange, struct str *name,
                      const struct api_format **out, struct error *err)
{
    const struct str asked = exchange_query(exchange, "format");
    struct str suffix = *name;
    const struct str before = str_cut(&suffix, '.');
    if (suffix.ptr) {
        *name = before;
        *out = find_format(suffix);
        return *out ? 0 : refuse_format(suffix, err);
    }
    if (asked.ptr) {
        *out = find_format(asked);
        return *out ? 0 : refuse_format(asked, err);
    }
    *out = accepted(exchange);
    return *out ? 0
                : error_set(err, ERROR_INPUT,
                            "none of the types in the header Accept can be had; without "
                            "it the answer is JSON");
}
