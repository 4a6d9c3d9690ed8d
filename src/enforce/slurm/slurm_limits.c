/* SPDX-License-Identifier: MIT */
#include "enforce/slurm/slurm_limits.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"

/* SHOWN_MAX: bytes of a line that a message quotes; DEPTH_MAX: accounts above one */
enum { SHOWN_MAX = 60, DEPTH_MAX = 64 };

#define FACTOR_ONE INT64_C(1000000)

static int strange(struct error *err, const char *program, const char *what, struct str line)
{
    const int shown = line.len < SHOWN_MAX ? (int)line.len : SHOWN_MAX;
    return error_set(err, ERROR_INPUT, "'%s' printed %s: '%.*s'", program, what, shown,
                     line.ptr ? line.ptr : "");
}

/*
 * Cuts the next line into its columns; false at the end. A line that is not whole has a column
 * too few or no end.
 */
static int next_line(struct str *rest, const char *program, struct str *columns, size_t count,
                     bool *end, struct error *err)
{
    const char *feed = str_byte(*rest, '\n');
    *end = rest->len == 0;
    if (*end) {
        return 0;
    }
    if (!feed) {
        return strange(err, program, "an answer that ends in the middle of a line", *rest);
    }
    struct str line = {rest->ptr, (size_t)(feed - rest->ptr)};
    const struct str whole = line;
    rest->len -= line.len + 1;
    rest->ptr = feed + 1;
    for (size_t i = 0; i < count; i++) {
        if (!line.ptr) {
            return strange(err, program, "a line with too few columns", whole);
        }
        columns[i] = str_trim(str_cut(&line, '|'));
    }
    return line.ptr ? strange(err, program, "a line with too many columns", whole) : 0;
}

static bool is_name(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ') {
            return false;
        }
    }
    return text.len <= LIMIT_TEXT_FIELD && str_is_utf8(text);
}

static struct str copy(struct arena *arena, struct str text)
{
    return text.len ? arena_copy(arena, text) : (struct str){0};
}

static struct enforce_target target_of(struct str account, struct str user)
{
    return user.len ? (struct enforce_target){ENFORCE_USER, user, account}
                    : (struct enforce_target){ENFORCE_ACCOUNT, account, {0}};
}

/* "cpu=500,billing=1000": the number of one resource, if it is there. */
static bool read_resource(struct str list, const char *wanted, struct enforce_value *out)
{
    *out = (struct enforce_value){0};
    for (struct str rest = list; rest.len > 0 && rest.ptr;) {
        struct str item = str_cut(&rest, ',');
        const struct str name = str_cut(&item, '=');
        if (!item.ptr) {
            return false;
        }
        if (str_eq(name, str_of(wanted))) {
            out->is = true;
            if (!scan_int(item, &out->n) || out->n < 0) {
                return false;
            }
        }
    }
    return true;
}

static bool read_billing(struct str list, struct enforce_value *out)
{
    return read_resource(list, "billing", out);
}

/*
 * Whether there is a mark in a list of limits; one that stint has not written does not count.
 */
static bool read_mark(struct str list, struct enforce_mark *out)
{
    struct enforce_value before, set;
    *out = (struct enforce_mark){0};
    if (!read_resource(list, SLURM_LIMITS_BEFORE, &before) ||
        !read_resource(list, SLURM_LIMITS_SET, &set)) {
        return false;
    }
    out->is = before.is && set.is && before.n >= SLURM_LIMITS_NO_LIMIT &&
              set.n >= SLURM_LIMITS_SET_ADDS;
    if (out->is) {
        out->set = set.n - SLURM_LIMITS_SET_ADDS;
        out->before.is = before.n >= SLURM_LIMITS_BEFORE_ADDS;
        out->before.n = out->before.is ? before.n - SLURM_LIMITS_BEFORE_ADDS : 0;
    }
    return true;
}

static bool read_count(struct str text, struct enforce_value *out)
{
    *out = (struct enforce_value){.is = text.len > 0};
    return !out->is || (scan_int(text, &out->n) && out->n >= 0);
}

