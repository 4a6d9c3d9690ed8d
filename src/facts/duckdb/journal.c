/* SPDX-License-Identifier: MIT */
#include "facts/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/zone.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/statements.h"
#include "record/run.h"

static struct str text_at(const struct table *table, size_t row, size_t column,
                          struct arena *arena)
{
    return arena_copy(arena, table->columns[column].cells[row].text);
}

static int64_t int_at(const struct table *table, size_t row, size_t column)
{
    return table->columns[column].cells[row].integer;
}

int journal_files(struct facts *facts, struct str cluster, struct str source,
                  struct arena *arena, struct journal_file **files, size_t *count,
                  struct error *err)
{
    struct table table = {0};
    const struct facts_value which[] = {FACTS_TEXT(cluster), FACTS_TEXT(source)};
    int failed = facts_query(facts, SQL_JOURNAL_FILES,
                             (struct facts_values){which, COUNT_OF(which)}, &table, err);
    *count = failed ? 0 : table.row_count;
    *files = arena_alloc(arena, (*count + 1) * sizeof(struct journal_file));
    for (size_t i = 0; i < *count; i++) {
        (*files)[i] = (struct journal_file){
            .file = int_at(&table, i, 0),
            .cluster = text_at(&table, i, 1, arena),
            .source = text_at(&table, i, 2, arena),
            .path = text_at(&table, i, 3, arena),
            .device = int_at(&table, i, 4),
            .inode = int_at(&table, i, 5),
            .size = int_at(&table, i, 6),
            .raw_hash = int_at(&table, i, 7),
            .head_length = int_at(&table, i, 8),
            .head_hash = int_at(&table, i, 9),
            .read_to = int_at(&table, i, 10),
            .tail_hash = int_at(&table, i, 11),
            .lines = int_at(&table, i, 12),
            .first_read = int_at(&table, i, 13),
            .last_read = int_at(&table, i, 14),
        };
    }
    table_release(&table);
    return failed;
}

int journal_put_file(struct facts *facts, struct journal_file *file, struct error *err)
{
    const struct facts_values none = {0};
    int failed = 0;
    if (file->file == 0) {
        failed = facts_number(facts, SQL_JOURNAL_NEXT_FILE, none, &file->file, NULL, err);
    } else {
        const struct facts_value number = FACTS_INT(file->file);
        failed = facts_execute(facts, SQL_JOURNAL_DROP_FILE, (struct facts_values){&number, 1},
                               NULL, err);
    }
    const struct facts_value row[] = {
        FACTS_INT(file->file),      FACTS_TEXT(file->cluster),   FACTS_TEXT(file->source),
        FACTS_TEXT(file->path),     FACTS_INT(file->device),     FACTS_INT(file->inode),
        FACTS_INT(file->size),      FACTS_INT(file->raw_hash),   FACTS_INT(file->head_length),
        FACTS_INT(file->head_hash), FACTS_INT(file->read_to),    FACTS_INT(file->tail_hash),
        FACTS_INT(file->lines),     FACTS_INT(file->first_read), FACTS_INT(file->last_read),
    };
    return failed ? failed
                  : facts_execute(facts, SQL_JOURNAL_PUT_FILE,
                                  (struct facts_values){row, COUNT_OF(row)}, NULL, err);
}

int journal_next_batch(struct facts *facts, int64_t *batch, struct error *err)
{
    return facts_number(facts, SQL_JOURNAL_NEXT_BATCH, (struct facts_values){0}, batch, NULL,
                        err);
}

int journal_clusters_since(struct facts *facts, int64_t batch, struct table *out,
                           struct error *err)
{
    const struct facts_value first = FACTS_INT(batch);
    return facts_query(facts, SQL_JOURNAL_CLUSTERS_SINCE, (struct facts_values){&first, 1}, out,
                       err);
}

