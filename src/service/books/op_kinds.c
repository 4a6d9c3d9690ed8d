/* SPDX-License-Identifier: MIT */

/*
 * stint member, cluster, name, gap, customer, cap, target, view: the kinds of the books of
 * which there is nothing to say beyond their columns.
 */

#include "service/books/kind_actions.h"
#include "service/core/operations.h"

/* What is said of clusters is for all to read; what names people is not. */
static const struct operation_action of_clusters[] = {ENTRY_ACTIONS(RIGHT_OWN, RIGHT_BOOKS)};
static const struct operation_action of_people[] = {ENTRY_ACTIONS(RIGHT_ALL, RIGHT_BOOKS)};
static const struct operation_action of_money[] = {ENTRY_ACTIONS(RIGHT_ALL, RIGHT_MONEY)};

/* What everybody keeps for themselves: see service/books/owned_rows.h. */
static const struct operation_action of_everybody[] = {
    {"add", "save a view: its name and its address", RIGHT_OWN, ACTION_CHANGES, NULL},
    {"set", "change one of yours: its name or its number, and the options to change", RIGHT_OWN,
     ACTION_CHANGES, NULL},
    {"remove", "remove one of yours: its name or its number", RIGHT_OWN, ACTION_CHANGES, NULL},
    {"list", "list your views and those that are shared with you", RIGHT_OWN, 0, NULL},
};

static const struct param everybody_params[] = {ENTRY_PARAMS("add set remove list")};

static const struct param params[] = {ENTRY_PARAMS(ENTRY_ACTION_NAMES)};

#define ENTRY_OPERATION(table)                                                                 \
    .rights = RIGHT_OWN, .actions = (table), .action_count = COUNT_OF(table),                  \
    .sets = PARAMS_KIND, .params = params, .param_count = COUNT_OF(params),                    \
    .run = kind_actions_run

const struct operation operation_member = {
    .name = "member",
    .summary = "manage the members of metagroups",
    .description =
        "A membership is identified by three words: stint member add METAGROUP KIND NAME, "
        "where KIND is user, account, group or metagroup. It may have a first and a last day, "
        "both included.\n"
        "At any moment a run belongs to one metagroup: that of its user, else of its account, "
        "else of its group. A member cannot be in two metagroups at once, and a metagroup "
        "cannot contain itself. When a user changes metagroup, earlier usage stays with the "
        "old one, and a run that spans the change is split.",
    .examples = "stint member add science group physics # all of a Unix group\n"
                "stint member add arts user ann --from 2025-09-01 # ann, from that day\n"
                "stint member set 4 --to 2025-08-31 # number 4 ends\n"
                "stint member list arts # who is in it",
    ENTRY_OPERATION(of_people),
};

const struct operation operation_cluster = {
    .name = "cluster",
    .summary = "manage rules that assign runs to clusters",
    .description =
        "A rule makes runs that were imported under one cluster name count under another: all "
        "of them, or those whose node or partition matches a pattern. If several rules match a "
        "run, the one with the most patterns applies; among equals, the oldest. To change only "
        "the name shown in tables, use: stint name add cluster NAME SHOWN.",
    .examples = "stint cluster add alder --node 'gpu*' --as alder-gpu # part of a cluster as a "
                "separate one\n"
                "stint cluster add oldname --as newname # renamed",
    ENTRY_OPERATION(of_clusters),
};

const struct operation operation_name = {
    .name = "name",
    .summary = "manage display names",
    .description = "A display name is shown in tables in place of a value of a dimension. It "
                   "is defined by three words: stint name add DIMENSION VALUE SHOWN.",
    .examples = "stint name add cluster alder 'Alder (2024)' # in every table\n"
                "stint name remove cluster alder # as before",
    ENTRY_OPERATION(of_people),
};

