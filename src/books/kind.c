/* SPDX-License-Identifier: MIT */
#include "books/kind.h"

#include "books/membership.h"
#include "books/people.h"
#include "books/target.h"

static const struct kind_column metagroup_columns[] = {
    {"name", "Metagroup", KIND_NAME, KIND_KEY | KIND_REQUIRED | KIND_WORD, NULL, NULL, 0,
     "what it is called in reports"},
    {"title", "Title", KIND_NAME, 0, NULL, NULL, 0, "its full name"},
    {"note", "Note", KIND_TEXT, 0, NULL, NULL, 0, "a remark"},
};

static const struct kind_column member_columns[] = {
    {"metagroup", "Metagroup", KIND_NAME, KIND_KEY | KIND_REQUIRED | KIND_WORD, NULL,
     "metagroup", 0, "metagroup it belongs to"},
    {"kind", "Kind", KIND_CHOICE, KIND_KEY | KIND_REQUIRED | KIND_WORD,
     "user account group metagroup", NULL, 0, "what belongs to it"},
    {"name", "Name", KIND_NAME, KIND_KEY | KIND_REQUIRED | KIND_WORD, NULL, NULL, 0,
     "which user, account, group or metagroup"},
    {"from", "From", KIND_DATE, KIND_KEY | KIND_FIRST, NULL, NULL, 'S',
     "first day of the membership; without it, always"},
    {"to", "To", KIND_DATE, KIND_LAST, NULL, NULL, 'E',
     "last day of the membership; without it, for ever"},
    {"note", "Note", KIND_TEXT, 0, NULL, NULL, 0, "a remark"},
};

static const struct kind_column person_columns[] = {
    {"person", "Person", KIND_NAME, KIND_KEY | KIND_REQUIRED | KIND_WORD, NULL, NULL, 0,
     "a short name of the person, of your choice; often the login"},
    {"name", "Name", KIND_NAME, 0, NULL, NULL, 0, "full name"},
    {"email", "E-mail", KIND_NAME, 0, NULL, NULL, 0, "address"},
    {"affiliation", "Affiliation", KIND_NAME, 0, NULL, NULL, 0, "where the person belongs"},
    {"logins", "Logins", KIND_LOGINS, 0, NULL, NULL, 0,
     "logins, comma-separated: ann on all clusters, alder:asmith on one"},
    {"note", "Note", KIND_TEXT, 0, NULL, NULL, 0, "a remark"},
};

static const struct kind_column cluster_columns[] = {
    {"cluster", "Cluster", KIND_GLOB, KIND_KEY | KIND_REQUIRED | KIND_WORD, NULL, NULL, 0,
     "cluster as named at import; a pattern"},
    {"node", "Node", KIND_GLOB, KIND_KEY, NULL, NULL, 'w', "only runs on nodes like this"},
    {"partition", "Partition", KIND_GLOB, KIND_KEY, NULL, NULL, 'r',
     "only runs in queues or partitions like this"},
    {"as", "Counts as", KIND_NAME, KIND_REQUIRED, NULL, NULL, 0,
     "cluster that they count under"},
    {"note", "Note", KIND_TEXT, 0, NULL, NULL, 0, "a remark"},
};

static const struct kind_column name_columns[] = {
    {"dimension", "Dimension", KIND_DIMENSION, KIND_KEY | KIND_REQUIRED | KIND_WORD, NULL, NULL,
     0, "of what: user, group, cluster, ..."},
    {"value", "Value", KIND_NAME, KIND_KEY | KIND_REQUIRED | KIND_WORD, NULL, NULL, 0,
     "as it is in the records"},
    {"shown", "Shown as", KIND_NAME, KIND_REQUIRED | KIND_WORD, NULL, NULL, 0,
     "what people read instead"},
    {"note", "Note", KIND_TEXT, 0, NULL, NULL, 0, "a remark"},
};

static const struct kind_column gap_columns[] = {
    {"cluster", "Cluster", KIND_NAME, KIND_KEY, NULL, NULL, 'M',
     "cluster whose data lack; without it, all"},
    {"from", "From", KIND_TIME, KIND_KEY | KIND_REQUIRED | KIND_FIRST, NULL, NULL, 'S',
     "first day, or the instant, from which data lack"},
    {"to", "To", KIND_TIME, KIND_LAST, NULL, NULL, 'E',
     "last day, or the instant up to which they lack; without it, they still do"},
    {"what", "What", KIND_TEXT, KIND_KEY | KIND_REQUIRED, NULL, NULL, 0,
     "what lacks, and why: a sentence that reports show"},
};