int journal_put_batch(struct facts *facts, const struct journal_batch *batch, struct error *err)
{
    const struct facts_value row[] = {
        FACTS_INT(batch->batch),
        FACTS_INT(batch->file),
        FACTS_INT(batch->at),
        FACTS_INT(batch->from_byte),
        FACTS_INT(batch->to_byte),
        FACTS_INT(batch->records),
        FACTS_INT(batch->added),
        FACTS_INT(batch->replaced),
        FACTS_INT(batch->unchanged),
        FACTS_INT(batch->rejected),
        FACTS_INT(batch->parts),
        batch->last_time ? FACTS_INT(batch->first_time) : FACTS_NULL,
        batch->last_time ? FACTS_INT(batch->last_time) : FACTS_NULL,
        FACTS_TEXT(str_of(batch->what)),
        batch->witnessed ? FACTS_INT(batch->witnessed) : FACTS_NULL,
    };
    return facts_execute(facts, SQL_JOURNAL_PUT_BATCH,
                         (struct facts_values){row, COUNT_OF(row)}, NULL, err);
}

int journal_put_extents(struct facts *facts, int64_t batch,
                        const struct journal_extent *extents, size_t count, struct error *err)
{
    enum { COLUMNS = 4 };

    if (count == 0) {
        return 0;
    }
    struct facts_value *values = mem_alloc(count, COLUMNS * sizeof(*values));
    for (size_t i = 0; i < count; i++) { /* in the order of the table's columns */
        const struct facts_value row[COLUMNS] = {
            FACTS_INT(batch), FACTS_TEXT(extents[i].cluster), FACTS_INT(extents[i].first_time),
            FACTS_INT(extents[i].last_time)};
        memcpy(values + i * COLUMNS, row, sizeof(row));
    }
    int failed = facts_load_rows(facts, "extents", COLUMNS,
                                 (struct facts_values){values, count * COLUMNS}, err);
    free(values);
    return failed;
}

/* A file that is read from its start again has its bad records again: the earlier ones go. */
static int drop_old_rejects(struct facts *facts, int64_t batch, struct error *err)
{
    const struct facts_value batches[] = {FACTS_INT(batch), FACTS_INT(batch)};
    return facts_execute(facts, SQL_JOURNAL_DROP_OLD_REJECTS,
                         (struct facts_values){batches, COUNT_OF(batches)}, NULL, err);
}

static int load_rejects(struct facts *facts, int64_t file, int64_t batch,
                        const struct journal_reject *rejects, size_t count, struct error *err)
{
    enum { COLUMNS = 6 };

    struct facts_value *values = mem_alloc(count, COLUMNS * sizeof(*values));
    for (size_t i = 0; i < count; i++) { /* in the order of the table's columns */
        const struct facts_value row[COLUMNS] = {
            FACTS_INT(file),
            FACTS_INT(batch),
            FACTS_INT((int64_t)rejects[i].line),
            FACTS_INT((int64_t)rejects[i].byte),
            FACTS_TEXT(str_of(rejects[i].reason)),
            FACTS_BYTES(rejects[i].record),
        };
        memcpy(&values[i * COLUMNS], row, sizeof(row));
    }
    int failed = facts_load_rows(facts, "quarantine", COLUMNS,
                                 (struct facts_values){values, count * COLUMNS}, err);
    free(values);
    return failed;
}

