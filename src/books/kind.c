/* SPDX-License-Identifier: MIT */
#include "books/kind.h"

#include "base/nearest.h"
#include "books/cap.h"
#include "books/capacity.h"
#include "books/customer.h"
#include "books/gap.h"
#include "books/membership.h"
#include "books/people.h"
#include "books/rate.h"
#include "books/saved_view.h"
#include "books/target.h"

static const struct kind_column metagroup_columns[] = {
    {.id = "name",
     .label = "Metagroup",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "name in reports"},
    {.id = "full_name", .label = "Full name", .type = KIND_NAME, .doc = "its full name"},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
};

static const struct kind_column member_columns[] = {
    {.id = "metagroup",
     .label = "Metagroup",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "metagroup it belongs to",
     .refers = "metagroup"},
    {.id = "kind",
     .label = "Kind",
     .type = KIND_CHOICE,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "kind of the member",
     .choices = "user account group metagroup"},
    {.id = "name",
     .label = "Name",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "which user, account, group or metagroup"},
    {.id = "from",
     .label = "From",
     .type = KIND_DATE,
     .flags = KIND_KEY | KIND_FIRST,
     .doc = "first day of the membership; default: unlimited",
     .letter = 'S'},
    {.id = "to",
     .label = "To",
     .type = KIND_DATE,
     .flags = KIND_LAST,
     .doc = "last day of the membership; default: unlimited",
     .letter = 'E'},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
};

static const struct kind_column person_columns[] = {
    {.id = "person",
     .label = "Person",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "short name of the person, of your choice; often the login"},
    {.id = "name", .label = "Name", .type = KIND_NAME, .doc = "full name"},
    {.id = "email", .label = "E-mail", .type = KIND_NAME, .doc = "address"},
    {.id = "affiliation",
     .label = "Affiliation",
     .type = KIND_NAME,
     .doc = "institution or department of the person"},
    {.id = "logins",
     .label = "Logins",
     .type = KIND_LOGINS,
     .doc = "logins, comma-separated: ann on all clusters, alder:asmith on one"},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
};

static const struct kind_column cluster_columns[] = {
    {.id = "cluster",
     .label = "Cluster",
     .type = KIND_GLOB,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "cluster as named at import; a pattern"},
    {.id = "node",
     .label = "Node",
     .type = KIND_GLOB,
     .flags = KIND_KEY,
     .doc = "only runs on nodes that match this pattern",
     .letter = 'w'},
    {.id = "partition",
     .label = "Partition",
     .type = KIND_GLOB,
     .flags = KIND_KEY,
     .doc = "only runs in queues or partitions that match this pattern",
     .letter = 'r'},
    {.id = "as",
     .label = "Counts as",
     .type = KIND_NAME,
     .flags = KIND_REQUIRED,
     .doc = "cluster under which they count"},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
};

static const struct kind_column name_columns[] = {
    {.id = "dimension",
     .label = "Dimension",
     .type = KIND_DIMENSION,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "dimension: user, group, cluster, ..."},
    {.id = "value",
     .label = "Value",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "value as recorded"},
    {.id = "shown",
     .label = "Shown as",
     .type = KIND_NAME,
     .flags = KIND_REQUIRED | KIND_WORD,
     .doc = "name shown instead"},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
};

static const struct kind_column capacity_columns[] = {
    {.id = "cluster",
     .label = "Cluster",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD | KIND_OF_RUNS,
     .doc = "cluster, as named in reports",
     .letter = 'M'},
    {.id = "cpus",
     .label = "CPUs",
     .type = KIND_AMOUNT,
     .flags = KIND_REQUIRED,
     .doc = "number of cpus"},
    {.id = "gpus", .label = "GPUs", .type = KIND_AMOUNT, .doc = "number of GPUs"},
    {.id = "from",
     .label = "From",
     .type = KIND_DATE,
     .flags = KIND_KEY | KIND_FIRST,
     .doc = "first day with this size; default: unlimited",
     .letter = 'S'},
    {.id = "to",
     .label = "To",
     .type = KIND_DATE,
     .flags = KIND_LAST,
     .doc = "last day with this size; default: unlimited",
     .letter = 'E'},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
};

static const struct kind_column gap_columns[] = {
    {.id = "cluster",
     .label = "Cluster",
     .type = KIND_NAME,
     .flags = KIND_KEY,
     .doc = "cluster with missing data; default: all clusters",
     .letter = 'M'},
    {.id = "from",
     .label = "From",
     .type = KIND_TIME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_FIRST,
     .doc = "first day with missing data, or a time",
     .letter = 'S'},
    {.id = "to",
     .label = "To",
     .type = KIND_TIME,
     .flags = KIND_LAST,
     .doc = "last day with missing data, or a time; default: still missing",
     .letter = 'E'},
    {.id = "what",
     .label = "What",
     .type = KIND_TEXT,
     .flags = KIND_KEY | KIND_REQUIRED,
     .doc = "what is missing and why; shown in reports"},
    {.id = "only",
     .label = "Only",
     .type = KIND_NAME,
     .doc = "only runs with this value, as FIELD=PATTERN: partition=gpu; default: all runs"},
};

