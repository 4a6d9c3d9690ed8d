/* SPDX-License-Identifier: MIT */
#include "source/common/xml.h"
#include "source/htcondor/htcondor_ad.h"

/*
 * Ads as condor_history -xml prints them:
 *
 *     <c>
 *         <a n="ClusterId"><i>12</i></a>
 *         <a n="Owner"><s>ann</s></a>
 *         <a n="ExitBySignal"><b v="f"/></a>
 *         <a n="MemoryUsage"><e>((ResidentSetSize + 1023) / 1024)</e></a>
 *     </c>
 *
 * i and r are numbers, s texts, b is true or false; e (expressions), un, er, l and c are
 * nothing we can use. Nothing but these stands in it, so tags are found by their first letters.
 */

static bool starts(const char *at, const char *end, const char *text)
{
    size_t len = strlen(text);
    return (size_t)(end - at) >= len && memcmp(at, text, len) == 0;
}

/* The next < at or after `at`; NULL if there is none. */
static const char *find_tag(const char *at, const char *end)
{
    return at < end ? memchr(at, '<', (size_t)(end - at)) : NULL;
}

/*
 * The end of the ad that begins at `start`, past its </c>; NULL if it does not end. An ad
 * inside another stands right behind a tag; one that does not is the next one, and *next is set
 * to it.
 */
static const char *find_ad_end(const char *start, const char *end, const char **next)
{
    int depth = 0;
    *next = NULL;
    for (const char *tag = find_tag(start, end); tag; tag = find_tag(tag + 1, end)) {
        if (starts(tag, end, "<c>")) {
            if (depth > 0 && tag[-1] != '>') {
                *next = tag;
                return NULL;
            }
            depth++;
        } else if (starts(tag, end, "</c>") && --depth <= 0) {
            return tag + 4;
        }
    }
    return NULL;
}

/* The beginning of the next ad; NULL if there is none. */
static const char *find_ad(const char *at, const char *end)
{
    const char *tag = find_tag(at, end);
    while (tag && !starts(tag, end, "<c>")) {
        tag = find_tag(tag + 1, end);
    }
    return tag;
}

size_t ad_cut_xml(struct str data)
{
    const char *end = data.ptr + data.len;
    const char *cut = data.ptr;
    for (const char *start = find_ad(cut, end); start; start = find_ad(cut, end)) {
        const char *next = NULL;
        const char *close = find_ad_end(start, end, &next);
        if (!close && !next) {
            break;
        }
        cut = close ? close : next;
    }
    return (size_t)(cut - data.ptr);
}

static struct ad_value value_of(const char *at, const char *end, struct arena *arena)
{
    struct ad_value value = {.kind = AD_EXPRESSION};
    const char *close = at + 3 <= end ? find_tag(at + 3, end) : NULL;
    if (starts(at, end, "<b v=\"")) {
        bool is_true = at + 6 < end && at[6] == 't';
        value.kind = is_true ? AD_TRUE : AD_FALSE;
    } else if (close && (starts(at, end, "<i>") || starts(at, end, "<r>"))) {
        value = (struct ad_value){AD_NUMBER,
                                  str_trim((struct str){at + 3, (size_t)(close - at) - 3})};
    } else if (close && starts(at, end, "<s>")) {
        value = (struct ad_value){
            AD_TEXT, xml_unescape((struct str){at + 3, (size_t)(close - at) - 3}, arena)};
    }
    return value;
}

/* Reads the attributes of an ad; those of an ad inside it are not ours. */
static void read_attributes(const struct ad_format *format, struct str text,
                            struct arena *arena, struct ad *ad)
{
    const char *end = text.ptr + text.len;
    int depth = 0;
    for (const char *tag = find_tag(text.ptr, end); tag; tag = find_tag(tag + 1, end)) {
        depth += starts(tag, end, "<c>");
        depth -= starts(tag, end, "</c>");
        if (depth != 1 || !starts(tag, end, "<a n=\"")) {
            continue;
        }
        const char *name = tag + 6;
        const char *quote = memchr(name, '"', (size_t)(end - name));
        const char *value = quote ? find_tag(quote, end) : NULL;
        if (value) {
            ad_set(ad, format, (struct str){name, (size_t)(quote - name)},
                   value_of(value, end, arena));
        }
    }
}

enum source_step ad_next_xml(const struct ad_format *format, struct source_cursor *cursor,
                             struct ad *ad, struct error *err)
{
    const char *begin = cursor->rest.ptr;
    const char *end = begin + cursor->rest.len;
    const char *start = find_ad(begin, end);
    if (start != begin) { /* what stands around ads */
        ad_take(cursor, (size_t)((start ? start : end) - begin));
        return SOURCE_SKIP;
    }
    const char *next = NULL;
    const char *close = find_ad_end(start, end, &next);
    if (!close) {
        ad_take(cursor, (size_t)((next ? next : end) - begin));
        error_set(err, ERROR_INPUT, "is an ad without an end");
        return SOURCE_REJECT;
    }
    ad_take(cursor, (size_t)(close - begin));
    read_attributes(format, cursor->record, cursor->arena, ad);
    return SOURCE_RECORD;
}
