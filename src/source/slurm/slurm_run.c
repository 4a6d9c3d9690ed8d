/* SPDX-License-Identifier: MIT */
#include "source/slurm/slurm_row.h"

/*
 * A job's row and its steps become a run; docs/sources/slurm.md has the table.
 *
 * What a job was given is in its own row: the rows of its steps repeat it, overlapping in time.
 * What it used was measured in the steps; cpu time adds up over them, memory does not, since
 * they need not have run at the same time.
 */

enum {
    CLOCK_SLACK_US = 60000000, /* Elapsed may differ from end - start by this */
    SIGNAL_MAX = 64,           /* 0:125 is what Slurm says of a job out of memory */
};

/* --- what the steps used ------------------------------------------------------------------ */

static void add_to(struct slurm_use *use, const struct slurm_row *step,
                   enum slurm_number number, int64_t *sum)
{
    if (slurm_knows(step, number)) {
        use->known |= UINT64_C(1) << (unsigned)number;
        if (__builtin_add_overflow(*sum, step->number[number], sum)) {
            *sum = INT64_MAX;
        }
    }
}

/* A number of each task, for all of them; false if it is too much to be true. */
static bool times_tasks(const struct slurm_row *step, enum slurm_number number, int64_t *out)
{
    int64_t tasks = slurm_knows(step, SLURM_TASKS) ? step->number[SLURM_TASKS] : 1;
    return slurm_knows(step, number) &&
           !__builtin_mul_overflow(step->number[number], tasks > 0 ? tasks : 1, out);
}

/*
 * Peak memory of a step, over all of its tasks: the sum of their peaks where Slurm has it, else
 * the largest task times their number, which is an upper bound, else the largest task.
 */
static struct str step_memory(const struct slurm_row *step, int64_t *bytes)
{
    int64_t tasks = slurm_knows(step, SLURM_TASKS) ? step->number[SLURM_TASKS] : 0;
    if (slurm_knows(step, SLURM_USED_MEM)) {
        *bytes = step->number[SLURM_USED_MEM];
        return STR("step-rss");
    }
    if (tasks > 0 && times_tasks(step, SLURM_RSS_AVE, bytes)) {
        return STR("step-rss");
    }
    if (times_tasks(step, SLURM_RSS_MAX, bytes)) {
        return tasks == 1  ? STR("step-rss")
               : tasks > 1 ? STR("step-rss-bound")
                           : STR("task-rss");
    }
    *bytes = 0;
    return (struct str){0};
}

static void add_memory(struct slurm_use *use, const struct slurm_row *step)
{
    int64_t bytes = 0;
    struct str basis = step_memory(step, &bytes);
    if (bytes > use->mem_bytes) {
        use->mem_bytes = bytes;
        use->basis = basis;
    }
    int64_t vmem = 0;
    if (slurm_knows(step, SLURM_USED_VMEM)) {
        vmem = step->number[SLURM_USED_VMEM];
    } else if (!times_tasks(step, SLURM_VMEM_MAX, &vmem)) {
        vmem = 0;
    }
    use->vmem_bytes = vmem > use->vmem_bytes ? vmem : use->vmem_bytes;
}

static void add_io(struct slurm_use *use, const struct slurm_row *step, enum slurm_number total,
                   enum slurm_number average, int64_t *sum)
{
    int64_t bytes = 0;
    if (slurm_knows(step, total)) {
        add_to(use, step, total, sum);
    } else if (times_tasks(step, average, &bytes)) {
        use->known |= UINT64_C(1) << (unsigned)total;
        if (__builtin_add_overflow(*sum, bytes, sum)) {
            *sum = INT64_MAX;
        }
    }
}

/*
 * Energy of 0 is that of a node without a meter, and old versions write NO_VAL and INFINITE of
 * 32 bits for it.
 */
static bool is_measured(int64_t joules)
{
    return joules > 0 && joules != UINT32_MAX - 1 && joules != UINT32_MAX;
}

