/* SPDX-License-Identifier: MIT */

/* stint bank: accounts of service units, what was granted, charged and moved. And stint balance: one's own. */

#include "service/bank/bank_change.h"
#include "service/bank/bank_enforce.h"
#include "service/operations.h"

static int show_balance(struct bank *bank)
{
    return bank_show_balance(bank, false);
}

static const struct action {
    const char *name;
    int (*run)(struct bank *bank);
    bool writes;
    size_t words;        /* at most */
    const char *options; /* that it takes, blank-separated */
} table[] = {
    {"open", bank_do_open, true, 1, "from draw overdraft note"},
    {"set", bank_do_set, true, 1, "draw overdraft note"},
    {"close", bank_do_close, true, 1, "to"},
    {"grant", bank_do_grant, true, 2, "from to cluster kind carry then allotment note id"},
    {"transfer", bank_do_transfer, true, 2, "into allotment note id plan"},
    {"adjust", bank_do_adjust, true, 2, "less allotment note id"},
    {"refund", bank_do_refund, true, 2, "note id"},
    {"charge", bank_do_charge, true, 0, "recharge from"},
    {"balance", show_balance, false, 1, ""},
    {"allotments", bank_show_allotments, false, 1, ""},
    {"statement", bank_show_statement, false, 1, "from to"},
    {"history", bank_show_history, false, 1, "from to"},
    {"days", bank_show_days, false, 1, "from to"},
    {"notices", bank_do_notices, true, 0, "apply"},
    {"limits", bank_show_limits, false, 1, "cluster"},
    {"enforce", bank_do_enforce, true, 1, "cluster apply"},
    {"release", bank_do_release, true, 1, "cluster apply"},
    {"check", bank_show_check, false, 0, ""},
    {"import", bank_do_import, true, 1, ""},
    {"dump", bank_show_dump, false, 0, "csv"},
};

static const struct operation_action actions[] = {
    {"open", "make an account, on which runs of the scheduler's account of that name draw",
     ROLE_ADMIN, ACTION_CHANGES, NULL},
    {"set", "change its overdraft or note, or let more names draw on it", ROLE_ADMIN,
     ACTION_CHANGES, NULL},
    {"close", "charge no more runs to it: those that start later", ROLE_ADMIN, ACTION_CHANGES,
     NULL},
    {"grant", "give it an amount, or unlimited, as an allotment", ROLE_ADMIN, ACTION_CHANGES,
     NULL},
    {"transfer", "move an amount to another account (--into)", ROLE_MANAGER, ACTION_CHANGES,
     NULL},
    {"adjust", "add to an allotment, or take from it (--less)", ROLE_ADMIN, ACTION_CHANGES,
     NULL},
    {"refund", "give back what a run was charged, or an amount of it", ROLE_ADMIN,
     ACTION_CHANGES, NULL},
    {"charge", "charge the runs that changed; imports and pulls do it themselves", ROLE_ADMIN,
     ACTION_CHANGES, NULL},
    {"balance", "what accounts have, what running jobs hold, when it runs out", ROLE_USER, 0,
     NULL},
    {"allotments", "what was granted, from when to when, and what is left of it", ROLE_USER, 0,
     NULL},
    {"statement", "a period of an account: opening, what moved, who used what, closing",
     ROLE_USER, 0, NULL},
    {"history", "every entry of the ledger", ROLE_USER, 0, NULL},
    {"days", "the balance of an account day by day, with a forecast", ROLE_USER, 0, NULL},
    {"notices", "levels that were reached and ends that are near, each once", ROLE_ADMIN, 0,
     NULL},
    {"limits", "what the bank shows, what schedulers enforce and have used, and the drift",
     ROLE_STAFF, ACTION_LOCAL, NULL},
    {"enforce", "the changes that make limits of schedulers follow the balances", ROLE_ADMIN,
     ACTION_LOCAL | ACTION_CHANGES, NULL},
    {"release", "restore the limits that were set before stint set any", ROLE_ADMIN,
     ACTION_LOCAL | ACTION_CHANGES, NULL},
    {"check", "add up the whole ledger anew; exit status 1 if a sum is wrong", ROLE_STAFF, 0,
     NULL},
    {"import", "take the accounts of slurm_bank: its database, or a dump of it", ROLE_ADMIN,
     ACTION_CHANGES, "word"},
    {"dump", "the accounts as slurm_bank writes them: JSON, or CSV (--csv)", ROLE_ADMIN, 0,
     NULL},
};

