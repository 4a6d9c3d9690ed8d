/* SPDX-License-Identifier: MIT */
#include "serve/pages/page.h"

#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "serve/pages/navigation.h"
#include "serve/pages/page_state.h"
#include "serve/pages/pages.h"
#include "serve/pages/words.h"
#include "view/chart/chart.h"
#include "view/web/template.h"
#include "view/web/web_files.h"

enum { QUERY_VALUES_MAX = 256 };

/* The row whose path this is: the whole of it, or its beginning where something follows. */
static const struct page_row *find_row(struct str path, struct str *thing)
{
    for (size_t i = 0; i < page_row_count; i++) {
        struct str own = str_of(page_rows[i].path);
        bool open = own.len > 1 && own.ptr[own.len - 1] == '/';
        if (open ? str_starts(path, own) && path.len > own.len : str_eq(path, own)) {
            *thing = (struct str){path.ptr + own.len, path.len - own.len};
            return &page_rows[i];
        }
    }
    return NULL;
}

/*
 * Files that pages load: each is all files of web/ whose names begin so, one after the other.
 */
static const struct page_file {
    const char *path, *made_of, *type;
} page_files[] = {
    {"/static/stint.css", "style/", "text/css; charset=utf-8"},
    {"/static/stint.js", "script/stint.js", "text/javascript; charset=utf-8"},
};

static const struct page_file *find_file(struct str path)
{
    for (size_t i = 0; i < COUNT_OF(page_files); i++) {
        if (str_eq(path, str_of(page_files[i].path))) {
            return &page_files[i];
        }
    }
    return NULL;
}

/* The style has the rules of the pictures besides. */
static void write_file(const struct page_file *file, struct page_reply *reply)
{
    for (size_t i = 0; i < web_files.count; i++) {
        if (str_starts(str_of(web_files.files[i].name), str_of(file->made_of))) {
            buf_add(&reply->body, web_files.files[i].text);
        }
    }
    if (file == &page_files[0]) {
        chart_css(&reply->body);
    }
    reply->type = file->type;
    reply->etag = arena_printf(&reply->arena, "%016llx",
                               (unsigned long long)str_hash(buf_str(&reply->body), 0));
}

static int read_values(struct page_view *view, struct error *err)
{
    struct str query = view->request->query, name, value;
    int failed = 0;
    view->values = arena_alloc(view->arena, QUERY_VALUES_MAX * sizeof *view->values);
    while (!failed && url_next(view->arena, &query, &name, &value, &failed, err)) {
        if (view->value_count == QUERY_VALUES_MAX) {
            return error_set(err, ERROR_LIMIT, "the address has more than %d values",
                             QUERY_VALUES_MAX);
        }
        if (!failed && value.len > 0) { /* a field of a form that was left empty says nothing */
            view->values[view->value_count++] =
                (struct request_value){arena_text(view->arena, name), value};
        }
    }
    return failed;
}

static bool has_period(const struct page_view *view)
{
    return view_value(view, "from").len > 0 || view_value(view, "to").len > 0;
}

static const struct {
    const char *label, *from;
} presets[] = {{"7 days", "7d"},
               {"30 days", "30d"},
               {"90 days", "90d"},
               {"12 months", "365d"},
               {"3 years", "1095d"}};

/* The choice of a period: the same address with another from. */
static void add_period(struct page_view *view)
{
    struct model *model = view->model;
    struct str from = view_value(view, "from"), to = view_value(view, "to");
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    model_text(model, "from", from);
    model_text(model, "to", to);
    model_list(model, "presets");
    for (size_t i = 0; i < COUNT_OF(presets); i++) {
        struct model *preset = model_add(model, "presets");
        buf_clear(&url);
        buf_addz(&url, view->request->prefix);
        buf_add(&url, view->request->path);
        for (size_t v = 0; v < view->value_count; v++) {
            struct str name = str_of(view->values[v].name);
            if (!str_eq(name, STR("from")) && !str_eq(name, STR("to"))) {
                url_add(&url, view->values[v].name, view->values[v].text);
            }
        }
        url_add(&url, "from", str_of(presets[i].from));
        model_text(preset, "label", str_of(presets[i].label));
        model_text(preset, "url", buf_str(&url));
        model_flag(preset, "here", to.len == 0 && str_eq(from, str_of(presets[i].from)));
    }
    buf_release(&url);
}

/* Pages that lie beside or below this one: of /live, those of nodes and GPUs. */
static void add_near(struct page_view *view, const struct page_row *here)
{
    const struct str base = STR("/live");
    model_list(view->model, "near");
    for (size_t i = 0; here && str_starts(str_of(here->path), base) && i < page_row_count;
         i++) {
        if (str_starts(str_of(page_rows[i].path), base)) {
            struct model *entry = model_add(view->model, "near");
            model_text(entry, "label", str_of(page_rows[i].title));
            model_format(entry, "url", "%s%s", view->request->prefix, page_rows[i].path);
            model_flag(entry, "here", here == &page_rows[i]);
        }
    }
}

