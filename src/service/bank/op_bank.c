/* SPDX-License-Identifier: MIT */

/*
 * stint bank: accounts of service units, what was granted, charged and moved. And stint
 * balance: one's own.
 */

#include "service/bank/bank_change.h"
#include "service/bank/bank_enforce.h"
#include "service/core/operations.h"

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
    {"open", bank_do_open, true, 2, "from to draw overdraft parent note"},
    {"set", bank_do_set, true, 1, "draw overdraft parent note"},
    {"close", bank_do_close, true, 1, "to note"},
    {"draw", bank_do_draw, true, 2, "from to cluster apply"},
    {"draws", bank_show_draws, false, 1, ""},
    {"close-period", bank_do_close_period, true, 1, "to apply note"},
    {"periods", bank_show_periods, false, 1, ""},
    {"grant", bank_do_grant, true, 2,
     "from to cluster kind carry then transferable allotment note id"},
    {"transfer", bank_do_transfer, true, 2, "into allotment note id plan"},
    {"adjust", bank_do_adjust, true, 2, "less set allotment note id"},
    {"extend", bank_do_extend, true, 1, "to allotment note id"},
    {"void", bank_do_void, true, 1, "allotment note id"},
    {"writeoff", bank_do_write_off, true, 2, "note id"},
    {"refund", bank_do_refund, true, 2, "allotment note id"},
    {"bulk", bank_do_bulk, true, 1, "apply"},
    {"charge", bank_do_charge, true, 0, "recharge from to apply note"},
    {"balance", show_balance, false, 1, "parent"},
    {"allotments", bank_show_allotments, false, 1, ""},
    {"statement", bank_show_statement, false, 1, "from to"},
    {"history", bank_show_history, false, 1, "from to"},
    {"charges", bank_show_charges, false, 1, "from to"},
    {"days", bank_show_days, false, 1, "from to"},
    {"caps", bank_show_caps, false, 1, ""},
    {"ceiling", bank_do_ceiling, true, 2, "per note"},
    {"receipt", bank_show_receipt, false, 2, "from to"},
    {"verify", bank_show_verify, false, 10000, "source cluster map"},
    {"notices", bank_do_notices, true, 0, "apply"},
    {"limits", bank_show_limits, false, 1, "cluster"},
    {"enforce", bank_do_enforce, true, 1, "cluster apply"},
    {"release", bank_do_release, true, 1, "cluster apply"},
    {"check", bank_show_check, false, 0, "head"},
    {"import", bank_do_import, true, 1, "from days"},
    {"dump", bank_show_dump, false, 0, "csv"},
    {"export", bank_show_export, false, 0, "as"},
};

