/* SPDX-License-Identifier: MIT */
#include "service/moment.h"

#include <inttypes.h>
#include <stdio.h>

#include "service/params.h"

int moment_read(const struct service *service, const struct request *request, int64_t now,
                int64_t *out, struct error *err)
{
    struct str text = request_text(request, "at");
    struct period span = {-1, -1};
    int failed = text.ptr ? calendar_span(text, service->zone, now, &span, err) : 0;
    if (!failed && span.from > now) {
        failed = error_set(err, ERROR_USAGE, "--at '%.*s' lies ahead: nothing is known of it",
                           STR_ARG(text));
    }
    *out = span.from;
    return failed;
}

void moment_note(const struct service *service, int64_t at, struct answer *answer)
{
    char text[INSTANT_TEXT_MAX];
    answer->as_of = at;
    answer_note(answer, "as of %s (%s)", params_print(service->zone, at, text),
                zone_name(service->zone));
}

const char *moment_length(int64_t length_us, char text[MOMENT_TEXT_MAX])
{
    static const struct {
        const char *name;
        int64_t us;
    } units[] = {
        {"day", DAY_US}, {"hour", HOUR_US}, {"minute", 60 * SECOND_US}, {"second", SECOND_US}};

    size_t i = 0;
    while (i + 1 < COUNT_OF(units) && length_us < units[i].us) {
        i++;
    }
    const int64_t count = length_us / units[i].us;
    (void)snprintf(text, MOMENT_TEXT_MAX, "%" PRId64 " %s%s", count, units[i].name,
                   count == 1 ? "" : "s");
    return text;
}