const struct operation operation_capacity = {
    .name = "capacity",
    .summary = "manage the sizes of clusters, for utilization",
    .description =
        "Defines how many cpus and GPUs a cluster has, and for which period: stint capacity "
        "add CLUSTER --cpus N. Reports need it for utilization, the share of the capacity that "
        "was allocated. Sizes of one cluster must not overlap: set the last day of the old one "
        "before you add the new one. A size defined here overrides the one computed from the "
        "recorded nodes (stint nodes). If neither is available for a part of the time or for "
        "one of the clusters, utilization is unknown.",
    .examples = "stint capacity add alder --cpus 2048 --gpus 32 --to 2024-12-31 # until then\n"
                "stint capacity add alder --cpus 4096 --gpus 64 --from 2025-01-01 # it grew",
    ENTRY_OPERATION(of_clusters),
};

const struct operation operation_gap = {
    .name = "gap",
    .summary = "manage known gaps: periods with missing data",
    .description = "A gap is defined by options only and identified by its number: stint gap "
                   "remove 3. --from and --to are days, both included, or times.",
    .examples = "stint gap add -M alder --from 2025-03-02 --to 2025-03-04 --what 'log lost' "
                "# three days\n"
                "stint gap list --from 2025 # those of a year",
    ENTRY_OPERATION(of_clusters),
};

const struct operation operation_customer = {
    .name = "customer",
    .summary = "manage who is invoiced for accounts of the bank",
    .description =
        "The party that invoices of an account are made out to: stint customer add ACCOUNT "
        "--name NAME --address ADDRESS. Accounts without one are invoiced under their own "
        "name. What was issued keeps what it said.",
    .examples =
        "stint customer add chem --name 'Faculty of Chemistry' --reference 4711 # on invoices\n"
        "stint customer set acme --tax 0 --tax_note 'reverse charge' # without tax",
    ENTRY_OPERATION(of_money),
};

const struct operation operation_cap = {
    .name = "cap",
    .summary = "manage how much users may use of an account of the bank",
    .description =
        "A cap is an amount, or a share of what is granted to the account, that one user may "
        "use in a period: stint cap add ACCOUNT USER --amount SU --per month. The user * "
        "stands "
        "for each user of the account without a cap of their own, and the user all for the "
        "ceiling of the account: all its users together. What counts is what was "
        "charged on the days of the period and what running jobs may still cost. What is left "
        "of each: stint bank caps. Schedulers hold who reached a cap: stint bank enforce.",
    .examples =
        "stint cap add chem '*' --share 10 --per month # nobody takes more than a tenth\n"
        "stint cap add chem bob --amount 500 --per month # but bob\n"
        "stint cap add chem all --amount 3000 --per month # and all together this much\n"
        "stint cap set chem bob --to 2026-12-31 # until then",
    ENTRY_OPERATION(of_money),
};

const struct operation operation_target = {
    .name = "target",
    .summary = "manage targets: allocations, pledges, goals",
    .description =
        "A target is a planned amount of a measure: for a cluster, user, group, account or "
        "metagroup, or for everything; per year, quarter or month, or for a period from --from "
        "to --to. It is identified by its name: stint target add NAME.",
    .examples = "stint target add pledge --measure cpu_hours --amount 2e6 --from 2025 "
                "--to 2025 -M "
                "alder # a year\n"
                "stint target add physics --measure jobs --amount 500 --per month -g physics # "
                "each month",
    ENTRY_OPERATION(of_people),
};

const struct operation operation_view = {
    .name = "view",
    .summary = "save pages under names, for yourself or for others",
    .description =
        "A view is a page of the server with its parameters, saved under a name: stint view "
        "add NAME ADDRESS. Only its owner sees it, unless --share names the lowest role of "
        "others who may. What it shows depends on who looks at it, as for every page.",
    .examples =
        "stint view add monthly '/explore/cpu_hours?by=group&every=month' --share staff # for "
        "colleagues\n"
        "stint view list # yours, and those shared with you",
    .rights = RIGHT_OWN,
    .actions = of_everybody,
    .action_count = COUNT_OF(of_everybody),
    .sets = PARAMS_KIND,
    .params = everybody_params,
    .param_count = COUNT_OF(everybody_params),
    .run = kind_actions_run,
};
