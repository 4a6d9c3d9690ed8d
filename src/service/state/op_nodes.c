/* SPDX-License-Identifier: MIT */

/*
 * stint nodes: the nodes of clusters as they were at a moment, counted, or one through a
 * period.
 */

#include <inttypes.h>

#include "facts/inventory.h"
#include "report/queries/nodes.h"
#include "report/queries/pull_age.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/at_option.h"
#include "service/query/question_params.h"

/*
 * The cluster comes first where there are several. What people see fits a terminal of 80
 * columns.
 */
#define DEFAULT_FIELDS                                                                         \
    "node,class,state,cpus,cpus_used,mem,gpus,gpus_used,gpu_type,since,for,age,reason"
#define MACHINE_FIELDS "state,gpus_used,gpu_type,since" /* of these */
#define PEOPLE_FIELDS  "for"
#define HISTORY_FIELDS "class,cpus,gpus,reason"

#define SEE "see them all with: stint help nodes"

static const char *column_name_at(size_t index)
{
    const struct inventory_item_field *field = nodes_column_at(index);
    return field ? field->id : NULL;
}

static const char *class_name_at(size_t index)
{
    return index < NODE_CLASS_COUNT ? node_class_name((enum node_class)index).ptr : NULL;
}

/* What nodes can be picked by: columns of theirs that fields of a run are called like. */
static const struct named_filter filters[] = {{"cluster", RUN_cluster},
                                              {"node", RUN_node},
                                              {"class", RUN_class},
                                              {"state", RUN_state},
                                              {"partition", RUN_partition},
                                              {"gpus", RUN_gpus},
                                              {"reservation", RUN_reservation}};

#define RESERVATION "reservation"

/* Names of reservations are for those who may list them: they may say who has one. */
static bool may_see(const struct service *service, struct str id)
{
    return !str_eq(id, STR(RESERVATION)) || caller_scope(service->caller).all;
}

static int check_names(const struct service *service, const struct request *request,
                       const struct nodes_question *question, struct error *err)
{
    bool may = !request_has(request, RESERVATION) || may_see(service, STR(RESERVATION));
    for (size_t i = 0; i < question->key_count; i++) {
        may = may && may_see(service, str_of(question->keys[i]));
    }
    for (size_t i = 0; i < question->column_count; i++) {
        may = may && may_see(service, str_of(question->columns[i]->id));
    }
    return may ? 0
               : error_set(err, ERROR_DENIED,
                           "reservations are shown to staff, who may see all jobs; leave out "
                           "'" RESERVATION "'");
}

/* A history has what was recorded of nodes, and names no reservations. */
static int check_history(const struct request *request, const struct nodes_question *question,
                         struct error *err)
{
    if (request_has(request, "at") || request_has(request, "by")) {
        return error_set(err, ERROR_USAGE,
                         "--history shows a period, --from and --to: leave out --at and --by");
    }
    if (request_has(request, RESERVATION)) {
        return error_set(err, ERROR_USAGE,
                         "--history has no reservations: see stint reservations");
    }
    for (size_t i = 0; i < question->column_count; i++) {
        if (!nodes_column_has_history(question->columns[i])) {
            return error_set(err, ERROR_USAGE,
                             "'%s' is known of a moment: leave out --history, or the field",
                             question->columns[i]->id);
        }
    }
    return 0;
}

static int read_columns(const struct service *service, const struct request *request,
                        const char *fallback, struct nodes_question *question,
                        struct error *err)
{
    static const struct params_names names = {"field", column_name_at, SEE, NODES_COLUMNS_MAX};
    const struct str list = request_text(request, "fields");
    size_t columns[NODES_COLUMNS_MAX];
    size_t count = 0;
    int failed = 0;
    if (str_eq(list, STR("all"))) {
        for (size_t i = 0; nodes_column_at(i); i++) {
            columns[count] = i;
            count += may_see(service, str_of(nodes_column_at(i)->id)) &&
                     (!request_flag(request, "history") ||
                      nodes_column_has_history(nodes_column_at(i)));
        }
    } else {
        failed =
            params_find_each(&names, list.ptr ? list : str_of(fallback), columns, &count, err);
    }
    for (size_t i = 0; !failed && i < count; i++) {
        question->columns[question->column_count++] = nodes_column_at(columns[i]);
    }
    return failed;
}

static const struct params_names keys = {"dimension of nodes", nodes_key_at, SEE,
                                         NODES_KEYS_MAX};

