/* SPDX-License-Identifier: MIT */
#include "base/limit.h"
#include "source/common/record_text.h"
#include "source/nomad/nomad_record.h"

/* Beyond it a number of MiB or MHz is nonsense; below it nothing overflows. */
#define AMOUNT_MAX (INT64_C(1) << 40)

struct str nomad_text(const json_t *object, const char *name, struct arena *arena)
{
    const json_t *value = json_object_get(object, name);
    return json_is_string(value) ? arena_copy(arena, (struct str){json_string_value(value),
                                                                  json_string_length(value)})
                                 : STR("");
}

struct nomad_amount nomad_number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (json_is_real(value) && json_real_value(value) >= 0 &&
        json_real_value(value) < (double)AMOUNT_MAX) {
        return (struct nomad_amount){true, (int64_t)json_real_value(value)};
    }
    return json_is_integer(value) && json_integer_value(value) >= 0
               ? (struct nomad_amount){true, json_integer_value(value)}
               : (struct nomad_amount){0};
}

struct nomad_amount nomad_mib(const json_t *object, const char *name)
{
    const struct nomad_amount mib = nomad_number(object, name);
    return mib.known && mib.value <= AMOUNT_MAX ? (struct nomad_amount){true, mib.value << 20}
                                                : (struct nomad_amount){0};
}

struct nomad_amount nomad_nanos(const json_t *object, const char *name)
{
    const struct nomad_amount nanos = nomad_number(object, name);
    return nanos.known && nanos.value >= 1000 ? (struct nomad_amount){true, nanos.value / 1000}
                                              : (struct nomad_amount){0};
}

struct str nomad_join(struct str a, struct str b, struct arena *arena)
{
    return a.len == 0   ? b
           : b.len == 0 ? a
                        : str_of(arena_printf(arena, "%.*s %.*s", STR_ARG(a), STR_ARG(b)));
}

/* --- resources ---------------------------------------------------------------------------- */

/*
 * Whole cores if some are reserved. Else the share of the clock in cores of the node, if it is
 * known how much one has: the nearest number, at least one, since a run has whole cpus here.
 */
static bool cpus_of(const struct nomad_resources *resources, int64_t *out)
{
    const struct nomad_amount mhz = resources->mhz, core = resources->mhz_per_core;
    if (resources->cores.known && resources->cores.value > 0) {
        *out = resources->cores.value;
        return true;
    }
    if (!mhz.known || mhz.value == 0 || mhz.value > AMOUNT_MAX || !core.known ||
        core.value <= 0 || core.value > AMOUNT_MAX) {
        return false;
    }
    const int64_t nearest = (mhz.value + core.value / 2) / core.value;
    *out = nearest > 0 ? nearest : 1;
    return true;
}

/* What has no field of its own, in the words of Nomad: "group=web cpu_mhz=9600 disk_mb=300". */
static void put_request(const struct nomad_resources *resources, struct arena *arena,
                        struct run *run)
{
    struct str request = STR("");
    if (resources->group.len > 0) {
        request = str_of(arena_printf(arena, "group=%.*s", STR_ARG(resources->group)));
    }
    if (resources->mhz.known && resources->mhz.value > 0) {
        const struct str mhz =
            str_of(arena_printf(arena, "cpu_mhz=%lld", (long long)resources->mhz.value));
        request = nomad_join(request, mhz, arena);
    }
    if (!RUN_HAS(run, start) && resources->disk_bytes.known) {
        const struct str disk = str_of(arena_printf(
            arena, "disk_mb=%lld", (long long)(resources->disk_bytes.value >> 20)));
        request = nomad_join(request, disk, arena);
    }
    SOURCE_SET_TEXT(run, request, request);
}

static void put_amount(struct nomad_amount amount, enum run_field given, enum run_field asked,
                       struct run *run)
{
    const enum run_field field = RUN_HAS(run, start) ? given : asked;
    if (amount.known && field != RUN_FIELD_COUNT) {
        memcpy((char *)run + run_fields[field].offset, &amount.value, sizeof(amount.value));
        run->has[(unsigned)field / 64] |= UINT64_C(1) << (unsigned)field % 64;
    }
}

