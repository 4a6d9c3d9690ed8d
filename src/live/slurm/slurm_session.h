/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The inside of the Slurm driver; nothing but live/slurm_*.c includes this.
 *
 * A session is what one pull knows of its cluster; a way is how it asks: by programs or by
 * slurmrestd.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spool.h"
#include "live/live.h"
#include "reach/http_client.h"

/* How far a question for what has ended goes. */
enum slurm_depth {
    SLURM_QUICK, /* what ended since the last pull */
    SLURM_FILL,  /* the first time: what ended long ago */
    SLURM_DEEP,  /* what came late, and what is in no state that we know */
};

struct slurm_session;

struct slurm_way {
    const char *listing_via, *history_via, *things_via;

    /* Once a pull: what can be asked, and whether we may. */
    int (*begin)(struct slurm_session *session, struct error *err) MUST_CHECK;

    /* Each leaves a whole answer, looked through, in *out; on failure *out is not open. */
    int (*listing)(struct slurm_session *session, struct spool *out,
                   struct error *err) MUST_CHECK;
    /* Of the seconds [from, to]; *empty says that nothing is in it. */
    int (*history)(struct slurm_session *session, int64_t from_s, int64_t to_s,
                   enum slurm_depth depth, struct spool *out, bool *empty,
                   struct error *err) MUST_CHECK;
    /* All runs of these jobs, since `from_s`. */
    int (*jobs)(struct slurm_session *session, const int64_t *numbers, size_t count,
                int64_t from_s, struct spool *out, struct error *err) MUST_CHECK;
    int (*things)(struct slurm_session *session, enum inventory_item_kind kind,
                  struct spool *out, struct error *err) MUST_CHECK;

    /*
     * What slurm.conf says for all partitions, as `scontrol show config` writes it; the null
     * string if that is not to be had. NULL: it cannot be asked.
     */
    struct str (*settings)(struct slurm_session *session);

    /* Lines of what `ask` would ask, for live_driver.plan. */
    void (*plan)(struct slurm_session *session, int64_t from_s, int64_t to_s, struct buf *out);
};

extern const struct slurm_way slurm_by_programs, slurm_by_rest;

/* What the section says; texts live as long as it. */
enum slurm_key {
    SLURM_KEY_VIA,
    SLURM_KEY_ADDRESS,
    SLURM_KEY_USER,
    SLURM_KEY_TOKEN_FILE,
    SLURM_KEY_AUTHORITY,
    SLURM_KEY_API,
    SLURM_KEY_WINDOW,
    SLURM_KEY_LOOK_BACK,
    SLURM_KEY_CONF,
    SLURM_KEY_BIN,
    SLURM_KEY_CLUSTER,
    SLURM_KEY_ONLY_OWN,
    SLURM_KEY_COUNT,
};

extern const struct config_key slurm_live_keys[SLURM_KEY_COUNT];

struct slurm_session {
    struct pull *pull;
    const struct slurm_way *way;
    struct arena arena; /* lives as long as the session; the pull's is emptied between rounds */
    int64_t timeout_us;
    bool begun;

    /* by programs */
    bool as_json;
    const char *columns; /* of sacct, with commas */
    size_t column_count;
    const char *delimiter; /* between them */

    /* by slurmrestd */
    struct http *http;
    const char *api; /* "v0.0.38" */
};

/* A key's text, NULL if it is not set. */
const char *slurm_session_text(const struct slurm_session *session, enum slurm_key key);

/*
 * The value of "Name   = value" in a list of settings; `from` moves on behind it. The null
 * string if it is not there.
 */
struct str slurm_session_setting(struct str *from, const char *name);

/*
 * Looks through an answer of JSON: that it is whole, has the list, and does not say that it
 * failed. Rewinds it. *empty, if it is not NULL: whether the list is.
 */
int slurm_session_check(struct spool *spool, const char *list, bool *empty,
                        struct error *err) MUST_CHECK;
