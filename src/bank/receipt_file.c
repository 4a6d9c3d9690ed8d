/* SPDX-License-Identifier: MIT */

/* A receipt as a JSON document. */

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bank/amount.h"
#include "bank/receipt.h"
#include "base/json.h"
#include "base/limit.h"
#include "base/sha256.h"

enum { FORMAT = 1 };

/* --- out ---------------------------------------------------------------------------------- */

static void put_text(struct json *json, const char *key, struct str text)
{
    if (text.ptr) {
        json_put_key(json, key);
        json_put_text(json, text);
    }
}

static void put_int(struct json *json, const char *key, int64_t number)
{
    json_put_key(json, key);
    json_put_int(json, number);
}

static void put_amount(struct json *json, const char *key, int64_t amount)
{
    struct arena arena = {0};
    put_text(json, key, amount_print(&arena, amount));
    arena_release(&arena);
}

static void put_draws(struct json *json, const struct receipt *receipt)
{
    json_put_key(json, "draws");
    json_begin_array(json);
    for (size_t i = 0; i < receipt->draw_count; i++) {
        const struct ledger_draw_row *row = &receipt->draws[i];
        json_begin_object(json);
        put_text(json, "kind", row->kind);
        put_text(json, "name", row->name);
        put_text(json, "cluster", row->cluster);
        put_int(json, "from", row->from);
        put_int(json, "to", row->to);
        put_int(json, "opened", row->opened);
        put_int(json, "closed", row->closed);
        json_end_level(json);
    }
    json_end_level(json);
}

static void put_rules(struct json *json, const struct receipt *receipt)
{
    json_put_key(json, "rules");
    json_begin_array(json);
    for (size_t i = 0; i < receipt->rules.count; i++) {
        const struct cluster_rule *row = &receipt->rules.rows[i];
        json_begin_object(json);
        put_text(json, "cluster", row->cluster);
        put_text(json, "node", row->node);
        put_text(json, "partition", row->partition);
        put_text(json, "as", row->as);
        json_end_level(json);
    }
    json_end_level(json);
}

static void put_rates(struct json *json, const struct receipt *receipt)
{
    const struct kind *kind = kind_find(STR("rate"));
    json_put_key(json, "rates");
    json_begin_array(json);
    for (size_t i = 0; i < receipt->rate_count; i++) {
        const struct receipt_rates *rates = &receipt->rates[i];
        json_begin_object(json);
        put_int(json, "epoch", rates->epoch);
        json_put_key(json, "rows");
        json_begin_array(json);
        for (size_t k = 0; k < rates->count; k++) {
            json_begin_object(json);
            put_int(json, "id", rates->rows[k].id);
            for (size_t c = 0; c < kind->column_count; c++) {
                put_text(json, kind->columns[c].id, rates->rows[k].cells[c]);
            }
            json_end_level(json);
        }
        json_end_level(json);
        json_end_level(json);
    }
    json_end_level(json);
}

static void put_run(struct json *json, const struct receipt_run *row)
{
    json_begin_object(json);
    put_text(json, "run", row->run);
    put_text(json, "user", row->user);
    put_text(json, "cluster", row->cluster);
    put_text(json, "rate", row->rate);
    put_int(json, "version", row->version);
    put_int(json, "epoch", row->epoch);
    if (row->is_charged) {
        put_amount(json, "amount", row->amount);
    }
    put_amount(json, "counted", row->counted);
    if (row->earlier != 0) {
        put_amount(json, "earlier", row->earlier);
    }
    if (row->floor != INT64_MIN) {
        put_int(json, "open_from", row->floor);
    }
    json_end_level(json);
}

static void digest_of(struct str text, char out[SHA256_TEXT + 1])
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, text);
    sha256_end(&sha, out);
}

int receipt_write(const struct receipt *receipt, struct buf *out, struct error *err)
{
    struct json json = {.out = out, .indent = 1};
    json_begin_object(&json);
    put_int(&json, "receipt", FORMAT);
    put_text(&json, "account", receipt->account);
    put_text(&json, "zone", receipt->zone_name);
    put_int(&json, "first_day", receipt->first);
    put_int(&json, "end_day", receipt->last);
    put_int(&json, "link", receipt->link);
    put_text(&json, "head", receipt->head);
    put_amount(&json, "total", receipt->total);
    put_draws(&json, receipt);
    put_rules(&json, receipt);
    put_rates(&json, receipt);
    json_put_key(&json, "runs");
    json_begin_array(&json);
    for (size_t i = 0; i < receipt->run_count; i++) {
        put_run(&json, &receipt->runs[i]);
    }
    json_end_level(&json);
    json_put_key(&json, "elsewhere");
    json_begin_array(&json);
    for (size_t i = 0; i < receipt->elsewhere_count; i++) {
        json_put_text(&json, receipt->elsewhere[i]);
    }
    json_end_level(&json);
    char digest[SHA256_TEXT + 1];
    digest_of(buf_str(out), digest);
    json_put_key(&json, "digest");
    json_put_text(&json, str_of(digest));
    json_end_level(&json);
    buf_addc(out, '\n');
    return out->overflow
               ? error_set(err, ERROR_LIMIT, "the receipt is too long: choose a shorter period")
               : 0;
}

