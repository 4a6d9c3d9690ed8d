/* SPDX-License-Identifier: MIT */
#include "enforce/sge/sge_enforce.h"

#include "base/buf.h"
#include "enforce/sge/sge_quotas.h"
#include "reach/program.h"

#define ANSWER_MAX (UINT64_C(64) << 20)

/* Runs qconf with these words; `input` may be NULL. */
static int run(const struct enforce_site *site, const char *option, const char *word,
               const struct spool *input, struct buf *out, struct error *err)
{
    struct arena arena = {0};
    struct spool spool = SPOOL_NONE;
    const struct str bin = enforce_site_text(site, CONFIG_ENFORCE_BIN);
    const char *words[] = {
        bin.ptr ? arena_printf(&arena, "%.*s/qconf", STR_ARG(bin)) : "qconf",
        option,
        word,
        NULL,
    };
    static const char *const environment[] = {"LC_ALL=C", NULL};
    const struct program program = {
        .words = words,
        .environment = environment,
        .timeout_us =
            config_number(site->section, &config_enforce_keys[CONFIG_ENFORCE_TIMEOUT], 0),
        .limit = ANSWER_MAX,
        .input = input,
        .stop = site->stop,
    };
    buf_init(out, ANSWER_MAX);
    int failed = program_run(&program, &spool, err);
    failed = failed ? failed : spool_text(&spool, out, err);
    spool_close(&spool);
    arena_release(&arena);
    return failed;
}

/* Without a set, qconf says so and fails. */
static int ask_sge_quotas(const struct enforce_site *site, struct enforce_states *out,
                          struct error *err)
{
    struct buf text;
    *out = (struct enforce_states){0};
    int failed = run(site, "-srqs", NULL, NULL, &text, err);
    if (failed && strstr(err->text, "No resource quota set found")) {
        failed = 0;
        buf_clear(&text);
    }
    failed = failed ? failed : sge_quotas_read(buf_str(&text), out, err);
    buf_release(&text);
    return failed;
}

static int change_set(const struct enforce_site *site, const char *option, const char *word,
                      const struct spool *input, struct error *err)
{
    struct buf said;
    int failed = run(site, option, word, input, &said, err);
    buf_release(&said);
    return failed;
}

static int add_set(const struct enforce_site *site, const struct enforce_target *target,
                   const char *name, struct error *err)
{
    struct spool spool = SPOOL_NONE;
    struct buf text;
    buf_init(&text, ERROR_TEXT_MAX);
    buf_addf(&text,
             "{\n   name         %s\n   description  \"set by stint: nothing left to spend\"\n"
             "   enabled      TRUE\n   limit        %ss {%.*s} to slots=0\n}\n",
             name, enforce_kind_name(target->kind), STR_ARG(target->name));
    int failed;
    (void)((failed = spool_open(&spool, err)) ||
           (failed = spool_add(&spool, buf_str(&text), err)) ||
           (failed = spool_rewind(&spool, err)) ||
           (failed = change_set(site, "-Arqs", "/dev/stdin", &spool, err)));
    spool_close(&spool);
    buf_release(&text);
    return failed;
}

/* A set that is there and says something else is replaced. */
static int set(const struct enforce_site *site, const struct enforce_change *change,
               struct error *err)
{
    char name[SGE_QUOTAS_NAME_MAX];
    int failed = sge_quotas_name(&change->target, name, err);
    if (!failed && change->from.is) {
        failed = change_set(site, "-drqs", name, NULL, err);
    }
    return failed || !change->to.is ? failed : add_set(site, &change->target, name, err);
}

const struct enforce_driver sge_enforce_driver = {
    .name = "sge",
    .modes = 1U << ENFORCE_HOLD,
    .marks = true,
    .kinds = 1U << ENFORCE_PROJECT | 1U << ENFORCE_USER,
    .ask = ask_sge_quotas,
    .set = set,
};