static const struct kind_column target_columns[] = {
    {.id = "name",
     .label = "Target",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "name of the target"},
    {.id = "measure",
     .label = "Measure",
     .type = KIND_MEASURE,
     .flags = KIND_REQUIRED,
     .doc = "the measure: cpu_hours, gpu_hours, jobs, ..."},
    {.id = "amount",
     .label = "Amount",
     .type = KIND_AMOUNT,
     .flags = KIND_REQUIRED,
     .doc = "the amount, in the measure's unit"},
    {.id = "per",
     .label = "Per",
     .type = KIND_CHOICE,
     .doc = "the amount is per day, week, month, quarter or year; default: for the whole "
            "period from --from to --to",
     .choices = "day week month quarter year"},
    {.id = "from",
     .label = "From",
     .type = KIND_DATE,
     .flags = KIND_FIRST,
     .doc = "first day of the target",
     .letter = 'S'},
    {.id = "to",
     .label = "To",
     .type = KIND_DATE,
     .flags = KIND_LAST,
     .doc = "last day of the target",
     .letter = 'E'},
    {.id = "cluster",
     .label = "Cluster",
     .type = KIND_NAME,
     .flags = KIND_FILTER | KIND_OF_RUNS,
     .doc = "only for this cluster",
     .letter = 'M'},
    {.id = "user",
     .label = "User",
     .type = KIND_NAME,
     .flags = KIND_FILTER | KIND_OF_RUNS,
     .doc = "only for this user",
     .letter = 'u'},
    {.id = "group",
     .label = "Group",
     .type = KIND_NAME,
     .flags = KIND_FILTER | KIND_OF_RUNS,
     .doc = "only for this group",
     .letter = 'g'},
    {.id = "account",
     .label = "Account",
     .type = KIND_NAME,
     .flags = KIND_FILTER | KIND_OF_RUNS,
     .doc = "only for this account",
     .letter = 'A'},
    {.id = "metagroup",
     .label = "Metagroup",
     .type = KIND_NAME,
     .flags = KIND_FILTER,
     .doc = "only for this metagroup",
     .refers = "metagroup"},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
};

/* What a token or a user may do, and whose runs they see. */
#define RIGHTS_COLUMNS                                                                         \
    {.id = "role",                                                                             \
     .label = "Role",                                                                          \
     .type = KIND_CHOICE,                                                                      \
     .flags = KIND_REQUIRED,                                                                   \
     .doc = "what it may do: user (own runs), manager (also of groups, accounts and "          \
            "metagroups), staff (sees all), operator (and imports), treasurer (and moves "     \
            "SU), admin (all), agent (sends samples)",                                         \
     .choices = "user manager staff operator treasurer agent admin"},                          \
        {.id = "logins",                                                                       \
         .label = "Logins",                                                                    \
         .type = KIND_NAME,                                                                    \
         .doc = "logins whose runs count as the user's own, comma-separated"},                 \
        {.id = "groups",                                                                       \
         .label = "Groups",                                                                    \
         .type = KIND_NAME,                                                                    \
         .doc = "groups whose runs a manager may see, comma-separated"},                       \
    {                                                                                          \
        .id = "accounts", .label = "Accounts", .type = KIND_NAME,                              \
        .doc = "accounts whose runs a manager may see, comma-separated"                        \
    }

/* The last of them, as in the schema, to which it came later. */
#define METAGROUPS_COLUMN                                                                      \
    {                                                                                          \
        .id = "metagroups", .label = "Metagroups", .type = KIND_NAME,                          \
        .doc = "metagroups whose runs a manager may see, comma-separated"                      \
    }

static const struct kind_column token_columns[] = {
    {.id = "name",
     .label = "Token",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "name that describes who or what uses the token"},
    RIGHTS_COLUMNS,
    {.id = "to",
     .label = "To",
     .type = KIND_DATE,
     .flags = KIND_LAST,
     .doc = "last day it is valid; default: until it is revoked",
     .letter = 'E'},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
    {.id = "owner",
     .label = "Owner",
     .type = KIND_NAME,
     .flags = KIND_OWNER,
     .doc = "user who created it for themselves"},
    METAGROUPS_COLUMN,
    {.id = "rights",
     .label = "Rights",
     .type = KIND_NAME,
     .doc = "those of its role's rights that it has, comma-separated; default: all of them"},
};