void slurm_use_add(struct slurm_use *use, const struct slurm_row *step)
{
    use->steps++;
    use->measured |= step->measured;
    add_to(use, step, SLURM_CPU_USER, &use->user_us);
    add_to(use, step, SLURM_CPU_SYSTEM, &use->system_us);
    add_to(use, step, SLURM_CPU_TOTAL, &use->total_us);
    if (slurm_knows(step, SLURM_ENERGY) && is_measured(step->number[SLURM_ENERGY])) {
        add_to(use, step, SLURM_ENERGY, &use->energy_j);
    }
    add_io(use, step, SLURM_USED_READ, SLURM_READ_AVE, &use->read_bytes);
    add_io(use, step, SLURM_USED_WRITE, SLURM_WRITE_AVE, &use->write_bytes);
    /* .extern holds what came in from outside and the prolog: not the job's memory. */
    if (!str_eq(step->id.step, STR("extern"))) {
        add_memory(use, step);
    }
}

/* --- the run ------------------------------------------------------------------------------ */

/* What is known of one job, on its way into the run. */
struct filling {
    const struct slurm_row *job;
    const struct slurm_use *use;
    struct arena *arena;
    struct run *run;
    enum run_class class;
    bool started, ended;
};

static void fill_number(const struct filling *f, enum slurm_number number, enum run_field field)
{
    if (slurm_knows(f->job, number)) {
        memcpy((char *)f->run + run_fields[field].offset, &f->job->number[number],
               sizeof(int64_t));
        f->run->has[(unsigned)field / 64] |= UINT64_C(1) << (unsigned)field % 64;
    }
}

static void fill_text(const struct filling *f, enum slurm_text text, enum run_field field)
{
    if (slurm_has(f->job, text)) {
        memcpy((char *)f->run + run_fields[field].offset, &f->job->text[text],
               sizeof(struct str));
        f->run->has[(unsigned)field / 64] |= UINT64_C(1) << (unsigned)field % 64;
    }
}

#define FILL(f, number, member)    fill_number((f), (number), RUN_##member)
#define FILL_TEXT(f, text, member) fill_text((f), (text), RUN_##member)

/* The first of two numbers that is known. */
static bool either(const struct slurm_row *row, enum slurm_number first,
                   enum slurm_number second, int64_t *out)
{
    enum slurm_number number = slurm_knows(row, first) ? first : second;
    if (!slurm_knows(row, number)) {
        return false;
    }
    *out = row->number[number];
    return true;
}

static bool is_pending(enum run_class class)
{
    return class == CLASS_PENDING;
}

static bool goes_on(enum run_class class)
{
    return class == CLASS_RUNNING || class == CLASS_SUSPENDED || is_pending(class);
}

/*
 * Whether the job ever ran. Older versions print the time of the cancellation as the start of a
 * job that was cancelled while it waited; it then has no nodes, and took no time, and has no
 * steps.
 */
static bool has_started(const struct slurm_row *job, const struct slurm_use *use,
                        enum run_class class)
{
    if (!slurm_knows(job, SLURM_START) || is_pending(class) ||
        (slurm_has(job, SLURM_STATE) && str_eq(job->text[SLURM_STATE], STR("REVOKED")))) {
        return false;
    }
    if (slurm_has(job, SLURM_NODE_LIST)) {
        return !str_eq(job->text[SLURM_NODE_LIST], STR("None assigned"));
    }
    if (use->steps > 0) { /* cancelled in its first second: a step ran in an allocation */
        return true;
    }
    bool took_time = !slurm_knows(job, SLURM_END) ||
                     job->number[SLURM_END] != job->number[SLURM_START] ||
                     (slurm_knows(job, SLURM_ELAPSED) && job->number[SLURM_ELAPSED] > 0);
    bool had_nodes = !slurm_knows(job, SLURM_NODES) || job->number[SLURM_NODES] > 0;
    return took_time || (had_nodes && class != CLASS_CANCELLED);
}

static void fill_ids(const struct filling *f)
{
    const struct slurm_id *id = &f->job->id;
    struct run *run = f->run;
    RUN_SET(run, job, id->job);
    if (id->is_array) {
        RUN_SET(run, array_job, id->job);
    }
    if (id->has_task) {
        RUN_SET(run, task, id->task);
    }
    if (id->has_task_count) {
        RUN_SET(run, task_count, id->task_count);
    }
    if (id->is_het) {
        RUN_SET(run, het, id->het);
    }
    if (id->is_array || id->is_het) {
        FILL(f, SLURM_RAW_JOB, job_raw);
    }
    int64_t attempt = -1;
    RUN_SET(run, attempt, either(f->job, SLURM_SUBMIT, SLURM_START, &attempt) ? attempt : -1);
}

