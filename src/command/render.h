/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * An answer on its way out: formatted as asked, to standard output or a file. Notes for people
 * go with tables and pictures only; machine formats hold data and nothing else, and what must
 * be said all the same is for the caller to say elsewhere.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "command/output.h"
#include "service/core/service.h"

struct render_options {
    struct str format;
    const char *output; /* NULL: standard output */
    const struct zone *zone;
    size_t width; /* 0: not a terminal, unlimited */
    bool header, ascii, colour, quiet;
    bool defused;   /* csv and tsv: see export_style */
    bool raw;       /* the same */
    bool with_meta; /* machine formats say what there is to know about the answer, see meta.h */
    bool plot;      /* a picture above the table */
    struct str chart;  /* kind of picture; the null string: what suits the answer */
    const char *title; /* of the picture; NULL: made from the answer */
};

/* The formats there are, until NULL: for --format. */
const char *render_format_name(size_t index);

bool render_is_for_people(struct str format); /* and not for programs */

/*
 * Whether the options go together: asked before the question is, which may take long.
 * ERROR_USAGE says what does not.
 */
int render_check(const struct render_options *options, struct error *err) MUST_CHECK;

/* Whether the notes of an answer are shown with it. */
bool render_shows_notes(const struct render_options *options);

/*
 * Where the rows of a format for machines go while they are found: for `answer->sink`, with
 * output_take. The receiver closes or abandons it.
 */
int render_output(const struct render_options *options, struct output *output,
                  struct error *err) MUST_CHECK;

/* Shows an answer that is there as a whole. */
int render_answer(const struct answer *answer, const struct render_options *options,
                  struct error *err) MUST_CHECK;