static const struct kind_column user_columns[] = {
    {.id = "name",
     .label = "User",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "name to log in with"},
    RIGHTS_COLUMNS,
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
    METAGROUPS_COLUMN,
};

static const struct kind_column rate_columns[] = {
    {.id = "name",
     .label = "Rate",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "its name"},
    {.id = "cluster",
     .label = "Cluster",
     .type = KIND_GLOB,
     .doc = "only for runs on clusters that match this pattern",
     .letter = 'M'},
    {.id = "partition",
     .label = "Partition",
     .type = KIND_GLOB,
     .doc = "only for runs in queues or partitions that match this pattern",
     .letter = 'r'},
    {.id = "qos",
     .label = "QOS",
     .type = KIND_GLOB,
     .doc = "only for runs whose QOS matches this pattern",
     .letter = 'q'},
    {.id = "gpu_type",
     .label = "GPU type",
     .type = KIND_GLOB,
     .doc = "only for runs whose GPU model matches this pattern"},
    {.id = "hours",
     .label = "Hours",
     .type = KIND_NAME,
     .doc = "only for runs that start at these hours of the day: 22-6"},
    {.id = "days",
     .label = "Days",
     .type = KIND_NAME,
     .doc = "only for runs that start on these days of the week: sat,sun"},
    {.id = "from",
     .label = "From",
     .type = KIND_DATE,
     .flags = KIND_KEY | KIND_FIRST,
     .doc = "first day: for runs that start on it or later; default: unlimited",
     .letter = 'S'},
    {.id = "to",
     .label = "To",
     .type = KIND_DATE,
     .flags = KIND_LAST,
     .doc = "last day; default: unlimited",
     .letter = 'E'},
    {.id = "unit",
     .label = "Unit",
     .type = KIND_NAME,
     .doc = "unit of the price: SU or a currency; default SU"},
    {.id = "how",
     .label = "How",
     .type = KIND_CHOICE,
     .doc = "sum of the prices below, the largest of them, or the billing units recorded by "
            "the scheduler; default sum",
     .choices = "sum max recorded"},
    {.id = "cpu", .label = "CPU hour", .type = KIND_AMOUNT, .doc = "price of a cpu hour"},
    {.id = "gpu", .label = "GPU hour", .type = KIND_AMOUNT, .doc = "price of a GPU hour"},
    {.id = "mem",
     .label = "GiB hour",
     .type = KIND_AMOUNT,
     .doc = "price of a GiB hour of memory"},
    {.id = "node", .label = "Node hour", .type = KIND_AMOUNT, .doc = "price of a node hour"},
    {.id = "factor",
     .label = "Factor",
     .type = KIND_AMOUNT,
     .doc = "factor by which the price is multiplied; default 1"},
    {.id = "least", .label = "Least", .type = KIND_AMOUNT, .doc = "minimum price of a run"},
    {.id = "free",
     .label = "Free",
     .type = KIND_NAME,
     .doc = "classes or states of runs that are free: node_fail,requeued,preempted"},
    {.id = "under",
     .label = "Free under",
     .type = KIND_AMOUNT,
     .doc = "runs shorter than this many seconds are free"},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
    {.id = "account",
     .label = "Account",
     .type = KIND_GLOB,
     .doc = "only for runs of the scheduler's accounts that match this pattern",
     .letter = 'A'},
    {.id = "group",
     .label = "Group",
     .type = KIND_GLOB,
     .doc = "only for runs of Unix groups that match this pattern",
     .letter = 'g'},
    {.id = "kwh",
     .label = "kWh",
     .type = KIND_AMOUNT,
     .doc = "price of a kilowatt-hour of the energy that the scheduler recorded"},
    {.id = "resources",
     .label = "Resources",
     .type = KIND_NAME,
     .doc = "prices of an hour of other resources, by the scheduler's names of them: "
            "gres/shard=0.5,license/matlab=2"},
    {.id = "metagroup",
     .label = "Metagroup",
     .type = KIND_GLOB,
     .doc =
         "only for runs that count to a metagroup that matches this pattern, or to one in it"},
};