/* --- qualities of service ----------------------------------------------------------------- */

static int compare_qos(const void *a, const void *b)
{
    const struct enforce_qos *x = a, *y = b;
    return str_compare(x->name, y->name);
}

static struct enforce_qos *find_qos(const struct enforce_states *states, struct str name)
{
    const struct enforce_qos wanted = {.name = name};
    return states->qos_count ? bsearch(&wanted, states->qos, states->qos_count,
                                       sizeof(*states->qos), compare_qos)
                             : NULL;
}

static int add_qos(const struct str *columns, struct enforce_states *out, struct error *err)
{
    enum { NAME, QOS_MINUTES, QOS_RUN_MINUTES, QOS_SUBMIT, QOS_JOBS, FACTOR };
    struct enforce_value values[ENFORCE_MODES];
    struct enforce_qos read = {.usage_factor = FACTOR_ONE};
    if (columns[NAME].len == 0 || !is_name(columns[NAME]) ||
        !read_billing(columns[QOS_MINUTES], &values[ENFORCE_LIMIT]) ||
        !read_billing(columns[QOS_RUN_MINUTES], &values[ENFORCE_HOLD]) ||
        !read_count(columns[QOS_SUBMIT], &values[ENFORCE_REFUSE]) ||
        !read_count(columns[QOS_JOBS], &values[ENFORCE_JOBS]) ||
        (columns[FACTOR].len && !scan_decimal(columns[FACTOR], 6, &read.usage_factor))) {
        return strange(err, "sacctmgr", "a quality of service that is none", columns[NAME]);
    }
    if (out->qos_count >= LIMIT_TEXT_FIELD) {
        return error_set(err, ERROR_LIMIT, "'sacctmgr' lists more than %d qualities of service",
                         LIMIT_TEXT_FIELD);
    }
    for (unsigned mode = 0; mode < ENFORCE_MODES; mode++) {
        read.overrides |= (unsigned)values[mode].is << mode;
    }
    read.name = copy(&out->arena, columns[NAME]);
    out->qos = mem_resize(out->qos, out->qos_count + 1, sizeof(*out->qos));
    out->qos[out->qos_count++] = read;
    return 0;
}

int slurm_limits_qos(struct str text, struct enforce_states *out, struct error *err)
{
    struct str columns[6];
    bool end = false;
    int failed = 0;
    while (!failed && !end) {
        failed = next_line(&text, "sacctmgr", columns, COUNT_OF(columns), &end, err);
        failed = failed || end ? failed : add_qos(columns, out, err);
    }
    if (out->qos_count > 1) {
        qsort(out->qos, out->qos_count, sizeof(*out->qos), compare_qos);
    }
    return failed;
}

static void add_override(struct enforce_state *state, const struct enforce_qos *qos)
{
    for (unsigned mode = 0; mode < ENFORCE_MODES; mode++) {
        if (qos->overrides & 1U << mode && !state->overrides[mode].ptr) {
            state->overrides[mode] = qos->name;
        }
    }
}

/* "normal,high": those that a user may use. */
static void add_overrides(struct str list, struct enforce_state *state,
                          const struct enforce_states *states)
{
    while (list.ptr) {
        struct enforce_qos *qos = find_qos(states, str_trim(str_cut(&list, ',')));
        if (qos) {
            qos->usable = true;
            add_override(state, qos);
        }
    }
}

/* What the jobs of a user are not held by, no account above holds them by either. */
static void raise_overrides(struct enforce_states *states, const struct enforce_state *user)
{
    struct str above = user->target.under;
    for (int depth = 0; above.ptr && depth < DEPTH_MAX; depth++) {
        const struct enforce_target target = {ENFORCE_ACCOUNT, above, {0}};
        const struct enforce_state *found = enforce_states_find(states, &target);
        if (!found) {
            return;
        }
        struct enforce_state *account = &states->rows[found - states->rows];
        for (unsigned mode = 0; mode < ENFORCE_MODES; mode++) {
            if (!account->overrides[mode].ptr) {
                account->overrides[mode] = user->overrides[mode];
            }
        }
        above = account->parent;
    }
}