/* The way to log in, which leads back here; on the page for it, to where it was come from. */
static void add_log_in(struct page_view *view, const struct page_row *row)
{
    const bool there = row && str_eq(str_of(row->path), STR("/login"));
    struct buf back, url;
    buf_init(&back, LIMIT_ARGUMENT);
    buf_init(&url, LIMIT_ARGUMENT);
    buf_add(&back, there ? view_value(view, "back") : view->request->path);
    if (!there && view->request->query.len > 0) {
        buf_addf(&back, "?%.*s", STR_ARG(view->request->query));
    }
    buf_addf(&url, "%s/login", view->request->prefix);
    if (back.len > 1) {
        url_add(&url, "back", buf_str(&back));
    }
    model_text(view->model, "log_in", buf_str(&url));
    buf_clear(&url);
    buf_addf(&url, "%s/login/openid", view->request->prefix);
    if (back.len > 1) {
        url_add(&url, "back", buf_str(&back));
    }
    model_text(view->model, "provider", str_of(view->request->provider));
    model_text(view->model, "provider_url", buf_str(&url));
    buf_release(&back);
    buf_release(&url);
}

/*
 * How old the listings of schedulers are, by the worst of them; nothing where no scheduler was
 * asked.
 */
static void add_freshness(struct page_view *view)
{
    struct answer nodes = {0};
    struct error ignored = {0};
    struct buf text;
    const int64_t now = view->service->now(), live = 600 * SECOND_US;
    const struct note *stale = NULL;
    size_t count = 0;
    buf_init(&text, LIMIT_ARGUMENT);
    if (view_ask(view, "nodes", "by=cluster", &nodes, &ignored) == 0 &&
        nodes.table.row_count > 0) {
        for (size_t i = 0; i < nodes.notes.count; i++) {
            const bool is_stale = nodes.notes.rows[i].kind == NOTE_STALE;
            stale = is_stale && !stale ? &nodes.notes.rows[i] : stale;
            count += is_stale;
        }
        if (count > 1) {
            buf_addf(&text, "%zu clusters behind", count);
        } else if (stale) {
            buf_addf(&text, "%s is behind", stale->about ? stale->about : "a cluster");
        } else if (now - nodes.as_of < live) {
            words_span(&text, now - nodes.as_of);
            buf_addz(&text, " old");
        } else {
            buf_addz(&text, "as of ");
            words_instant(&text, view->service->zone, nodes.as_of, now);
        }
        model_text(view->model, "fresh", buf_str(&text));
        model_text(view->model, "fresh_tone", stale ? STR("warn") : STR("ok"));
        model_text(view->model, "fresh_says",
                   stale ? view_note(view, str_of(stale->text))
                         : STR("the oldest listing of nodes and jobs that a scheduler gave"));
    }
    buf_release(&text);
    answer_release(&nodes);
}

static void begin_page(struct page_view *view, const struct page_row *row)
{
    struct model *model = view->model;
    struct buf patterns;
    char as_of[INSTANT_TEXT_MAX];
    buf_init(&patterns, LIMIT_ARGUMENT);
    chart_patterns(&patterns);
    model_markup(model, "patterns", arena_copy(view->arena, buf_str(&patterns)));
    buf_release(&patterns);
    model_text(model, "prefix", str_of(view->request->prefix));
    model_format(model, "home", "%s/", view->request->prefix);
    model_format(model, "style", "%s/static/stint.css", view->request->prefix);
    model_format(model, "script", "%s/static/stint.js", view->request->prefix);
    model_format(model, "search", "%s/search", view->request->prefix);
    model_format(model, "suggest", "%s/suggest", view->request->prefix);
    model_text(model, "wanted", (struct str){0});
    model_format(model, "self", "%s%.*s", view->request->prefix, STR_ARG(view->request->path));
    model_text(model, "login", str_of(view->request->login));
    model_text(model, "token", view->request->token);
    const bool live =
        row && view->service->caller->role > ROLE_ANYONE &&
        (str_starts(str_of(row->path), STR("/live")) || str_eq(str_of(row->path), STR("/")));
    model_text(model, "fresh", (struct str){0});
    if (row &&
        (live || row->menu == RIGHT_OWN || str_eq(str_of(row->path), STR("/attention")))) {
        add_freshness(view);
    }
    model_format(model, "events", "%s%s", live ? view->request->prefix : "",
                 live ? "/api/v1/events" : "");
    model_format(model, "do", "%s/do/", view->request->prefix);
    model_format(model, "me", "%s/me", view->request->prefix);
    add_log_in(view, row);
    model_format(model, "log_out", "%s/logout", view->request->prefix);
    model_text(model, "title", str_of(row ? row->title : "Not found"));
    model_text(model, "thing",
               view->cluster.ptr
                   ? str_of(arena_printf(view->arena, "%.*s of %.*s", STR_ARG(view->thing),
                                         STR_ARG(view->cluster)))
                   : view->thing);
    int64_t now = view->service->now();
    struct buf moment;
    buf_init(&moment, LIMIT_ARGUMENT);
    words_instant(&moment, view->service->zone, now, now);
    model_text(model, "as_of", buf_str(&moment));
    buf_release(&moment);
    model_text(model, "as_of_exact",
               str_of(zone_print(view->service->zone, now - now % SECOND_US, as_of)));
    model_text(model, "failure", str_of(view->request->failure));
    model_flag(model, "denied", false);
    model_flag(model, "barred", false);
    model_flag(model, "lost", false);
    model_list(model, "panels");
    model_flag(model, "has_period", row && row->period);
    navigation_add(view, row);
    add_near(view, row);
    add_period(view);
}