static const struct kind_column cap_columns[] = {
    {.id = "account",
     .label = "Account",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD | KIND_OF_BANK,
     .doc = "the bank account"},
    {.id = "user",
     .label = "User",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc =
         "the user, * for each one without a cap of their own, or all for the ceiling of the "
         "account: all its users together"},
    {.id = "amount",
     .label = "Amount",
     .type = KIND_AMOUNT,
     .doc = "SU that may be used in the period"},
    {.id = "share",
     .label = "Share %",
     .type = KIND_AMOUNT,
     .doc =
         "the same as percent of what is granted to the account by the allotments valid now"},
    {.id = "per",
     .label = "Per",
     .type = KIND_CHOICE,
     .flags = KIND_KEY,
     .choices = "month quarter year",
     .doc = "the period: a calendar month, quarter or year; default the time since the first "
            "of the account's current allotments began"},
    {.id = "from",
     .label = "From",
     .type = KIND_DATE,
     .flags = KIND_KEY | KIND_FIRST,
     .doc = "first day the cap holds; default always"},
    {.id = "to",
     .label = "To",
     .type = KIND_DATE,
     .flags = KIND_LAST,
     .doc = "last day the cap holds; default no end"},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "remark"},
};

static const struct kind_column customer_columns[] = {
    {.id = "account",
     .label = "Account",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD | KIND_OF_BANK,
     .doc = "the bank account"},
    {.id = "name", .label = "Name", .type = KIND_NAME, .doc = "who is invoiced"},
    {.id = "address", .label = "Address", .type = KIND_TEXT, .doc = "their address, in lines"},
    {.id = "tax_id", .label = "Tax number", .type = KIND_NAME, .doc = "their tax number"},
    {.id = "reference",
     .label = "Reference",
     .type = KIND_NAME,
     .doc = "their reference: a cost centre, an order number"},
    {.id = "tax",
     .label = "Tax %",
     .type = KIND_AMOUNT,
     .doc = "tax in percent, 0 for none; default that of [invoice] in stint.conf"},
    {.id = "tax_note",
     .label = "Tax note",
     .type = KIND_NAME,
     .doc = "what their invoices say about tax, such as why there is none"},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
};

static const struct kind_column view_columns[] = {
    {.id = "name",
     .label = "View",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_WORD,
     .doc = "its name"},
    {.id = "question",
     .label = "Question",
     .type = KIND_NAME,
     .flags = KIND_REQUIRED | KIND_WORD,
     .doc = "address of the page, without the server: /explore/cpu_hours?by=group"},
    {.id = "owner",
     .label = "Owner",
     .type = KIND_NAME,
     .flags = KIND_KEY | KIND_REQUIRED | KIND_OWNER,
     .doc = "owner: the user who added it"},
    {.id = "share",
     .label = "Shared with",
     .type = KIND_CHOICE,
     .flags = KIND_SHARE,
     .doc = "role of other users who see it, and of those who see more; default nobody else",
     .choices = "user manager staff admin"},
    {.id = "note", .label = "Note", .type = KIND_TEXT, .doc = "a remark"},
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
    {.since = 2,
     .name = "capacity",
     .table = "capacity",
     .one = "size of a cluster",
     COLUMNS(capacity_columns),
     .check_row = capacity_check_row,
     .check_all = capacity_check_all},
    {.name = "gap",
     .table = "gap",
     .one = "gap",
     COLUMNS(gap_columns),
     .check_row = gap_check_row},
    {.name = "target",
     .table = "target",
     .one = "target",
     COLUMNS(target_columns),
     .check_row = target_check},
    {.since = 3, .name = "token", .table = "token", .one = "token", COLUMNS(token_columns)},
    {.since = 3, .name = "user", .table = "user", .one = "user", COLUMNS(user_columns)},
    {.since = 4,
     .name = "rate",
     .table = "rate",
     .one = "rate",
     COLUMNS(rate_columns),
     .check_row = rate_check_row},
    {.since = 5,
     .name = "view",
     .table = "saved_view",
     .one = "view",
     COLUMNS(view_columns),
     .check_row = saved_view_check_row},
    {.since = 24,
     .name = "customer",
     .table = "customer",
     .one = "customer",
     COLUMNS(customer_columns),
     .check_row = customer_check_row},
    {.since = 30,
     .name = "cap",
     .table = "cap",
     .one = "cap",
     COLUMNS(cap_columns),
     .check_row = cap_check_row},
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

const char *kind_when(const struct kind *kind, const struct kind_row *row, struct arena *arena)
{
    struct str from = kind_cell(kind, row, "from"), to = kind_cell(kind, row, "to");
    return from.ptr && to.ptr
               ? arena_printf(arena, "from %.*s to %.*s", STR_ARG(from), STR_ARG(to))
           : from.ptr ? arena_printf(arena, "from %.*s on", STR_ARG(from))
           : to.ptr   ? arena_printf(arena, "until %.*s", STR_ARG(to))
                      : "always";
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
    struct nearest nearest = nearest_to(text);
    for (size_t i = 0; i < count; i++) {
        nearest_try(&nearest, names[i]);
    }
    return nearest_refuse(&nearest, what, see, err);
}
