/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/file.h"
#include "base/limit.h"
#include "live/slurm/slurm_session.h"
#include "reach/program.h"

/*
 * Asking by sacct, squeue and scontrol.
 *
 * sacct's rows are texts without escapes: users can put delimiters and line feeds into names of
 * jobs. So the delimiter is one that users of the cluster do not know, made of this machine's
 * id and the cluster's name; always the same, since a row that looks another way is another
 * record.
 */

enum { WORDS_MAX = 24, SAID_MAX = 256 << 10 };

/*
 * States in which a job is over. Asked for by state, jobs are found by when they ended, those
 * among them that were never eligible included, which no other question finds.
 */
#define ENDED "BF,CA,CD,DL,F,NF,OOM,PR,RQ,RS,RV,TO"

/*
 * Texts that may hold anything come last. What changes while a job runs (Elapsed) is not among
 * them: a row that did not change is left alone.
 */
static const char *const columns[] = {
    "JobID",
    "JobIDRaw",
    "State",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "Suspended",
    "TimelimitRaw",
    "ExitCode",
    "Partition",
    "QOS",
    "Account",
    "User",
    "UID",
    "Group",
    "GID",
    "NNodes",
    "NCPUS",
    "NTasks",
    "ReqCPUS",
    "ReqNodes",
    "ReqMem",
    "ReqTRES",
    "AllocTRES",
    "TotalCPU",
    "UserCPU",
    "SystemCPU",
    "MaxRSS",
    "AveRSS",
    "MaxVMSize",
    "AveDiskRead",
    "AveDiskWrite",
    "ConsumedEnergyRaw",
    "TRESUsageInTot",
    "TRESUsageOutTot",
    "Priority",
    "NodeList",
    "Reservation",
    "Reason",
    "WCKey",
    "JobName",
    "WorkDir",
    "SubmitLine",
};

/* A command line that grows. */
struct words {
    const char *list[WORDS_MAX + 1];
    size_t count;
};

static void add_word(struct words *words, const char *word)
{
    if (words->count < WORDS_MAX) {
        words->list[words->count++] = word;
        words->list[words->count] = NULL;
    }
}

static struct words begin_words(struct slurm_session *session, const char *program)
{
    struct words words = {.count = 0};
    const char *bin = slurm_session_text(session, SLURM_KEY_BIN);
    const char *cluster = slurm_session_text(session, SLURM_KEY_CLUSTER);
    add_word(&words, bin ? arena_printf(&session->arena, "%s/%s", bin, program) : program);
    if (cluster && strcmp(program, "sacctmgr") != 0) {
        add_word(&words, "-M");
        add_word(&words, cluster);
    }
    return words;
}

static int run_words(struct slurm_session *session, const struct words *words,
                     struct spool *out, struct error *err)
{
    const char *conf = slurm_session_text(session, SLURM_KEY_CONF);
    const char *environment[] = {
        "TZ=UTC",
        "LC_ALL=C",
        /* 22.05 writes times for its own JSON by it, and reads them back. */
        session->as_json ? "SLURM_TIME_FORMAT=standard" : "SLURM_TIME_FORMAT=%s",
        "SLURM_BITSTR_LEN=0",
        conf ? arena_printf(&session->arena, "SLURM_CONF=%s", conf) : NULL,
        NULL,
    };
    const struct program program = {
        .words = words->list,
        .environment = environment,
        .timeout_us = session->timeout_us,
        .limit = live_answer_limit(session->pull->section, UINT64_MAX),
        .stop = session->pull->stop,
    };
    return program_run(&program, out, err);
}

/* Runs it and gives what it printed, in the session's arena. */
static int run_text(struct slurm_session *session, const struct words *words, struct str *out,
                    struct error *err)
{
    struct spool spool = SPOOL_NONE;
    struct buf text;
    int failed = run_words(session, words, &spool, err);
    if (failed) {
        return failed;
    }
    buf_init(&text, SAID_MAX);
    failed = spool_text(&spool, &text, err);
    if (!failed) {
        *out = arena_copy(&session->arena, buf_str(&text));
    }
    buf_release(&text);
    spool_close(&spool);
    return failed;
}

/* --- what can be asked -------------------------------------------------------------------- */

static bool has_word(struct str list, const char *word)
{
    size_t at = 0;
    while (at < list.len) {
        size_t end = at;
        while (end < list.len && !isspace((unsigned char)list.ptr[end])) {
            end++;
        }
        if (str_eq_nocase((struct str){list.ptr + at, end - at}, str_of(word))) {
            return true;
        }
        at = end + 1;
    }
    return false;
}

