/* SPDX-License-Identifier: MIT */
#pragma once

/* An answer as a picture: which chart suits it, and what stands under it. */

#include "base/attribute.h"
#include "base/error.h"
#include "service/core/service.h"
#include "view/chart/chart.h"

struct chart_answer_wish {
    struct str kind;         /* of chart; the null string: what suits the answer */
    const char *title;       /* NULL: made from the answer */
    const struct zone *zone; /* of the calendar */
    bool quiet;              /* no notes under it */
    bool coarse;             /* on a terminal, which has no bands: of the numbers themselves */
};

/* Release the chart also when it fails. ERROR_USAGE: there is nothing to draw, or not so. */
int chart_answer_choose(const struct answer *answer, const struct chart_answer_wish *wish,
                        struct chart *chart, struct error *err) MUST_CHECK;
