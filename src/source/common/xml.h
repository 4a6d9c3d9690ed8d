/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Walking over the XML that schedulers print: elements, attributes, text. Enough for documents
 * that a program writes by a fixed plan, where an element is found by its name; not a
 * validating parser. Comments, declarations and processing instructions are stepped over. Never
 * reads outside the text, whatever it holds.
 */

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

struct xml_tag {
    struct str name;
    struct str attributes; /* as they stand */
    bool closes;           /* </name> */
    bool empty;            /* <name/> */
    struct str text;       /* what follows up to the next tag, entities and all */
};

/* Takes the next tag off *rest; false if no tag is left. */
bool xml_next(struct str *rest, struct xml_tag *tag);

/* An attribute's value as it stands; the null string if it is absent. */
struct str xml_attribute(const struct xml_tag *tag, const char *name);

/*
 * Text with &lt; &gt; &amp; &quot; and &apos; undone, other entities as they stand; in the
 * arena if need be.
 */
struct str xml_unescape(struct str text, struct arena *arena);

/* The same without blanks at its ends. */
struct str xml_text(struct str text, struct arena *arena);
