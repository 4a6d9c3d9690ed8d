/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Numbers for Prometheus: families of samples that differ by their labels; in the text form of
 * OpenMetrics, or in the older one of Prometheus, which node_exporter's text files have.
 *
 *     openmetrics_family(out, form, &family);
 *     openmetrics_begin(out, &family);
 *     openmetrics_label(out, "cluster", STR("alder"));
 *     openmetrics_real(out, 12);
 *     ...
 *     openmetrics_end(out, form);
 */

#include "base/buf.h"
#include "base/str.h"
#include "table/table.h"

enum openmetrics_form { FORM_PROMETHEUS, FORM_OPENMETRICS };

enum openmetrics_type {
    METRIC_GAUGE,
    METRIC_COUNTER, /* samples have _total behind the name */
    METRIC_INFO,    /* samples have _info behind the name, and are 1 */
};

struct openmetrics_family {
    const char *name;
    enum openmetrics_type type;
    const char *unit; /* the name ends with it: "seconds", "bytes"; NULL: none */
    const char *help;
};

void openmetrics_family(struct buf *out, enum openmetrics_form form,
                        const struct openmetrics_family *family);

/* A sample: its name, then labels, then its value, which ends it. */
void openmetrics_begin(struct buf *out, const struct openmetrics_family *family);
/*
 * Text is visible as in tables (base/printable.h): a scraper refuses all of it for one byte
 * that is not UTF-8.
 */
void openmetrics_label(struct buf *out, const char *name, struct str value);
void openmetrics_real(struct buf *out, double value);

/*
 * A cell in the unit of Prometheus: seconds (of what is kept in microseconds, also of hours and
 * instants), bytes, ratios.
 */
void openmetrics_cell(struct buf *out, const struct table *table, size_t column, size_t row);

void openmetrics_end(struct buf *out, enum openmetrics_form form);