static int read_question(const struct service *service, const struct request *request,
                         struct nodes_question *question, struct error *err)
{
    const bool history = request_flag(request, "history");
    int failed;
    *question = (struct nodes_question){.now = service->now(), .zone = service->zone};
    (void)((failed = at_option_read(service, request, question->now, &question->at, err)) ||
           (failed = params_filter_by(service, request, filters, COUNT_OF(filters),
                                      &question->filter, err)) ||
           (failed = params_keys(request, &keys, question->keys, &question->key_count, err)) ||
           (failed = read_columns(service, request, history ? HISTORY_FIELDS : DEFAULT_FIELDS,
                                  question, err)) ||
           (failed = check_names(service, request, question, err)));
    if (!failed && history) {
        failed = check_history(request, question, err);
    } else if (!failed && !history && question_period(request)) {
        failed =
            error_set(err, ERROR_USAGE,
                      "nodes are shown at one moment, --at; to show a period, add --history");
    }
    return failed;
}

/* The cluster stands first where there are several, unless somebody chose what to see. */
static void add_cluster(const struct request *request, struct nodes_question *question,
                        size_t clusters)
{
    if (clusters > 1) {
        nodes_by_cluster(question);
    }
    if (clusters < 2 || request_has(request, "fields") || question->key_count) {
        return;
    }
    for (size_t i = question->column_count++; i > 0; i--) {
        question->columns[i] = question->columns[i - 1];
    }
    question->columns[0] = nodes_column_find(STR("cluster"));
}

/* --- notes -------------------------------------------------------------------------------- */

static void note_looks(const struct service *service, const struct nodes_question *question,
                       const struct nodes_notes *notes, struct answer *answer)
{
    enum { NAMED_MAX = 5 };

    size_t named = 0;
    if (question->at < 0) {
        at_option_note_looks(service, &notes->looks, question->now, "nodes", answer);
    } else {
        at_option_note(service, question->at, answer);
    }
    for (size_t i = 0; question->at >= 0 && i < notes->looks.row_count; i++) {
        const struct str cluster = notes->looks.columns[PULL_AGE_CLUSTER].cells[i].text;
        const int64_t age = question->at - notes->looks.columns[PULL_AGE_SEEN].cells[i].integer;
        char text[AT_OPTION_TEXT_MAX];
        if (age > INVENTORY_AROUND_US && named++ < NAMED_MAX) {
            answer_note(answer, NOTE_EXTENT,
                        "no node data of %.*s for %s: its nodes at that moment are unknown",
                        STR_ARG(cluster), at_option_length(age, text));
        }
    }
    if (notes->looks.row_count == 0) {
        answer_note(
            answer, NOTE_EMPTY,
            "no nodes are recorded: they come from querying a live scheduler (stint pull)");
    }
}

static void note_runs(const struct nodes_notes *notes, struct answer *answer)
{
    if (!notes->whole) {
        answer_note(answer, NOTE_SCOPE,
                    "what jobs of others hold is not shown here (live = own in [serve] of "
                    "stint.conf): used and free are what the scheduler itself says");
        return;
    }
    if (notes->split > 0) {
        answer_note(answer, NOTE_COVERAGE,
                    "used: the cpus of %" PRId64 " run%s on several nodes %s split evenly",
                    notes->split, notes->split == 1 ? "" : "s",
                    notes->split == 1 ? "are" : "each are");
    }
    if (notes->unreadable > 0) {
        answer_note(answer, NOTE_COVERAGE,
                    "used: %" PRId64 " run%s no nodes recorded and %s not included",
                    notes->unreadable, notes->unreadable == 1 ? " has" : "s have",
                    notes->unreadable == 1 ? "is" : "are");
    }
}

/* A column that is partly a guess says so. */
static void mark_split(const struct nodes_notes *notes, struct table *table)
{
    static const struct {
        const char *id, *label;
    } marked[] = {{"cpus_used", "~Used"},
                  {"cpus_free", "~Free"},
                  {"gpus_used", "~GPUs used"},
                  {"gpus_free", "~GPUs free"}};

    for (size_t c = 0; notes->split > 0 && c < table->column_count; c++) {
        for (size_t i = 0; i < COUNT_OF(marked); i++) {
            if (str_eq(str_of(table->columns[c].id), str_of(marked[i].id))) {
                table->columns[c].label = marked[i].label;
            }
        }
    }
}

/* --- running ------------------------------------------------------------------------------ */

/* All nodes together, each once, below the counts. */
static int add_total(struct facts *facts, const struct nodes_question *question,
                     struct answer *answer, struct error *err)
{
    struct nodes_question all = *question;
    struct nodes_notes notes = {0};
    struct table total = {0};
    all.key_count = 0;
    all.total = true;
    int failed = nodes_ask(facts, &all, &total, &notes, err);
    if (!failed) {
        question_footer(answer, &total, question->key_count);
    }
    table_release(&total);
    table_release(&notes.looks);
    return failed;
}

