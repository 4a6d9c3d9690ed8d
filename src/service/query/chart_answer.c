/* SPDX-License-Identifier: MIT */
#include "service/query/chart_answer.h"

#include "base/limit.h"
#include "view/chart/choose.h"

/* The lines under a picture: as of when, and what the answer says beside its period. */
static void picture_notes(struct buf *out, const struct answer *answer,
                          const struct chart_answer_wish *wish)
{
    unsigned shown = ~NOTE_BIT(NOTE_LAYOUT) & ~NOTE_BIT(NOTE_PARTIAL);
    if (wish->quiet) {
        return;
    }
    if (answer->period.from < answer->period.to && answer->notes.count > 0) {
        char as_of[INSTANT_TEXT_MAX];
        shown &= ~NOTE_BIT(NOTE_PERIOD); /* it is in the subtitle */
        buf_addf(out, "as of %s\n",
                 zone_print(wish->zone, answer->as_of - answer->as_of % SECOND_US, as_of));
    }
    note_lines(out, &answer->notes, shown);
}

int chart_answer_choose(const struct answer *answer, const struct chart_answer_wish *wish,
                        struct chart *chart, struct error *err)
{
    struct buf notes;
    buf_init(&notes, LIMIT_OUTPUT);
    picture_notes(&notes, answer, wish);
    const struct chart_wish chosen = {
        .kind = wish->kind,
        .title = wish->title,
        .notes = buf_str(&notes),
        .zone = wish->zone,
        .period = answer->period,
        .covered = answer->covered,
        .covers = answer->covers,
        .cover_count = answer->cover_count,
        .now = answer->as_of,
    };
    const bool apart = answer->drawn.row_count > 0 && !wish->coarse;
    int failed = chart_choose(apart ? &answer->drawn : &answer->table, &chosen, chart, err);
    buf_release(&notes);
    return failed;
}
