/* SPDX-License-Identifier: MIT */
#include "sampler/cgroup.h"

#include <string.h>

#include "base/attribute.h"
#include "sampler/field.h"

/* What may follow the number of a job in the name of its group. */
enum suffix {
    SUFFIX_NONE, /* nothing */
    SUFFIX_TASK, /* .TASK */
    SUFFIX_HOST, /* [TASK], then .anything, either or none */
};

/* A group is a job's if its name and those above it match. */
struct layout {
    const char *above, *parent; /* patterns; NULL: any, or none at all */
    const char *prefix;         /* of the name, before the number */
    enum suffix suffix;
    bool by_user; /* the parent is one user's: what holds all jobs is the one above it */
};

static const struct layout layouts[] = {
    {NULL, "*slurmstepd.scope", "job_", SUFFIX_NONE, false},
    {"slurm*", "uid_*", "job_", SUFFIX_NONE, true},
    {NULL, "sge", "", SUFFIX_TASK, false},
    {NULL, "UGE", "", SUFFIX_TASK, false},
    {"pbs*.service", "jobid", "", SUFFIX_HOST, false}, /* version 1 */
    {"pbs*.service", "jobs", "", SUFFIX_HOST, false},  /* version 2 */
    {NULL, "pbspro.slice", "pbspro-", SUFFIX_HOST, false},
    {NULL, "pbs_jobs.slice", "pbs_jobs-", SUFFIX_HOST, false},
    {NULL, "pbspro", "", SUFFIX_HOST, false},
    {NULL, "pbs_jobs", "", SUFFIX_HOST, false},
    {NULL, "torque", "", SUFFIX_HOST, false},
};

static bool take_number(struct str *rest, int64_t *out)
{
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] >= '0' && rest->ptr[len] <= '9') {
        len++;
    }
    if (!look_count((struct str){rest->ptr, len}, out)) {
        return false;
    }
    rest->ptr += len;
    rest->len -= len;
    return true;
}

static bool take_text(struct str *rest, struct str text)
{
    if (!str_starts(*rest, text)) {
        return false;
    }
    rest->ptr += text.len;
    rest->len -= text.len;
    return true;
}

/* "[3]", also as systemd spells it in the names of its units. */
static bool take_task_in_brackets(struct str *rest, int64_t *task)
{
    struct str at = *rest;
    if (!take_text(&at, STR("[")) && !take_text(&at, STR("\\x5b"))) {
        return false;
    }
    if (!take_number(&at, task) ||
        (!take_text(&at, STR("]")) && !take_text(&at, STR("\\x5d")))) {
        return false;
    }
    *rest = at;
    return true;
}

static bool read_name(struct str name, const struct layout *layout, struct batch_job *job)
{
    *job = (struct batch_job){0};
    if (!take_text(&name, str_of(layout->prefix)) || !take_number(&name, &job->number) ||
        job->number == 0) {
        return false;
    }
    job->known = true;
    if (layout->suffix == SUFFIX_TASK && str_take(&name, '.')) {
        job->has_task = take_number(&name, &job->task);
        return job->has_task && name.len == 0;
    }
    if (layout->suffix == SUFFIX_HOST) {
        job->has_task = take_task_in_brackets(&name, &job->task);
        return name.len == 0 || name.ptr[0] == '.';
    }
    return name.len == 0;
}

static bool matches(const char *pattern, struct str name)
{
    return !pattern || (name.ptr && str_glob(str_of(pattern), name));
}

static bool read_path(struct str path, struct batch_job *job)
{
    struct str above = {0}, parent = {0};
    (void)str_take(&path, '/');
    while (path.ptr) {
        struct str name = str_cut(&path, '/');
        if (str_eq(name, STR("user.slice"))) {
            return false; /* what is below is the user's, who may call it as he likes */
        }
        for (size_t i = 0; parent.ptr && i < COUNT_OF(layouts); i++) {
            const struct layout *layout = &layouts[i];
            if (matches(layout->parent, parent) && matches(layout->above, above) &&
                read_name(name, layout, job)) {
                return true;
            }
        }
        above = parent;
        parent = name;
    }
    return false;
}

/* "sEKNKTV3WPV500": an s, then digits and letters without I, L, O and U. */
static bool is_sluid(struct str name)
{
    enum { SLUID_LENGTH = 14 };

    for (size_t i = 1; i < name.len && i < SLUID_LENGTH; i++) {
        if (!strchr("0123456789ABCDEFGHJKMNPQRSTVWXYZ", name.ptr[i]) || !name.ptr[i]) {
            return false;
        }
    }
    return name.len == SLUID_LENGTH && name.ptr[0] == 's';
}

/* The name of the path that is a SLUID, and whether it is the last one. */
static struct str sluid_in(struct str path, bool *whole)
{
    struct str parent = {0};
    (void)str_take(&path, '/');
    while (path.ptr) {
        const struct str name = str_cut(&path, '/');
        if (str_eq(name, STR("user.slice"))) {
            break;
        }
        if (parent.ptr && str_glob(STR("*slurmstepd.scope"), parent) && is_sluid(name)) {
            *whole = !path.ptr;
            return name;
        }
        parent = name;
    }
    return (struct str){0};
}

