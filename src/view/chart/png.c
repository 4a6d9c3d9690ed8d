/* SPDX-License-Identifier: MIT */
#include "view/chart/png.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* X(library, name): a missing one is found at load, not at use. */
#define PICTURE_FUNCTIONS(X)                                                                   \
    X(RSVG, rsvg_handle_new_from_data)                                                         \
    X(RSVG, rsvg_handle_render_document)                                                       \
    X(CAIRO, cairo_image_surface_create)                                                       \
    X(CAIRO, cairo_surface_status)                                                             \
    X(CAIRO, cairo_surface_destroy)                                                            \
    X(CAIRO, cairo_create)                                                                     \
    X(CAIRO, cairo_destroy)                                                                    \
    X(CAIRO, cairo_set_source_rgb)                                                             \
    X(CAIRO, cairo_paint)                                                                      \
    X(CAIRO, cairo_status_to_string)                                                           \
    X(CAIRO, cairo_surface_write_to_png_stream)                                                \
    X(GOBJECT, g_object_unref)                                                                 \
    X(GLIB, g_error_free)

enum library { RSVG, CAIRO, GOBJECT, GLIB, LIBRARIES };

static const char *const library_names[LIBRARIES] = {
    [RSVG] = "librsvg-2.so.2",
    [CAIRO] = "libcairo.so.2",
    [GOBJECT] = "libgobject-2.0.so.0",
    [GLIB] = "libglib-2.0.so.0",
};

/* Filled once, read-only afterwards. */
static struct picture {
#define X(library, name) __typeof__(name) *(name);
    PICTURE_FUNCTIONS(X)
#undef X
} picture;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

static int open_libraries(void *libraries[LIBRARIES], struct error *err)
{
    for (size_t i = 0; i < LIBRARIES; i++) {
        libraries[i] = dlopen(library_names[i], RTLD_LAZY | RTLD_LOCAL);
        if (!libraries[i]) {
            return error_set(
                err, ERROR_MISSING,
                "PNG needs librsvg, which is not installed (%s): install the package "
                "librsvg2-2 (Debian, Ubuntu) or librsvg2 (Fedora), or use --format svg",
                dlerror());
        }
    }
    return 0;
}

static int find_functions(void *const libraries[LIBRARIES], struct error *err)
{
    static const struct {
        enum library library;
        const char *name;
        size_t offset;
    } functions[] = {

#define X(library, name) {library, #name, offsetof(struct picture, name)},
        PICTURE_FUNCTIONS(X)
#undef X
    };
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        void *symbol = dlsym(libraries[functions[i].library], functions[i].name);
        if (!symbol) {
            return error_set(err, ERROR_MISSING,
                             "'%s' has no function '%s': PNG needs librsvg 2.52 or later",
                             library_names[functions[i].library], functions[i].name);
        }
        memcpy((char *)&picture + functions[i].offset, &symbol, sizeof(symbol));
    }
    return 0;
}

/* The libraries stay for as long as the program runs: they cannot be unloaded in good order. */
static int load(struct error *err)
{
    void *libraries[LIBRARIES] = {NULL};
    int failed = 0;
    pthread_mutex_lock(&load_lock);
    if (!loaded) {
        (void)((failed = open_libraries(libraries, err)) ||
               (failed = find_functions(libraries, err)));
        loaded = !failed;
    }
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
