/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The forms that a panel of a page may have besides tables and pictures: meters, numbers with
 * their change, lists of findings, grids of nodes and of GPUs, queues. Each fills lists of the
 * panel's model, which parts/sections.html marks up. Geometry is in percent, in attributes of
 * SVG: nothing has a style of its own. Inside serve/pages.
 */

#include "serve/pages/panel.h"

/* Which colour a mark has: of a resource, or of what is wrong. */
enum tone {
    TONE_NONE,
    TONE_OK,
    TONE_RUN,
    TONE_WARN,
    TONE_BAD,
    TONE_CPU,
    TONE_GPU,
    TONE_MEMORY,
    TONE_GREY,
    TONES,
};

const char *tone_name(enum tone tone); /* of a class of the style sheet */

/* The tone of a state of a run or of a node, in our words; TONE_NONE: it is no such word. */
enum tone tone_of_state(struct str word);

/*
 * Of a share of something that was held: little of it used is worth a colour. Below 0: not
 * known.
 */
enum tone tone_of_use(double share, enum tone otherwise);

/* --- cells by the name of their column ---------------------------------------------------- */

bool cell_real(const struct table *table, const char *id, size_t row, double *out);
double cell_number(const struct table *table, const char *id, size_t row, double otherwise);
/* The text, or what people read in its place; the null string for an absent cell. */
struct str cell_words(const struct table *table, const char *id, size_t row);
struct str cell_raw(const struct table *table, const char *id, size_t row);

/* --- forms -------------------------------------------------------------------------------- */

/* The one meter: how much of how much. */
struct meter {
    struct str label;
    struct str basis;   /* by whom it is known; may be the null string */
    struct str value;   /* "24 of 32 at work" */
    struct str context; /* "75 %" */
    double share;       /* of the whole width; below 0: not measured */
    double held;        /* a further part of it that is not settled; 0: none */
    double mark;        /* where a mark stands; below 0: none */
    struct str marked;  /* what it says */
    enum tone tone;
    struct str least, middle, most; /* of the axis; null strings: it has none */
    struct str url;
};

void shape_meter(struct model *panel, const struct meter *meter);

/* A large number. */
struct reading {
    struct str label, value, unit, context, url;
    bool known;       /* else the value says that it is not */
    double share;     /* a bar below it; below 0: none */
    double mark;      /* where a mark stands on the bar; below 0: none */
    struct str spark; /* a line below it, as markup; the null string: none */
    enum tone tone;
};

struct model *shape_reading(struct model *panel, const struct reading *reading);

/* What stands beside numbers that are compared with the time before: view->beside. */
struct reads_beside {
    const struct table *over_time;  /* the same measures by interval; NULL: not asked */
    size_t unsettled;               /* intervals at its end that are not over */
    const struct table *site;       /* a row with the same measures of everybody; NULL: none */
    const struct reading *readings; /* further numbers, behind the first */
    size_t reading_count;
};

/* A line of a list: what, more about it, when or how much, and where it leads. */
struct finding {
    enum tone tone;
    struct str what, more, when, url, act, act_url;
};

void shape_finding(struct model *panel, const char *list, const struct finding *finding);

/* A name and what there is to say of it; nothing where there is nothing to say. */
void shape_fact(struct model *panel, const char *name, struct str text, struct str url);

/* All lists of a panel of any of these forms, empty: a template may ask for each. */
void shape_begin(struct model *panel);

/* Draws what the panel's `show` names of an answer; false: it names none of these forms. */
bool shape_answer(struct page_view *view, struct model *panel, unsigned show,
                  const struct answer *answer);

/* What a measure is called above a large number. */
const char *shape_read_label(const struct column *column);

/* Of shape_reads.c: one row of `compare`, with what view->beside has of its measures. */
void shape_reads(struct page_view *view, struct model *panel, const struct answer *answer);

/* Of shape_live.c: one row of `nodes` a node; of `queue --by partition`, one a queue. */
void shape_nodes(struct page_view *view, struct model *panel, const struct answer *answer);
void shape_gpus(struct page_view *view, struct model *panel, const struct answer *answer);
void shape_queues(struct page_view *view, struct model *panel, const struct answer *answer);
void shape_out(struct page_view *view, struct model *panel, const struct answer *answer);
void shape_free(struct page_view *view, struct model *panel, const struct answer *answer);

/*
 * Of shape_time.c: one row of `jobs` with the fields start, end, id, user, name and class a
 * bar.
 */
void shape_gantt(struct page_view *view, struct model *panel, const struct answer *answer);

/* A piece of text that lasts as long as the page. */
struct str view_text(const struct page_view *view, const struct buf *text);
struct str view_printf(const struct page_view *view, const char *format, ...) PRINTF_LIKE(2, 3);
