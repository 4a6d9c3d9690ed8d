/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Pages are HTML files with places for values; C decides what is shown, they decide how it is
 * marked up.
 *
 *     {{name}}                              the value, escaped for where it stands
 *     {{#if name}} ... {{#else}} ... {{/if}}     for a text that is not empty, a list with rows,
 *                                           a flag that is set
 *     {{#each name}} ... {{/each}}          for each row of a list, whose own names come before
 *                                           those around it
 *     {{#part name}}                        another file, with the names of here
 *
 * Where a value stands decides how it is written, so that no value can leave its place: in text
 * and in an attribute it is escaped; between single quotes double ones stay as they are. In an
 * attribute that is an address, a value at its beginning is all of the address, and must lie on
 * this site; one that comes later is a piece of it, and is percent-encoded. Markup is for text
 * only. No value may stand in a script, a style, an event's attribute, or in a tag outside of a
 * quoted attribute: such a template is refused, whatever the value is.
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "view/web/model.h"

struct template_file {
    const char *name; /* "pages/overview.html" */
    struct str text;
};

/* The files templates come from. */
struct template_set {
    const struct template_file *files;
    size_t count;
};

/*
 * Adds the template called `name` with the values of `model`. What is wrong with a template is
 * ERROR_INTERNAL.
 */
int template_write(struct buf *out, const struct template_set *set, const char *name,
                   const struct model *model, struct error *err) MUST_CHECK;