/* --- in ----------------------------------------------------------------------------------- */

/* One document on its way in; the first thing that is wrong is kept. */
struct reader {
    struct receipt *out;
    struct kind_world world;
    struct error *err;
    int failed;
};

static void refuse_receipt(struct reader *in, const char *key, const char *what)
{
    if (!in->failed) {
        in->failed = error_set(in->err, ERROR_INPUT, "not a receipt: '%s' %s", key, what);
    }
}

static struct str take_text(struct reader *in, const json_t *object, const char *key,
                            bool required)
{
    const json_t *value = json_object_get(object, key);
    if (!value && !required) {
        return (struct str){0};
    }
    if (!json_is_string(value)) {
        refuse_receipt(in, key, "is not a text");
        return STR("");
    }
    return arena_copy(&in->out->arena,
                      (struct str){json_string_value(value), json_string_length(value)});
}

static int64_t take_int(struct reader *in, const json_t *object, const char *key,
                        int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_integer(value)) {
        refuse_receipt(in, key, "is not a whole number");
    }
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

static int64_t take_amount(struct reader *in, const json_t *object, const char *key)
{
    const struct str text = take_text(in, object, key, true);
    struct error ignored = {0};
    int64_t amount = 0;
    if (!in->failed && amount_parse(text, &amount, &ignored) != 0) {
        refuse_receipt(in, key, "is not an amount");
    }
    return amount;
}

/* The rows of an array of objects, or of texts. */
static size_t take_array(struct reader *in, const json_t *object, const char *key,
                         const json_t **out)
{
    *out = json_object_get(object, key);
    if (!json_is_array(*out)) {
        refuse_receipt(in, key, "is not a list");
        return 0;
    }
    return json_array_size(*out);
}

static void take_draws(struct reader *in, const json_t *root)
{
    const json_t *list;
    const size_t count = take_array(in, root, "draws", &list);
    in->out->draws = arena_alloc(&in->out->arena, (count + 1) * sizeof(*in->out->draws));
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(list, i);
        in->out->draws[in->out->draw_count++] =
            (struct ledger_draw_row){.kind = take_text(in, row, "kind", true),
                                     .name = take_text(in, row, "name", true),
                                     .cluster = take_text(in, row, "cluster", false),
                                     .from = take_int(in, row, "from", INT64_MIN),
                                     .to = take_int(in, row, "to", INT64_MAX),
                                     .opened = take_int(in, row, "opened", INT64_MIN),
                                     .closed = take_int(in, row, "closed", INT64_MAX)};
    }
}

static void take_rules(struct reader *in, const json_t *root)
{
    const json_t *list;
    const size_t count = take_array(in, root, "rules", &list);
    struct cluster_rules *rules = &in->out->rules;
    rules->rows = arena_alloc(&in->out->arena, (count + 1) * sizeof(*rules->rows));
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(list, i);
        rules->rows[rules->count++] = (struct cluster_rule){
            take_text(in, row, "cluster", true), take_text(in, row, "node", false),
            take_text(in, row, "partition", false), take_text(in, row, "as", true)};
    }
}

/* A row of the kind `rate`: every cell has to be one that the books would take. */
static void take_rate(struct reader *in, const json_t *object, struct kind_row *out)
{
    const struct kind *kind = kind_find(STR("rate"));
    *out = (struct kind_row){.id = take_int(in, object, "id", 0)};
    for (size_t i = 0; !in->failed && i < kind->column_count; i++) {
        const struct str given = take_text(in, object, kind->columns[i].id, false);
        if (given.ptr && !in->failed) {
            in->failed = kind_read(&in->world, &kind->columns[i], given, &in->out->arena,
                                   &out->cells[i], in->err);
        }
    }
    if (!in->failed && !kind_cell(kind, out, "name").ptr) {
        refuse_receipt(in, "name", "is missing from a rate");
    }
    if (!in->failed && kind->check_row) {
        in->failed = kind->check_row(kind, out, in->err);
    }
}

static void take_rates(struct reader *in, const json_t *root)
{
    const json_t *list, *rows;
    const size_t count = take_array(in, root, "rates", &list);
    in->out->rates = arena_alloc(&in->out->arena, (count + 1) * sizeof(*in->out->rates));
    for (size_t i = 0; !in->failed && i < count; i++) {
        const json_t *object = json_array_get(list, i);
        struct receipt_rates *rates = &in->out->rates[i];
        *rates = (struct receipt_rates){.epoch = take_int(in, object, "epoch", 0)};
        const size_t rate_count = take_array(in, object, "rows", &rows);
        rates->rows = arena_alloc(&in->out->arena, (rate_count + 1) * sizeof(*rates->rows));
        for (size_t k = 0; !in->failed && k < rate_count; k++) {
            take_rate(in, json_array_get(rows, k), &rates->rows[rates->count++]);
        }
        in->out->rate_count++;
        if (!in->failed) {
            rates_of_rows(rates->rows, rates->count, in->out->zone, &rates->list);
        }
    }
}

