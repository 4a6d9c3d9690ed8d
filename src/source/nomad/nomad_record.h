/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the files of the Nomad driver share.
 */

#include <jansson.h>

#include "source/nomad/nomad.h"

/* What a file says of itself; immutable once open. */
struct nomad_format {
    bool snapshot;
    int64_t listed; /* when the snapshot was taken; 0: it is not one */
    int64_t seen;   /* when its records were so; 0: nobody says */
    const struct zone *zone;
    struct str owner_keys[OWNER_PARTS]; /* names, with commas or blanks; borrowed */
};

/* --- times: nomad_time.c ------------------------------------------------------------------ */

/*
 * "2025-02-01T10:00:31.123456789Z", with any number of digits, or an offset. The year 1 is no
 * time.
 */
bool nomad_time(struct str text, int64_t *out);

/* "2025-02-01 10:00:00" in a zone (NULL is UTC); as above if it says its own. */
bool nomad_time_local(struct str text, const struct zone *zone, int64_t *out);

/*
 * Of a file's name: "snapshots/2025-02-01T10:00:00.json", UTC; - or _ may stand for the colons.
 */
bool nomad_time_of_name(struct str path, int64_t *out);

/* --- values of JSON: nomad_value.c -------------------------------------------------------- */

/* The text of a member, copied; empty if it is not there or no text. */
struct str nomad_text(const json_t *object, const char *name, struct arena *arena);

struct nomad_amount {
    bool known;
    int64_t value;
};

/* A whole number from 0 on. */
struct nomad_amount nomad_number(const json_t *object, const char *name);

/* MiB, as Nomad calls MB, to bytes. */
struct nomad_amount nomad_mib(const json_t *object, const char *name);

/* Nanoseconds since 1970, to microseconds; 0 is no time. */
struct nomad_amount nomad_nanos(const json_t *object, const char *name);

/* "a b", or the one that is there. */
struct str nomad_join(struct str a, struct str b, struct arena *arena);

/* --- resources: in fields of what was given once it started, of what was asked for until then --- */

struct nomad_resources {
    struct nomad_amount cores, mhz, mem_bytes, disk_bytes, gpus;
    struct nomad_amount mhz_per_core; /* of the node */
    struct str gpu_type, group;
};

/* Sets cpus, memory, disk, GPUs and `request`; wants `start` to be set if it ever will be. */
void nomad_put_resources(const struct nomad_resources *resources, struct arena *arena,
                         struct run *run);

/* --- identity and state ------------------------------------------------------------------- */

/*
 * The run of an allocation, or, where its id is empty, of a waiting job, whose `submit` is set.
 */
void nomad_put_identity(struct str allocation, struct str job, struct str namespace,
                        struct arena *arena, struct run *run);

/* A state and its class, for both shapes. */
void nomad_put_state(struct str state, struct run *run);

/*
 * An allocation is pending while its main task has not started. One of which another task has,
 * or had, holds its resources: it runs. Called when state and start are set.
 */
void nomad_settle_class(struct run *run);

/* --- owners ------------------------------------------------------------------------------- */

/* Reads what an object says of its owner: the run's user, and in *owner what else there is. */
void nomad_put_owner(const json_t *object, const struct nomad_format *format,
                     struct arena *arena, struct run *run, struct owner *owner);

/* --- records ------------------------------------------------------------------------------ */

/* The namespace is the cursor's context; *run and the cursor's owner are filled. */
int nomad_snapshot_run(const json_t *job, const struct nomad_format *format,
                       struct source_cursor *cursor, struct run *run,
                       struct error *err) MUST_CHECK;
int nomad_allocation_run(json_t *allocation, const struct nomad_format *format,
                         struct source_cursor *cursor, struct run *run,
                         struct error *err) MUST_CHECK;