static int show_nodes(const struct service *service, const struct request *request,
                      struct facts *facts, struct nodes_question *question,
                      struct answer *answer, struct error *err)
{
    struct nodes_notes notes = {0};
    int64_t clusters = 0;
    int failed = nodes_clusters(facts, &clusters, err);
    if (failed) {
        return failed;
    }
    add_cluster(request, question, (size_t)clusters);
    failed = nodes_ask(facts, question, &answer->table, &notes, err);
    if (!failed && !request_has(request, "fields") && !question->key_count) {
        question_audience(&answer->table, MACHINE_FIELDS, COLUMN_FOR_MACHINES);
        question_audience(&answer->table, PEOPLE_FIELDS, COLUMN_FOR_PEOPLE);
    }
    if (!failed) {
        mark_split(&notes, &answer->table);
        note_looks(service, question, &notes, answer);
        note_runs(&notes, answer);
        if (notes.looks.row_count > 0 && answer->table.row_count == 0) {
            answer_note(answer, NOTE_EMPTY,
                        "no node matches the filters, or none was recorded at that moment");
        }
    }
    if (!failed && notes.looks.row_count == 0) {
        failed = at_option_note_unasked(service, facts, answer, err);
    }
    if (!failed && question->key_count && !answer->bare) {
        failed = add_total(facts, question, answer, err);
    }
    table_release(&notes.looks);
    return failed;
}

static int show_history(const struct service *service, const struct request *request,
                        struct facts *facts, const struct nodes_question *question,
                        struct answer *answer, struct error *err)
{
    struct period period;
    int failed;
    (void)((failed = params_period(service, request, &period, err)) ||
           (failed = nodes_history(facts, question, period, &answer->table, err)));
    if (!failed) {
        params_note_time(service, period, question->now, answer);
    }
    if (!failed && answer->table.row_count == 0) {
        answer_note(answer, NOTE_EMPTY,
                    "no node that matches the filters was seen in this period");
    }
    return failed;
}

static int run_nodes(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct nodes_question question;
    struct facts *facts = NULL;
    int failed = read_question(service, request, &question, err);
    if (failed || (failed = at_option_open(service, "nodes are", &facts, err)) != 0) {
        return failed;
    }
    failed = request_flag(request, "history")
                 ? show_history(service, request, facts, &question, answer, err)
                 : show_nodes(service, request, facts, &question, answer, err);
    return failed;
}

static const struct param params[] = {
    AT_OPTION_AT,
    {.name = "by",
     .letter = 'b',
     .type = PARAM_TEXT,
     .value = "THING[,...]",
     .name_at = nodes_key_at,
     .help = "count nodes, cpus and GPUs, used and free, by cluster, partition, class, state, "
             "gpu_type, cpus or reservation; the second and the last by cluster where there "
             "are several"},
    {.name = "history",
     .type = PARAM_FLAG,
     .help = "show how nodes changed from --from to --to, one row per unchanged interval"},
    PARAM_FILTER("cluster", 'M', "of these clusters"),
    PARAM_FILTER("node", 'w', "nodes with these names"),
    {.name = "class",
     .letter = 's',
     .type = PARAM_TEXT,
     .value = "CLASS[,...]",
     .name_at = class_name_at,
     .help = "in these classes of state, the same for all schedulers",
     .repeated = true},
    PARAM_FILTER("state", 0, "in these states, as the scheduler names them"),
    PARAM_FILTER("partition", 'r', "that serve one of these partitions or queues"),
    PARAM_FILTER("gpus", 0, "with that many GPUs: 4, '>=1'"),
    PARAM_FILTER("reservation", 0, "held by one of these reservations; for staff"),
    PARAM_FIELDS(column_name_at, NULL, "columns to show, or all"),
};

const struct operation operation_nodes = {
    .name = "nodes",
    .summary = "show the nodes of clusters, now or in the past",
    .description =
        "Shows the nodes of clusters at a moment: their state in terms common to all "
        "schedulers, their size, how much of them was allocated, how long they have been in "
        "this state and how long ago they were last seen. With --by it counts them. "
        "With --history it shows how nodes changed over a period.\n\n"
        "Nodes are recorded by stint pull, which queries a live scheduler; accounting logs do "
        "not contain them. Nothing is shown for times at which no scheduler was queried. What "
        "is used now is what the scheduler says that it has allocated; where it does not say, "
        "and for times in the past, what everybody's runs held. It is the same for all users. "
        "Since when a node is out of use is the scheduler's own time where it has one. The "
        "cpus of a run on several nodes are split evenly among them where it is not recorded "
        "how "
        "many each had; the column heading then begins with ~.",
    .examples = "stint nodes -s down,drained,draining # what is out of use, and why\n"
                "stint nodes --by class # how many are up, idle, down\n"
                "stint nodes --by gpu_type --gpus '>=1' # which GPUs are free\n"
                "stint nodes --by reservation,class # what reservations hold, and its state\n"
                "stint nodes --by partition,class -M alder --at yesterday # as of yesterday\n"
                "stint nodes --history -w c07 --from 30d # how one changed",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_nodes,
};