static void fill_texts(const struct filling *f)
{
    FILL_TEXT(f, SLURM_CLUSTER, cluster);
    FILL_TEXT(f, SLURM_NAME, name);
    FILL_TEXT(f, SLURM_USER, user);
    FILL_TEXT(f, SLURM_GROUP, group);
    FILL_TEXT(f, SLURM_ACCOUNT, account);
    FILL_TEXT(f, SLURM_WCKEY, wckey);
    FILL_TEXT(f, SLURM_PARTITION, partition);
    FILL_TEXT(f, SLURM_QOS, qos);
    FILL_TEXT(f, SLURM_RESERVATION, reservation);
    FILL_TEXT(f, SLURM_WORK_DIR, work_dir);
    FILL_TEXT(f, SLURM_COMMAND, command);
    FILL_TEXT(f, SLURM_REQUEST, request);
    FILL(f, SLURM_UID, uid);
    FILL(f, SLURM_GID, gid);
    FILL(f, SLURM_PRIORITY, priority);
}

static void fill_state(const struct filling *f)
{
    struct run *run = f->run;
    FILL_TEXT(f, SLURM_STATE, state);
    RUN_SET(run, class, run_class_name(f->class));
    if (slurm_has(f->job, SLURM_CANCELLER)) {
        RUN_SET(run, reason, f->job->text[SLURM_CANCELLER]);
    } else if (slurm_has(f->job, SLURM_REASON) &&
               !str_eq(f->job->text[SLURM_REASON], STR("None"))) {
        RUN_SET(run, reason, f->job->text[SLURM_REASON]);
    }
    if (f->ended) {
        FILL(f, SLURM_EXIT, exit_code);
        if (slurm_knows(f->job, SLURM_SIGNAL) && f->job->number[SLURM_SIGNAL] <= SIGNAL_MAX) {
            RUN_SET(run, signal, f->job->number[SLURM_SIGNAL]);
        }
    }
}

/* The instant that the start, the time it ran and the time it was suspended lead to. */
static bool find_elapsed(const struct filling *f, int64_t *upto)
{
    const int64_t *number = f->job->number;
    if (!f->started || !slurm_knows(f->job, SLURM_ELAPSED)) {
        return false;
    }
    int64_t suspended = slurm_knows(f->job, SLURM_SUSPENDED) ? number[SLURM_SUSPENDED] : 0;
    return !__builtin_add_overflow(number[SLURM_START], number[SLURM_ELAPSED], upto) &&
           !__builtin_add_overflow(*upto, suspended, upto);
}

/* The end, from the time it took where Slurm has lost it. */
static bool find_end(const struct filling *f, int64_t *end)
{
    if (!f->ended) {
        return false;
    }
    if (slurm_knows(f->job, SLURM_END)) {
        *end = f->job->number[SLURM_END];
        return true;
    }
    return find_elapsed(f, end);
}

/* A run that goes on says how long it has run, which is up to when it was seen. */
static void fill_seen(const struct filling *f)
{
    int64_t seen = 0;
    if (!f->ended && find_elapsed(f, &seen)) {
        RUN_SET(f->run, seen, seen);
        f->run->flags |= RUN_FLAG_SEEN_RECORDED;
    }
}

static void fill_times(const struct filling *f)
{
    struct run *run = f->run;
    int64_t end = 0;
    FILL(f, SLURM_SUBMIT, submit);
    FILL(f, SLURM_ELIGIBLE, eligible);
    if (f->job->number[SLURM_LIMIT] > 0) { /* --time=0 asks for none */
        FILL(f, SLURM_LIMIT, req_wall_us);
    }
    if (f->started) {
        FILL(f, SLURM_START, start);
        FILL(f, SLURM_SUSPENDED, suspended_us);
    } else if (is_pending(f->class) && slurm_knows(f->job, SLURM_START)) {
        run->start_expected = f->job->number[SLURM_START];
    }
    if (!find_end(f, &end)) {
        fill_seen(f);
        return;
    }
    RUN_SET(run, end, end);
    if (!f->started || !slurm_knows(f->job, SLURM_ELAPSED) || end < run->start) {
        return;
    }
    int64_t suspended = RUN_HAS(run, suspended_us) ? run->suspended_us : 0;
    int64_t took = 0; /* as Slurm says */
    bool absurd = __builtin_add_overflow(suspended, f->job->number[SLURM_ELAPSED], &took);
    int64_t apart = absurd ? INT64_MAX : end - run->start - took;
    if (apart > CLOCK_SLACK_US || apart < -CLOCK_SLACK_US) {
        run->flags |= RUN_FLAG_CLOCKS_DISAGREE;
    }
}

