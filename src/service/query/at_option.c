/* SPDX-License-Identifier: MIT */
#include "service/query/at_option.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "facts/inventory.h"
#include "facts/pull_state.h"
#include "live/live.h"
#include "report/queries/pull_age.h"
#include "service/core/params.h"

int at_option_read(const struct service *service, const struct request *request, int64_t now,
                   int64_t *out, struct error *err)
{
    struct str text = request_text(request, "at");
    struct period span = {-1, -1};
    int failed = text.ptr ? calendar_span(text, service->zone, now, &span, err) : 0;
    if (!failed && span.from > now) {
        failed = error_set(err, ERROR_USAGE, "--at '%.*s' is in the future", STR_ARG(text));
    }
    *out = span.from;
    return failed;
}

/* What to do so that schedulers are asked. */
static const char *how_to_ask(const struct service *service)
{
    const struct config *config = service->config;
    return config && config->path && config_find(config, STR("cluster"), (struct str){0})
               ? "stint pull"
               : "first list it in stint.conf (see: stint config example), then run: stint "
                 "pull";
}

static bool has_store(const struct service *service)
{
    char *path = file_join(service->store, "facts.duckdb");
    const bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

int at_option_open(const struct service *service, const char *what, struct facts **out,
                   struct error *err)
{
    int failed = session_facts(service->session, FACTS_READ, out, err);
    if (failed == ERROR_MISSING && !has_store(service)) {
        failed =
            error_set(err, ERROR_MISSING,
                      "there is no store in '%s' yet; %s learnt by asking a scheduler that "
                      "runs: %s",
                      service->store, what, how_to_ask(service));
    }
    return failed;
}

int at_option_note_unasked(const struct service *service, struct facts *facts,
                           struct answer *answer, struct error *err)
{
    struct table marks = {0};
    int failed = pull_states_overview(facts, &marks, err);
    if (!failed && marks.row_count == 0) {
        answer_note(answer, NOTE_EMPTY, "no scheduler has been asked yet: %s",
                    how_to_ask(service));
    }
    table_release(&marks);
    return failed;
}

void at_option_note(const struct service *service, int64_t at, struct answer *answer)
{
    char text[INSTANT_TEXT_MAX];
    answer->as_of = at;
    answer_note(answer, NOTE_MOMENT, "as of %s (%s)", params_print(service->zone, at, text),
                zone_name(service->zone));
}

const char *at_option_length(int64_t length_us, char text[AT_OPTION_TEXT_MAX])
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
    (void)snprintf(text, AT_OPTION_TEXT_MAX, "%" PRId64 " %s%s", count, units[i].name,
                   count == 1 ? "" : "s");
    return text;
}

/* --- how old it is ------------------------------------------------------------------------ */

/* However often a scheduler is asked: it takes a moment to answer. */
#define PATIENCE_LEAST_US (10 * SECOND_US)

int64_t at_option_patience(const struct service *service, const struct table *looks, size_t row)
{
    const struct config *config = service->config;
    const struct config_section *section =
        config ? config_find(config, STR("cluster"),
                             looks->columns[PULL_AGE_CLUSTER].cells[row].text)
               : NULL;
    const int64_t every = section ? config_number(section, live_key("every"), 0) : 0;
    const int64_t usual = table_has(looks, PULL_AGE_USUAL, row)
                              ? (int64_t)table_wide(looks, PULL_AGE_USUAL, row)
                              : 0;
    const int64_t longest = 2 * (every > usual ? every : usual);
    const int64_t least = section ? PATIENCE_LEAST_US : INVENTORY_AROUND_US;
    return longest > least ? longest : least;
}

static void note_stale(const struct service *service, const struct table *looks, size_t row,
                       int64_t now, const char *what, struct answer *answer)
{
    const struct str cluster = looks->columns[PULL_AGE_CLUSTER].cells[row].text;
    const int64_t seen = (int64_t)table_wide(looks, PULL_AGE_SEEN, row);
    char at[INSTANT_TEXT_MAX], age[AT_OPTION_TEXT_MAX];
    answer_note_about(answer, NOTE_STALE, cluster,
                      "old data: %s of %.*s are as of %s, %s ago; its scheduler has not "
                      "answered since (stint doctor says more)",
                      what, STR_ARG(cluster), params_print(service->zone, seen, at),
                      at_option_length(now - seen, age));
}

void at_option_note_stale(const struct service *service, const struct table *looks, int64_t now,
                          const char *what, struct answer *answer)
{
    enum { NAMED_MAX = 5 };

    size_t stale = 0;
    for (size_t row = 0; row < looks->row_count; row++) {
        const int64_t seen = (int64_t)table_wide(looks, PULL_AGE_SEEN, row);
        if (now - seen > at_option_patience(service, looks, row) && stale++ < NAMED_MAX) {
            note_stale(service, looks, row, now, what, answer);
        }
    }
    if (stale > NAMED_MAX) {
        answer_note(answer, NOTE_STALE, "old data: the same of %zu more clusters",
                    stale - NAMED_MAX);
    }
}

void at_option_note_looks(const struct service *service, const struct table *looks, int64_t now,
                          const char *what, struct answer *answer)
{
    int64_t oldest = now;
    for (size_t row = 0; row < looks->row_count; row++) {
        const int64_t seen = (int64_t)table_wide(looks, PULL_AGE_SEEN, row);
        oldest = seen < oldest ? seen : oldest;
    }
    at_option_note(service, oldest, answer);
    at_option_note_stale(service, looks, now, what, answer);
}