struct str cgroup_sluid(struct str text)
{
    bool whole = false;
    for (struct str rest = text; rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        (void)str_cut(&line, ':');
        (void)str_cut(&line, ':');
        const struct str sluid = line.ptr ? sluid_in(line, &whole) : (struct str){0};
        if (sluid.ptr) {
            return sluid;
        }
    }
    return (struct str){0};
}

struct batch_job cgroup_job(struct str text)
{
    struct batch_job job = {0};
    for (struct str rest = text; rest.ptr;) {
        struct str line = str_cut(&rest, '\n'); /* hierarchy:controllers:path */
        (void)str_cut(&line, ':');
        (void)str_cut(&line, ':');
        if (line.ptr && read_path(line, &job)) {
            return job;
        }
    }
    return (struct batch_job){0};
}

/* --- owners ------------------------------------------------------------------------------- */

/* The last three names of a path, the last one first. */
struct place {
    struct str name, parent, above;
};

static struct place place_of(struct str path)
{
    struct place place = {0};
    (void)str_take(&path, '/');
    while (path.ptr) {
        place.above = place.parent;
        place.parent = place.name;
        place.name = str_cut(&path, '/');
    }
    return place;
}

/* "8-4-4-4-12" hexadecimal digits at the start. */
static bool starts_with_uuid(struct str name)
{
    enum { UUID_LENGTH = 36 };

    for (size_t i = 0; i < UUID_LENGTH; i++) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (i >= name.len ||
            (dash ? name.ptr[i] != '-' : !strchr("0123456789abcdef", name.ptr[i]))) {
            return false;
        }
    }
    return true;
}

/* /nomad.slice/share.slice/ALLOCATION.TASK.scope, /nomad/ALLOCATION.TASK */
static bool is_allocation(const struct place *place, struct str *name)
{
    const bool below = str_glob(STR("nomad*"), place->parent) ||
                       (place->above.ptr && str_glob(STR("nomad*"), place->above));
    *name = place->name;
    name->len -= str_ends(*name, STR(".scope")) ? STR(".scope").len : 0;
    return place->parent.ptr && below && starts_with_uuid(place->name);
}

/* /htcondor/condor_var_lib_condor_execute_slot1_2@n1 */
static bool is_slot(const struct place *place, struct str *name)
{
    const char *slot = memmem(place->name.ptr, place->name.len, "_slot", STR("_slot").len);
    if (!slot || !str_starts(place->name, STR("condor")) || !str_byte(place->name, '@')) {
        return false;
    }
    *name = (struct str){slot + 1, place->name.len - (size_t)(slot + 1 - place->name.ptr)};
    return true;
}

/* /user.slice/user-1000.slice */
static bool is_user(const struct place *place, int64_t *uid)
{
    struct str name = place->name;
    return place->parent.ptr && str_eq(place->parent, STR("user.slice")) &&
           take_text(&name, STR("user-")) && take_number(&name, uid) &&
           str_eq(name, STR(".slice"));
}

/* Whether the group itself is a job's, and not one below it. */
static bool is_job(struct str path, const struct place *place, struct batch_job *job)
{
    const size_t length = place->name.len + 1;
    struct batch_job higher = {0};
    return read_path(path, job) &&
           !(path.len > length &&
             read_path((struct str){path.ptr, path.len - length}, &higher));
}

/*
 * The group of all jobs by user is at the top: services of the scheduler, with a similar name,
 * are below a slice.
 */
static bool is_holder(const struct layout *layout, const struct place *place)
{
    if (layout->by_user) {
        return !place->parent.ptr && matches(layout->above, place->name);
    }
    return matches(layout->parent, place->name) && matches(layout->above, place->parent);
}

bool cgroup_holds_jobs(struct str path)
{
    const struct place place = place_of(path);
    struct batch_job job;
    if (!place.name.ptr || place.name.len == 0 || read_path(path, &job)) {
        return false; /* below a job the name is the user's choice */
    }
    for (struct str rest = path; rest.ptr;) {
        if (str_eq(str_cut(&rest, '/'), STR("user.slice"))) {
            return false;
        }
    }
    for (size_t i = 0; i < COUNT_OF(layouts); i++) {
        if (is_holder(&layouts[i], &place)) {
            return true;
        }
    }
    return false;
}

bool cgroup_owner(struct str path, struct cgroup_owner *out)
{
    const struct place place = place_of(path);
    *out = (struct cgroup_owner){.uid = -1};
    if (!place.name.ptr || place.name.len == 0) {
        return false;
    }
    struct str uid = place.parent;
    if (is_job(path, &place, &out->job)) {
        if (uid.ptr && take_text(&uid, STR("uid_")) && !look_count(uid, &out->uid)) {
            out->uid = -1;
        }
        return true;
    }
    out->job = (struct batch_job){0};
    out->name = sluid_in(path, &out->by_sluid);
    if (out->name.ptr) {
        return out->by_sluid;
    }
    if (is_user(&place, &out->uid)) {
        out->name = place.name;
        return true;
    }
    out->uid = -1;
    return is_allocation(&place, &out->name) || is_slot(&place, &out->name);
}