void nomad_put_resources(const struct nomad_resources *resources, struct arena *arena,
                         struct run *run)
{
    struct nomad_amount cpus = {0};
    cpus.known = cpus_of(resources, &cpus.value);
    put_amount(cpus, RUN_cpus, RUN_req_cpus, run);
    put_amount(resources->mem_bytes, RUN_mem_bytes, RUN_req_mem_bytes, run);
    put_amount(resources->disk_bytes, RUN_disk_bytes, RUN_FIELD_COUNT, run);
    put_amount(resources->gpus, RUN_gpus, RUN_req_gpus, run);
    SOURCE_SET_TEXT(run, gpu_type, resources->gpu_type);
    put_request(resources, arena, run);
}

/* --- owners ------------------------------------------------------------------------------- */

/* The first of several members that is a text and not empty. */
static struct str first_text(const json_t *object, struct str names, struct arena *arena)
{
    while (names.ptr) {
        struct str words = str_cut(&names, ',');
        while (words.ptr) {
            const struct str name = str_trim(str_cut(&words, ' '));
            const struct str text =
                name.len > 0 ? nomad_text(object, arena_text(arena, name), arena) : STR("");
            if (str_trim(text).len > 0) {
                return str_trim(text);
            }
        }
    }
    return (struct str){0};
}

void nomad_put_owner(const json_t *object, const struct nomad_format *format,
                     struct arena *arena, struct run *run, struct owner *owner)
{
    bool more = false;
    *owner = (struct owner){0};
    for (size_t i = 0; i < OWNER_PARTS; i++) {
        const struct str text = first_text(object, format->owner_keys[i], arena);
        if (i != OWNER_LOGIN && text.len <= LIMIT_BOOKS_NAME) { /* what is longer is no name */
            owner->parts[i] = text;
            more |= text.len > 0;
        } else if (i == OWNER_LOGIN) {
            SOURCE_SET_TEXT(run, user, text);
        }
    }
    if (more && RUN_HAS(run, user)) {
        owner->parts[OWNER_LOGIN] = run->user;
    }
}

/* --- identity and state ------------------------------------------------------------------- */

void nomad_put_identity(struct str allocation, struct str job, struct str namespace,
                        struct arena *arena, struct run *run)
{
    if (allocation.len > 0) {
        RUN_SET(run, job_key, allocation);
        RUN_SET(run, attempt, NOMAD_ALLOCATION);
    } else if (job.len > 0) {
        RUN_SET(run, job_key,
                str_of(arena_printf(arena, "%.*s@%.*s", STR_ARG(job), STR_ARG(namespace))));
        RUN_SET(run, attempt, RUN_HAS(run, submit) ? run->submit : NOMAD_WAITING);
    }
}

void nomad_put_state(struct str state, struct run *run)
{
    static const struct {
        const char *state;
        enum run_class class;
    } states[] = {
        /* of the API */
        {"pending", CLASS_PENDING},
        {"running", CLASS_RUNNING},
        {"complete", CLASS_COMPLETED},
        {"failed", CLASS_FAILED},
        {"lost", CLASS_NODE_FAIL},
        {"unknown", CLASS_RUNNING}, /* cut off; what it held is held for it until it is lost */
        /* of snapshots, besides */
        {"queued", CLASS_PENDING},
        {"starting", CLASS_PENDING},
        {"error", CLASS_PENDING}, /* no node is fit for it so far */
        {"down", CLASS_RUNNING},  /* as unknown */
        {"dead", CLASS_OTHER},    /* stopped, deleted or done: it does not have which */
    };

    enum run_class class = CLASS_OTHER;
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        if (str_eq(state, str_of(states[i].state))) {
            class = states[i].class;
        }
    }
    SOURCE_SET_TEXT(run, state, state);
    RUN_SET(run, class, run_class_name(class));
}

void nomad_settle_class(struct run *run)
{
    if (RUN_HAS(run, start) && str_eq(run->class, run_class_name(CLASS_PENDING))) {
        RUN_SET(run, class, run_class_name(CLASS_RUNNING));
    }
}
