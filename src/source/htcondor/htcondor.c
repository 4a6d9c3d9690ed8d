/* SPDX-License-Identifier: MIT */
#include "source/htcondor/htcondor.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "source/common/record_text.h"
#include "source/htcondor/htcondor_ad.h"

/*
 * Format: HTCondor manual, "Job ClassAd Attributes", condor_history(1).
 * docs/sources/htcondor.md says how attributes become fields.
 *
 *   htcondor_long.c  ads as lines, and APEL's lines with bars
 *   htcondor_json.c  ads as JSON
 *   htcondor_xml.c   ads as XML
 *   htcondor_ad.c    the attributes of an ad
 *   htcondor_run.c   makes a run of an ad
 */

enum {
    LINES_TO_RECOGNISE = 400, /* an ad has some hundred */
    SURE = 100,
    SURE_OF_BARS = 60,
};

static bool holds(struct str text, const char *what)
{
    return text.len > 0 && memmem(text.ptr, text.len, what, strlen(what));
}

/* ClassAd attributes in lines: how many are and are not, and whether a job is among them. */
static int recognise_long(struct str head)
{
    struct source_cursor cursor = {.rest = source_whole_lines(head), .next_line = 1};
    int attributes = 0;
    int others = 0;
    bool job = false;
    for (int i = 0; i < LINES_TO_RECOGNISE && source_next_line(&cursor); i++) {
        struct str line = str_trim(cursor.record);
        struct str value = line;
        struct str name = str_trim(str_cut(&value, '='));
        bool plain = name.len > 0 && value.ptr;
        for (size_t at = 0; plain && at < name.len; at++) {
            char byte = name.ptr[at];
            plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                    (byte >= '0' && byte <= '9') || byte == '_' || byte == '.';
        }
        bool stars = str_starts(line, STR("***")) && holds(line, "ClusterId");
        attributes += plain || stars;
        others += !plain && !stars && line.len > 0;
        job |= stars || (plain && (str_eq_nocase(name, STR("ClusterId")) ||
                                   str_eq_nocase(name, STR("GlobalJobId"))));
    }
    return job ? SURE * attributes / (attributes + others) : 0;
}

static int recognise_bars(struct str head)
{
    struct source_cursor cursor = {.rest = source_whole_lines(head), .next_line = 1};
    int lines = 0;
    int others = 0;
    for (int i = 0; i < LINES_TO_RECOGNISE && source_next_line(&cursor); i++) {
        bool bars = ad_is_bars(cursor.record);
        lines += bars;
        others += !bars && str_trim(cursor.record).len > 0;
    }
    return lines > 0 ? SURE_OF_BARS * lines / (lines + others) : 0;
}

static enum ad_language language_of(struct str head)
{
    struct str text = str_trim(head);
    char first = text.len > 0 ? text.ptr[0] : ' ';
    if (first == '{' || first == '[') {
        return AD_JSON;
    }
    if (first == '<') {
        return AD_XML;
    }
    return recognise_long(head) > 0 ? AD_LONG : recognise_bars(head) > 0 ? AD_BARS : AD_LONG;
}

static int htcondor_recognise(struct str head)
{
    switch (language_of(head)) {
    case AD_JSON: /* the names of a job's ad, as members */
        return holds(head, "\"ClusterId\"") && holds(head, "\"ProcId\"") &&
                       (holds(head, "\"QDate\"") || holds(head, "\"JobStatus\""))
                   ? SURE
                   : 0;
    case AD_XML:
        return holds(head, "<a n=\"ClusterId\">") && holds(head, "<c>") ? SURE : 0;
    case AD_BARS:
        return recognise_bars(head);
    case AD_LONG:
    default:
        return recognise_long(head);
    }
}

const char htcondor_attributes[] = "JobNotification"
#define X(attribute, name) "," name
    AD_ATTRIBUTES(X)
#undef X
    ;

static int open_live(enum ad_of of, const struct source_options *options, void **format)
{
    struct ad_format *out = mem_alloc(1, sizeof(*out));
    ad_format_init(out, AD_JSON);
    out->of = of;
    out->seen = options->seen;
    *format = out;
    return 0;
}

static int queue_open(struct str head, const struct source_options *options, void **format,
                      struct error *err)
{
    (void)head;
    (void)err;
    return open_live(AD_QUEUE, options, format);
}

static int epochs_open(struct str head, const struct source_options *options, void **format,
                       struct error *err)
{
    (void)head;
    (void)err;
    return open_live(AD_EPOCHS, options, format);
}

static int left_open(struct str head, const struct source_options *options, void **format,
                     struct error *err)
{
    (void)head;
    (void)err;
    return open_live(AD_HISTORY, options, format);
}

/* A list of any ads, or of none: what was asked for is known. */
static int live_recognise(struct str head)
{
    head = str_trim(head);
    return head.len > 0 && (head.ptr[0] == '[' || head.ptr[0] == '{') ? SURE : 0;
}

