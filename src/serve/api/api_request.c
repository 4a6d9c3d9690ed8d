/* SPDX-License-Identifier: MIT */

/* What is asked of the API, as a request at the door. */

#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "serve/api/api.h"
#include "view/chart/chart.h"

const struct param api_params[] = {
    {.name = "format",
     .type = PARAM_TEXT,
     .value = "FORMAT",
     .help = "format of the response, instead of the header Accept; or a suffix: report.csv"},
    {.name = "zone",
     .type = PARAM_TEXT,
     .value = "ZONE",
     .help = "time zone of the calendar, e.g. Europe/Oslo; default the site's"},
    {.name = "year-starts",
     .type = PARAM_NUMBER,
     .value = "MONTH",
     .help = "first month of the year; default that of stint.conf, else 1"},
    {.name = "chart",
     .type = PARAM_CHOICE,
     .value = "KIND",
     .name_at = chart_kind_name,
     .help = "kind of chart, for svg; default: chosen to fit the data"},
    {.name = "title", .type = PARAM_TEXT, .value = "TEXT", .help = "title of the chart"},
    {.name = "no-formulas",
     .type = PARAM_FLAG,
     .help = "in csv and tsv, put ' before text that begins with =, +, -, @ or a tab, which "
             "spreadsheets would run as a formula"},
    {.name = "raw",
     .type = PARAM_FLAG,
     .help = "in csv, tsv and markdown, write text as it was recorded, control characters "
             "included"},
    {.name = "page-size",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "rows per page, up to 10000; the header Link has the address of the next page"},
    {.name = "cursor",
     .type = PARAM_TEXT,
     .value = "CURSOR",
     .help = "start of the page, from the header Link of the previous page"},
};

const size_t api_param_count = COUNT_OF(api_params);

bool api_offers(const struct operation *operation)
{
    bool any = operation->action_count == 0;
    for (size_t i = 0; i < operation->action_count; i++) {
        any = any || !(operation->actions[i].traits & ACTION_LOCAL);
    }
    /* what it reads does not come along */
    for (size_t i = 0; i < operation->param_count; i++) {
        any =
            any && !(operation->params[i].required && operation->params[i].type == PARAM_INPUT);
    }
    return any && !operation->local;
}

struct reading {
    struct exchange *exchange;
    const struct operation *operation;
    struct request_value *values;
    size_t count;
};

static bool is_own(const struct operation *operation, struct str name, struct param *out)
{
    for (size_t i = 0; operation_param(operation, i, out); i++) {
        if (str_eq(name, str_of(out->name))) {
            return true;
        }
    }
    return false;
}

static bool is_general(struct str name)
{
    for (size_t i = 0; i < api_param_count; i++) {
        if (str_eq(name, str_of(api_params[i].name))) {
            return true;
        }
    }
    return false;
}

bool api_is_no(struct str value)
{
    return str_eq(value, STR("0")) || str_eq(value, STR("false")) || str_eq(value, STR("no"));
}

static int add_value(struct reading *reading, struct str name, struct str value,
                     struct error *err)
{
    struct param param;
    const bool own = is_own(reading->operation, name, &param);
    if ((!own && is_general(name)) || (own && param.type == PARAM_FLAG && api_is_no(value))) {
        return 0;
    }
    if (reading->count == EXCHANGE_PAIRS_MAX) {
        return error_set(err, ERROR_USAGE, "more than %d values", EXCHANGE_PAIRS_MAX);
    }
    struct arena *arena = &reading->exchange->arena;
    reading->values[reading->count++] = (struct request_value){
        arena_text(arena, name), arena_copy(arena, value)}; /* each is followed by a NUL */
    return 0;
}

/* A text, a number or a truth of JSON. */
static int add_json(struct reading *reading, const char *name, const json_t *value,
                    struct error *err)
{
    struct arena *arena = &reading->exchange->arena;
    const struct str key = str_of(name);
    switch (json_typeof(value)) {
    case JSON_STRING:
        return add_value(reading, key,
                         (struct str){json_string_value(value), json_string_length(value)},
                         err);
    case JSON_INTEGER:
        return add_value(
            reading, key,
            str_of(arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value))),
            err);
    case JSON_TRUE:
        return add_value(reading, key, STR("true"), err);
    case JSON_FALSE:
        return add_value(reading, key, STR("false"), err);
    case JSON_NULL:
        return 0;
    case JSON_REAL:
        return add_value(reading, key,
                         str_of(arena_printf(arena, "%.15g", json_real_value(value))), err);
    case JSON_OBJECT:
    case JSON_ARRAY:
        break;
    }
    return error_set(err, ERROR_USAGE, "'%s' is a text, a number, or an array of them", name);
}

static int add_object(struct reading *reading, json_t *object, struct error *err)
{
    const char *name;
    json_t *value;
    int failed = 0;
    json_object_foreach(object, name, value)
    {
        const size_t count = json_is_array(value) ? json_array_size(value) : 0;
        for (size_t i = 0; !failed && i < count; i++) {
            failed = add_json(reading, name, json_array_get(value, i), err);
        }
        if (!failed && !json_is_array(value)) {
            failed = add_json(reading, name, value, err);
        }
    }
    return failed;
}

static int read_json(struct reading *reading, struct error *err)
{
    const struct str body = reading->exchange->body;
    json_error_t why;
    json_t *object = json_loadb(body.ptr, body.len, JSON_REJECT_DUPLICATES, &why);
    int failed = json_is_object(object)
                     ? add_object(reading, object, err)
                     : error_set(err, ERROR_INPUT, "the request is not a JSON object%s%s",
                                 object ? "" : ": ", object ? "" : why.text);
    json_decref(object);
    return failed;
}

static int add_pairs(struct reading *reading, const struct exchange_pairs *pairs,
                     struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < pairs->count; i++) {
        /* of a log-in's form, see serve/auth/identify.h */
        if (!str_eq(pairs->rows[i].name, STR("csrf"))) {
            failed = add_value(reading, pairs->rows[i].name, pairs->rows[i].value, err);
        }
    }
    return failed;
}

int api_read_request(struct exchange *exchange, const struct operation *operation,
                     struct request *out, struct error *err)
{
    struct reading reading = {
        .exchange = exchange,
        .operation = operation,
        .values =
            arena_alloc(&exchange->arena, EXCHANGE_PAIRS_MAX * sizeof(struct request_value)),
    };
    struct str type = exchange_header(exchange, "Content-Type");
    type = str_trim(type.ptr ? str_cut(&type, ';') : STR(""));
    int failed = add_pairs(&reading, &exchange->query, err);
    failed = failed ? failed : add_pairs(&reading, &exchange->form, err);
    if (!failed && exchange->body.len > 0 && str_eq_nocase(type, STR("application/json"))) {
        failed = read_json(&reading, err);
    } else if (!failed && exchange->body.len > 0 && exchange->form.count == 0) {
        failed = error_set(err, ERROR_INPUT,
                           "a request brings a form or a JSON object: say which by the header "
                           "Content-Type");
    }
    *out = (struct request){
        .operation = operation, .values = reading.values, .count = reading.count};
    return failed;
}