/* The columns that this sacct knows, of those we want. */
static int find_columns(struct slurm_session *session, struct error *err)
{
    struct words words = begin_words(session, "sacct");
    struct str known;
    struct buf list;
    words.count = 1; /* -M would ask the database */
    add_word(&words, "-e");
    int failed = run_text(session, &words, &known, err);
    if (failed) {
        return failed;
    }
    if (!has_word(known, "JobID") || !has_word(known, "Submit") || !has_word(known, "State")) {
        return error_set(err, ERROR_INPUT,
                         "'%s -e' does not list the columns of sacct: is it sacct?",
                         words.list[0]);
    }
    buf_init(&list, LIMIT_ARGUMENT);
    session->column_count = 0;
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        if (has_word(known, columns[i])) {
            buf_addf(&list, "%s%s", list.len > 0 ? "," : "", columns[i]);
            session->column_count++;
        }
    }
    session->columns = arena_text(&session->arena, buf_str(&list));
    buf_release(&list);
    return 0;
}

static void find_delimiter(struct slurm_session *session)
{
    struct buf id;
    struct error ignored;
    char letters[6] = {0};
    buf_init(&id, 4096);
    if (file_read("/etc/machine-id", &id, &ignored)) {
        buf_clear(&id);
    }
    uint64_t hash =
        str_hash(str_trim(buf_str(&id)), str_hash(str_of(session->pull->cluster), 1));
    for (size_t i = 0; i + 1 < sizeof(letters); i++) {
        letters[i] = (char)('a' + hash % 26);
        hash /= 26;
    }
    session->delimiter = arena_printf(&session->arena, "^%s^", letters);
    buf_release(&id);
}

/* --- whether we may ----------------------------------------------------------------------- */

struct str slurm_session_setting(struct str *from, const char *name)
{
    while (from->ptr) {
        struct str line = str_cut(from, '\n');
        struct str value = line;
        if (str_eq(str_trim(str_cut(&value, '=')), str_of(name)) && value.ptr) {
            return str_trim(value);
        }
    }
    return (struct str){0};
}

static bool keeps_jobs_private(struct str settings)
{
    while (settings.ptr) {
        struct str what = slurm_session_setting(&settings, "PrivateData");
        while (what.ptr) {
            struct str word = str_trim(str_cut(&what, ','));
            if (str_eq(word, STR("jobs")) || str_eq(word, STR("all"))) {
                return true;
            }
        }
    }
    return false;
}

static bool is_operator(struct slurm_session *session, const char *login)
{
    struct words words = begin_words(session, "sacctmgr");
    struct str level;
    struct error ignored;
    add_word(&words, "-n");
    add_word(&words, "-P");
    add_word(&words, "show");
    add_word(&words, "user");
    add_word(&words, login);
    add_word(&words, "format=AdminLevel");
    return run_text(session, &words, &level, &ignored) == 0 &&
           (str_starts(level, STR("Admin")) || str_starts(level, STR("Operator")));
}

/*
 * Slurm shows a user who may not see the jobs of others only their own, without a word: totals
 * would be wrong, and others' runs taken for gone.
 */
static int check_rights(struct slurm_session *session, struct error *err)
{
    struct words words = begin_words(session, "scontrol");
    struct words dbd = begin_words(session, "sacctmgr");
    struct str settings, dbd_settings = {0};
    struct error ignored;
    const struct passwd *who = getpwuid(geteuid());
    const char *login = who ? arena_text(&session->arena, str_of(who->pw_name)) : "?";
    if (geteuid() == 0 ||
        config_number(session->pull->section, &slurm_live_keys[SLURM_KEY_ONLY_OWN], 0)) {
        return 0;
    }
    add_word(&words, "show");
    add_word(&words, "config");
    int failed = run_text(session, &words, &settings, err);
    if (failed) {
        return failed;
    }
    add_word(&dbd, "show");
    add_word(&dbd, "configuration");
    bool answered = run_text(session, &dbd, &dbd_settings, &ignored) == 0;
    struct str rest = settings;
    struct str owner = slurm_session_setting(&rest, "SlurmUser");
    if (str_eq(str_cut(&owner, '('), str_of(login)) ||
        !(keeps_jobs_private(settings) || (answered && keeps_jobs_private(dbd_settings))) ||
        is_operator(session, login)) {
        return 0;
    }
    return error_set(
        err, ERROR_DENIED,
        "Slurm keeps jobs private (PrivateData) and shows '%s' only its own; run stint as the "
        "SlurmUser, or: sacctmgr modify user %s set AdminLevel=Operator; if these jobs are all "
        "you need, say 'only_own = yes'",
        login, login);
}