static const struct operation_action actions[] = {
    {"open", "create an account, charged for runs of the scheduler's account of that name",
     RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, NULL},
    {"set", "change its overdraft, its note, its parent or the runs that are charged to it",
     RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, NULL},
    {"close", "close it: runs that start later are not charged to it", RIGHT_MONEY | RIGHT_ALL,
     ACTION_CHANGES, NULL},
    {"draw", "charge runs of a user, project or account to it, for a time, or end that",
     RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, NULL},
    {"draws", "list whose runs are charged to which account, and when", RIGHT_MONEY | RIGHT_ALL,
     0, NULL},
    {"close-period", "close the days up to --to: what changes there later counts afterwards",
     RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, NULL},
    {"periods", "list the periods that are closed", RIGHT_OWN, 0, NULL},
    {"grant", "add an allotment: an amount, or unlimited", RIGHT_MONEY | RIGHT_ALL,
     ACTION_CHANGES, NULL},
    {"transfer", "move an amount to another account (--into)", RIGHT_TRANSFER, ACTION_CHANGES,
     NULL},
    {"adjust", "increase an allotment, reduce it (--less), or set it (--set)",
     RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, NULL},
    {"extend", "give what is left of an allotment a later end (--to)", RIGHT_MONEY | RIGHT_ALL,
     ACTION_CHANGES, NULL},
    {"void", "take back all that is left of an allotment", RIGHT_MONEY | RIGHT_ALL,
     ACTION_CHANGES, NULL},
    {"writeoff", "write off what an account owes, or an amount of it", RIGHT_MONEY | RIGHT_ALL,
     ACTION_CHANGES, NULL},
    {"refund", "refund the charge of a run, or an amount of it", RIGHT_MONEY | RIGHT_ALL,
     ACTION_CHANGES, NULL},
    {"bulk", "show what the changes of a FILE come to, one a row; --apply makes them all",
     RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, "word"},
    {"charge", "charge the runs that changed; imports and pulls do this by themselves",
     RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, NULL},
    {"balance", "show balances, what running jobs reserve, and when the balance runs out",
     RIGHT_OWN, 0, NULL},
    {"allotments", "list allotments, with their periods and what is left of them", RIGHT_OWN, 0,
     NULL},
    {"statement", "show a period: opening balance, entries, usage by user, closing balance",
     RIGHT_OWN, 0, NULL},
    {"history", "every entry of the ledger", RIGHT_OWN, 0, NULL},
    {"charges", "what the runs of an account, or a job, were charged: line by line, with rates",
     RIGHT_OWN, 0, NULL},
    {"days", "show the balance of an account day by day, with a forecast", RIGHT_OWN, 0, NULL},
    {"caps", "show what users have left of what they may use of an account: stint cap",
     RIGHT_OWN, 0, NULL},
    {"ceiling",
     "set how much all users of an account together may use: an amount, a share (40%) or none",
     RIGHT_TRANSFER, ACTION_CHANGES, NULL},
    {"receipt",
     "write a file with the runs of a period, their rates and amounts, to be verified",
     RIGHT_OWN, 0, NULL},
    {"verify", "compute a receipt again from the scheduler's accounting files and nothing else",
     RIGHT_OWN, ACTION_LOCAL, "word"},
    {"notices", "list levels that were reached and ends that are near, each once",
     RIGHT_MONEY | RIGHT_ALL, 0, NULL},
    {"limits", "compare balances with the limits and usage of the schedulers", RIGHT_ALL,
     ACTION_LOCAL | ACTION_CONFIGURED, NULL},
    {"enforce", "show the changes that make the limits of schedulers follow the balances",
     RIGHT_CHORES | RIGHT_ALL, ACTION_LOCAL | ACTION_CONFIGURED | ACTION_CHANGES, NULL},
    {"release", "restore the limits that were in force before stint changed them",
     RIGHT_CHORES | RIGHT_ALL, ACTION_LOCAL | ACTION_CONFIGURED | ACTION_CHANGES, NULL},
    {"check", "recompute all sums and the chain of the ledger; exit status 1 if one is wrong",
     RIGHT_ALL, 0, NULL},
    {"import",
     "import accounts: of slurm_bank, from a sheet of balances, or what sacctmgr -P prints",
     RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, "word"},
    {"dump", "write the accounts as slurm_bank does: JSON, or CSV (--csv)",
     RIGHT_MONEY | RIGHT_ALL, 0, NULL},
    {"export", "write the ledger as a journal for beancount, ledger or hledger (--as)",
     RIGHT_ALL, 0, NULL},
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
     .choices = "open set close draw draws close-period periods grant transfer adjust extend "
                "void writeoff refund bulk charge "
                "balance allotments statement history charges days caps ceiling receipt verify "
                "notices "
                "limits enforce "
                "release check import dump export",
     .help = "what to do",
     .positional = true,
     .required = true},
    {.name = "word",
     .type = PARAM_TEXT,
     .value = "WORD",
     .help = "the account, or the run to refund or to show; then the amount",
     .positional = true,
     .repeated = true},
    {.name = "from",
     .letter = 'S',
     .type = PARAM_TEXT,
     .value = "TIME",
     .help = "first day of the allotment, of the draw, of the period shown, or of the runs to "
             "charge; "
             "import: how far back usage counts, if not from the day of each account"},
    {.name = "to",
     .letter = 'E',
     .type = PARAM_TEXT,
     .value = "TIME",
     .help = "last day of the allotment, of the draw, or of the period shown or closed"},
    {.name = "draw",
     .type = PARAM_TEXT,
     .value = "[KIND:]NAME",
     .help = "runs to charge to it: those of account:NAME (or NAME), project:NAME or user:NAME",
     .repeated = true},
    {.name = "overdraft",
     .type = PARAM_TEXT,
     .value = "HOW",
     .help =
         "how far the balance may fall below zero: none, an amount, or a share such as 10%"},
    {.name = "parent",
     .type = PARAM_TEXT,
     .value = "ACCOUNT",
     .help = "open, set: the account that pays for its runs, for good: it has no service units "
             "of its own; balance: the accounts that this one pays for"},
    {.name = "per",
     .type = PARAM_CHOICE,
     .value = "PERIOD",
     .choices = "month quarter year",
     .help =
         "ceiling: in which period; default since the first of its current allotments began"},
    {.name = "cluster",
     .letter = 'M',
     .type = PARAM_TEXT,
     .value = "LIST",
     .help = "clusters of the allotment, cluster of the draw, or whose limits to show or set, "
             "comma-separated; "
             "default all"},
    {.name = "kind",
     .type = PARAM_CHOICE,
     .value = "KIND",
     .choices = "grant purchase investment default",
     .fallback = "grant",
     .help = "kind of the allotment"},
    {.name = "carry",
     .type = PARAM_NUMBER,
     .value = "PERCENT",
     .help = "share of the remainder at its end that is carried over to the next allotment; "
             "default: all of it expires"},
    {.name = "then",
     .type = PARAM_TEXT,
     .value = "SU",
     .help = "when it ends, renew it with a default allotment of this amount and the same "
             "length, repeatedly"},
    {.name = "transferable",
     .type = PARAM_CHOICE,
     .value = "HOW",
     .choices = "yes no",
     .fallback = "yes",
     .help = "grant: whether what is left of the allotment may be moved to other accounts"},
    {.name = "allotment",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "number of the allotment to change or to use; default a new one, or the first "
             "that is valid"},
    {.name = "into",
     .type = PARAM_TEXT,
     .value = "ACCOUNT",
     .help = "account that receives the transfer",
     .changes = true},
    {.name = "plan",
     .type = PARAM_FLAG,
     .help = "transfer: show the balances that would result, and change nothing"},
    {.name = "less", .type = PARAM_FLAG, .help = "adjust: subtract the amount"},
    {.name = "set",
     .type = PARAM_FLAG,
     .help = "adjust: so that the amount was granted in all"},
    {.name = "apply",
     .type = PARAM_FLAG,
     .changes = true,
     .help =
         "notices: send them; draw, close-period, enforce, release, bulk, charge --recharge: "
         "make the changes shown"},
    {.name = "recharge",
     .type = PARAM_FLAG,
     .help = "charge: show what the runs since --from cost by the current rates, by account; "
             "with --apply, post the differences"},
    {.name = "id",
     .type = PARAM_TEXT,
     .value = "TEXT",
     .help = "an id of your choice for the entry: a second entry with the same id is not made"},
    {.name = "note",
     .type = PARAM_TEXT,
     .value = "TEXT",
     .help = "reason, kept with the entry"},
    {.name = "source",
     .type = PARAM_TEXT,
     .value = "SOURCE",
     .help = "verify: format of the accounting files; default: by their content"},
    {.name = "map",
     .type = PARAM_INPUT,
     .value = "FILE",
     .help = "verify: which column is which field, of CSV files"},
    {.name = "head",
     .type = PARAM_TEXT,
     .value = "DIGEST",
     .help = "check: also whether what led to this head, of an earlier check or statement, is "
             "unchanged"},
    {.name = "days",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "import: end each allotment this many days after it begins; default no end"},
    {.name = "csv", .type = PARAM_FLAG, .help = "dump: write CSV instead of JSON"},
    {.name = "as",
     .type = PARAM_CHOICE,
     .value = "FORMAT",
     .choices = "beancount ledger",
     .help = "export: of which program; hledger reads that of ledger; default beancount"},
};

