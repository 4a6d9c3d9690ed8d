/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * librsvg and cairo, for those who make PNG and PDF of SVG. Both are loaded on first use, as
 * DuckDB is (facts/duckdb/duck.h): a machine that never draws needs neither, and no start waits
 * for them. Inside view/chart only.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct drawing_rectangle { /* RsvgRectangle */
    double x, y, width, height;
};

struct drawing_error { /* GError */
    uint32_t domain;
    int code;
    char *message;
};

/*
 * The few functions that are called, as their manuals declare them: librsvg 2.52 or later,
 * cairo 1.x, whose interfaces do not change within a major version. Declared here rather than
 * included, so that building stint does not need the headers of two desktops' worth of
 * libraries. They are never linked: only their types are taken.
 */
typedef int (*drawing_write)(void *closure, const unsigned char *data, unsigned length);

void *rsvg_handle_new_from_data(const unsigned char *data, size_t length,
                                struct drawing_error **err);
int rsvg_handle_render_document(void *handle, void *cairo,
                                const struct drawing_rectangle *viewport,
                                struct drawing_error **err);
void *cairo_image_surface_create(int format, int width, int height);
int cairo_surface_status(void *surface);
void cairo_surface_destroy(void *surface);
void *cairo_create(void *surface);
void cairo_destroy(void *cairo);
void cairo_set_source_rgb(void *cairo, double red, double green, double blue);
void cairo_paint(void *cairo);
const char *cairo_status_to_string(int status);
void *cairo_pdf_surface_create_for_stream(drawing_write write, void *closure, double width,
                                          double height);
void cairo_pdf_surface_set_metadata(void *surface, int metadata, const char *text);
void cairo_surface_show_page(void *surface);
void cairo_surface_finish(void *surface);
int cairo_surface_write_to_png_stream(void *surface, drawing_write write, void *closure);
void g_object_unref(void *object);
void g_error_free(struct drawing_error *err);

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
    X(cairo_pdf_surface_create_for_stream)                                                     \
    X(cairo_pdf_surface_set_metadata)                                                          \
    X(cairo_surface_show_page)                                                                 \
    X(cairo_surface_finish)                                                                    \
    X(cairo_surface_write_to_png_stream)
#define GOBJECT_FUNCTIONS(X) X(g_object_unref)
#define GLIB_FUNCTIONS(X)    X(g_error_free)

struct drawing {
#define X(name) __typeof__(name) *(name);
    RSVG_FUNCTIONS(X) CAIRO_FUNCTIONS(X) GOBJECT_FUNCTIONS(X) GLIB_FUNCTIONS(X)
#undef X
};

/* The libraries, loaded once; ERROR_MISSING says which package to install. */
int drawing_load(const struct drawing **out, struct error *err) MUST_CHECK;

/* Draws an SVG on a surface of cairo, on white. */
int drawing_put(const struct drawing *drawing, void *surface, struct str svg,
                const struct drawing_rectangle *viewport, struct error *err) MUST_CHECK;

/* A drawing_write whose closure is a struct buf. */
int drawing_add_bytes(void *closure, const unsigned char *data, unsigned length);
