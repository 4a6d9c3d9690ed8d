/* SPDX-License-Identifier: MIT */
#include "source/common/record_text.h"
#include "source/nomad/nomad_record.h"

/*
 * An allocation as /v1/allocation and /v1/allocations give it. It is made of tasks, of which
 * each has its state, times and last events; the run begins with the first of them and ends
 * with the last.
 */

/* What the tasks of an allocation come to. */
struct tasks {
    bool started, ended, killed, oom, failed;
    bool events_cut; /* a task was started again, and what it did first is no longer recorded */
    int64_t start, end;
    const json_t *telling; /* the task whose exit and reason are the run's */
};

/* --- tasks -------------------------------------------------------------------------------- */

static bool is_type(const json_t *event, const char *type)
{
    const char *found = json_string_value(json_object_get(event, "Type"));
    return found && strcmp(found, type) == 0;
}

static bool is_detail(const json_t *event, const char *name, const char *value)
{
    const char *found =
        json_string_value(json_object_get(json_object_get(event, "Details"), name));
    return found && strcmp(found, value) == 0;
}

static void note_start(struct tasks *tasks, int64_t instant)
{
    if (!tasks->started || instant < tasks->start) {
        tasks->start = instant;
    }
    tasks->started = true;
}

static void note_end(struct tasks *tasks, int64_t instant)
{
    if (!tasks->ended || instant > tasks->end) {
        tasks->end = instant;
    }
    tasks->ended = true;
}

/*
 * StartedAt is that of the last start; the events, of which ten are kept, may know an earlier
 * one.
 */
static void read_events(const json_t *task, struct tasks *tasks)
{
    const json_t *event;
    size_t i;
    bool received = false;
    json_array_foreach(json_object_get(task, "Events"), i, event)
    {
        received = received || is_type(event, "Received");
        tasks->killed = tasks->killed || is_type(event, "Killed");
        tasks->oom = tasks->oom || is_detail(event, "oom_killed", "true");
        const struct nomad_amount time = nomad_nanos(event, "Time");
        if (is_type(event, "Started") && time.known) {
            note_start(tasks, time.value);
        }
    }
    if (nomad_number(task, "Restarts").value > 0 && !received) {
        tasks->events_cut = true;
    }
}

/* A task that failed says more than one that did not, a main one more than a helper. */
static bool knows_more(const char *name, const json_t *task, const struct tasks *tasks)
{
    return !tasks->telling ||
           (json_is_true(json_object_get(task, "Failed")) &&
            !json_is_true(json_object_get(tasks->telling, "Failed"))) ||
           (strcmp(name, "main") == 0 &&
            !json_is_true(json_object_get(tasks->telling, "Failed")));
}

static void read_tasks(json_t *states, struct arena *arena, struct tasks *tasks)
{
    const char *name;
    json_t *task;
    int64_t instant;
    json_object_foreach(states, name, task)
    {
        if (nomad_time(nomad_text(task, "StartedAt", arena), &instant)) {
            note_start(tasks, instant);
        }
        if (nomad_time(nomad_text(task, "FinishedAt", arena), &instant)) {
            note_end(tasks, instant);
        }
        read_events(task, tasks);
        tasks->failed = tasks->failed || json_is_true(json_object_get(task, "Failed"));
        if (knows_more(name, task, tasks)) {
            tasks->telling = task;
        }
    }
}

/* Exit status and signal are in the task's last event that says how it ended. */
static void put_exit(const struct tasks *tasks, struct arena *arena, struct run *run)
{
    const json_t *events = json_object_get(tasks->telling, "Events");
    for (size_t i = json_array_size(events); i > 0; i--) {
        const json_t *event = json_array_get(events, i - 1);
        if (!is_type(event, "Terminated")) {
            continue;
        }
        const struct nomad_amount code = nomad_number(event, "ExitCode"),
                                  signal = nomad_number(event, "Signal");
        if (code.known) {
            RUN_SET(run, exit_code, code.value);
        }
        if (signal.value > 0) {
            RUN_SET(run, signal, signal.value);
        }
        break;
    }
    const json_t *last = json_array_get(events, json_array_size(events) - 1);
    if (tasks->failed && json_array_size(events) > 0) {
        struct str message = nomad_text(last, "DisplayMessage", arena);
        if (message.len == 0) {
            message = nomad_text(last, "Message", arena);
        }
        SOURCE_SET_TEXT(run, reason, message);
    }
}

/* --- resources ---------------------------------------------------------------------------- */

static void add(struct nomad_amount *sum, struct nomad_amount more)
{
    if (more.known && !__builtin_add_overflow(sum->value, more.value, &sum->value)) {
        sum->known = true;
    }
}

