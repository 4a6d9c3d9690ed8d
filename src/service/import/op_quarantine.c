/* SPDX-License-Identifier: MIT */

/*
 * stint quarantine: what could not be read, and why.
 */

#include <inttypes.h>

#include "base/limit.h"
#include "facts/journal.h"
#include "service/core/operations.h"
#include "service/core/params.h"

/* What the journal's columns are called. */
static const struct heading headings[] = {
    {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_MEASURE},
    {"path", "File", CELL_TEXT, UNIT_NONE, COLUMN_MEASURE},
    {"line", "Line", CELL_INT, UNIT_NONE, COLUMN_MEASURE},
    {"byte", "Byte", CELL_INT, UNIT_NONE, COLUMN_MEASURE},
    {"reason", "Reason", CELL_TEXT, UNIT_NONE, COLUMN_MEASURE},
    {"record", "Record", CELL_TEXT, UNIT_NONE, COLUMN_MEASURE},
    {"committed", "Imported", CELL_INT, UNIT_INSTANT, COLUMN_MEASURE},
};

/* What the list does not have because there is a limit to it. */
static int note_dropped(struct facts *facts, struct str cluster, struct answer *answer,
                        struct error *err)
{
    int64_t dropped = 0;
    const int failed = journal_quarantine_dropped(facts, cluster, &dropped, err);
    if (!failed && dropped > 0) {
        answer_note(answer, NOTE_MORE,
                    "%" PRId64
                    " more could not be read and are not kept: at most %d records and "
                    "%d MiB are, and the oldest are removed first",
                    dropped, LIMIT_QUARANTINE_ROWS, LIMIT_QUARANTINE_BYTES >> 20);
    }
    return failed;
}

static int list_quarantine(struct facts *facts, struct str cluster, int64_t limit,
                           struct answer *answer, struct error *err)
{
    const struct table_sink into = {answer, answer_take};
    struct table_renaming renaming = {headings, &into};
    int failed = journal_quarantine(facts, cluster, limit,
                                    &(struct table_sink){&renaming, table_rename}, err);
    answer->as_records = true; /* reasons and records are long, and none may be cut */
    if (!failed && answer->row_count == 0) {
        answer_note(answer, NOTE_EMPTY, "no records%s are in quarantine",
                    cluster.len ? " of that cluster" : "");
    } else if (!failed && (int64_t)answer->row_count == limit) {
        answer_note(answer, NOTE_MORE, "the first %" PRId64 "; there may be more (--limit)",
                    limit);
    }
    return failed ? failed : note_dropped(facts, cluster, answer, err);
}

static int run_quarantine(struct service *service, const struct request *request,
                          struct answer *answer, struct error *err)
{
    struct facts *facts = NULL;
    struct str cluster = request_text(request, "cluster");
    cluster = cluster.ptr ? cluster : STR("");
    int64_t limit = 0, count = 0;
    bool clear = request_flag(request, "clear");
    int failed = 0;
    if (clear && !caller_may(service->caller, RIGHT_CHORES)) {
        return error_set(err, ERROR_DENIED,
                         "--clear changes the store: it needs the right chores");
    }
    (void)((failed = request_number(request, "limit", 100, &limit, err)) ||
           (failed = session_facts(service->session, clear ? FACTS_WRITE : FACTS_READ, &facts,
                                   err)));
    if (failed) {
        return failed;
    }
    if (clear) {
        failed = journal_quarantine_clear(facts, cluster, &count, err);
        table_column(&answer->table, "forgotten", "Forgotten", CELL_INT, UNIT_COUNT,
                     COLUMN_MEASURE);
        table_set_int(&answer->table, 0, table_row(&answer->table), count);
    } else {
        failed = list_quarantine(facts, cluster, limit, answer, err);
    }
    return failed;
}

static const struct param params[] = {
    {.name = "cluster",
     .letter = 'M',
     .type = PARAM_TEXT,
     .value = "NAME",
     .help = "only records of this cluster"},
    PARAM_LIMIT("100", "show at most N records"),
    {.name = "clear", .type = PARAM_FLAG, .help = "delete them", .changes = true},
};

const struct operation operation_quarantine = {
    .name = "quarantine",
    .summary = "list records that could not be read",
    .description =
        "Lists the records that imports could not read: file, line, byte, the reason, and the "
        "record itself. No report counts them. At most 1000000 records and 64 MiB are kept; "
        "beyond that the oldest are removed and only counted. When the file or stint has been "
        "corrected, "
        "import the file with --again and delete the list with --clear.",
    .examples = "stint quarantine # the latest\nstint quarantine --format csv --limit 100000 > "
                "bad.csv # all of them",
    .rights = RIGHT_ALL,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_quarantine,
};
