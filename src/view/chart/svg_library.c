/* SPDX-License-Identifier: MIT */
#include "view/chart/svg_library.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/library.h"

/* Filled once, read-only afterwards. */
static struct drawing drawing;

#define X(name) {#name, offsetof(struct drawing, name)},
static const struct library_function rsvg_functions[] = {RSVG_FUNCTIONS(X)};
static const struct library_function cairo_functions[] = {CAIRO_FUNCTIONS(X)};
static const struct library_function gobject_functions[] = {GOBJECT_FUNCTIONS(X)};
static const struct library_function glib_functions[] = {GLIB_FUNCTIONS(X)};
#undef X

/* librsvg brings the others along. */
#define LIBRARY(file, table)                                                                   \
    {                                                                                          \
        .names = {file}, .what = "librsvg",                                                    \
        .needed_for = "PNG and PDF, in contrast to SVG and HTML, need librsvg",                \
        .package = "librsvg2-2", .version = "2.52", .functions = (table),                      \
        .function_count = COUNT_OF(table)                                                      \
    }
static const struct library libraries[] = {
    LIBRARY("librsvg-2.so.2", rsvg_functions),
    LIBRARY("libcairo.so.2", cairo_functions),
    LIBRARY("libgobject-2.0.so.0", gobject_functions),
    LIBRARY("libglib-2.0.so.0", glib_functions),
};

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

int drawing_load(const struct drawing **out, struct error *err)
{
    int failed = 0;
    pthread_mutex_lock(&load_lock);
    for (size_t i = 0; !loaded && !failed && i < COUNT_OF(libraries); i++) {
        failed = library_load(&libraries[i], &drawing, err);
    }
    loaded = !failed;
    pthread_mutex_unlock(&load_lock);
    *out = &drawing;
    return failed;
}

int drawing_add_bytes(void *closure, const unsigned char *data, unsigned length)
{
    enum { WRITE_ERROR = 11 }; /* CAIRO_STATUS_WRITE_ERROR */

    struct buf *out = closure;
    buf_add(out, (struct str){(const char *)data, length});
    return out->overflow ? WRITE_ERROR : 0;
}

static int refuse_svg(const struct drawing *by, struct drawing_error *why, struct error *err)
{
    int failed = error_set(err, ERROR_INPUT, "librsvg cannot draw the picture: %s",
                           why ? why->message : "it does not say why");
    if (why) {
        by->g_error_free(why);
    }
    return failed;
}

int drawing_put(const struct drawing *by, void *surface, struct str svg,
                const struct drawing_rectangle *viewport, struct error *err)
{
    struct drawing_error *why = NULL;
    void *handle = by->rsvg_handle_new_from_data((const unsigned char *)svg.ptr, svg.len, &why);
    if (!handle) {
        return refuse_svg(by, why, err);
    }
    void *cairo = by->cairo_create(surface);
    by->cairo_set_source_rgb(cairo, 1, 1, 1);
    by->cairo_paint(cairo);
    int failed = by->rsvg_handle_render_document(handle, cairo, viewport, &why)
                     ? 0
                     : refuse_svg(by, why, err);
    by->cairo_destroy(cairo);
    by->g_object_unref(handle);
    return failed;
}