static bool is_listed(const char *list, const char *name)
{
    for (struct str rest = str_of(list); rest.ptr;) {
        if (str_eq(str_cut(&rest, ' '), str_of(name))) {
            return true;
        }
    }
    return false;
}

static const struct param params[] = {
    {.name = "action",
     .type = PARAM_CHOICE,
     .value = "ACTION",
     .choices =
         "open set close grant transfer adjust refund charge balance allotments statement "
         "history days notices limits enforce release check import dump",
     .help = "what to do",
     .positional = true,
     .required = true},
    {.name = "word",
     .type = PARAM_TEXT,
     .value = "WORD",
     .help = "the account, or the run to refund; then the amount",
     .positional = true,
     .repeated = true},
    {.name = "from",
     .letter = 'S',
     .type = PARAM_TEXT,
     .value = "TIME",
     .help = "first day: of an allotment, of what is shown, of the runs that are charged"},
    {.name = "to",
     .letter = 'E',
     .type = PARAM_TEXT,
     .value = "TIME",
     .help = "last day of it"},
    {.name = "draw",
     .type = PARAM_TEXT,
     .value = "[KIND:]NAME",
     .help = "runs that are charged to it: of account:NAME (or NAME), project:NAME, user:NAME",
     .repeated = true},
    {.name = "overdraft",
     .type = PARAM_TEXT,
     .value = "HOW",
     .help = "how far it may go below zero: none, an amount, a share such as 10%"},
    {.name = "cluster",
     .letter = 'M',
     .type = PARAM_TEXT,
     .value = "LIST",
     .help = "clusters that an allotment is for, or whose limits are meant, comma-separated; "
             "without it, any"},
    {.name = "kind",
     .type = PARAM_CHOICE,
     .value = "KIND",
     .choices = "grant purchase investment default",
     .fallback = "grant",
     .help = "what kind of allotment it is"},
    {.name = "carry",
     .type = PARAM_NUMBER,
     .value = "PERCENT",
     .help =
         "share of what is left at its end that is carried over to the allotment that follows; "
         "without it, all of it expires"},
    {.name = "then",
     .type = PARAM_TEXT,
     .value = "SU",
     .help =
         "a default allotment of that much follows at its end, as long as it, again and again"},
    {.name = "allotment",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "the allotment with that number, in place of a new one or the first that holds"},
    {.name = "into",
     .type = PARAM_TEXT,
     .value = "ACCOUNT",
     .help = "the account that a transfer goes to",
     .changes = true},
    {.name = "plan",
     .type = PARAM_FLAG,
     .help = "transfer: show what both accounts would have, and change nothing"},
    {.name = "less", .type = PARAM_FLAG, .help = "adjust: take the amount away"},
    {.name = "apply",
     .type = PARAM_FLAG,
     .changes = true,
     .help = "notices: send what is shown; enforce, release: carry out what is shown"},
    {.name = "recharge",
     .type = PARAM_FLAG,
     .help = "charge: price all runs since --from by the rates of today, and post the "
             "differences"},
    {.name = "id",
     .type = PARAM_TEXT,
     .value = "TEXT",
     .help = "an id of your own for the entry: the same again changes nothing"},
    {.name = "note", .type = PARAM_TEXT, .value = "TEXT", .help = "why; kept with the entry"},
    {.name = "csv", .type = PARAM_FLAG, .help = "dump: write CSV in place of JSON"},
};