/* What approvals of requests are posted under (op_request.c). */
static int check_id(const struct request *request, struct error *err)
{
    return str_starts(request_text(request, "id"), STR(BANK_REQUEST_KEY))
               ? error_set(err, ERROR_USAGE,
                           "--id: ids that begin with '" BANK_REQUEST_KEY
                           "' are those of approved requests: choose another")
               : 0;
}

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
    return check_id(request, err);
}

static const struct action *action_of(const struct request *request)
{
    const struct str name = request_text(request, "action");
    const struct action *action = table;
    while (!str_eq(name, str_of(action->name))) {
        action++; /* it is one of them: request_check has looked */
    }
    return action;
}

int bank_check_options(const struct request *request, struct error *err)
{
    return check_options(action_of(request), request, err);
}

static int run_bank(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    const struct action *action = action_of(request);
    struct bank bank = {0};
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
    .description =
        "An account has allotments: an amount of service units (SU), or unlimited, valid from "
        "one day to another, on some clusters or on all. Runs of the scheduler's account of "
        "the same name are charged to it, or the runs selected by --draw. The price of a run "
        "is set by rates: stint rate. Every movement of SU is an entry in a ledger that is "
        "never edited.\n"
        "Runs are charged when they have ended, after every import and pull. Each day of a run "
        "is paid from the allotments valid on that day: first from the one that ends soonest, "
        "then from the one for the fewest clusters. What no allotment covers is owed, and is "
        "paid by a later grant that covers those days. What is left of an allotment when it "
        "ends expires. A run that has not ended reserves its price at its time limit.\n"
        "Charges stay as they are when a rate changes: a corrected record is priced by the "
        "rates "
        "that made its charge, unless --recharge is given.",
    .examples =
        "stint bank open chem --from 2025-01-01 # runs since then\n"
        "stint bank grant chem 10000 --from 2025 --to 2025 --note 'call 7' # for a year\n"
        "stint bank grant chem 500 --id invoice-12 # safe to repeat\n"
        "stint bank open lab --parent chem # its runs are paid by chem\n"
        "stint bank ceiling lab 500 --per month # no more than this\n"
        "stint bank balance --parent chem # of all that chem pays for\n"
        "stint bank transfer chem 200 --into bio --plan # what it would do\n"
        "stint bank transfer chem 200 --into bio # between accounts\n"
        "stint bank refund 4711 --note 'disk failure' # what job 4711 was charged\n"
        "stint bank bulk call-8.csv # what a sheet of grants would do; --apply does it\n"
        "stint bank statement chem --from last-month # who used what\n"
        "stint bank charges chem --from last-month # run by run, with rates\n"
        "stint bank export --as ledger > su.ledger # for ledger or hledger\n"
        "stint bank charge --recharge --from 2025-03-01 # what new rates would change\n"
        "stint bank charge --recharge --from 2025-03-01 --apply # and do it",
    .rights = RIGHT_OWN,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_bank,
};

/* --- stint balance ------------------------------------------------------------------------ */

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
     .help = "this account; default all of yours",
     .positional = true},
};

const struct operation operation_balance = {
    .name = "balance",
    .summary = "show your balance, what your jobs reserve, and when it runs out",
    .description = "Shows your accounts in the bank: those to which your runs are charged. "
                   "Free is the balance less what running jobs may still cost.",
    .examples = "stint balance # of all your accounts\n"
                "stint balance chem # of one",
    .rights = RIGHT_OWN,
    .params = balance_params,
    .param_count = COUNT_OF(balance_params),
    .run = run_balance,
};
