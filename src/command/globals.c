/* SPDX-License-Identifier: MIT */
#include "command/globals.h"

#include "command/render.h"
#include "view/chart/chart.h"

const struct param global_params[] = {
    {.name = "store",
     .type = PARAM_TEXT,
     .value = "FOLDER",
     .help = "folder of the store; default $STINT_STORE, else the user's data folder, else "
             "/var/lib/stint"},
    {.name = "server",
     .type = PARAM_TEXT,
     .value = "URL",
     .help = "query a remote server (stint serve), with the token in $STINT_TOKEN or in "
             "~/.config/stint/token, and the certificates of its signer in $STINT_CA if the "
             "system does not know it; default $STINT_SERVER"},
    {.name = "config",
     .type = PARAM_TEXT,
     .value = "FILE",
     .help = "configuration file; default $STINT_CONFIG, else stint.conf in the store's "
             "folder, else /etc/stint/stint.conf"},
    {.name = "zone",
     .type = PARAM_TEXT,
     .value = "ZONE",
     .help = "time zone of the calendar, e.g. Europe/Oslo; default that of "
             "stint.conf, else the system's"},
    {.name = "year-starts",
     .type = PARAM_NUMBER,
     .value = "MONTH",
     .help = "first month of the year, for 2025, FY2025, last-year and --every year; a year is "
             "named after the calendar year in which it ends; default year_starts of "
             "stint.conf, else 1"},
    {.name = "format",
     .type = PARAM_CHOICE,
     .value = "FORMAT",
     .name_at = render_format_name,
     .fallback = "table",
     .help = "output format"},
    {.name = "plot", .type = PARAM_FLAG, .help = "draw a chart above the table"},
    {.name = "chart",
     .type = PARAM_CHOICE,
     .value = "KIND",
     .name_at = chart_kind_name,
     .help =
         "kind of chart, with --plot or in html, svg and png; default: chosen to fit the data"},
    {.name = "title",
     .type = PARAM_TEXT,
     .value = "TEXT",
     .help = "title of the chart; default: what it shows"},
    {.name = "output",
     .type = PARAM_TEXT,
     .value = "FILE",
     .help = "write to this file instead of standard output"},
    {.name = "with-meta",
     .type = PARAM_FLAG,
     .help = "in csv, tsv, json and jsonl, add the period, time zone, coverage, notes and "
             "column definitions"},
    {.name = "no-formulas",
     .type = PARAM_FLAG,
     .help = "in csv and tsv, put ' before text that begins with =, +, -, @ or a tab, which "
             "spreadsheets would run as a formula"},
    {.name = "raw",
     .type = PARAM_FLAG,
     .help = "in csv, tsv and markdown, write text as it was recorded, control characters "
             "included"},
    {.name = "no-header", .type = PARAM_FLAG, .help = "leave out the heading row"},
    {.name = "ascii", .type = PARAM_FLAG, .help = "plain ASCII in tables and plots"},
    {.name = "width",
     .type = PARAM_NUMBER,
     .value = "COLUMNS",
     .help = "width of tables and plots; default $COLUMNS, else the terminal's"},
    {.name = "quiet", .type = PARAM_FLAG, .help = "print no progress and no notes"},
    {.name = "help", .letter = 'h', .type = PARAM_FLAG, .help = "show help"},
};

const size_t global_param_count = COUNT_OF(global_params);