static int begin_programs(struct slurm_session *session, struct error *err)
{
    int failed = session->as_json ? 0 : find_columns(session, err);
    find_delimiter(session);
    return failed ? failed : check_rights(session, err);
}

/* --- looking through sacct's text --------------------------------------------------------- */

struct tally {
    uint64_t delimiters, lines;
    size_t matched; /* bytes of a delimiter at the end of the last piece */
    char last;
};

static void tally_piece(struct tally *tally, const char *delimiter, struct str piece)
{
    size_t len = strlen(delimiter);
    for (size_t i = 0; i < piece.len; i++) {
        char byte = piece.ptr[i];
        tally->lines += byte == '\n';
        if (byte == delimiter[tally->matched]) {
            tally->matched++;
        } else {
            tally->matched =
                byte == delimiter[0]; /* no other byte of it is the first, but the last */
        }
        if (tally->matched == len) {
            tally->delimiters++;
            tally->matched = 0;
        }
        tally->last = byte;
    }
}

/* The answer has our columns and whole rows: half a one, taken for whole, would be lost. */
static int check_text(const struct slurm_session *session, struct spool *spool, bool *empty,
                      struct error *err)
{
    char piece[1 << 16];
    char head[32] = {0};
    struct tally tally = {0};
    char want[32];
    int want_len = snprintf(want, sizeof(want), "JobID%sJobIDRaw", session->delimiter);
    ssize_t got = 0;
    int failed = spool_rewind(spool, err);
    while (!failed && (got = read(spool->fd, piece, sizeof(piece))) > 0) {
        if (tally.last == 0) {
            memcpy(head, piece,
                   (size_t)got < sizeof(head) - 1 ? (size_t)got : sizeof(head) - 1);
        }
        tally_piece(&tally, session->delimiter, (struct str){piece, (size_t)got});
    }
    if (failed || got < 0) {
        return failed ? failed : error_errno(err, "cannot read an answer back");
    }
    if (strncmp(head, want, (size_t)want_len) != 0) {
        return error_set(err, ERROR_INPUT, "sacct did not print the requested columns: '%.*s'",
                         (int)strcspn(head, "\n"), head);
    }
    if (tally.last != '\n' || tally.delimiters % (session->column_count - 1) != 0) {
        return error_set(
            err, ERROR_INPUT,
            "the output of sacct ends in the middle of a row; the next pull asks for it again");
    }
    if (empty) {
        *empty = tally.lines == 1;
    }
    return spool_rewind(spool, err);
}

/* --- asking ------------------------------------------------------------------------------- */

/* In UTC, which is the programs' zone. */
static const char *time_word(struct slurm_session *session, int64_t second)
{
    struct civil day = civil_of_days(second / 86400);
    int of_day = (int)(second % 86400);
    return arena_printf(&session->arena, "%04d-%02d-%02dT%02d:%02d:%02d", day.year, day.month,
                        day.day, of_day / 3600, of_day / 60 % 60, of_day % 60);
}

static struct words sacct_words(struct slurm_session *session, int64_t from_s, int64_t to_s)
{
    struct words words = begin_words(session, "sacct");
    add_word(&words, "-a");
    add_word(&words, "-D");
    if (session->as_json) {
        add_word(&words, "--json");
    } else {
        add_word(&words, "-P");
        add_word(&words, "--noconvert");
        add_word(&words, arena_printf(&session->arena, "--delimiter=%s", session->delimiter));
        add_word(&words, "-o");
        add_word(&words, session->columns);
    }
    add_word(&words, "-S");
    add_word(&words, time_word(session, from_s));
    add_word(&words, "-E");
    add_word(&words, time_word(session, to_s));
    return words;
}

static int run_sacct(struct slurm_session *session, const struct words *words,
                     struct spool *out, bool *empty, struct error *err)
{
    int failed = run_words(session, words, out, err);
    if (failed) {
        return failed;
    }
    failed = session->as_json ? slurm_session_check(out, "jobs", empty, err)
                              : check_text(session, out, empty, err);
    if (failed) {
        spool_close(out);
        return error_prepend(err, session->as_json ? "sacct: " : "");
    }
    return 0;
}

