/* SPDX-License-Identifier: MIT */
#include "enforce/slurm/slurm_enforce.h"

#include <inttypes.h>

#include "enforce/slurm/slurm_limits.h"
#include "reach/program.h"

enum { WORDS_MAX = 12, CHANGED_MAX = 1 << 20, CONFIG_MAX = 1 << 20, PARTITIONS_MAX = 1 << 26 };

#define ANSWER_MAX (UINT64_C(1) << 30)

/* What one call needs; released after it. */
struct call {
    const struct enforce_site *site;
    struct arena arena;
    const char *words[WORDS_MAX + 1];
    size_t count;
};

static void add(struct call *call, const char *word)
{
    if (call->count < WORDS_MAX) {
        call->words[call->count++] = word;
    }
}

static const char *slurm_cluster(struct call *call)
{
    const struct str name = enforce_site_text(call->site, CONFIG_ENFORCE_SLURM_CLUSTER);
    return arena_text(&call->arena, name.ptr ? name : call->site->cluster);
}

static struct call begin_call(const struct enforce_site *site, const char *program)
{
    struct call call = {.site = site};
    const struct str bin = enforce_site_text(site, CONFIG_ENFORCE_BIN);
    add(&call, bin.ptr ? arena_printf(&call.arena, "%.*s/%s", STR_ARG(bin), program) : program);
    return call;
}

/* Runs it and gives what it printed, whose memory the caller releases. */
static int finish(struct call *call, uint64_t limit, struct buf *out, struct error *err)
{
    const struct str conf = enforce_site_text(call->site, CONFIG_ENFORCE_SLURM_CONF);
    const char *environment[] = {
        "TZ=UTC",
        "LC_ALL=C",
        conf.ptr ? arena_printf(&call->arena, "SLURM_CONF=%.*s", STR_ARG(conf)) : NULL,
        NULL,
    };
    const struct program program = {
        .words = call->words,
        .environment = environment,
        .timeout_us =
            config_number(call->site->section, &config_enforce_keys[CONFIG_ENFORCE_TIMEOUT], 0),
        .limit = limit,
        .stop = call->site->stop,
    };
    struct spool spool = SPOOL_NONE;
    buf_init(out, limit);
    int failed = program_run(&program, &spool, err);
    failed = failed ? failed : spool_text(&spool, out, err);
    spool_close(&spool);
    arena_release(&call->arena);
    return failed;
}

/* --- asking ------------------------------------------------------------------------------- */

static int ask_config(const struct enforce_site *site, bool *safe, struct error *err)
{
    struct buf text;
    struct call call = begin_call(site, "scontrol");
    add(&call, "show");
    add(&call, "config");
    int failed = finish(&call, CONFIG_MAX, &text, err);
    failed =
        failed ? failed
               : slurm_limits_config(buf_str(&text), site->mode, site->ends_running, safe, err);
    buf_release(&text);
    return failed;
}

static int ask_qos(const struct enforce_site *site, struct enforce_states *out,
                   struct error *err)
{
    struct buf text;
    struct call call = begin_call(site, "sacctmgr");
    add(&call, "-n");
    add(&call, "-P");
    add(&call, "show");
    add(&call, "qos");
    add(&call, "format=" SLURM_LIMITS_QOS);
    int failed = finish(&call, CONFIG_MAX, &text, err);
    failed = failed ? failed : slurm_limits_qos(buf_str(&text), out, err);
    buf_release(&text);
    return failed;
}

static int ask_partitions(const struct enforce_site *site, struct enforce_states *out,
                          struct error *err)
{
    struct buf text;
    struct call call = begin_call(site, "scontrol");
    add(&call, "-o");
    add(&call, "show");
    add(&call, "partition");
    int failed = finish(&call, PARTITIONS_MAX, &text, err);
    failed = failed ? failed : slurm_limits_partitions(buf_str(&text), out, err);
    buf_release(&text);
    return failed;
}

static int ask_assocs(const struct enforce_site *site, struct enforce_states *out,
                      struct error *err)
{
    struct buf text;
    struct call call = begin_call(site, "sacctmgr");
    add(&call, "-n");
    add(&call, "-P");
    add(&call, "show");
    add(&call, "assoc");
    add(&call, "where");
    add(&call, arena_printf(&call.arena, "cluster=%s", slurm_cluster(&call)));
    add(&call, "format=" SLURM_LIMITS_ASSOCS);
    int failed = finish(&call, ANSWER_MAX, &text, err);
    failed = failed ? failed : slurm_limits_assocs(buf_str(&text), out, err);
    buf_release(&text);
    return failed;
}

static int ask_shares(const struct enforce_site *site, struct enforce_states *out,
                      struct error *err)
{
    struct buf text;
    struct call call = begin_call(site, "sshare");
    if (enforce_site_text(site, CONFIG_ENFORCE_SLURM_CLUSTER).ptr) {
        add(&call, "-M");
        add(&call, slurm_cluster(&call));
    }
    add(&call, "-a");
    add(&call, "-n");
    add(&call, "-P");
    add(&call, "-o");
    add(&call, SLURM_LIMITS_SHARES);
    int failed = finish(&call, ANSWER_MAX, &text, err);
    failed = failed ? failed : slurm_limits_shares(buf_str(&text), out, err);
    buf_release(&text);
    return failed;
}

