/* SPDX-License-Identifier: MIT */
#include "serve/pages/link.h"

#include "base/attribute.h"
#include "base/url.h"

/* Columns whose values have a page. */
static const struct {
    const char *column, *path;
    bool of_cluster; /* others of the same name may be of other clusters */
} paths[] = {
    {"user", "user", false},
    {"group", "group", false},
    {"metagroup", "metagroup", false},
    {"account", "account", false},
    {"project", "project", false},
    {"department", "department", false},
    {"partition", "partition", true},
    {"node", "node", true},
    {"cluster", "cluster", false},
    {"qos", "qos", false},
    {"run_id", "job", false},
    {"gpu_type", "gpu_type", false},
    {"reservation", "reservation", false},
    {"name", "name", false},
    {"example", "job", false},
};

bool link_of_value(struct buf *out, const char *prefix, struct str cluster, const char *column,
                   struct str value)
{
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        if (value.len > 0 && str_eq(str_of(column), str_of(paths[i].column))) {
            buf_addf(out, "%s/%s/", prefix, paths[i].path);
            if (paths[i].of_cluster && cluster.len > 0) {
                url_encode(out, cluster);
                buf_addc(out, '/');
            }
            url_encode(out, value);
            return true;
        }
    }
    return false;
}

void link_of_request(struct buf *out, const char *base, const struct request *request)
{
    buf_addz(out, base);
    for (size_t i = 0; i < request->count; i++) {
        url_add(out, request->values[i].name, request->values[i].text);
    }
}

static bool is_plain(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || memchr("_-.,:/@%+=", c, 10);
        if (!plain) {
            return false;
        }
    }
    return text.len > 0;
}

/* As a POSIX shell reads it. */
static void add_word(struct buf *out, struct str text)
{
    if (is_plain(text)) {
        buf_add(out, text);
        return;
    }
    buf_addc(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'') {
            buf_addz(out, "'\\''");
        } else {
            buf_addc(out, text.ptr[i]);
        }
    }
    buf_addc(out, '\'');
}

static bool find_param(const struct operation *operation, const char *name, struct param *out)
{
    for (size_t i = 0; operation_param(operation, i, out); i++) {
        if (str_eq(str_of(out->name), str_of(name))) {
            return true;
        }
    }
    return false;
}

/*
 * Operations that have a page of their own; `path` ends with / where the values of parameter
 * `thing` follow.
 */
static const struct own_page {
    const char *operation, *path, *thing, *period;
} own_pages[] = {
    {"report", "/explore/", "measure", NULL},
    {"jobs", "/jobs", NULL, "30d"},
    {"job", "/job/", "id", NULL},
    {"compare", "/compare", NULL, NULL},
    {"waste", "/waste", NULL, NULL},
    {"forecast", "/forecast", NULL, NULL},
    {"history", "/history", NULL, NULL},
    {"when", "/when", NULL, NULL},
    {"sizes", "/sizes", NULL, NULL},
    {"rightsize", "/rightsize", NULL, NULL},
    {"energy", "/energy", NULL, NULL},
    {"measures", "/measures", NULL, NULL},
    {"metrics", "/metrics", NULL, NULL},
};

static const struct own_page *own_page_of(const struct request *request)
{
    for (size_t i = 0; i < COUNT_OF(own_pages); i++) {
        const struct own_page *page = &own_pages[i];
        struct str second;
        if (str_eq(str_of(request->operation->name), str_of(page->operation))) {
            /* the page of a job is that of one */
            const bool several =
                str_eq(str_of(page->operation), STR("job")) &&
                (request_each(request, "id", 1, &second) || request->count > 1);
            return several ? NULL : page;
        }
    }
    return NULL;
}

/* The values of the parameter that is in the path, with commas between. */
static void add_things(struct buf *out, const struct request *request, const char *thing)
{
    struct str text;
    for (size_t i = 0; request_each(request, thing, i, &text); i++) {
        buf_addz(out, i ? "," : "");
        for (struct str rest = text; rest.ptr;) {
            buf_addz(out, rest.ptr == text.ptr ? "" : ",");
            url_encode(out, str_cut(&rest, ','));
        }
    }
}

bool link_of_page(struct buf *out, const char *base, const struct request *request)
{
    const struct own_page *own = own_page_of(request);
    if (request_is_local(request) || request_changes(request)) {
        return false;
    }
    buf_addz(out, base);
    if (own) {
        buf_addz(out, own->path);
        add_things(out, request, own->thing ? own->thing : "");
    } else {
        buf_addf(out, "/answer/%s", request->operation->name);
    }
    for (size_t i = 0; i < request->count; i++) {
        const struct request_value *value = &request->values[i];
        struct param param;
        if (own && own->thing && str_eq(str_of(value->name), str_of(own->thing))) {
            continue;
        }
        const bool flag =
            find_param(request->operation, value->name, &param) && param.type == PARAM_FLAG;
        url_add(out, value->name, flag ? STR("yes") : value->text);
    }
    if (own && own->period && !request_has(request, "from") && !request_has(request, "to")) {
        url_add(out, "from", str_of(own->period));
    }
    return true;
}

void link_command(struct buf *out, const struct request *request)
{
    buf_addf(out, "stint %s", request->operation->name);
    for (size_t i = 0; i < request->count; i++) {
        const struct request_value *value = &request->values[i];
        struct param param;
        if (!find_param(request->operation, value->name, &param)) {
            continue;
        }
        buf_addc(out, ' ');
        if (!param.positional) {
            buf_addf(out, "--%s", param.name);
        }
        if (param.type != PARAM_FLAG) {
            buf_addz(out, param.positional ? "" : " ");
            add_word(out, value->text);
        }
    }
}

void link_pattern(struct buf *out, struct str name)
{
    bool glob = false;
    for (size_t i = 0; i < name.len; i++) {
        glob = glob || memchr("*?[,\\", name.ptr[i], 5) || (i == 0 && name.ptr[i] == '!');
    }
    for (size_t i = 0; i < name.len; i++) {
        if (glob && (name.ptr[i] == ',' || (i == 0 && name.ptr[i] == '!'))) {
            buf_addc(out, '?');
        } else {
            buf_addz(out, glob && memchr("*?[\\", name.ptr[i], 4) ? "\\" : "");
            buf_addc(out, name.ptr[i]);
        }
    }
}