static int history(struct slurm_session *session, int64_t from_s, int64_t to_s,
                   enum slurm_depth depth, struct spool *out, bool *empty, struct error *err)
{
    struct words ended = sacct_words(session, from_s, to_s);
    add_word(&ended, "-s");
    add_word(&ended, ENDED);
    int failed = run_sacct(session, &ended, out, empty, err);
    if (failed || depth != SLURM_DEEP) {
        return failed;
    }
    struct words any = sacct_words(session, from_s, to_s);
    struct spool more = SPOOL_NONE;
    bool no_more = false;
    (void)((failed = run_sacct(session, &any, &more, &no_more, err)) ||
           (failed = spool_join(out, &more, err)) || (failed = spool_rewind(out, err)));
    *empty = *empty && no_more;
    if (failed) {
        spool_close(out);
    }
    return failed;
}

static int jobs(struct slurm_session *session, const int64_t *numbers, size_t count,
                int64_t from_s, struct spool *out, struct error *err)
{
    struct words words = sacct_words(session, from_s, session->pull->now() / SECOND_US + 1);
    struct buf list;
    bool empty = false;
    buf_init(&list, LIMIT_ARGUMENT);
    for (size_t i = 0; i < count; i++) {
        buf_addf(&list, "%s%" PRId64, i ? "," : "", numbers[i]);
    }
    add_word(&words, "-j");
    add_word(&words, list.ptr);
    int failed = run_sacct(session, &words, out, &empty, err);
    buf_release(&list);
    return failed;
}

static struct words squeue_words(struct slurm_session *session)
{
    struct words words = begin_words(session, "squeue");
    add_word(&words, "-a");
    add_word(&words, "--json");
    return words;
}

static int listing(struct slurm_session *session, struct spool *out, struct error *err)
{
    struct words words = squeue_words(session);
    int failed = run_words(session, &words, out, err);
    if (failed) {
        return failed;
    }
    failed = slurm_session_check(out, "jobs", NULL, err);
    if (failed) {
        spool_close(out);
        return error_prepend(err, "squeue: ");
    }
    return 0;
}

static struct words scontrol_words(struct slurm_session *session, enum inventory_item_kind kind)
{
    struct words words = begin_words(session, "scontrol");
    add_word(&words, "-a");
    add_word(&words, "-o");
    add_word(&words, "show");
    add_word(&words, inventory_item_kinds[kind].name);
    return words;
}

static int things(struct slurm_session *session, enum inventory_item_kind kind,
                  struct spool *out, struct error *err)
{
    struct words words = scontrol_words(session, kind);
    return run_words(session, &words, out, err);
}

/* "scontrol show config" */
static struct words config_words(struct slurm_session *session)
{
    struct words words = begin_words(session, "scontrol");
    add_word(&words, "show");
    add_word(&words, "config");
    return words;
}

static struct str settings(struct slurm_session *session)
{
    const struct words words = config_words(session);
    struct str text = {0};
    struct error ignored;
    return run_text(session, &words, &text, &ignored) == 0 ? text : (struct str){0};
}

static void plan_words(const struct words *words, struct buf *out)
{
    buf_addz(out, " ");
    for (size_t i = 0; i < words->count; i++) {
        buf_addf(out, " %s", words->list[i]);
    }
    buf_addz(out, "\n");
}

static void plan(struct slurm_session *session, int64_t from_s, int64_t to_s, struct buf *out)
{
    struct words words = squeue_words(session);
    struct buf list;
    plan_words(&words, out);
    for (unsigned kind = 0; kind < INVENTORY_ITEM_KIND_COUNT; kind++) {
        words = scontrol_words(session, kind);
        plan_words(&words, out);
    }
    words = config_words(session);
    plan_words(&words, out);
    buf_init(&list, LIMIT_ARGUMENT);
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        buf_addf(&list, "%s%s", i ? "," : "", columns[i]);
    }
    session->columns = session->columns ? session->columns : list.ptr;
    find_delimiter(session);
    words = sacct_words(session, from_s, to_s);
    add_word(&words, "-s");
    add_word(&words, ENDED);
    plan_words(&words, out);
    session->columns = NULL;
    buf_release(&list);
}

const struct slurm_way slurm_by_programs = {
    .listing_via = "squeue",
    .history_via = "sacct",
    .things_via = "scontrol",
    .begin = begin_programs,
    .listing = listing,
    .history = history,
    .jobs = jobs,
    .things = things,
    .settings = settings,
    .plan = plan,
};