/*
 * Limits before usage: what is used grows meanwhile, so that a limit is taken for tighter than
 * it is rather than for wider.
 */
static int ask_slurm_limits(const struct enforce_site *site, struct enforce_states *out,
                            struct error *err)
{
    *out = (struct enforce_states){0};
    const bool sets = !site->releases;
    int failed = sets ? ask_config(site, &out->safe, err) : 0;
    failed = failed || !sets ? failed : ask_qos(site, out, err);
    failed = failed ? failed : ask_assocs(site, out, err);
    failed = failed || !sets ? failed : ask_partitions(site, out, err);
    return failed ? failed : ask_shares(site, out, err);
}

/* --- setting ------------------------------------------------------------------------------ */

/*
 * A name that sacctmgr takes as one: lists, patterns and quotes in it would change others as
 * well.
 */
static bool is_plain(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const unsigned char byte = (unsigned char)name.ptr[i];
        if (byte <= ' ' || byte == 0x7f || strchr(",=\"'()*\\", byte)) {
            return false;
        }
    }
    return name.len > 0;
}

/* The limit of each mode, and the list of limits that its mark is in. */
static const char *const limits[ENFORCE_MODES] = {
    [ENFORCE_LIMIT] = "GrpTRESMins=billing",
    [ENFORCE_HOLD] = "GrpTRESRunMins=billing",
    [ENFORCE_REFUSE] = "GrpSubmitJobs",
    [ENFORCE_JOBS] = "GrpJobs",
};
static const char *const marked_in[ENFORCE_MODES] = {
    [ENFORCE_LIMIT] = "GrpTRESMins=",
    [ENFORCE_HOLD] = "GrpTRESRunMins=",
    [ENFORCE_REFUSE] = "GrpTRES=",
    [ENFORCE_JOBS] = "MaxTRES=",
};

static int64_t plus(int64_t value, int64_t added)
{
    return value > INT64_MAX - added ? INT64_MAX : value + added;
}

/* -1 takes a limit away. */
static void add_mark(struct call *call, const struct enforce_change *change)
{
    int64_t before = -1, set = -1;
    if (!change->restores) {
        before = change->before.is ? plus(change->before.n, SLURM_LIMITS_BEFORE_ADDS)
                                   : SLURM_LIMITS_NO_LIMIT;
        set = plus(change->to.n, SLURM_LIMITS_SET_ADDS);
    }
    add(call,
        arena_printf(&call->arena,
                     "%s" SLURM_LIMITS_BEFORE "=%" PRId64 "," SLURM_LIMITS_SET "=%" PRId64,
                     marked_in[change->mode], before, set));
}

static void add_change(struct call *call, const struct enforce_change *change)
{
    const struct enforce_target *target = &change->target;
    const bool user = target->kind == ENFORCE_USER;
    add(call, "modify");
    add(call, user ? "user" : "account");
    add(call, "where");
    add(call, arena_printf(&call->arena, "cluster=%s", slurm_cluster(call)));
    add(call, arena_printf(&call->arena, "account=%.*s",
                           STR_ARG(user ? target->under : target->name)));
    if (user) {
        add(call, arena_printf(&call->arena, "user=%.*s", STR_ARG(target->name)));
    }
    add(call, "set");
    add(call, arena_printf(&call->arena, "%s=%" PRId64, limits[change->mode],
                           change->to.is ? change->to.n : -1));
}

static int set(const struct enforce_site *site, const struct enforce_change *change,
               struct error *err)
{
    const struct enforce_target *target = &change->target;
    struct buf text;
    if (!is_plain(target->name) || (target->kind == ENFORCE_USER && !is_plain(target->under))) {
        return error_set(err, ERROR_INPUT,
                         "'%.*s' has a character that sacctmgr does not take in a name",
                         STR_ARG(target->name));
    }
    struct call call = begin_call(site, "sacctmgr");
    add(&call, "-i");
    add_change(&call, change);
    add_mark(&call, change);
    int failed = finish(&call, CHANGED_MAX, &text, err);
    buf_release(&text);
    return failed;
}

static const char *command(const struct enforce_site *site, const struct enforce_change *change,
                           struct arena *arena)
{
    struct call call = begin_call(site, "sacctmgr");
    const char *line = "sacctmgr";
    add_change(&call, change);
    for (size_t i = 1; i < call.count; i++) {
        line = arena_printf(arena, "%s %s", line, call.words[i]);
    }
    arena_release(&call.arena);
    return line;
}

const struct enforce_driver slurm_enforce_driver = {
    .name = "slurm",
    .limits = limits,
    .modes =
        1U << ENFORCE_LIMIT | 1U << ENFORCE_HOLD | 1U << ENFORCE_REFUSE | 1U << ENFORCE_JOBS,
    .kinds = 1U << ENFORCE_ACCOUNT | 1U << ENFORCE_USER,
    .lists_all = true,
    .marks = true,
    .ask = ask_slurm_limits,
    .set = set,
    .command = command,
};
