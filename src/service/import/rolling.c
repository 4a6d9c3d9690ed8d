/* SPDX-License-Identifier: MIT */
#include "service/import/rolling.h"

#include "report/rollup/rollup.h"

void rolling_follow(const struct service *service, struct facts *facts, int64_t changed,
                    struct answer *answer)
{
    struct facts *own = NULL;
    struct error err = {0};
    bool left = false;
    if (changed == 0) {
        return;
    }
    if ((!facts && service_open(service, FACTS_WRITE, &own, &err) != 0) ||
        rollup_follow(facts ? facts : own, service->zone, changed, &left, &err) != 0) {
        answer_note(answer, NOTE_WARNING,
                    "the sums that make reports fast could not be brought up to date: %s",
                    err.text);
    } else if (left) {
        answer_note(answer, NOTE_RESULT,
                    "to make reports on so many runs faster: stint rollup");
    }
    facts_close(own);
}
