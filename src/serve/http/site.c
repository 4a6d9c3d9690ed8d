/* SPDX-License-Identifier: MIT */

/* The pages, over HTTP: what serve/pages makes of an address, as the reply. */

#include "serve/http/site.h"
#include "base/attribute.h"
#include "serve/api/api.h"
#include "serve/auth/identify.h"
#include "serve/auth/login.h"
#include "serve/auth/openid.h"
#include "serve/daemon/request_log.h"
#include "serve/daemon/server_context.h"
#include "serve/http/accept.h"
#include "serve/http/cache_key.h"
#include "serve/http/problem.h"
#include "serve/http/routes.h"
#include "serve/pages/page.h"

enum { PAGE_MAX = 4 << 20 }; /* bytes of a page, which is whole before it is sent */

static struct str query_of(struct str target)
{
    str_cut(&target, '?');
    return target;
}

static const char *caller_name(const struct caller *caller)
{
    return caller->role > ROLE_ANYONE ? caller->name : NULL;
}

static int send_reply(struct exchange *exchange, const struct page_reply *reply,
                      struct error *err)
{
    if (reply->location) {
        exchange_redirect(exchange, 303, reply->location);
        return 0;
    }
    if (reply->failed) {
        const bool unknown =
            reply->failed == ERROR_DENIED && exchange->caller.role == ROLE_ANYONE;
        exchange->status = unknown ? 401 : route_status((enum error_kind)reply->failed);
    }
    /*
     * a page with a secret of its reader beside what the address says must not be compressed
     * (BREACH)
     */
    exchange->compressible = reply->etag || !exchange->session.ptr;
    exchange_type(exchange, reply->type);
    if (reply->etag) {
        exchange_setf(exchange, "ETag", "\"%s\"", reply->etag);
        exchange_set(exchange, "Cache-Control", "public, max-age=300");
        if (accept_tag(exchange_header(exchange, "If-None-Match"),
                       exchange_get(exchange, "ETag"))) {
            exchange->status = 304;
            return 0;
        }
    }
    return exchange_write(exchange, buf_str(&reply->body), err);
}

/* What a page is made with beyond its address. */
struct showing {
    struct str path;
    const char *failure;
    const struct page_table *tables;
    size_t table_count;
};

static int send_page(struct exchange *exchange, const struct showing *showing,
                     struct error *err)
{
    struct session session;
    struct service service = server_context_service(exchange, &session);
    struct page_reply reply = {0};
    const struct caller public_caller =
        server_context_public_caller(server_context_of(exchange), exchange->caller.name);
    const struct page_request request = {
        .path = showing->path,
        .query = query_of(exchange->target),
        .prefix = server_context_of(exchange)->prefix,
        .login = caller_name(&exchange->caller),
        .token = exchange->session,
        .failure = showing->failure,
        .tables = showing->tables,
        .table_count = showing->table_count,
        .public_caller = server_context_of(exchange)->settings.totals ? &public_caller : NULL,
        .provider = server_context_of(exchange)->openid
                        ? openid_label(server_context_of(exchange)->openid)
                        : NULL,
    };
    struct books_session books = service_books_session(&service);
    session.lasting = true;
    service.shared_books = &books;
    int failed = page_answer(&service, &request, &reply, err);
    books_session_close(&books);
    session_close(&session);
    failed = failed ? failed : send_reply(exchange, &reply, err);
    page_release(&reply);
    return failed;
}

/* --- what was shown a moment ago ---------------------------------------------------------- */

/* How long a page, or metrics, stay as they are where nothing was written. */
#define FRESH_US INT64_C(5000000)

/* By address and by who asks: what they may see, their name, and what their forms repeat. */
static void make_key(const struct exchange *exchange, const char *what, struct buf *key)
{
    const struct str texts[] = {exchange->target, exchange->session};
    buf_init(key, EXCHANGE_TARGET_MAX * 2);
    buf_addf(key, "%s %d ", what, (int)exchange->secure);
    cache_key_add_caller(key, &exchange->caller);
    cache_key_add(key, texts, COUNT_OF(texts));
}

/*
 * What `make` writes into the exchange, or did a moment ago. What is too large, or failed, is
 * not kept.
 */
