/* SPDX-License-Identifier: MIT */
#include "enforce/slurm/slurm_limits.h"

#include "base/limit.h"
#include "base/scan.h"

enum { SHOWN_MAX = 60 }; /* bytes of a line that a message quotes */

static int strange(struct error *err, const char *program, const char *what, struct str line)
{
    const int shown = line.len < SHOWN_MAX ? (int)line.len : SHOWN_MAX;
    return error_set(err, ERROR_INPUT, "'%s' printed %s: '%.*s'", program, what, shown,
                     line.ptr ? line.ptr : "");
}

/* Cuts the next line into its columns; false at the end. A line that is not whole has a column too few or no end. */
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

/* "cpu=500,billing=1000": the number of billing, if it is there. */
static bool read_billing(struct str list, struct enforce_value *out)
{
    *out = (struct enforce_value){0};
    for (struct str rest = list; rest.len > 0 && rest.ptr;) {
        struct str item = str_cut(&rest, ',');
        const struct str name = str_cut(&item, '=');
        if (!item.ptr) {
            return false;
        }
        if (str_eq(name, STR("billing"))) {
            out->is = true;
            if (!scan_int(item, &out->n) || out->n < 0) {
                return false;
            }
        }
    }
    return true;
}

static bool read_count(struct str text, struct enforce_value *out)
{
    *out = (struct enforce_value){.is = text.len > 0};
    return !out->is || (scan_int(text, &out->n) && out->n >= 0);
}

/* --- sacctmgr ------------------------------------------------------------------------------------- */

static int add_assoc(const struct str *columns, struct enforce_states *out, struct error *err)
{
    enum { ACCOUNT, USER, PARTITION, PARENT, MINUTES, RUN_MINUTES, SUBMIT };
    struct enforce_state read = {0};
    if (columns[ACCOUNT].len == 0 || !is_name(columns[ACCOUNT]) || !is_name(columns[USER]) ||
        !is_name(columns[PARENT])) {
        return strange(err, "sacctmgr", "something that is no name", columns[ACCOUNT]);
    }
    if (!read_billing(columns[MINUTES], &read.values[ENFORCE_LIMIT]) ||
        !read_billing(columns[RUN_MINUTES], &read.values[ENFORCE_HOLD]) ||
        !read_count(columns[SUBMIT], &read.values[ENFORCE_REFUSE])) {
        return strange(err, "sacctmgr", "a limit that is no number, of account",
                       columns[ACCOUNT]);
    }
    if (columns[PARTITION].len > 0) {
        return 0;
    }
    struct enforce_state *state = enforce_states_add(out);
    if (!state) {
        return error_set(err, ERROR_LIMIT, "'sacctmgr' lists more than %d associations",
                         ENFORCE_STATES_MAX);
    }
    read.target = target_of(copy(&out->arena, columns[ACCOUNT]), columns[USER]);
    if (read.target.kind == ENFORCE_USER) {
        read.target.name = copy(&out->arena, columns[USER]);
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
    struct str columns[7];
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
    return failed ? failed : has_root(out, "sacctmgr", false, err);
}

/* --- sshare --------------------------------------------------------------------------------------- */

static int add_share(const struct str *columns, struct enforce_states *states,
                     struct error *err)
{
    enum { ACCOUNT, USER, USED, RUNNING };

    int64_t used;
    struct enforce_value running;
    if (!scan_int(columns[USED], &used) || used < 0 ||
        !read_billing(columns[RUNNING], &running)) {
        return strange(err, "sshare", "a usage that is no number, of account",
                       columns[ACCOUNT]);
    }
    const struct enforce_target target = target_of(columns[ACCOUNT], columns[USER]);
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

/* --- scontrol ------------------------------------------------------------------------------------- */

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
