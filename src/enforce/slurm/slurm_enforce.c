/* SPDX-License-Identifier: MIT */
#include "enforce/slurm/slurm_enforce.h"

#include <inttypes.h>

#include "enforce/slurm/slurm_limits.h"
#include "reach/program.h"

enum { WORDS_MAX = 12, CHANGED_MAX = 1 << 20, CONFIG_MAX = 1 << 20 };

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

static struct call begin(const struct enforce_site *site, const char *program)
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

/* --- asking --------------------------------------------------------------------------------------- */

static int ask_config(const struct enforce_site *site, bool *safe, struct error *err)
{
    struct buf text;
    struct call call = begin(site, "scontrol");
    add(&call, "show");
    add(&call, "config");
    int failed = finish(&call, CONFIG_MAX, &text, err);
    failed =
        failed ? failed
               : slurm_limits_config(buf_str(&text), site->mode, site->ends_running, safe, err);
    buf_release(&text);
    return failed;
}

static int ask_assocs(const struct enforce_site *site, struct enforce_states *out,
                      struct error *err)
{
    struct buf text;
    struct call call = begin(site, "sacctmgr");
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
    struct call call = begin(site, "sshare");
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
 * Limits before usage: what is used grows meanwhile, so that a limit is taken for tighter than it is rather than for
 * wider.
 */
static int ask(const struct enforce_site *site, struct enforce_states *out, struct error *err)
{
    *out = (struct enforce_states){0};
    int failed;
    (void)((failed = site->releases ? 0 : ask_config(site, &out->safe, err)) ||
           (failed = ask_assocs(site, out, err)) || (failed = ask_shares(site, out, err)));
    return failed;
}

/* --- setting -------------------------------------------------------------------------------------- */

/* A name that sacctmgr takes as one: lists, patterns and quotes in it would change others as well. */
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

static int set(const struct enforce_site *site, const struct enforce_change *change,
               struct error *err)
{
    static const char *const limits[ENFORCE_MODES] = {
        [ENFORCE_LIMIT] = "GrpTRESMins=billing=",
        [ENFORCE_HOLD] = "GrpTRESRunMins=billing=",
        [ENFORCE_REFUSE] = "GrpSubmitJobs=",
    };
    const struct enforce_target *target = &change->target;
    const bool user = target->kind == ENFORCE_USER;
    struct buf text;
    if (!is_plain(target->name) || (user && !is_plain(target->under))) {
        return error_set(err, ERROR_INPUT,
                         "'%.*s' has a character that sacctmgr does not take in a name",
                         STR_ARG(target->name));
    }
    struct call call = begin(site, "sacctmgr");
    add(&call, "-i");
    add(&call, "modify");
    add(&call, user ? "user" : "account");
    add(&call, "where");
    add(&call, arena_printf(&call.arena, "cluster=%s", slurm_cluster(&call)));
    add(&call, arena_printf(&call.arena, "account=%.*s",
                            STR_ARG(user ? target->under : target->name)));
    if (user) {
        add(&call, arena_printf(&call.arena, "user=%.*s", STR_ARG(target->name)));
    }
    add(&call, "set");
    add(&call, arena_printf(&call.arena, "%s%" PRId64, limits[change->mode],
                            change->to.is ? change->to.n : -1));
    int failed = finish(&call, CHANGED_MAX, &text, err);
    buf_release(&text);
    return failed;
}

const struct enforce_driver slurm_enforce_driver = {
    .name = "slurm",
    .modes = 1U << ENFORCE_LIMIT | 1U << ENFORCE_HOLD | 1U << ENFORCE_REFUSE,
    .kinds = 1U << ENFORCE_ACCOUNT | 1U << ENFORCE_USER,
    .lists_all = true,
    .ask = ask,
    .set = set,
};