/* The length of a list that is there. */
static struct nomad_amount count(const json_t *list)
{
    return (struct nomad_amount){json_is_array(list), (int64_t)json_array_size(list)};
}

/* Devices are GPUs by their type; the model is that of the first, "mixed" if they differ. */
static void add_devices(const json_t *devices, struct arena *arena,
                        struct nomad_resources *resources)
{
    const json_t *device;
    size_t i;
    json_array_foreach(devices, i, device)
    {
        const char *type = json_string_value(json_object_get(device, "Type"));
        if (!type || strcmp(type, "gpu") != 0) {
            continue;
        }
        add(&resources->gpus, count(json_object_get(device, "DeviceIDs")));
        const struct str model = nomad_text(device, "Name", arena);
        resources->gpu_type = resources->gpu_type.len == 0 || model.len == 0 ? model
                              : str_eq(resources->gpu_type, model)           ? model
                                                                             : STR("mixed");
    }
}

static void add_task(const json_t *task, struct arena *arena, struct nomad_resources *resources)
{
    const json_t *cpu = json_object_get(task, "Cpu");
    add(&resources->cores, count(json_object_get(cpu, "ReservedCores")));
    add(&resources->mhz, nomad_number(cpu, "CpuShares"));
    add(&resources->mem_bytes, nomad_mib(json_object_get(task, "Memory"), "MemoryMB"));
    add_devices(json_object_get(task, "Devices"), arena, resources);
}

/* As versions before 0.9 have it, for the whole allocation. */
static void read_old_resources(const json_t *old, struct nomad_resources *resources)
{
    add(&resources->mhz, nomad_number(old, "CPU"));
    add(&resources->mem_bytes, nomad_mib(old, "MemoryMB"));
    add(&resources->disk_bytes, nomad_mib(old, "DiskMB"));
}

/* The clock rate of a core, from what the node says it has in all. */
static void read_rate(const json_t *node, struct nomad_resources *resources)
{
    const json_t *cpu = json_object_get(json_object_get(node, "NodeResources"), "Cpu");
    const struct nomad_amount mhz = nomad_number(cpu, "CpuShares"),
                              cores = nomad_number(cpu, "TotalCpuCores");
    if (mhz.value > 0 && cores.value > 0) {
        resources->mhz_per_core = (struct nomad_amount){true, mhz.value / cores.value};
    }
}

static void read_resources(const json_t *allocation, struct arena *arena,
                           struct nomad_resources *resources)
{
    json_t *given = json_object_get(allocation, "AllocatedResources");
    json_t *task;
    const char *name;
    *resources = (struct nomad_resources){.gpu_type = STR("")};
    resources->group = nomad_text(allocation, "TaskGroup", arena);
    read_rate(json_object_get(allocation, "Node"), resources);
    if (!json_is_object(given)) {
        read_old_resources(json_object_get(allocation, "Resources"), resources);
        return;
    }
    resources->gpus.known = true; /* none unless a device says otherwise */
    json_object_foreach(json_object_get(given, "Tasks"), name, task)
    {
        add_task(task, arena, resources);
    }
    add(&resources->disk_bytes, nomad_mib(json_object_get(given, "Shared"), "DiskMB"));
}

/* --- what is asked for by a job that waits ------------------------------------------------ */

static const json_t *find_group(const json_t *job, struct str name)
{
    const json_t *group;
    size_t i;
    json_array_foreach(json_object_get(job, "TaskGroups"), i, group)
    {
        const char *found = json_string_value(json_object_get(group, "Name"));
        if (name.len == 0 || (found && str_eq(str_of(found), name))) {
            return group;
        }
    }
    return NULL;
}

static void add_wanted(const json_t *task, struct arena *arena,
                       struct nomad_resources *resources)
{
    const json_t *wanted = json_object_get(task, "Resources");
    const json_t *device;
    size_t i;
    add(&resources->cores, nomad_number(wanted, "Cores"));
    add(&resources->mhz, nomad_number(wanted, "CPU"));
    add(&resources->mem_bytes, nomad_mib(wanted, "MemoryMB"));
    json_array_foreach(json_object_get(wanted, "Devices"), i, device)
    {
        /* "gpu", "nvidia/gpu" or "nvidia/gpu/Tesla T4" */
        const struct str name = nomad_text(device, "Name", arena);
        struct str rest = name;
        bool gpu = false;
        while (rest.ptr) {
            gpu = str_eq(str_cut(&rest, '/'), STR("gpu")) || gpu;
        }
        if (gpu) {
            add(&resources->gpus, nomad_number(device, "Count"));
        }
    }
}

