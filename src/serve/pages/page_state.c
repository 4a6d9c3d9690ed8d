/* SPDX-License-Identifier: MIT */
#include "serve/pages/page_state.h"

#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "serve/pages/found.h"
#include "serve/pages/shape.h"

static void add_way(struct page_view *view, const char *label, struct str url)
{
    struct model *way = model_add(view->model, "ways_on");
    model_text(way, "label", str_of(label));
    model_text(way, "url", url);
}

/* The same address again: what was in the way may be over. */
static struct str again(const struct page_view *view)
{
    return view_printf(view, "%s%.*s%s%.*s", view->request->prefix,
                       STR_ARG(view->request->path), view->request->query.len ? "?" : "",
                       STR_ARG(view->request->query));
}

static struct str search_for(const struct page_view *view)
{
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    buf_addf(&url, "%s/search", view->request->prefix);
    url_add(&url, "q", view->thing);
    const struct str copy = view_text(view, &url);
    buf_release(&url);
    return copy;
}

void state_add(struct page_view *view, int failed)
{
    const char *prefix = view->request->prefix;
    model_list(view->model, "ways_on");
    model_list(view->model, "found");
    switch ((enum error_kind)failed) {
    case ERROR_MISSING:
        if (view->thing.len > 0) {
            add_way(view, "Search for it", search_for(view));
            found_add(view, view->thing, FOUND_QUICK);
        }
        break;
    case ERROR_DENIED:
        if (view->service->caller->role > ROLE_ANYONE) {
            add_way(view, "Your jobs and balance", view_printf(view, "%s/me", prefix));
        }
        break;
    case ERROR_CONFLICT:
    case ERROR_IO:
    case ERROR_STORE:
    case ERROR_STOPPED:
        add_way(view, "Try again", again(view));
        break;
    case ERROR_INPUT:
    case ERROR_USAGE:
    case ERROR_LIMIT:
        break;
    }
    add_way(view, "Overview", view_printf(view, "%s/", prefix));
}
