/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/scan.h"
#include "source/common/hosts.h"
#include "source/slurm/slurm_json.h"

/*
 * A job as the controller lists it: `squeue --json`, slurmrestd's /slurm/.../jobs. It becomes
 * the row that sacct would give, as far as the controller knows it: what waits, runs, and has
 * ended in the last minutes. Nothing is measured here, and who cancelled a job is not recorded.
 *
 * A state is a base and flags. sacct prints the base; so do we. Until 22.05 there is one word,
 * which may be a flag that hides its base.
 */

static const struct slurm_number_path number_paths[] = {
    {"job_id", SLURM_RAW_JOB, SLURM_UNIT_SMALL},
    {"submit_time", SLURM_SUBMIT, SLURM_UNIT_INSTANT_S},
    {"eligible_time", SLURM_ELIGIBLE, SLURM_UNIT_INSTANT_S},
    {"start_time", SLURM_START, SLURM_UNIT_INSTANT_S},
    {"end_time", SLURM_END, SLURM_UNIT_INSTANT_S},
    {"time_limit", SLURM_LIMIT, SLURM_UNIT_MINUTE},
    {"exit_code.return_code", SLURM_EXIT, SLURM_UNIT_SMALL},
    {"exit_code.signal.id", SLURM_SIGNAL, SLURM_UNIT_SMALL},
    {"exit_code.signal.signal_id", SLURM_SIGNAL, SLURM_UNIT_SMALL},
    {"cpus", SLURM_CPUS, SLURM_UNIT_SMALL},
    {"node_count", SLURM_NODES, SLURM_UNIT_SMALL},
    {"tasks", SLURM_TASKS, SLURM_UNIT_SMALL},
    {"priority", SLURM_PRIORITY, SLURM_UNIT_SMALL},
    {"user_id", SLURM_UID, SLURM_UNIT_SMALL},
    {"group_id", SLURM_GID, SLURM_UNIT_SMALL},
};

static const struct slurm_text_path text_paths[] = {
    {"cluster", SLURM_CLUSTER},
    {"partition", SLURM_PARTITION},
    {"qos", SLURM_QOS},
    {"account", SLURM_ACCOUNT},
    {"group_name", SLURM_GROUP},
    {"user_name", SLURM_USER},
    {"nodes", SLURM_NODE_LIST},
    {"name", SLURM_NAME},
    {"current_working_directory", SLURM_WORK_DIR},
    {"submit_line", SLURM_COMMAND},
    {"resv_name", SLURM_RESERVATION},
    {"state_reason", SLURM_REASON},
    {"wckey", SLURM_WCKEY},
};

/* What a word means that is not a base: the base there is below it. */
static const struct {
    struct str flag, base;
} flags[] = {

#define FLAG(flag, base)                                                                       \
    {                                                                                          \
        {(flag), sizeof(flag) - 1},                                                            \
        {                                                                                      \
            (base), sizeof(base) - 1                                                           \
        }                                                                                      \
    }
    FLAG("CONFIGURING", "RUNNING"),  FLAG("SIGNALING", "RUNNING"),
    FLAG("RESIZING", "RUNNING"),     FLAG("POWER_UP_NODE", "RUNNING"),
    FLAG("STOPPED", "SUSPENDED"),    FLAG("REQUEUED", "PENDING"),
    FLAG("REQUEUE_FED", "PENDING"),  FLAG("REQUEUE_HOLD", "PENDING"),
    FLAG("SPECIAL_EXIT", "PENDING"), FLAG("RESV_DEL_HOLD", "PENDING"),
    FLAG("EXPEDITING", "PENDING"),   FLAG("RECONFIG_FAIL", "RUNNING"),
    FLAG("UPDATE_DB", "RUNNING"),    FLAG("COMPLETING", "COMPLETING"),
    FLAG("STAGE_OUT", "STAGE_OUT"),
#undef FLAG
};

static const struct str *base_of(struct str word)
{
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        if (str_eq(word, flags[i].flag)) {
            return &flags[i].base;
        }
    }
    return NULL;
}

bool slurm_json_is_listed(const json_t *object)
{
    return json_object_get(object, "job_state") != NULL;
}

static void read_state(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    struct str words;
    struct str below = {0};
    if (!slurm_json_text(json_object_get(object, "job_state"), '+', arena, &words)) {
        return;
    }
    while (words.ptr) {
        struct str word = str_cut(&words, '+');
        const struct str *base = base_of(word);
        if (!base) {
            slurm_set_text(row, SLURM_STATE, word);
            return;
        }
        below = below.ptr ? below : *base;
    }
    slurm_set_text(row, SLURM_STATE, below);
}