int journal_quarantine_bound(struct facts *facts, int64_t batch, int64_t rows, int64_t bytes,
                             struct error *err)
{
    const struct facts_value limits[] = {FACTS_INT(rows), FACTS_INT(bytes)};
    const struct facts_value kept[] = {FACTS_INT(rows - rows / 10),
                                       FACTS_INT(bytes - bytes / 10)};
    const struct facts_value number = FACTS_INT(batch);
    const struct facts_values none = {0};
    int64_t is_over = 0;
    int failed =
        facts_number(facts, SQL_JOURNAL_QUARANTINE_IS_OVER,
                     (struct facts_values){limits, COUNT_OF(limits)}, &is_over, NULL, err);
    if (failed || !is_over) {
        return failed;
    }
    (void)((failed = facts_execute(facts, SQL_JOURNAL_QUARANTINE_FIND_BEYOND,
                                   (struct facts_values){kept, COUNT_OF(kept)}, NULL, err)) ||
           (failed = facts_execute(facts, SQL_JOURNAL_QUARANTINE_COUNT_BEYOND,
                                   (struct facts_values){&number, 1}, NULL, err)) ||
           (failed =
                facts_execute(facts, SQL_JOURNAL_QUARANTINE_DROP_BEYOND, none, NULL, err)) ||
           (failed =
                facts_execute(facts, SQL_JOURNAL_QUARANTINE_FORGET_BEYOND, none, NULL, err)));
    return failed;
}

int journal_put_rejects(struct facts *facts, int64_t file, int64_t batch,
                        const struct journal_reject *rejects, size_t count, int64_t not_kept,
                        struct error *err)
{
    const struct facts_value more[] = {FACTS_INT(batch), FACTS_INT(not_kept), FACTS_INT(file)};
    int failed = 0;
    if (not_kept > 0) {
        failed = facts_execute(facts, SQL_JOURNAL_QUARANTINE_NOT_KEPT,
                               (struct facts_values){more, COUNT_OF(more)}, NULL, err);
    }
    if (failed || count == 0) {
        return failed;
    }
    failed = load_rejects(facts, file, batch, rejects, count, err);
    failed = failed ? failed : drop_old_rejects(facts, batch, err);
    return failed ? failed
                  : journal_quarantine_bound(facts, batch, LIMIT_QUARANTINE_ROWS,
                                             LIMIT_QUARANTINE_BYTES, err);
}

int journal_quarantine_dropped(struct facts *facts, struct str cluster, int64_t *count,
                               struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(cluster), FACTS_TEXT(cluster)};
    return facts_number(facts, SQL_JOURNAL_QUARANTINE_DROPPED,
                        (struct facts_values){values, COUNT_OF(values)}, count, NULL, err);
}

int journal_quarantine(struct facts *facts, struct str cluster, int64_t limit,
                       const struct table_sink *sink, struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(cluster), FACTS_TEXT(cluster),
                                         FACTS_INT(limit)};
    return facts_query_each(facts, SQL_JOURNAL_QUARANTINE,
                            (struct facts_values){values, COUNT_OF(values)}, sink, err);
}

int journal_quarantine_clear(struct facts *facts, struct str cluster, int64_t *count,
                             struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(cluster), FACTS_TEXT(cluster)};
    const struct facts_values which = {values, COUNT_OF(values)};
    const int failed = facts_execute(facts, SQL_JOURNAL_QUARANTINE_CLEAR, which, count, err);
    return failed
               ? failed
               : facts_execute(facts, SQL_JOURNAL_QUARANTINE_FORGET_DROPPED, which, NULL, err);
}

int journal_overview(struct facts *facts, struct table *out, struct error *err)
{
    const struct facts_value merged = FACTS_INT(RUN_FLAG_MERGED);
    return facts_query(facts, SQL_JOURNAL_OVERVIEW, (struct facts_values){&merged, 1}, out,
                       err);
}

int journal_gaps(struct facts *facts, int64_t days, struct table *out, struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(DAY_US), FACTS_INT(DAY_US),
                                         FACTS_INT(DAY_US), FACTS_INT(days)};
    return facts_query(facts, SQL_JOURNAL_GAPS, (struct facts_values){values, COUNT_OF(values)},
                       out, err);
}

int journal_last(struct facts *facts, int64_t limit, struct table *out, struct error *err)
{
    const struct facts_value value = FACTS_INT(limit);
    return facts_query(facts, SQL_JOURNAL_LAST, (struct facts_values){&value, 1}, out, err);
}
