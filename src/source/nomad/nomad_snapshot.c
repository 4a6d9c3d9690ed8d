/* SPDX-License-Identifier: MIT */
#include "source/common/record_text.h"
#include "source/nomad/nomad_record.h"

/*
 * A job of a snapshot. Its times of the allocation are UTC, that of its submission is local.
 * What it has is what the allocation was given, or, while there is none, what was asked for.
 */

static void put_times(const json_t *job, const struct nomad_format *format, struct arena *arena,
                      struct run *run)
{
    int64_t instant;
    if (nomad_time_local(nomad_text(job, "submit_time", arena), format->zone, &instant)) {
        RUN_SET(run, submit, instant);
    }
    if (nomad_time(nomad_text(job, "alloc_start", arena), &instant)) {
        RUN_SET(run, start, instant);
    }
    RUN_SET(run, seen, format->listed);
}

/*
 * The end counts once the job is over. It also stands there while a task is between two lives.
 * A job that is over and does not say since when takes no time, rather than running on.
 */
static void put_end(const json_t *job, struct arena *arena, struct run *run)
{
    static const char *const open[] = {"queued", "starting", "running", "down", "error"};
    int64_t instant;
    for (size_t i = 0; i < COUNT_OF(open); i++) {
        if (RUN_HAS(run, state) && str_eq(run->state, str_of(open[i]))) {
            return;
        }
    }
    if (nomad_time(nomad_text(job, "alloc_end", arena), &instant)) {
        RUN_SET(run, end, instant);
    } else if (RUN_HAS(run, state) && str_eq(run->state, STR("dead"))) {
        RUN_SET(run, class, run_class_name(CLASS_CANCELLED));
    }
}

int nomad_snapshot_run(const json_t *job, const struct nomad_format *format,
                       struct source_cursor *cursor, struct run *run, struct error *err)
{
    struct arena *arena = cursor->arena;
    const struct str namespace = cursor->context;
    const json_t *resources = json_object_get(job, "resources");
    const struct str id = nomad_text(job, "job_ID", arena);
    if (id.len == 0) {
        return error_set(err, ERROR_INPUT, "is not a job: it has no job_ID");
    }
    put_times(job, format, arena, run);
    nomad_put_identity(nomad_text(job, "alloc_ID", arena), id, namespace, arena, run);
    nomad_put_state(nomad_text(job, "status", arena), run);
    nomad_settle_class(run);
    put_end(job, arena, run);
    const struct nomad_resources given = {
        .cores = nomad_number(resources, "cpu_num"),
        .mhz = nomad_number(resources, "cpu_MHz"),
        .gpus = nomad_number(resources, "gpu_num"),
        .mem_bytes = nomad_mib(resources, "memory_MB"),
        .disk_bytes = nomad_mib(resources, "disk_MB"),
        .gpu_type = STR(""),
        .group = STR(""),
    };
    nomad_put_resources(&given, arena, run);
    const struct str name = nomad_text(job, "name", arena);
    SOURCE_SET_TEXT(run, name, name.len > 0 ? name : id);
    SOURCE_SET_TEXT(run, account, namespace);
    nomad_put_owner(job, format, arena, run, &cursor->owner);
    SOURCE_SET_TEXT(run, partition, nomad_text(job, "datacenter", arena));
    SOURCE_SET_TEXT(run, reason, nomad_text(job, "error_msg", arena));
    SOURCE_SET_TEXT(run, command,
                    nomad_join(nomad_text(job, "docker_image", arena),
                               nomad_text(job, "docker_command", arena), arena));
    RUN_SET(run, flags, 0);
    return source_check_texts(run, err);
}