static int show_kept(struct exchange *exchange, const char *what,
                     int (*make)(struct exchange *exchange, struct error *err),
                     struct error *err)
{
    struct reply_cache *cache = server_context_of(exchange)->cache;
    const struct reply_cache_state state = server_context_state(server_context_of(exchange));
    struct cached cached;
    struct buf key;
    int failed = 0;
    make_key(exchange, what, &key);
    if (key.overflow || exchange->method == METHOD_POST) {
        failed = make(exchange, err);
    } else if (reply_cache_await(cache, buf_str(&key), state, stop_clock(), &exchange->arena,
                                 &cached)) {
        exchange->compressible = !exchange->session.ptr;
        exchange_type(exchange, cached.type.ptr);
        exchange_set(exchange, "Stint-Cache", "hit");
        failed = exchange_write(exchange, cached.body, err);
    } else {
        exchange->whole_max = PAGE_MAX;
        failed = make(exchange, err);
        if (!failed && exchange->status == 200 && !exchange->streaming &&
            !exchange_get(exchange, "ETag").ptr) {
            const struct cached made = {.type = exchange_get(exchange, "Content-Type"),
                                        .tag = STR(""),
                                        .body = buf_str(&exchange->reply)};
            reply_cache_keep(cache, buf_str(&key), state, stop_clock() + FRESH_US, &made);
        }
        reply_cache_made(cache, buf_str(&key));
    }
    buf_release(&key);
    return failed;
}

static int make_page(struct exchange *exchange, struct error *err)
{
    return send_page(exchange, &(struct showing){.path = exchange->path}, err);
}

/* Files stay as they are and are at hand; pages are asked for. */
static int show_page(struct exchange *exchange, struct error *err)
{
    return str_starts(exchange->path, STR("/static/"))
               ? make_page(exchange, err)
               : show_kept(exchange, "page", make_page, err);
}

static void go_home(struct exchange *exchange)
{
    exchange_redirect(
        exchange, 303,
        arena_printf(&exchange->arena, "%s/", server_context_of(exchange)->prefix));
}

int site_refuse(struct exchange *exchange, int status, struct error *err)
{
    const char *sentence = arena_text(&exchange->arena, str_of(err->text));
    exchange->status = status;
    return send_page(exchange, &(struct showing){.path = STR("/login"), .failure = sentence},
                     err);
}

/* Back to the form, with the sentence, where name and password are not right. */
static int log_in(struct exchange *exchange, struct error *err)
{
    int failed = login_begin(exchange, exchange_form(exchange, "name"),
                             exchange_form(exchange, "password"), err);
    if (failed == ERROR_CONFLICT || failed == ERROR_DENIED) {
        return site_refuse(exchange, failed == ERROR_CONFLICT ? 429 : 403, err);
    }
    if (!failed) {
        const struct str back = login_back(exchange_query(exchange, "back"));
        exchange_redirect(exchange, 303,
                          arena_printf(&exchange->arena, "%s%.*s",
                                       server_context_of(exchange)->prefix, STR_ARG(back)));
    }
    return failed;
}

static int log_out(struct exchange *exchange, struct error *err)
{
    int failed = identify_check_form(exchange, err);
    failed = failed ? failed : login_end(exchange, err);
    if (!failed) {
        go_home(exchange);
    }
    return failed;
}

/* --- forms that change something ---------------------------------------------------------- */

/*
 * The page that a form came from, on this site; the start page where it says nothing of the
 * kind.
 */
static struct str back_of(const struct exchange *exchange)
{
    return login_back(exchange_form(exchange, "back"));
}

/*
 * What the form asks. A field that was left empty says nothing, unless it takes away what was
 * there (set).
 */
static struct request read_form(struct exchange *exchange, const struct operation *operation)
{
    const bool setting = str_eq(exchange_form(exchange, "action"), STR("set"));
    struct request_value *values =
        arena_alloc(&exchange->arena, (exchange->form.count + 1) * sizeof(*values));
    size_t count = 0;
    for (size_t i = 0; i < exchange->form.count; i++) {
        const struct exchange_pair *pair = &exchange->form.rows[i];
        const bool ours = str_eq(pair->name, STR("csrf")) || str_eq(pair->name, STR("back"));
        if (!ours && (setting || pair->value.len > 0)) {
            values[count++] = (struct request_value){arena_text(&exchange->arena, pair->name),
                                                     arena_copy(&exchange->arena, pair->value)};
        }
    }
    return (struct request){.operation = operation, .values = values, .count = count};
}

/* Back to the page with the sentence of what went wrong. */
static int show_failure(struct exchange *exchange, int failed, const struct error *why,
                        struct error *err)
{
    struct str path = back_of(exchange);
    const char *sentence = arena_text(&exchange->arena, str_of(why->text));
    exchange->status = route_status((enum error_kind)failed);
    return send_page(exchange,
                     &(struct showing){.path = str_cut(&path, '?'), .failure = sentence}, err);
}

