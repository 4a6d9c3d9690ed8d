/* SPDX-License-Identifier: MIT */
#include "source/common/members.h"
#include "source/htcondor/htcondor_ad.h"

/*
 * Ads as condor_history -json and -jsonl print them: objects, in an array or one a line. Only
 * the uppermost members are looked at. What JSON cannot say is a text "/Expr(...)/".
 *
 * Between objects there may be commas, brackets and blanks. An object ends where its braces do,
 * with those in texts not counted, or, if it is broken, where a line begins with the next one.
 */

size_t ad_cut_json(struct str data)
{
    size_t cut = 0;
    for (;;) {
        struct str rest = {data.ptr + cut, data.len - cut};
        size_t gap = members_between(rest);
        rest.ptr += gap;
        rest.len -= gap;
        if (rest.len == 0) {
            return cut + gap;
        }
        bool whole = false;
        const char *feed = rest.ptr[0] == '{' ? NULL : str_byte(rest, '\n');
        size_t length = rest.ptr[0] == '{' ? members_piece(rest, &whole)
                        : feed             ? (size_t)(feed - rest.ptr) + 1
                                           : 0;
        if (length == 0) {
            return cut;
        }
        cut += gap + length;
    }
}

struct reading {
    struct ad *ad;
    const struct ad_format *format;
};

static void set_member(void *context, struct str name, enum member_kind kind, struct str text)
{
    static const enum ad_kind kinds[] = {
        [MEMBER_NULL] = AD_EXPRESSION, [MEMBER_TRUE] = AD_TRUE, [MEMBER_FALSE] = AD_FALSE,
        [MEMBER_NUMBER] = AD_NUMBER,   [MEMBER_TEXT] = AD_TEXT, [MEMBER_NESTED] = AD_EXPRESSION,
    };
    const struct reading *reading = context;
    bool expression = kind == MEMBER_TEXT && str_starts(text, STR("/Expr("));
    ad_set(reading->ad, reading->format, name,
           (struct ad_value){expression ? AD_EXPRESSION : kinds[kind], text});
}

enum source_step ad_next_json(const struct ad_format *format, struct source_cursor *cursor,
                              struct ad *ad, struct error *err)
{
    size_t gap = members_between(cursor->rest);
    if (gap > 0) {
        ad_take(cursor, gap);
        return SOURCE_SKIP;
    }
    if (cursor->rest.ptr[0] != '{') {
        (void)source_next_line(cursor);
        error_set(err, ERROR_INPUT, "is no JSON object");
        return SOURCE_REJECT;
    }
    bool whole = false;
    size_t length = members_piece(cursor->rest, &whole);
    if (!whole) {
        ad_take(cursor, length > 0 ? length : cursor->rest.len);
        error_set(err, ERROR_INPUT, "is a JSON object without an end");
        return SOURCE_REJECT;
    }
    ad_take(cursor, length);
    struct reading reading = {ad, format};
    if (!members_read(cursor->record, cursor->arena, set_member, &reading)) {
        error_set(err, ERROR_INPUT, "is not JSON");
        return SOURCE_REJECT;
    }
    return SOURCE_RECORD;
}
