/* SPDX-License-Identifier: MIT */
#include "view/chart/pdf.h"

#include "view/chart/svg_library.h"

int pdf_draw(struct buf *out, const struct pdf_page *pages, size_t count, const char *title,
             const char *date, struct error *err)
{
    enum { TITLE = 0, CREATED = 5 }; /* CAIRO_PDF_METADATA_TITLE, _CREATE_DATE */

    const struct drawing_rectangle viewport = {0, 0, PDF_WIDTH, PDF_HEIGHT};
    const struct drawing *by;
    int failed = drawing_load(&by, err);
    if (failed) {
        return failed;
    }
    void *surface =
        by->cairo_pdf_surface_create_for_stream(drawing_add_bytes, out, PDF_WIDTH, PDF_HEIGHT);
    by->cairo_pdf_surface_set_metadata(surface, TITLE, title);
    by->cairo_pdf_surface_set_metadata(surface, CREATED, date);
    for (size_t i = 0; !failed && i < count; i++) {
        failed = drawing_put(by, surface, buf_str(&pages[i].svg), &viewport, err);
        by->cairo_surface_show_page(surface);
    }
    by->cairo_surface_finish(surface);
    const int status = by->cairo_surface_status(surface);
    if (status && !failed) {
        failed = error_set(err, ERROR_LIMIT, "cannot make a PDF: %s",
                           by->cairo_status_to_string(status));
    }
    by->cairo_surface_destroy(surface);
    return failed;
}