int slurm_limits_partitions(struct str text, struct enforce_states *states, struct error *err)
{
    bool any = false;
    while (text.ptr && text.len > 0) {
        struct str line = str_cut(&text, '\n');
        any = any || str_starts(line, STR("PartitionName="));
        while (line.ptr) {
            struct str value = str_cut(&line, ' ');
            const bool is = str_eq(str_cut(&value, '='), STR("QoS"));
            struct enforce_qos *qos = is && value.ptr ? find_qos(states, value) : NULL;
            for (size_t i = 0; qos && i < states->count; i++) {
                add_override(&states->rows[i], qos);
            }
            if (qos) {
                qos->usable = true;
            }
        }
    }
    return any ? 0
               : error_set(err, ERROR_INPUT, "'scontrol show partition' printed no partition");
}

/* --- sacctmgr ----------------------------------------------------------------------------- */

enum {
    ACCOUNT,
    USER,
    PARTITION,
    PARENT,
    MINUTES,
    RUN_MINUTES,
    SUBMIT,
    GROUP,
    JOBS,
    MOST,
    QOS,
    ASSOC_COLUMNS
};

static int read_limits(const struct str *columns, struct enforce_state *out, struct error *err)
{
    struct enforce_value *values = out->values;
    struct enforce_mark *marks = out->marks;
    const bool read = read_billing(columns[MINUTES], &values[ENFORCE_LIMIT]) &&
                      read_billing(columns[RUN_MINUTES], &values[ENFORCE_HOLD]) &&
                      read_count(columns[SUBMIT], &values[ENFORCE_REFUSE]) &&
                      read_count(columns[JOBS], &values[ENFORCE_JOBS]) &&
                      read_mark(columns[MINUTES], &marks[ENFORCE_LIMIT]) &&
                      read_mark(columns[RUN_MINUTES], &marks[ENFORCE_HOLD]) &&
                      read_mark(columns[GROUP], &marks[ENFORCE_REFUSE]) &&
                      read_mark(columns[MOST], &marks[ENFORCE_JOBS]);
    return read ? 0
                : strange(err, "sacctmgr", "a limit that is no number, of account",
                          columns[ACCOUNT]);
}

static int add_assoc(const struct str *columns, struct enforce_states *out, struct error *err)
{
    struct enforce_state read = {0};
    if (columns[ACCOUNT].len == 0 || !is_name(columns[ACCOUNT]) || !is_name(columns[USER]) ||
        !is_name(columns[PARENT])) {
        return strange(err, "sacctmgr", "something that is no name", columns[ACCOUNT]);
    }
    int failed = read_limits(columns, &read, err);
    if (failed || columns[PARTITION].len > 0) {
        return failed;
    }
    struct enforce_state *state = enforce_states_add(out);
    if (!state) {
        return error_set(err, ERROR_LIMIT, "'sacctmgr' lists more than %d associations",
                         ENFORCE_STATES_MAX);
    }
    read.target = target_of(copy(&out->arena, columns[ACCOUNT]), columns[USER]);
    if (read.target.kind == ENFORCE_USER) {
        read.target.name = copy(&out->arena, columns[USER]);
        add_overrides(columns[QOS], &read, out);
    }
    read.parent = copy(&out->arena, columns[PARENT]);
    *state = read;
    return 0;
}

static int has_root(const struct enforce_states *states, const char *program, bool counted,
                    struct error *err)
{
    const struct enforce_target root = {ENFORCE_ACCOUNT, STR("root"), {0}};
    const struct enforce_state *state = enforce_states_find(states, &root);
    return state && (!counted || state->counted)
               ? 0
               : error_set(err, ERROR_INPUT,
                           "'%s' does not list the account root: may you see all accounts, and "
                           "is the name of the cluster right?",
                           program);
}