/*
 * A page about something of which nothing is known is a sentence; on others each panel says
 * what it cannot.
 */
static int fill(struct page_view *view, const struct page_row *row, struct error *err)
{
    bool missing = false;
    for (size_t i = 0; i < row->panel_count; i++) {
        const int failed = panel_add(view, view->model, &row->panels[i], err);
        missing = missing || failed == ERROR_MISSING;
    }
    if (missing && view->answered == 0) {
        return ERROR_MISSING;
    }
    return row->fill ? row->fill(view, err) : 0;
}

/*
 * What clusters have of their own may be of one of them: /node/birch/n1. Slashes in a name are
 * %2F.
 */
static void take_cluster(struct page_view *view, const struct page_row *row)
{
    static const char *const paths[] = {"/node/", "/partition/"};
    struct str rest = view->thing;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        if (str_eq(str_of(row->path), str_of(paths[i])) && memchr(rest.ptr, '/', rest.len)) {
            view->cluster = str_cut(&rest, '/');
            view->thing = rest;
        }
    }
}

/* The parts of the path as people wrote them. */
static int decode_path(struct page_view *view, const struct page_row *row, struct error *err)
{
    take_cluster(view, row);
    const int failed = url_decode(view->arena, view->thing, false, &view->thing, err);
    return failed || !view->cluster.ptr
               ? failed
               : url_decode(view->arena, view->cluster, false, &view->cluster, err);
}

static int make(struct page_view *view, const struct page_row *row, struct page_reply *reply,
                struct error *err)
{
    struct error wrong = {0};
    int failed = read_values(view, &wrong);
    if (!failed && row && row->period && !has_period(view)) {
        view->values[view->value_count++] = (struct request_value){"from", str_of(row->period)};
    }
    failed = failed || !row ? failed : decode_path(view, row, &wrong);
    begin_page(view, failed ? NULL : row);
    if (!row) {
        failed = error_set(&wrong, ERROR_MISSING, "there is no such page");
    }
    failed = failed ? failed : fill(view, row, &wrong);
    reply->failed = failed;
    const bool barred = failed == ERROR_DENIED && view->service->caller->role == ROLE_ANYONE;
    if (failed) {
        model_text(view->model, "failure",
                   barred ? (struct str){0} : view_note(view, str_of(wrong.text)));
        model_flag(view->model, "denied", false);
        model_flag(view->model, "barred", barred);
        model_flag(view->model, "lost", failed == ERROR_MISSING);
        state_add(view, failed);
    }
    const char *name =
        failed ? "pages/state.html" : arena_printf(view->arena, "pages/%s", row->template);
    reply->type = "text/html; charset=utf-8";
    return template_write(&reply->body, &web_files, name, view->model, err);
}

int page_answer(struct service *service, const struct page_request *request,
                struct page_reply *reply, struct error *err)
{
    struct arena arena = {0};
    struct page_view view = {.service = service, .request = request, .arena = &arena};
    buf_init(&reply->body, LIMIT_OUTPUT);
    const struct page_file *file = find_file(request->path);
    if (file) {
        write_file(file, reply);
        return 0;
    }
    view.model = model_new(&arena);
    const struct page_row *row = find_row(request->path, &view.thing);
    int failed = make(&view, row, reply, err);
    if (!failed && view.redirect) {
        reply->location = arena_text(&reply->arena, str_of(view.redirect));
        buf_clear(&reply->body);
    }
    arena_release(&arena);
    return failed;
}

void page_release(struct page_reply *reply)
{
    buf_release(&reply->body);
    arena_release(&reply->arena);
}