/*
 * What a range in brackets begins with, added to `name`; *at is behind the opening bracket, and
 * then behind the closing one. False if it is no list of numbers.
 */
static bool first_of_range(struct str list, size_t *at, char *name, size_t *len)
{
    size_t digits = 0;
    while (*at < list.len && list.ptr[*at] >= '0' && list.ptr[*at] <= '9') {
        name[(*len)++] = list.ptr[(*at)++];
        digits++;
    }
    while (*at < list.len && ((list.ptr[*at] >= '0' && list.ptr[*at] <= '9') ||
                              list.ptr[*at] == '-' || list.ptr[*at] == ',')) {
        (*at)++;
    }
    return digits > 0 && *at < list.len && list.ptr[(*at)++] == ']';
}

/*
 * "c[1-3],g1" begins with "c1", "r[2-3]n[4-5]" with "r2n4", "n3" is itself; "c[1-3" names none.
 */
static struct str first_node(struct str list, struct arena *arena)
{
    struct str rest = list;
    struct str plain = str_trim(str_cut(&rest, ','));
    if (!str_byte(plain, '[') && !str_byte(plain, ']')) {
        return plain;
    }
    char *name = arena_alloc(arena, list.len);
    size_t len = 0;
    for (size_t at = 0; at < list.len && list.ptr[at] != ',';) {
        char c = list.ptr[at++];
        if (c == ']' || (c == '[' && !first_of_range(list, &at, name, &len))) {
            return (struct str){0};
        }
        if (c != '[') {
            name[len++] = c;
        }
    }
    return str_trim((struct str){name, len});
}

/*
 * The command line of a job, of a heterogeneous one the component's part of it: "sbatch -n4 :
 * -p gpu --gpus=2 x".
 */
static struct str command_of(const struct slurm_row *job)
{
    struct str rest =
        slurm_has(job, SLURM_COMMAND) ? job->text[SLURM_COMMAND] : (struct str){0};
    for (int64_t i = 0; job->id.is_het && rest.ptr; i++) {
        const char *mark = memmem(rest.ptr, rest.len, " : ", 3);
        struct str own = {rest.ptr, mark ? (size_t)(mark - rest.ptr) : rest.len};
        if (i == job->id.het) {
            return own;
        }
        rest = mark ? (struct str){mark + 3, rest.len - own.len - 3} : (struct str){0};
    }
    return rest;
}

/*
 * GPUs are in the lists of resources only where AccountingStorageTRES names gres/gpu. A list
 * without any means that there were none, unless something else in the record says that there
 * were.
 */
static bool has_no_gpus(const struct filling *f, enum slurm_number listed)
{
    return slurm_knows(f->job, listed) && f->job->number[listed] == 0 && !f->job->has_gpus &&
           !slurm_tres_asks_gpus(command_of(f->job), f->arena);
}

static bool knows_some(const struct slurm_row *row, enum slurm_number number)
{
    return slurm_knows(row, number) && row->number[number] > 0;
}

static void fill_gpus(const struct filling *f)
{
    if (knows_some(f->job, SLURM_ALLOC_GPUS)) {
        FILL(f, SLURM_ALLOC_GPUS, gpus);
    } else if (slurm_knows(f->job, SLURM_GRES_GPUS)) {
        FILL(f, SLURM_GRES_GPUS, gpus);
    } else if (has_no_gpus(f, SLURM_ALLOC_GPUS)) {
        RUN_SET(f->run, gpus, 0);
    }
    FILL_TEXT(f, SLURM_GPU_TYPE, gpu_type);
}