/* A secret that is shown this once: a token, a password. */
static bool is_secret(const struct table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const struct str id = str_of(table->columns[i].id);
        if (table->row_count > 0 && (str_eq(id, STR("token")) || str_eq(id, STR("password")))) {
            return true;
        }
    }
    return false;
}

static int do_operation(struct exchange *exchange, struct error *err)
{
    const struct operation *operation = operation_find(exchange->parts[0]);
    struct answer answer = {0};
    struct error why = {0};
    int failed = identify_check_form(exchange, err);
    if (failed) {
        return failed;
    }
    if (!operation || !api_offers(operation)) {
        return error_set(err, ERROR_MISSING, "there is no such page");
    }
    const struct request request = read_form(exchange, operation);
    failed = server_context_ask(exchange, &request, NULL, &answer, &why);
    if (failed) {
        failed = show_failure(exchange, failed, &why, err);
    } else if (is_secret(&answer.table)) {
        const struct page_table shown[] = {{"It is shown this once: keep it", &answer.table}};
        failed = send_page(
            exchange,
            &(struct showing){.path = STR("/done"), .tables = shown, .table_count = 1}, err);
    } else {
        const struct str back = back_of(exchange);
        exchange_redirect(exchange, 303,
                          arena_printf(&exchange->arena, "%s%.*s",
                                       server_context_of(exchange)->prefix, STR_ARG(back)));
    }
    answer_release(&answer);
    return failed;
}

/* A caller who may not see it gets a page that says so. */
static int refuse_inside(struct exchange *exchange, struct error *err)
{
    const bool anyone = exchange->caller.role == ROLE_ANYONE;
    const char *sentence =
        anyone
            ? "log in first: this page is for staff"
            : arena_printf(&exchange->arena, "this page is for staff, and %s has the role %s",
                           exchange->caller.name, role_name(exchange->caller.role));
    exchange->status = anyone ? 401 : 403;
    return send_page(exchange, &(struct showing){.path = STR("/inside"), .failure = sentence},
                     err);
}

static int show_inside(struct exchange *exchange, struct error *err)
{
    if (!caller_may(&exchange->caller, RIGHT_ALL)) {
        return refuse_inside(exchange, err);
    }

    struct request_log_tables tables = {0};
    struct page_table shown[REQUEST_LOG_TABLES];
    request_log_describe(server_context_of(exchange), &tables);
    for (size_t i = 0; i < REQUEST_LOG_TABLES; i++) {
        shown[i] = (struct page_table){request_log_title(i), &tables.rows[i]};
    }
    int failed = send_page(exchange,
                           &(struct showing){.path = STR("/inside"),
                                             .tables = shown,
                                             .table_count = REQUEST_LOG_TABLES},
                           err);
    request_log_tables_release(&tables);
    return failed;
}

/* The form that the client reads: Prometheus says which; others get the older one. */
static bool is_open(const struct exchange *exchange)
{
    static const char *const types[] = {"text/plain", "application/openmetrics-text"};
    return exchange_accepts(exchange, types, COUNT_OF(types)) == 1;
}

static int make_metrics(struct exchange *exchange, struct error *err)
{
    const bool open = is_open(exchange);
    const struct request_value as = {"as", open ? STR("openmetrics") : STR("prometheus")};
    const struct request request = {
        .operation = operation_find(STR("metrics")), .values = &as, .count = 1};
    struct answer answer = {0};
    int failed = server_context_ask(exchange, &request, NULL, &answer, err);
    if (!failed) {
        exchange->compressible = true;
        exchange_type(exchange,
                      open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                           : "text/plain; version=0.0.4; charset=utf-8");
        failed = exchange_write(exchange, buf_str(&answer.document), err);
    }
    answer_release(&answer);
    return failed;
}

static int send_metrics(struct exchange *exchange, struct error *err)
{
    return show_kept(exchange, is_open(exchange) ? "openmetrics" : "metrics", make_metrics,
                     err);
}

static const struct route rows[] = {
    {"/metrics", METHOD_GET, RIGHT_ALL, send_metrics},
    {"/login", METHOD_POST, RIGHT_PUBLIC, log_in},
    {"/logout", METHOD_POST, RIGHT_PUBLIC, log_out},
    {"/do/:operation", METHOD_POST, RIGHT_OWN, do_operation},
    {"/inside", METHOD_GET, RIGHT_PUBLIC, show_inside}, /* which looks itself */
    {"/", METHOD_GET, RIGHT_PUBLIC, show_page},
    {"/*", METHOD_GET, RIGHT_PUBLIC, show_page},
};

const struct route_table site_routes = {
    .rows = rows,
    .count = COUNT_OF(rows),
    .below = "",
    .fail = problem_write,
};
