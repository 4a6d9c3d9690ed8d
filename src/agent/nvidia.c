/* SPDX-License-Identifier: MIT */
#include "agent/nvidia.h"

#include "base/limit.h"
#include "base/zone.h"
#include "reach/program.h"

/*
 * It answers in a fraction of a second, unless nothing keeps the driver loaded or a card hangs.
 */
enum { TIMEOUT_S = 10, QUERY_MAX = 1024 };

/* Runs it with these words after its name; *out, initialised here, has what it printed. */
static int run_nvidia_smi(const char *const *arguments, struct buf *out, struct error *err)
{
    enum { WORDS_MAX = 8 };

    static const char *const environment[] = {"LC_ALL=C", NULL};
    const char *words[WORDS_MAX] = {"nvidia-smi"};
    for (size_t i = 0; arguments[i] && i + 2 < WORDS_MAX; i++) {
        words[i + 1] = arguments[i];
    }
    const struct program program = {.words = words,
                                    .environment = environment,
                                    .timeout_us = TIMEOUT_S * SECOND_US,
                                    .limit = LIMIT_GPU_ANSWER};
    struct spool spool = SPOOL_NONE;
    buf_init(out, LIMIT_GPU_ANSWER);
    int failed = program_run(&program, &spool, err);
    if (!failed) {
        failed = spool_text(&spool, out, err);
    }
    spool_close(&spool);
    return failed;
}

static int ask_table(void (*add_query)(struct buf *out), struct buf *out, struct error *err)
{
    struct buf query;
    buf_init(&query, QUERY_MAX);
    add_query(&query);
    const char *const arguments[] = {query.ptr, "--format=csv", NULL};
    int failed = run_nvidia_smi(arguments, out, err);
    buf_release(&query);
    return failed;
}

static int look_at_cards(struct node_sample *look, struct error *err)
{
    struct buf text;
    int failed = ask_table(gpu_card_query, &text, err);
    if (!failed) {
        failed = gpu_read_cards(&look->gpus, buf_str(&text), &look->arena, err);
    }
    buf_release(&text);
    return failed;
}

static int look_at_uses(struct node_sample *look, struct error *err)
{
    struct buf text;
    int failed = ask_table(gpu_use_query, &text, err);
    if (!failed) {
        failed = gpu_read_uses(&look->gpus, buf_str(&text), &look->arena, err);
    }
    buf_release(&text);
    return failed;
}

/* How busy each process keeps its card: only pmon shows it. With some drivers it takes a
 * second. */
static int look_at_pmon(struct node_sample *look, struct error *err)
{
    static const char *const arguments[] = {"pmon", "-c", "1", "-s", "u", NULL};
    struct buf text;
    int failed = run_nvidia_smi(arguments, &text, err);
    if (!failed) {
        failed = gpu_read_pmon(&look->gpus, buf_str(&text), err);
    }
    buf_release(&text);
    return failed;
}

void nvidia_look(struct node_sample *look)
{
    struct error err;
    int failed = look_at_cards(look, &err);
    if (failed == ERROR_MISSING) {
        return;
    }
    if (failed) {
        node_sample_trouble(
            look, "%s; run it by hand to see why, or leave it out with --no-gpus", err.text);
    }
    if (look->gpus.count > 0 && look_at_uses(look, &err) != 0) {
        node_sample_trouble(look, "%s", err.text);
    }
    if (look->gpus.use_count > 0 && look_at_pmon(look, &err) != 0) {
        node_sample_trouble(look, "%s", err.text);
    }
}