/* Until 22.05 a number as wait(2) has it. */
static void read_exit(const json_t *object, struct slurm_row *row)
{
    const json_t *value = json_object_get(object, "exit_code");
    int64_t status = 0;
    if (!json_is_object(value) && slurm_json_number(value, &status) &&
        status < SLURM_NO_VAL_LEAST) {
        slurm_set(row, SLURM_EXIT, status >> 8 & 0xff);
        slurm_set(row, SLURM_SIGNAL, status & 0x7f);
    }
    /* The scheduler's own signal is not the job's: sacct prints 0:0 for these. */
    struct str word = slurm_has(row, SLURM_STATE) ? row->text[SLURM_STATE] : STR("");
    if (str_eq(word, STR("TIMEOUT")) || str_eq(word, STR("CANCELLED"))) {
        slurm_set(row, SLURM_EXIT, 0);
        slurm_set(row, SLURM_SIGNAL, 0);
    } else if (str_eq(word,
                      STR("DEADLINE"))) { /* its own word, too, and not wait's: 1 is 1:0 */
        slurm_set(row, SLURM_EXIT, 1);
        slurm_set(row, SLURM_SIGNAL, 0);
    }
    if (slurm_knows(row, SLURM_SIGNAL) && row->number[SLURM_SIGNAL] == 0) {
        row->known &= ~(UINT64_C(1) << SLURM_SIGNAL);
    } else if (slurm_knows(row, SLURM_SIGNAL) && !slurm_knows(row, SLURM_EXIT)) {
        slurm_set(row, SLURM_EXIT, 0);
    }
}

/*
 * `suspend_time` is when it was last suspended or resumed, `pre_sus_time` how long it ran until
 * then.
 */
static void read_suspension(const json_t *object, struct slurm_row *row)
{
    int64_t last = 0, ran = 0;
    if (!slurm_json_number_at(object, "suspend_time", &last) || last >= SLURM_NO_VAL_LEAST) {
        return;
    }
    if (last == 0) {
        slurm_set(row, SLURM_SUSPENDED, 0);
    } else if (slurm_knows(row, SLURM_START) &&
               slurm_json_number_at(object, "pre_sus_time", &ran) && ran < SLURM_NO_VAL_LEAST) {
        int64_t stood = (last - ran) * SECOND_US - row->number[SLURM_START];
        if (stood >= 0) {
            slurm_set(row, SLURM_SUSPENDED, stood);
        }
    }
}

static int compare_pieces(const void *left, const void *right)
{
    return str_compare(*(const struct str *)left, *(const struct str *)right);
}

/* "mem=62.50G" is "mem=64000M" where sacct is asked not to convert. */
static struct str plain_memory(struct str piece, struct arena *arena)
{
    int64_t bytes = 0;
    if (!str_starts(piece, STR("mem=")) ||
        !scan_size((struct str){piece.ptr + 4, piece.len - 4}, INT64_C(1) << 20, &bytes)) {
        return piece;
    }
    return str_of(arena_printf(arena, "mem=%lldM", (long long)(bytes >> 20)));
}

/* The list as sacct has it, which sorts it by name. */
static struct str sort_tres(struct str list, struct arena *arena)
{
    enum { PIECES_MAX = 64 };

    struct str pieces[PIECES_MAX];
    size_t count = 0;
    size_t size = 1;
    struct str rest = list;
    while (rest.ptr) {
        if (count == PIECES_MAX) {
            return list;
        }
        pieces[count] = plain_memory(str_cut(&rest, ','), arena);
        size += pieces[count++].len + 1;
    }
    qsort(pieces, count, sizeof(pieces[0]), compare_pieces);
    char *text = arena_alloc(arena, size);
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        text[len] = ',';
        len += i > 0;
        memcpy(text + len, pieces[i].ptr, pieces[i].len);
        len += pieces[i].len;
    }
    return (struct str){text, len};
}

/* Where a job says how many GPUs it wants, and what for. */
static const struct {
    const char *key;
    bool job;
    enum slurm_number times; /* else */
} gpu_requests[] = {
    {"tres_per_job", true, 0},
    {"tres_per_node", false, SLURM_WANT_NODES},
    {"tres_per_task", false, SLURM_TASKS},
    {"tres_per_socket", false, SLURM_NUMBER_COUNT}, /* nobody says how many there are */
};

/* One of these, if there is one: how many they are in all, and their types. */
static void read_gpu_request(const json_t *object, size_t which, struct arena *arena,
                             struct slurm_row *row)
{
    const enum slurm_number times = gpu_requests[which].times;
    struct slurm_row own;
    struct str list;
    int64_t count = 0;
    slurm_row_clear(&own);
    if (!slurm_json_text(json_object_get(object, gpu_requests[which].key), ',', arena, &list) ||
        !slurm_tres_gres(list, SLURM_WANT_GPUS, arena, &own) ||
        !slurm_knows(&own, SLURM_WANT_GPUS) || own.number[SLURM_WANT_GPUS] == 0) {
        return;
    }
    row->has_gpus = true;
    if (gpu_requests[which].job) {
        slurm_set(row, SLURM_WANT_GPUS, own.number[SLURM_WANT_GPUS]);
    } else if (times < SLURM_NUMBER_COUNT && slurm_knows(row, times) &&
               !__builtin_mul_overflow(own.number[SLURM_WANT_GPUS], row->number[times],
                                       &count)) {
        slurm_set(row, SLURM_WANT_GPUS, count);
    }
    if (slurm_has(&own, SLURM_WANT_GPU_TYPE)) {
        slurm_set_text(row, SLURM_WANT_GPU_TYPE, own.text[SLURM_WANT_GPU_TYPE]);
    }
}