static void read_wanted(const json_t *job, struct str group_name, struct arena *arena,
                        struct nomad_resources *resources)
{
    const json_t *group = find_group(job, group_name);
    const json_t *task;
    size_t i;
    *resources = (struct nomad_resources){.gpu_type = STR(""), .group = group_name};
    if (!group) {
        return;
    }
    resources->gpus.known = true;
    json_array_foreach(json_object_get(group, "Tasks"), i, task)
    {
        add_wanted(task, arena, resources);
    }
    add(&resources->disk_bytes, nomad_mib(json_object_get(group, "EphemeralDisk"), "SizeMB"));
}

/* --- the job ------------------------------------------------------------------------------ */

/* Arguments may be whole scripts: their beginning will do. */
enum { COMMAND_KEEP = 4096 };

/* "image command args" of the task called main, else of the first. */
static struct str command_of(const json_t *job, struct str group_name, struct arena *arena)
{
    const json_t *tasks = json_object_get(find_group(job, group_name), "Tasks");
    const json_t *chosen = json_array_get(tasks, 0);
    const json_t *task, *argument;
    size_t i;
    json_array_foreach(tasks, i, task)
    {
        const char *name = json_string_value(json_object_get(task, "Name"));
        chosen = name && strcmp(name, "main") == 0 ? task : chosen;
    }
    const json_t *config = json_object_get(chosen, "Config");
    struct str command = nomad_join(nomad_text(config, "image", arena),
                                    nomad_text(config, "command", arena), arena);
    json_array_foreach(json_object_get(config, "args"), i, argument)
    {
        const struct str text = {json_string_value(argument), json_string_length(argument)};
        if (command.len + text.len > COMMAND_KEEP) {
            return nomad_join(command, STR("..."), arena);
        }
        command = nomad_join(command, arena_copy(arena, text), arena);
    }
    return command;
}

static void put_job(const json_t *allocation, const struct nomad_format *format,
                    struct source_cursor *cursor, struct run *run)
{
    struct arena *arena = cursor->arena;
    const json_t *job = json_object_get(allocation, "Job");
    const struct str id = nomad_text(allocation, "JobID", arena);
    const struct str name = nomad_text(job, "Name", arena);
    struct str space = nomad_text(allocation, "Namespace", arena);
    const struct nomad_amount priority = nomad_number(job, "Priority");
    if (space.len == 0) {
        space = nomad_text(job, "Namespace", arena);
    }
    SOURCE_SET_TEXT(run, name, name.len > 0 ? name : id);
    SOURCE_SET_TEXT(run, account, space.len > 0 ? space : STR("default"));
    nomad_put_owner(json_object_get(job, "Meta"), format, arena, run, &cursor->owner);
    SOURCE_SET_TEXT(run, command,
                    command_of(job, nomad_text(allocation, "TaskGroup", arena), arena));
    if (priority.known) {
        RUN_SET(run, priority, priority.value);
    }
}

static void put_place(const json_t *allocation, struct arena *arena, struct run *run)
{
    const json_t *node = json_object_get(allocation, "Node");
    struct str name = nomad_text(allocation, "NodeName", arena);
    if (name.len == 0) {
        name = nomad_text(node, "Name", arena);
    }
    SOURCE_SET_TEXT(run, partition, nomad_text(node, "Datacenter", arena));
    if (name.len > 0) {
        RUN_SET(run, node, name);
        RUN_SET(run, nodes, name);
        RUN_SET(run, node_count, 1);
    }
}

/* --- times and how it went ---------------------------------------------------------------- */

/*
 * An allocation that takes the place of another was not waited for since the job was submitted,
 * but since that one was stopped.
 */
static void put_submit(const json_t *allocation, struct arena *arena, struct run *run)
{
    const json_t *job = json_object_get(allocation, "Job");
    const bool again = nomad_text(allocation, "PreviousAllocation", arena).len > 0;
    struct nomad_amount submit = nomad_nanos(job, "SubmitTime");
    if (again || !submit.known) {
        submit = nomad_nanos(allocation, "CreateTime");
    }
    if (submit.known) {
        RUN_SET(run, submit, submit.value);
    }
}

static void put_times(const json_t *allocation, const struct tasks *tasks, struct run *run)
{
    const struct nomad_amount created = nomad_nanos(allocation, "CreateTime"),
                              modified = nomad_nanos(allocation, "ModifyTime");
    const bool lost = str_eq(run->class, run_class_name(CLASS_NODE_FAIL));
    if (tasks->started) {
        RUN_SET(run, start,
                tasks->events_cut && created.known && created.value < tasks->start
                    ? created.value
                    : tasks->start);
    }
    nomad_settle_class(run);
    if (!run_class_is_over(run->class)) {
        return;
    }
    if (tasks->ended && !lost) {
        RUN_SET(run, end, tasks->end);
    } else if (modified.known) {
        RUN_SET(run, end, modified.value);
    }
}