static const struct kind_column target_columns[] = {
    {"name", "Target", KIND_NAME, KIND_KEY | KIND_REQUIRED | KIND_WORD, NULL, NULL, 0,
     "what it is called"},
    {"measure", "Measure", KIND_MEASURE, KIND_REQUIRED, NULL, NULL, 0,
     "what is measured: cpu_hours, gpu_hours, jobs, ..."},
    {"amount", "Amount", KIND_AMOUNT, KIND_REQUIRED, NULL, NULL, 0,
     "how much of it, in the measure's unit"},
    {"per", "Per", KIND_CHOICE, 0, "day week month quarter year", NULL, 0,
     "the amount is for each of these; without it, for the time from --from to --to"},
    {"from", "From", KIND_DATE, KIND_FIRST, NULL, NULL, 'S', "first day it holds"},
    {"to", "To", KIND_DATE, KIND_LAST, NULL, NULL, 'E', "last day it holds"},
    {"cluster", "Cluster", KIND_NAME, KIND_FILTER, NULL, NULL, 'M', "of this cluster"},
    {"user", "User", KIND_NAME, KIND_FILTER, NULL, NULL, 'u', "of this user"},
    {"group", "Group", KIND_NAME, KIND_FILTER, NULL, NULL, 'g', "of this group"},
    {"account", "Account", KIND_NAME, KIND_FILTER, NULL, NULL, 'A', "of this account"},
    {"metagroup", "Metagroup", KIND_NAME, KIND_FILTER, NULL, "metagroup", 0,
     "of this metagroup"},
    {"note", "Note", KIND_TEXT, 0, NULL, NULL, 0, "a remark"},
};

#define COLUMNS(array) .columns = (array), .column_count = COUNT_OF(array)

/* What others refer to comes before them: a restore goes from the top. */
const struct kind kinds[] = {
    {.name = "metagroup",
     .table = "metagroup",
     .one = "metagroup",
     COLUMNS(metagroup_columns),
     .check_all = membership_check},
    {.name = "member",
     .table = "member",
     .one = "membership",
     COLUMNS(member_columns),
     .check_all = membership_check},
    {.name = "people",
     .table = "person",
     .one = "person",
     COLUMNS(person_columns),
     .check_all = people_check},
    {.name = "cluster", .table = "cluster", .one = "rule", COLUMNS(cluster_columns)},
    {.name = "name", .table = "name", .one = "name", COLUMNS(name_columns)},
    {.name = "gap", .table = "gap", .one = "gap", COLUMNS(gap_columns)},
    {.name = "target",
     .table = "target",
     .one = "target",
     COLUMNS(target_columns),
     .check_row = target_check},
};

const size_t kind_count = COUNT_OF(kinds);

const struct kind *kind_find(struct str name)
{
    for (size_t i = 0; i < kind_count; i++) {
        if (str_eq(name, str_of(kinds[i].name))) {
            return &kinds[i];
        }
    }
    return NULL;
}

const struct kind *kind_of_table(struct str table)
{
    for (size_t i = 0; i < kind_count; i++) {
        if (str_eq(table, str_of(kinds[i].table))) {
            return &kinds[i];
        }
    }
    return NULL;
}

size_t kind_column(const struct kind *kind, const char *id)
{
    size_t i = 0;
    while (i < kind->column_count && strcmp(kind->columns[i].id, id) != 0) {
        i++;
    }
    return i;
}

struct str kind_cell(const struct kind *kind, const struct kind_row *row, const char *id)
{
    size_t i = kind_column(kind, id);
    return i < kind->column_count ? row->cells[i] : (struct str){0};
}

void kind_period(const struct kind *kind, const struct kind_row *row, const struct zone *zone,
                 int64_t *from, int64_t *to)
{
    *from = 0;
    *to = INSTANT_MAX;
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct kind_column *column = &kind->columns[i];
        if (row->cells[i].ptr && column->flags & KIND_FIRST) {
            *from = kind_instant(zone, column, row->cells[i]);
        } else if (row->cells[i].ptr && column->flags & KIND_LAST) {
            *to = kind_instant(zone, column, row->cells[i]);
        }
    }
}

struct str kind_title(const struct kind *kind, const struct kind_row *row, struct arena *arena)
{
    enum { SHOWN_MAX = 80 };

    const char *title = kind->one;
    for (size_t i = 0; i < kind->column_count; i++) {
        struct str cell = row->cells[i];
        if (cell.ptr && kind->columns[i].flags & (KIND_WORD | KIND_KEY)) {
            cell.len = cell.len < SHOWN_MAX ? cell.len : SHOWN_MAX;
            title = arena_printf(arena, "%s '%.*s'", title, STR_ARG(cell));
        }
    }
    return str_of(title);
}

int kind_unknown(const char *what, struct str text, const struct str *names, size_t count,
                 const char *see, struct error *err)
{
    enum { FAR = 4, SHOWN_MAX = 80 };

    size_t distance = FAR, nearest = count;
    for (size_t i = 0; i < count; i++) {
        size_t d = str_distance(text, names[i], distance);
        if (d < distance) {
            distance = d;
            nearest = i;
        }
    }
    text.len = text.len < SHOWN_MAX ? text.len : SHOWN_MAX;
    if (nearest < count) {
        return error_set(err, ERROR_USAGE, "no %s is called '%.*s'; did you mean '%.*s'? %s",
                         what, STR_ARG(text), STR_ARG(names[nearest]), see);
    }
    return error_set(err, ERROR_USAGE, "no %s is called '%.*s'; %s", what, STR_ARG(text), see);
}
