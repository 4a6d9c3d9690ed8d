/* SPDX-License-Identifier: MIT */
#include "service/import/rolling.h"

#include "report/rollup/rollup.h"

void rolling_follow(const struct service *service, int64_t changed, struct answer *answer)
{
    struct facts *facts = NULL;
    struct error err = {0};
    bool left = false;
    if (changed == 0) {
        return;
    }
    if (session_facts(service->session, FACTS_WRITE, &facts, &err) != 0 ||
        rollup_follow(facts, service->zone, changed, &left, &err) != 0) {
        answer_note(answer, NOTE_WARNING,
                    "the sums that make reports fast could not be brought up to date: %s",
                    err.text);
    } else if (left) {
        answer_note(answer, NOTE_RESULT,
                    "to make reports on so many runs faster: stint rollup");
    }
}