/* What it had. A job that never started had nothing, whatever its row says of cpus. */
static void fill_given(const struct filling *f)
{
    struct run *run = f->run;
    int64_t value = 0;
    if (!f->started) {
        return;
    }
    if (either(f->job, SLURM_CPUS, SLURM_ALLOC_CPUS, &value)) {
        RUN_SET(run, cpus, value);
    }
    if (either(f->job, SLURM_NODES, SLURM_ALLOC_NODES, &value)) {
        RUN_SET(run, node_count, value);
    }
    fill_gpus(f);
    if (knows_some(f->job, SLURM_ALLOC_MEM)) {
        FILL(f, SLURM_ALLOC_MEM, mem_bytes);
    }
    FILL(f, SLURM_ALLOC_BILLING, billing);
    if (slurm_has(f->job, SLURM_RESOURCES) &&
        !slurm_tres_lacks(command_of(f->job), f->job->text[SLURM_RESOURCES])) {
        FILL_TEXT(f, SLURM_RESOURCES, resources);
    }
    if (slurm_has(f->job, SLURM_NODE_LIST)) {
        struct str list = f->job->text[SLURM_NODE_LIST];
        struct str node = first_node(list, f->arena);
        RUN_SET(run, nodes, f->job->node_cpus.ptr ? f->job->node_cpus : list);
        if (node.len > 0) {
            RUN_SET(run, node, node);
        }
    }
}

/* How many of something were asked for; of those that were given only where nobody says. */
static bool find_asked(const struct slurm_row *job, enum slurm_number listed,
                       enum slurm_number column, enum slurm_number given, int64_t *out)
{
    enum slurm_number number = knows_some(job, listed)   ? listed
                               : knows_some(job, column) ? column
                                                         : given;
    *out = job->number[number];
    return knows_some(job, number);
}

static bool find_nodes(const struct slurm_row *job, int64_t *out)
{
    return find_asked(job, SLURM_WANT_NODES, SLURM_REQ_NODES, SLURM_NODES, out);
}

/* Requested memory is for a node, a cpu or the job. */
static void fill_memory_request(const struct filling *f)
{
    const struct slurm_row *job = f->job;
    int64_t times = 1;
    int64_t bytes = 0;
    bool knows = slurm_knows(job, SLURM_REQ_MEM);
    if (knows && job->mem_per == SLURM_MEM_NODE) {
        knows = find_nodes(job, &times);
    } else if (knows && job->mem_per == SLURM_MEM_CPU) {
        knows = find_asked(job, SLURM_WANT_CPUS, SLURM_REQ_CPUS, SLURM_CPUS, &times);
    }
    if (knows && !__builtin_mul_overflow(job->number[SLURM_REQ_MEM], times, &bytes) &&
        bytes > 0) {
        RUN_SET(f->run, req_mem_bytes, bytes);
    } else if (knows_some(job, SLURM_WANT_MEM)) { /* 0 is all that the node has */
        FILL(f, SLURM_WANT_MEM, req_mem_bytes);
    }
}

static void fill_gpu_request(const struct filling *f)
{
    int64_t nodes = 0;
    int64_t count = 0;
    if (knows_some(f->job, SLURM_WANT_GPUS)) {
        FILL(f, SLURM_WANT_GPUS, req_gpus);
    } else if (slurm_knows(f->job, SLURM_WANT_GRES_GPUS)) {
        if (find_nodes(f->job, &nodes) &&
            !__builtin_mul_overflow(f->job->number[SLURM_WANT_GRES_GPUS], nodes, &count)) {
            RUN_SET(f->run, req_gpus, count);
        }
    } else if (has_no_gpus(f, SLURM_WANT_GPUS)) {
        RUN_SET(f->run, req_gpus, 0);
    }
    if (!RUN_HAS(f->run, gpu_type)) {
        FILL_TEXT(f, SLURM_WANT_GPU_TYPE, gpu_type);
    }
}

static void fill_request(const struct filling *f)
{
    const struct slurm_row *job = f->job;
    if (knows_some(job, SLURM_REQ_CPUS)) {
        FILL(f, SLURM_REQ_CPUS, req_cpus);
    } else if (knows_some(job, SLURM_WANT_CPUS)) {
        FILL(f, SLURM_WANT_CPUS, req_cpus);
    } else if (!f->started && knows_some(job, SLURM_CPUS)) { /* asked for until it starts */
        FILL(f, SLURM_CPUS, req_cpus);
    }
    int64_t nodes = 0;
    if (either(job, SLURM_WANT_NODES, SLURM_REQ_NODES, &nodes) && nodes > 0) {
        RUN_SET(f->run, req_nodes, nodes);
    }
    fill_memory_request(f);
    fill_gpu_request(f);
}