static int htcondor_open(struct str head, const struct source_options *options, void **format,
                         struct error *err)
{
    (void)options;
    (void)err;
    struct ad_format *out = mem_alloc(1, sizeof(*out));
    ad_format_init(out, language_of(head));
    *format = out;
    return 0;
}

static size_t htcondor_cut(const void *format, struct str data, bool last)
{
    (void)last;
    const struct ad_format *ads = format;
    struct str lines = source_whole_lines(data);
    switch (ads->language) {
    case AD_JSON:
        return ad_cut_json(data);
    case AD_XML:
        return ad_cut_xml(data);
    case AD_LONG:
        return ad_cut_long(data);
    case AD_BARS:
    default:
        return lines.len > 0 && lines.ptr[lines.len - 1] == '\n' ? lines.len : 0;
    }
}

static enum source_step next_ad(const struct ad_format *format, struct source_cursor *cursor,
                                struct ad *ad, struct error *err)
{
    switch (format->language) {
    case AD_JSON:
        return ad_next_json(format, cursor, ad, err);
    case AD_XML:
        return ad_next_xml(format, cursor, ad, err);
    case AD_BARS:
        return ad_next_bars(format, cursor, ad, err);
    case AD_LONG:
    default:
        return ad_next_long(format, cursor, ad, err);
    }
}

/* SOURCE_SKIP: a job that is about to leave the queue. */
static enum source_step fill_run(const struct ad_format *format, const struct ad *ad,
                                 struct arena *arena, struct run *run, struct error *err)
{
    bool is_open = true;
    if (format->of != AD_QUEUE) {
        return ad_run_fill(ad, arena, run, err) ? SOURCE_RECORD : SOURCE_REJECT;
    }
    if (!ad_run_listed(ad, arena, &is_open, run, err)) {
        return SOURCE_REJECT;
    }
    RUN_SET(run, seen, format->seen);
    return is_open ? SOURCE_RECORD : SOURCE_SKIP;
}

static enum source_step htcondor_next(const void *format, struct source_cursor *cursor,
                                      struct run *run, struct error *err)
{
    struct ad ad = {0};
    if (cursor->rest.len == 0) {
        return SOURCE_END;
    }
    enum source_step step = next_ad(format, cursor, &ad, err);
    if (step != SOURCE_RECORD) {
        return step;
    }
    if (source_check_record(cursor->record, err) != 0) {
        return SOURCE_REJECT;
    }
    if (ad.other) {
        return SOURCE_SKIP;
    }
    const struct ad_format *ads = format;
    ad.epoch |= ads->of == AD_EPOCHS;
    step = fill_run(ads, &ad, cursor->arena, run, err);
    if (step != SOURCE_RECORD) {
        return step;
    }
    if (source_recode_texts(run, cursor->arena)) {
        run->flags |= RUN_FLAG_RECODED;
    }
    return source_check_texts(run, err) != 0 ? SOURCE_REJECT : SOURCE_RECORD;
}

/* What people have before them when they look for the jobs. */
static const struct source_table tables[] = {
    {"-- Schedd:", "condor_q",
     "give stint what condor_history prints with -json: condor_history -json | stint import "
     "htcondor -"},
    {"OWNER BATCH_NAME", "condor_q",
     "give stint what condor_history prints with -json: condor_history -json | stint import "
     "htcondor -"},
    {"ID OWNER SUBMITTED", "condor_history",
     "give stint what condor_history prints with -json: condor_history -json | stint import "
     "htcondor -"},
    {0},
};

const struct source_driver htcondor_driver = {
    .name = "htcondor",
    .summary = "HTCondor history (history and epoch files; condor_history -long, -json, -xml)",
    .version = 2,
    .recognise = htcondor_recognise,
    .open = htcondor_open,
    .close = free,
    .cut = htcondor_cut,
    .next = htcondor_next,
    .tables = tables,
};

const struct source_driver htcondor_queue_driver = {
    .name = "htcondor",
    .summary = "condor_q -json",
    .version = 1,
    .recognise = live_recognise,
    .open = queue_open,
    .close = free,
    .cut = htcondor_cut,
    .next = htcondor_next,
};

const struct source_driver htcondor_epochs_driver = {
    .name = "htcondor",
    .summary = "condor_history -epochs -json",
    .version = 1,
    .recognise = live_recognise,
    .open = epochs_open,
    .close = free,
    .cut = htcondor_cut,
    .next = htcondor_next,
};

const struct source_driver htcondor_left_driver = {
    .name = "htcondor",
    .summary = "condor_history -json",
    .version = 1,
    .recognise = live_recognise,
    .open = left_open,
    .close = free,
    .cut = htcondor_cut,
    .next = htcondor_next,
};