/* What "complete" and "failed" were in the end. */
static void refine_class(const json_t *allocation, const struct tasks *tasks,
                         struct arena *arena, struct run *run)
{
    enum run_class class = CLASS_COUNT;
    const bool followed = nomad_text(allocation, "NextAllocation", arena).len > 0;
    const struct str desired = nomad_text(allocation, "DesiredStatus", arena);
    if (str_eq(run->class, run_class_name(CLASS_FAILED)) && tasks->oom) {
        class = CLASS_OOM;
    } else if (str_eq(run->class, run_class_name(CLASS_COMPLETED)) && tasks->killed &&
               !str_eq(desired, STR("run"))) {
        class = followed || str_eq(desired, STR("evict")) ? CLASS_REQUEUED : CLASS_CANCELLED;
    }
    if (class != CLASS_COUNT) {
        RUN_SET(run, class, run_class_name(class));
    }
}

static void put_reason(const json_t *allocation, struct arena *arena, struct run *run)
{
    static const char *const others[] = {"DesiredDescription", "ClientDescription"};
    for (size_t i = 0; i < COUNT_OF(others) && !RUN_HAS(run, reason); i++) {
        if (!str_eq(run->class, run_class_name(CLASS_COMPLETED)) &&
            run_class_is_over(run->class)) {
            SOURCE_SET_TEXT(run, reason, nomad_text(allocation, others[i], arena));
        }
    }
}

static void put_allocation(json_t *allocation, struct arena *arena, struct run *run)
{
    struct tasks tasks = {0};
    struct nomad_resources resources;
    read_tasks(json_object_get(allocation, "TaskStates"), arena, &tasks);
    refine_class(allocation, &tasks, arena, run);
    put_times(allocation, &tasks, run);
    put_exit(&tasks, arena, run);
    put_reason(allocation, arena, run);
    read_resources(allocation, arena, &resources);
    nomad_put_resources(&resources, arena, run);
}

static void put_waiting(const json_t *allocation, struct arena *arena, struct run *run)
{
    struct nomad_resources resources;
    const struct nomad_amount queued = nomad_number(allocation, "Queued");
    read_wanted(json_object_get(allocation, "Job"), nomad_text(allocation, "TaskGroup", arena),
                arena, &resources);
    nomad_put_resources(&resources, arena, run);
    SOURCE_SET_TEXT(run, reason,
                    nomad_text(json_object_get(allocation, "Job"), "StatusDescription", arena));
    if (queued.value > 1) {
        RUN_SET(run, task_count, queued.value);
    }
}

/*
 * When it was so. A file that does not have when it was written has allocations that do: each
 * was so at its last change, and a later listing of the cluster without it says that it is over
 * (facts/listings.h).
 */
static void put_seen(const json_t *allocation, const struct nomad_format *format,
                     struct run *run)
{
    struct nomad_amount seen = {format->seen > 0, format->seen};
    static const char *const changes[] = {"ModifyTime", "CreateTime"};
    for (size_t i = 0; !seen.known && !RUN_HAS(run, end) && i < COUNT_OF(changes); i++) {
        seen = nomad_nanos(allocation, changes[i]);
    }
    if (seen.known) {
        const bool later = RUN_HAS(run, start) && !RUN_HAS(run, end) && run->start > seen.value;
        RUN_SET(run, seen, later ? run->start : seen.value);
    }
}

int nomad_allocation_run(json_t *allocation, const struct nomad_format *format,
                         struct source_cursor *cursor, struct run *run, struct error *err)
{
    struct arena *arena = cursor->arena;
    const struct str id = nomad_text(allocation, "ID", arena);
    const struct str job = nomad_text(allocation, "JobID", arena);
    const struct str state = nomad_text(allocation, "ClientStatus", arena);
    const bool waits = id.len == 0 && json_object_get(allocation, "Queued");
    if (job.len == 0 || state.len == 0 || (id.len == 0 && !waits)) {
        return error_set(err, ERROR_INPUT,
                         "is not an allocation: ID, JobID or ClientStatus is missing");
    }
    put_job(allocation, format, cursor, run);
    put_submit(allocation, arena, run);
    put_place(allocation, arena, run);
    nomad_put_identity(id, job, run->account, arena, run);
    nomad_put_state(state, run);
    if (waits) {
        put_waiting(allocation, arena, run);
    } else {
        put_allocation(allocation, arena, run);
    }
    put_seen(allocation, format, run);
    RUN_SET(run, flags, 0);
    return source_check_texts(run, err);
}