static bool use_knows(const struct slurm_use *use, enum slurm_number number)
{
    return use->known >> (unsigned)number & 1;
}

/*
 * The job's own row has the sum over its steps, but 0 where sacct was asked for jobs alone
 * (-X), and in JSON. So 0 counts only where steps say it, and these were looked at.
 */
static void fill_cpu(const struct filling *f)
{
    const struct slurm_row *job = f->job;
    const struct slurm_use *use = f->use;
    if (slurm_knows(job, SLURM_CPU_TOTAL) && job->number[SLURM_CPU_TOTAL] > 0) {
        FILL(f, SLURM_CPU_TOTAL, cpu_used_us);
        FILL(f, SLURM_CPU_USER, cpu_user_us);
        FILL(f, SLURM_CPU_SYSTEM, cpu_system_us);
        return;
    }
    if (use->steps == 0 || (use->total_us == 0 && !use->measured)) {
        return;
    }
    if (use_knows(use, SLURM_CPU_TOTAL)) {
        RUN_SET(f->run, cpu_used_us, use->total_us);
    }
    if (use_knows(use, SLURM_CPU_USER)) {
        RUN_SET(f->run, cpu_user_us, use->user_us);
    }
    if (use_knows(use, SLURM_CPU_SYSTEM)) {
        RUN_SET(f->run, cpu_system_us, use->system_us);
    }
}

static void fill_energy(const struct filling *f)
{
    int64_t energy = 0;
    if (!either(f->job, SLURM_ENERGY, SLURM_ALLOC_ENERGY, &energy) || !is_measured(energy)) {
        energy = f->use->energy_j;
    }
    if (energy > 0) { /* what is beyond any machine is dropped by run_check */
        RUN_SET(f->run, energy_mj,
                energy > RUN_ENERGY_MAX ? INT64_MAX : energy * RUN_MILLIJOULE);
    }
}

static void fill_use(const struct filling *f)
{
    const struct slurm_use *use = f->use;
    fill_cpu(f);
    fill_energy(f);
    if (use->mem_bytes > 0) {
        RUN_SET(f->run, mem_peak_bytes, use->mem_bytes);
        RUN_SET(f->run, mem_basis, use->basis);
    }
    if (use->vmem_bytes > 0) {
        RUN_SET(f->run, vmem_peak_bytes, use->vmem_bytes);
    }
    bool reads = use_knows(use, SLURM_USED_READ), writes = use_knows(use, SLURM_USED_WRITE);
    int64_t io = 0;
    if ((reads || writes) && !__builtin_add_overflow(use->read_bytes, use->write_bytes, &io)) {
        RUN_SET(f->run, io_bytes, io);
    }
}

void slurm_run_fill(const struct slurm_row *job, const struct slurm_use *use,
                    struct arena *arena, struct run *run)
{
    struct filling f = {.job = job, .use = use, .arena = arena, .run = run};
    f.class =
        slurm_has(job, SLURM_STATE) ? slurm_state_class(job->text[SLURM_STATE]) : CLASS_OTHER;
    f.started = has_started(job, use, f.class);
    f.ended = !goes_on(f.class);
    RUN_SET(run, flags,
            (job->odd ? RUN_FLAG_FIELDS_ODD : 0) | (job->recoded ? RUN_FLAG_RECODED : 0));
    RUN_SET(run, origin, ORIGIN_DATABASE);
    fill_ids(&f);
    fill_texts(&f);
    fill_state(&f);
    fill_times(&f);
    fill_given(&f);
    fill_request(&f);
    /*
     * What is measured so far of a run that is not over is a part of what it uses, and would be
     * taken for the whole.
     */
    if (f.ended) {
        fill_use(&f);
    }
}

/*
 * slurmdbd may hear of a step before its job: it then makes up a job, without array or
 * partition (none, or "Unknown"), until it hears of that. Asked in this moment, it reports a
 * run that will be another one.
 */
bool slurm_run_is_made_up(const struct slurm_format *format, const struct run *run)
{
    return format->seen > 0 && RUN_HAS(run, name) && str_eq(run->name, STR("allocation")) &&
           (!RUN_HAS(run, partition) || str_eq(run->partition, STR("Unknown"))) &&
           (!RUN_HAS(run, end) || format->seen - run->end < HOUR_US);
}