/* An option or word that the action does not take is a mistake, not to be passed over. */
static int check_options(const struct action *action, const struct request *request,
                         struct error *err)
{
    struct str word;
    if (request_each(request, "word", action->words, &word)) {
        return error_set(err, ERROR_USAGE, "%s does not take '%.*s'; see: stint help bank",
                         action->name, STR_ARG(word));
    }
    for (size_t i = 2; i < COUNT_OF(params); i++) {
        if (request_has(request, params[i].name) &&
            !is_listed(action->options, params[i].name)) {
            return error_set(err, ERROR_USAGE, "%s does not take --%s; see: stint help bank",
                             action->name, params[i].name);
        }
    }
    return 0;
}

static int run_bank(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    const struct str name = request_text(request, "action");
    const struct action *action = table;
    struct bank bank = {0};
    while (!str_eq(name, str_of(action->name))) {
        action++; /* it is one of them: request_check has looked */
    }
    int failed;
    (void)((failed = check_options(action, request, err)) ||
           (failed = bank_open(service, request, answer,
                               action->writes ? BOOKS_WRITE : BOOKS_READ, &bank, err)) ||
           (failed = action->run(&bank)));
    bank_close(&bank);
    return failed;
}

const struct operation operation_bank = {
    .name = "bank",
    .summary = "keep accounts of service units: grants, charges, balances",
    .description = "An account has allotments: an amount of service units (SU), or unlimited, "
                   "from a day to a "
                   "day, for some clusters or any. Runs of the scheduler's account of the same "
                   "name draw on "
                   "it, or those that --draw names. What a run costs is a rate's business: "
                   "stint rate. Every "
                   "SU that moves is an entry of a ledger that is never edited.\n"
                   "Runs are charged when they have ended, after every import and pull. Each "
                   "day that a run "
                   "lasted draws on the allotments that hold on that day: the one that ends "
                   "soonest first, "
                   "then the one for the fewest clusters. What no allotment covers is owed, "
                   "and a later grant "
                   "that covers those days pays it. What is left of an allotment at its end "
                   "expires. A run "
                   "that has not ended holds what it costs at its time limit.\n"
                   "What was charged stays when a rate changes, unless --recharge asks for the "
                   "difference.",
    .examples =
        "stint bank open chem --from 2025-01-01 # runs since then\n"
        "stint bank grant chem 10000 --from 2025 --to 2025 --note 'call 7' # for a year\n"
        "stint bank grant chem 500 --id invoice-12 # harmless when it is done twice\n"
        "stint bank transfer chem 200 --into bio --plan # what it would do\n"
        "stint bank transfer chem 200 --into bio # between accounts\n"
        "stint bank refund 4711 --note 'disk failure' # what job 4711 was charged\n"
        "stint bank statement chem --from last-month # who used what\n"
        "stint bank charge --recharge --from 2025-03-01 # by new rates",
    .role = ROLE_USER,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_bank,
};

/* --- stint balance -------------------------------------------------------------------------------- */

static int run_balance(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    struct bank bank = {0};
    int failed;
    (void)((failed = bank_open(service, request, answer, BOOKS_READ, &bank, err)) ||
           (failed = bank_show_balance(&bank, true)));
    bank_close(&bank);
    return failed;
}

static const struct param balance_params[] = {
    {.name = "word",
     .type = PARAM_TEXT,
     .value = "ACCOUNT",
     .help = "that account; without it, those that you are in",
     .positional = true},
};

const struct operation operation_balance = {
    .name = "balance",
    .summary = "show what you have left, what your jobs hold, when it runs out",
    .description =
        "The accounts of the bank that you are in: on which your login draws, or to which runs "
        "of "
        "yours were charged. Free is the balance without what running jobs may still cost.",
    .examples = "stint balance # of all that you are in\n"
                "stint balance chem # of one",
    .role = ROLE_USER,
    .params = balance_params,
    .param_count = COUNT_OF(balance_params),
    .run = run_balance,
};
