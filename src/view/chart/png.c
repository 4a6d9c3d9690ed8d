/* SPDX-License-Identifier: MIT */
#include "view/chart/png.h"

#include "view/chart/svg_library.h"

int png_draw(struct buf *out, struct str svg, double width, double height, struct error *err)
{
    enum { RGB24 = 1 }; /* CAIRO_FORMAT_RGB24 */

    const struct drawing *by;
    int failed = drawing_load(&by, err);
    if (failed) {
        return failed;
    }
    const struct drawing_rectangle viewport = {0, 0, width * PNG_SCALE, height * PNG_SCALE};
    void *surface =
        by->cairo_image_surface_create(RGB24, (int)viewport.width, (int)viewport.height);
    int status = by->cairo_surface_status(surface);
    if (!status) {
        failed = drawing_put(by, surface, svg, &viewport, err);
    }
    if (!status && !failed) {
        status = by->cairo_surface_write_to_png_stream(surface, drawing_add_bytes, out);
    }
    if (status && !failed) {
        failed = error_set(err, ERROR_LIMIT, "cannot make a PNG of %.0f x %.0f: %s",
                           viewport.width, viewport.height, by->cairo_status_to_string(status));
    }
    by->cairo_surface_destroy(surface);
    return failed;
}