int slurm_limits_assocs(struct str text, struct enforce_states *out, struct error *err)
{
    struct str columns[ASSOC_COLUMNS];
    bool end = false;
    int failed = 0;
    while (!failed && !end) {
        failed = next_line(&text, "sacctmgr", columns, COUNT_OF(columns), &end, err);
        failed = failed || end ? failed : add_assoc(columns, out, err);
    }
    enforce_states_sort(out);
    for (size_t i = 1; !failed && i < out->count; i++) {
        if (enforce_target_compare(&out->rows[i - 1].target, &out->rows[i].target) == 0) {
            failed = strange(err, "sacctmgr", "an association twice, of account",
                             out->rows[i].target.name);
        }
    }
    for (size_t i = 0; !failed && i < out->count; i++) {
        if (out->rows[i].target.kind == ENFORCE_USER) {
            raise_overrides(out, &out->rows[i]);
        }
    }
    return failed ? failed : has_root(out, "sacctmgr", false, err);
}

/* --- sshare ------------------------------------------------------------------------------- */

static int add_share(const struct str *columns, struct enforce_states *states,
                     struct error *err)
{
    enum { SHARE_ACCOUNT, SHARE_USER, USED, RUNNING };

    int64_t used;
    struct enforce_value running;
    if (!scan_int(columns[USED], &used) || used < 0 ||
        !read_billing(columns[RUNNING], &running)) {
        return strange(err, "sshare", "a usage that is no number, of account",
                       columns[SHARE_ACCOUNT]);
    }
    const struct enforce_target target = target_of(columns[SHARE_ACCOUNT], columns[SHARE_USER]);
    const struct enforce_state *found = enforce_states_find(states, &target);
    if (found) {
        struct enforce_state *state = &states->rows[found - states->rows];
        state->counted = true;
        state->used_s = used;
        state->running_min = running.n;
    }
    return 0;
}

int slurm_limits_shares(struct str text, struct enforce_states *states, struct error *err)
{
    struct str columns[4];
    bool end = false;
    int failed = 0;
    while (!failed && !end) {
        failed = next_line(&text, "sshare", columns, COUNT_OF(columns), &end, err);
        failed = failed || end ? failed : add_share(columns, states, err);
    }
    return failed ? failed : has_root(states, "sshare", true, err);
}

/* --- scontrol ----------------------------------------------------------------------------- */

static struct str setting(struct str text, const char *name)
{
    while (text.ptr) {
        struct str value = str_cut(&text, '\n');
        if (str_eq(str_trim(str_cut(&value, '=')), str_of(name)) && value.ptr) {
            return str_trim(value);
        }
    }
    return (struct str){0};
}

static bool lists(struct str list, const char *word)
{
    while (list.ptr) {
        if (str_eq_nocase(str_trim(str_cut(&list, ',')), str_of(word))) {
            return true;
        }
    }
    return false;
}

int slurm_limits_config(struct str text, enum enforce_mode mode, bool ends_running,
                        bool *out_safe, struct error *err)
{
    const struct str enforced = setting(text, "AccountingStorageEnforce");
    const bool safe = lists(enforced, "safe") || lists(enforced, "all");
    *out_safe = safe;
    if (!enforced.ptr) {
        return error_set(err, ERROR_INPUT,
                         "'scontrol show config' does not say AccountingStorageEnforce");
    }
    if (!safe && !lists(enforced, "limits")) {
        return error_set(err, ERROR_INPUT,
                         "Slurm does not enforce limits: AccountingStorageEnforce is '%.*s'; "
                         "add limits,safe",
                         STR_ARG(enforced));
    }
    if (mode == ENFORCE_LIMIT && !safe && !ends_running) {
        return error_set(err, ERROR_INPUT,
                         "Slurm ends running jobs when a limit is reached, since "
                         "AccountingStorageEnforce is '%.*s'; add safe, use mode = hold, or "
                         "allow it by ends_running = yes",
                         STR_ARG(enforced));
    }
    return 0;
}
