/* SPDX-License-Identifier: MIT */
#include "view/chart/png.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/library.h"

struct rectangle { /* RsvgRectangle */
    double x, y, width, height;
};

struct glib_error { /* GError */
    uint32_t domain;
    int code;
    char *message;
};

/*
 * The few functions that are called, as their manuals declare them: librsvg 2.52 or later, cairo 1.x,
 * whose interfaces do not change within a major version. Declared here rather than included, so that
 * building stint does not need the headers of two desktops' worth of libraries. They are never
 * linked: only their types are taken.
 */
typedef int (*write_function)(void *closure, const unsigned char *data, unsigned length);

void *rsvg_handle_new_from_data(const unsigned char *data, size_t length,
                                struct glib_error **err);
int rsvg_handle_render_document(void *handle, void *cairo, const struct rectangle *viewport,
                                struct glib_error **err);
void *cairo_image_surface_create(int format, int width, int height);
int cairo_surface_status(void *surface);
void cairo_surface_destroy(void *surface);
void *cairo_create(void *surface);
void cairo_destroy(void *cairo);
void cairo_set_source_rgb(void *cairo, double red, double green, double blue);
void cairo_paint(void *cairo);
const char *cairo_status_to_string(int status);
int cairo_surface_write_to_png_stream(void *surface, write_function write, void *closure);
void g_object_unref(void *object);
void g_error_free(struct glib_error *err);

/* X(name): a missing one is found at load, not at use. */
#define RSVG_FUNCTIONS(X)                                                                      \
    X(rsvg_handle_new_from_data)                                                               \
    X(rsvg_handle_render_document)
#define CAIRO_FUNCTIONS(X)                                                                     \
    X(cairo_image_surface_create)                                                              \
    X(cairo_surface_status)                                                                    \
    X(cairo_surface_destroy)                                                                   \
    X(cairo_create)                                                                            \
    X(cairo_destroy)                                                                           \
    X(cairo_set_source_rgb)                                                                    \
    X(cairo_paint)                                                                             \
    X(cairo_status_to_string)                                                                  \
    X(cairo_surface_write_to_png_stream)
#define GOBJECT_FUNCTIONS(X) X(g_object_unref)
#define GLIB_FUNCTIONS(X)    X(g_error_free)

/* Filled once, read-only afterwards. */
static struct picture {
#define X(name) __typeof__(name) *(name);
    RSVG_FUNCTIONS(X) CAIRO_FUNCTIONS(X) GOBJECT_FUNCTIONS(X) GLIB_FUNCTIONS(X)
#undef X
} picture;

#define X(name) {#name, offsetof(struct picture, name)},
static const struct library_function rsvg_functions[] = {RSVG_FUNCTIONS(X)};
static const struct library_function cairo_functions[] = {CAIRO_FUNCTIONS(X)};
static const struct library_function gobject_functions[] = {GOBJECT_FUNCTIONS(X)};
static const struct library_function glib_functions[] = {GLIB_FUNCTIONS(X)};
#undef X

/* librsvg brings the others along. */
#define LIBRARY(file, table)                                                                   \
    {                                                                                          \
        .names = {file}, .what = "librsvg",                                                    \
        .needed_for = "PNG, in contrast to --format svg, needs librsvg",                       \
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

static int load(struct error *err)
{
    int failed = 0;
    pthread_mutex_lock(&load_lock);
    for (size_t i = 0; !loaded && !failed && i < COUNT_OF(libraries); i++) {
        failed = library_load(&libraries[i], &picture, err);
    }
    loaded = !failed;
    pthread_mutex_unlock(&load_lock);
    return failed;
}

static int add_bytes(void *closure, const unsigned char *data, unsigned length)
{
    enum { WRITE_ERROR = 11 }; /* CAIRO_STATUS_WRITE_ERROR */

    struct buf *out = closure;
    buf_add(out, (struct str){(const char *)data, length});
    return out->overflow ? WRITE_ERROR : 0;
}

static int refuse_svg(struct glib_error *why, struct error *err)
{
    int failed = error_set(err, ERROR_INPUT, "librsvg cannot draw the picture: %s",
                           why ? why->message : "it does not say why");
    if (why) {
        picture.g_error_free(why);
    }
    return failed;
}

static int draw_on(void *surface, struct str svg, const struct rectangle *viewport,
                   struct error *err)
{
    struct glib_error *why = NULL;
    void *handle =
        picture.rsvg_handle_new_from_data((const unsigned char *)svg.ptr, svg.len, &why);
    if (!handle) {
        return refuse_svg(why, err);
    }
    void *cairo = picture.cairo_create(surface);
    picture.cairo_set_source_rgb(cairo, 1, 1, 1);
    picture.cairo_paint(cairo);
    int failed = picture.rsvg_handle_render_document(handle, cairo, viewport, &why)
                     ? 0
                     : refuse_svg(why, err);
    picture.cairo_destroy(cairo);
    picture.g_object_unref(handle);
    return failed;
}

int png_draw(struct buf *out, struct str svg, double width, double height, struct error *err)
{
    enum { RGB24 = 1 }; /* CAIRO_FORMAT_RGB24 */

    int failed = load(err);
    if (failed) {
        return failed;
    }
    const struct rectangle viewport = {0, 0, width * PNG_SCALE, height * PNG_SCALE};
    void *surface =
        picture.cairo_image_surface_create(RGB24, (int)viewport.width, (int)viewport.height);
    int status = picture.cairo_surface_status(surface);
    if (!status) {
        failed = draw_on(surface, svg, &viewport, err);
    }
    if (!status && !failed) {
        status = picture.cairo_surface_write_to_png_stream(surface, add_bytes, out);
    }
    if (status && !failed) {
        failed =
            error_set(err, ERROR_LIMIT, "cannot make a PNG of %.0f x %.0f: %s", viewport.width,
                      viewport.height, picture.cairo_status_to_string(status));
    }
    picture.cairo_surface_destroy(surface);
    return failed;
}
