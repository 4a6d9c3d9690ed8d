/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Questions to one Nomad, and its answers as JSON.
 */

#include <jansson.h>

#include "base/buf.h"
#include "live/live.h"

/* Keys of its sections: rows of nomad_keys. */
enum nomad_key {
    NOMAD_KEY_ADDRESS,
    NOMAD_KEY_CA,
    NOMAD_KEY_CERTIFICATE,
    NOMAD_KEY_KEY,
    NOMAD_KEY_SERVER_NAME,
    NOMAD_KEY_TOKEN_FILE,
    NOMAD_KEY_NAMESPACES,
    NOMAD_KEY_IGNORE,
    NOMAD_KEY_JOBS,
    NOMAD_KEY_WAIT,
    NOMAD_KEY_OWNER, /* this and the next: as enum owner_part */
    NOMAD_KEY_OWNER_NAME,
    NOMAD_KEY_OWNER_EMAIL,
    NOMAD_KEY_COUNT,
};

extern const struct config_key nomad_keys[NOMAD_KEY_COUNT];

struct nomad_api;
int nomad_api_open(struct pull *pull, struct nomad_api **out, struct error *err) MUST_CHECK;
void nomad_api_close(struct nomad_api *api);

struct nomad_answer {
    struct buf body;
    int64_t index; /* X-Nomad-Index; -1: not recorded */
    bool found;    /* false: there is no such thing (404) */
};

/*
 * Asks for a path. *out is released by the caller with buf_release(&out->body), also on
 * failure. All but 200 and 404 is an error with what Nomad says. `wait_us`: how long it may
 * hold the answer back.
 */
int nomad_api_ask(struct nomad_api *api, const char *path, int64_t wait_us,
                  struct nomad_answer *out, struct error *err) MUST_CHECK;

/*
 * One object of an answer; NULL and an error if it is not one. The caller gives it back
 * (json_decref).
 */
json_t *nomad_api_object(const struct nomad_answer *answer, const char *path,
                         struct error *err);

/* Calls `each` for the objects of a list, with their text; ends with the first failure. */
int nomad_api_each(const struct nomad_answer *answer, const char *path,
                   int (*each)(void *context, json_t *object, struct str text,
                               struct error *err),
                   void *context, struct error *err) MUST_CHECK;

/* A member's text, borrowed from the object; empty if it is absent. */
struct str nomad_api_text(const json_t *object, const char *name);
int64_t nomad_api_number(const json_t *object, const char *name,
                         int64_t otherwise); /* from 0 on */

/* --- nodes: nomad_nodes.c ----------------------------------------------------------------- */

struct nomad_nodes;
struct nomad_nodes *nomad_nodes_new(void);
void nomad_nodes_free(struct nomad_nodes *nodes);
int nomad_nodes_ask(struct nomad_nodes *nodes, struct nomad_api *api,
                    struct error *err) MUST_CHECK;

/* What goes with an allocation there: name, datacenter, cpus; NULL if nobody knows the node. */
json_t *nomad_nodes_find(const struct nomad_nodes *nodes, struct str id);

/* An allocation that holds something of a node. */
void nomad_nodes_use(struct nomad_nodes *nodes, const json_t *allocation);

/* Into things; text goes to the arena. */
void nomad_nodes_list(const struct nomad_nodes *nodes, struct arena *arena,
                      struct inventory_item_list *out);