/*
 * GPUs of a cluster whose lists of resources do not name them: those it has, a text for each
 * node, and those it asked for.
 */
static void read_gpus(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    struct str list;
    if (slurm_json_text(json_object_get(object, "gres_detail"), ',', arena, &list)) {
        (void)slurm_tres_gres(list, SLURM_GRES_GPUS, arena, row);
    }
    const bool listed = slurm_knows(row, SLURM_WANT_GPUS) && row->number[SLURM_WANT_GPUS] > 0;
    for (size_t i = 0; !listed && !row->has_gpus && i < COUNT_OF(gpu_requests); i++) {
        read_gpu_request(object, i, arena, row);
    }
}

/* What each node of it has: "allocation" of job_resources, in 24.05 and 24.11. */
static void read_node_cpus(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    const json_t *list = slurm_json_find(object, "job_resources.nodes.allocation");
    const size_t count = json_array_size(list);
    struct hosts hosts = {.arena = arena, .most = count};
    for (size_t i = 0; i < count; i++) {
        const json_t *node = json_array_get(list, i);
        struct str name;
        int64_t cpus = -1;
        if (!slurm_json_text(json_object_get(node, "name"), ',', arena, &name) ||
            !slurm_json_number_at(node, "cpus.count", &cpus)) {
            return;
        }
        hosts_add(&hosts, name, cpus);
    }
    if (slurm_knows(row, SLURM_CPUS) && slurm_knows(row, SLURM_NODES) &&
        row->number[SLURM_NODES] == (int64_t)hosts.count) {
        const struct str text = hosts_text(&hosts, row->number[SLURM_CPUS]);
        row->node_cpus = str_byte(text, '*') ? text : (struct str){0};
    }
}

static void read_resources(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    struct str list;
    if (slurm_json_text(json_object_get(object, "tres_req_str"), ',', arena, &list) &&
        slurm_tres_text(list, SLURM_LIST_WANT, arena, row)) {
        slurm_set_text(row, SLURM_REQUEST, sort_tres(list, arena));
    }
    if (slurm_json_text(json_object_get(object, "tres_alloc_str"), ',', arena, &list)) {
        (void)slurm_tres_text(list, SLURM_LIST_ALLOC, arena, row);
    }
    read_gpus(object, arena, row);
    /* An empty list says so, too: it has no nodes. */
    if (!slurm_has(row, SLURM_NODE_LIST) && json_object_get(object, "nodes")) {
        slurm_set_text(row, SLURM_NODE_LIST, STR("None assigned"));
    }
}

/* "123_[4-10%2]" of tasks that wait together, as sacct writes it. */
static bool read_array(const json_t *object, struct arena *arena, struct slurm_id *id)
{
    int64_t array = 0, task = 0;
    struct str tasks;
    if (!slurm_json_number_at(object, "array_job_id", &array) || array == 0 ||
        array >= SLURM_NO_VAL_LEAST) {
        return true;
    }
    id->job = array;
    id->is_array = true;
    if (slurm_json_number_at(object, "array_task_id", &task) && task < SLURM_NO_VAL_LEAST) {
        id->has_task = true;
        id->task = task;
    } else if (slurm_json_text(json_object_get(object, "array_task_string"), ',', arena,
                               &tasks)) {
        struct str text =
            str_of(arena_printf(arena, "%lld_[%.*s]", (long long)array, STR_ARG(tasks)));
        return slurm_value_id(text, id);
    }
    return true;
}

static bool read_id(const json_t *object, struct arena *arena, struct slurm_id *id)
{
    int64_t job = 0, leader = 0, offset = 0;
    if (!slurm_json_number_at(object, "job_id", &job) || job > UINT32_MAX) {
        return false;
    }
    *id = (struct slurm_id){.job = job};
    if (slurm_json_number_at(object, "het_job_id", &leader) && leader > 0 &&
        leader < SLURM_NO_VAL_LEAST &&
        slurm_json_number_at(object, "het_job_offset", &offset) &&
        offset < SLURM_NO_VAL_LEAST) {
        id->job = leader;
        id->is_het = true;
        id->het = offset;
    }
    return read_array(object, arena, id);
}

bool slurm_json_listed(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    if (!read_id(object, arena, &row->id)) {
        return false;
    }
    slurm_json_numbers(object, number_paths, COUNT_OF(number_paths), row);
    slurm_json_texts(object, text_paths, COUNT_OF(text_paths), arena, row);
    read_state(object, arena, row);
    read_exit(object, row);
    read_suspension(object, row);
    read_resources(object, arena, row);
    read_node_cpus(object, arena, row);
    return true;
}
