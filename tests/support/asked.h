/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Random questions about random runs, and their answers without SQL: which runs a filter takes, which rows there are, and the
 * value of each measure (support/slow_way.h) are worked out from an array of runs. Measures, dimensions and filters are drawn
 * from the catalogue; what a filter means is written down here a second time.
 *
 *     struct asked asked;
 *     asked_draw(&asked, &chance, &site, ASKED_EVERYTHING);
 *     ... ask asked.question, or asked_words(&asked, &words) at some door ...
 *     asked_expect(&asked, &site, &table);
 *
 * What differs fails the test, with asked_describe in the message.
 */

#include "report/question.h"
#include "support/chance.h"

enum { ASKED_FILTERS_MAX = 5, ASKED_ITEMS_MAX = 3, ASKED_TEXT_MAX = 64, ASKED_ZONES = 6 };

/* The zones that questions are asked in; the last begins its years in July. */
struct asked_zones {
    struct zone *zones[ASKED_ZONES];
};

void asked_zones_open(struct asked_zones *zones);
void asked_zones_close(struct asked_zones *zones);

/* A random run with what runs_add gives those that it adds first, second and so on. */
struct run asked_run(struct chance *chance, const struct asked_zones *zones, int64_t number);

/* The runs that there are for somebody, and what messages say of where they came from. */
struct asked_site {
    const struct run *const *runs;
    size_t count;
    const struct asked_zones *zones;
    const char *about; /* "seed 1, question 2" */
};

enum asked_item_kind { ITEM_ABSENT, ITEM_TEXT, ITEM_NUMBER, ITEM_RATIO };

/* One of the alternatives of a filter. Numbers are within [low, high], in the field's small unit. */
struct asked_item {
    enum asked_item_kind kind;
    bool negative;
    char text[ASKED_TEXT_MAX]; /* as typed, without ! */
    int64_t low, high;
    double real; /* of ITEM_RATIO: over this, or with `below` under it */
    bool below;
};

struct asked_filter {
    const struct field *field;
    struct asked_item items[ASKED_ITEMS_MAX];
    size_t item_count;
    char list[ASKED_ITEMS_MAX * (ASKED_TEXT_MAX + 2)]; /* as typed */
};

struct asked {
    struct question question; /* its filters borrow from this struct: it is not copied */
    struct asked_filter filters[ASKED_FILTERS_MAX];
    size_t filter_count;
    enum bucket cells; /* the finest stretch of time it needs */
    char from[ASKED_TEXT_MAX], to[ASKED_TEXT_MAX];
    /* there are no data of any cluster that it is about: what would be zero is unknown */
    bool uncovered;
};

/* How much is drawn. */
enum asked_size {
    ASKED_FEW,        /* a few measures, as people ask */
    ASKED_EVERYTHING, /* sometimes all there are */
};

void asked_draw(struct asked *asked, struct chance *chance, const struct asked_site *site,
                enum asked_size size);

/* Whether a run passes the filters. */
bool asked_takes(const struct asked *asked, const struct run *run);

/* Whether a cluster of this name passes those on clusters. */
bool asked_takes_cluster(const struct asked *asked, struct str cluster);

/*
 * Whether a refusal is right that says that no run has a value: a filter names one that no run here has, and the answer would
 * have been nothing but zeros.
 */
bool asked_names_nothing(const struct asked *asked, const struct asked_site *site);

/* A value of a request: --by user. */
struct asked_word {
    const char *name;
    char value[4096];
};

enum { ASKED_WORDS_MAX = 8 + ASKED_FILTERS_MAX };

/* The question as the values of `stint report`; how many. Zone and year are the caller's to pass on. */
size_t asked_words(const struct asked *asked, struct asked_word words[ASKED_WORDS_MAX]);

/* The question as the command that a person would type. Static text. */
const char *asked_describe(const struct asked *asked, const struct asked_site *site);

/* Fails unless a table is the answer: rows, order and every cell, exact to the last microsecond. */
void asked_expect(const struct asked *asked, const struct asked_site *site,
                  const struct table *table);