static int compare_runs(const void *a, const void *b)
{
    return str_compare(((const struct receipt_run *)a)->run,
                       ((const struct receipt_run *)b)->run);
}

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static void take_runs(struct reader *in, const json_t *root)
{
    const json_t *list;
    const size_t count = take_array(in, root, "runs", &list);
    struct receipt *out = in->out;
    out->runs = arena_alloc(&out->arena, (count + 1) * sizeof(*out->runs));
    for (size_t i = 0; !in->failed && i < count; i++) {
        const json_t *row = json_array_get(list, i);
        const bool charged = json_object_get(row, "amount") != NULL;
        out->runs[out->run_count++] = (struct receipt_run){
            .run = take_text(in, row, "run", true),
            .user = take_text(in, row, "user", false),
            .cluster = take_text(in, row, "cluster", false),
            .rate = take_text(in, row, "rate", false),
            .version = take_int(in, row, "version", 0),
            .epoch = take_int(in, row, "epoch", 0),
            .is_charged = charged,
            .amount = charged ? take_amount(in, row, "amount") : 0,
            .counted = take_amount(in, row, "counted"),
            .earlier = json_object_get(row, "earlier") ? take_amount(in, row, "earlier") : 0,
            .floor = take_int(in, row, "open_from", INT64_MIN)};
    }
    qsort(out->runs, out->run_count, sizeof(*out->runs), compare_runs);
    for (size_t i = 1; !in->failed && i < out->run_count; i++) {
        if (str_eq(out->runs[i - 1].run, out->runs[i].run)) {
            refuse_receipt(in, "runs", "has a run twice");
        }
    }
}

static void take_elsewhere(struct reader *in, const json_t *root)
{
    const json_t *list;
    const size_t count = take_array(in, root, "elsewhere", &list);
    struct receipt *out = in->out;
    out->elsewhere = arena_alloc(&out->arena, (count + 1) * sizeof(*out->elsewhere));
    for (size_t i = 0; i < count; i++) {
        const json_t *name = json_array_get(list, i);
        if (!json_is_string(name)) {
            refuse_receipt(in, "elsewhere", "has something that is no name");
            return;
        }
        out->elsewhere[out->elsewhere_count++] = arena_copy(
            &out->arena, (struct str){json_string_value(name), json_string_length(name)});
    }
    qsort(out->elsewhere, out->elsewhere_count, sizeof(*out->elsewhere), compare_names);
}

static void take_document(struct reader *in, const json_t *root)
{
    struct receipt *out = in->out;
    if (!json_is_object(root) || take_int(in, root, "receipt", 0) != FORMAT) {
        refuse_receipt(in, "receipt", "is not a format that this version reads");
        return;
    }
    out->account = take_text(in, root, "account", true);
    out->zone_name = take_text(in, root, "zone", true);
    out->first = take_int(in, root, "first_day", INT64_MIN);
    out->last = take_int(in, root, "end_day", INT64_MAX);
    out->link = take_int(in, root, "link", 0);
    out->head = take_text(in, root, "head", false);
    out->total = take_amount(in, root, "total");
    if (in->failed || memchr(out->zone_name.ptr, '\0', out->zone_name.len)) {
        refuse_receipt(in, "zone", "is not the name of a zone");
        return;
    }
    in->failed = zone_open(arena_text(&out->arena, out->zone_name), &out->zone, in->err);
    in->world.zone = out->zone;
    if (!in->failed) {
        take_draws(in, root);
        take_rules(in, root);
        take_rates(in, root);
        take_runs(in, root);
        take_elsewhere(in, root);
    }
}

/* What comes before the digest has to be what it was made of. */
static void check_digest(struct receipt *receipt, const json_t *root, struct str text)
{
    const struct str key = STR(",\n \"digest\"");
    const json_t *said = json_object_get(root, "digest");
    char digest[SHA256_TEXT + 1] = "";
    for (size_t at = text.len; at-- > key.len;) {
        const struct str rest = {text.ptr + at - key.len, key.len};
        if (str_eq(rest, key)) {
            digest_of((struct str){text.ptr, at - key.len}, digest);
            break;
        }
    }
    if (!json_is_string(said) || !str_eq(str_of(digest), str_of(json_string_value(said)))) {
        receipt_find(receipt, "the receipt is not as it was written: its digest differs");
    }
}

int receipt_read(struct str text, struct receipt *out, struct error *err)
{
    struct reader in = {.out = out, .err = err};
    json_error_t where;
    *out = (struct receipt){0};
    json_t *root =
        json_loadb(text.ptr ? text.ptr : "", text.len, JSON_REJECT_DUPLICATES, &where);
    if (!root) {
        return error_set(err, ERROR_INPUT, "not a receipt: line %d: %s", where.line,
                         where.text);
    }
    take_document(&in, root);
    check_digest(out, root, text);
    json_decref(root);
    return in.failed;
}
