/* SPDX-License-Identifier: MIT */
#include "agent/nvml.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "agent/read_schedule.h"
#include "base/library.h"
#include "base/limit.h"
#include "base/mem.h"

enum {
    /* nvmlReturn_t */
    NVML_DONE = 0,
    NVML_LOST = 15,
    NVML_NEEDS_RESET = 16,

    UUID_ROOM = 96,
    CARDS_MAX = 64, /* of a node; MIG instances beside them */
    INSTANCES_MAX = 16,
    XIDS_MAX = 16,        /* of a card */
    EVENTS_MAX = 256,     /* that are taken at one look */
    PERFORMANCE_BASE = 2, /* the format counts P-states from there */
    P_STATE_MAX = 15,
    KIB = 1024,
};

typedef void *nvml_device;

/* As the library's manual has them. */
struct nvml_memory {
    unsigned long long total, free, used;
};

struct nvml_memory_2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};

struct nvml_utilisation {
    unsigned gpu, memory; /* percent of the last sample period */
};

struct nvml_process {
    unsigned pid;
    unsigned long long memory; /* bytes; all bits set: not known */
    unsigned gpu_instance, compute_instance;
};

struct nvml_process_use {
    unsigned pid;
    unsigned long long time;
    unsigned gpu, memory, encoder, decoder; /* percent */
};

struct nvml_event {
    nvml_device device;
    unsigned long long type, data; /* of an error its number (XID) */
    unsigned gpu_instance, compute_instance;
};

/*
 * X(member, name, parameters): functions of the library. Those that older drivers do not have
 * stay NULL.
 */
#define NVML_FUNCTIONS(X)                                                                      \
    X(init, nvmlInit_v2, (void))                                                               \
    X(shutdown, nvmlShutdown, (void))                                                          \
    X(count_cards, nvmlDeviceGetCount_v2, (unsigned *count))                                   \
    X(handle, nvmlDeviceGetHandleByIndex_v2, (unsigned index, nvml_device *device))            \
    X(uuid, nvmlDeviceGetUUID, (nvml_device device, char *uuid, unsigned length))              \
    X(memory, nvmlDeviceGetMemoryInfo, (nvml_device device, struct nvml_memory * memory))      \
    X(memory_2, nvmlDeviceGetMemoryInfo_v2,                                                    \
      (nvml_device device, struct nvml_memory_2 * memory))                                     \
    X(utilisation, nvmlDeviceGetUtilizationRates,                                              \
      (nvml_device device, struct nvml_utilisation * use))                                     \
    X(fan, nvmlDeviceGetFanSpeed, (nvml_device device, unsigned *percent))                     \
    X(power, nvmlDeviceGetPowerUsage, (nvml_device device, unsigned *mw))                      \
    X(power_limit, nvmlDeviceGetEnforcedPowerLimit, (nvml_device device, unsigned *mw))        \
    X(energy, nvmlDeviceGetTotalEnergyConsumption,                                             \
      (nvml_device device, unsigned long long *mj))                                            \
    X(temperature, nvmlDeviceGetTemperature,                                                   \
      (nvml_device device, unsigned sensor, unsigned *celsius))                                \
    X(clock, nvmlDeviceGetClockInfo, (nvml_device device, unsigned which, unsigned *mhz))      \
    X(state, nvmlDeviceGetPerformanceState, (nvml_device device, unsigned *state))             \
    X(mode, nvmlDeviceGetComputeMode, (nvml_device device, unsigned *mode))                    \
    X(throttle, nvmlDeviceGetCurrentClocksThrottleReasons,                                     \
      (nvml_device device, unsigned long long *reasons))                                       \
    X(errors, nvmlDeviceGetTotalEccErrors,                                                     \
      (nvml_device device, unsigned kind, unsigned since, unsigned long long *count))          \
    X(processes, nvmlDeviceGetComputeRunningProcesses_v3,                                      \
      (nvml_device device, unsigned *count, struct nvml_process *processes))                   \
    X(graphics, nvmlDeviceGetGraphicsRunningProcesses_v3,                                      \
      (nvml_device device, unsigned *count, struct nvml_process *processes))                   \
    X(process_use, nvmlDeviceGetProcessUtilization,                                            \
      (nvml_device device, struct nvml_process_use * uses, unsigned *count,                    \
       unsigned long long since))                                                              \
    X(mig, nvmlDeviceGetMigMode, (nvml_device device, unsigned *current, unsigned *pending))   \
    X(instance, nvmlDeviceGetMigDeviceHandleByIndex,                                           \
      (nvml_device device, unsigned index, nvml_device *instance))                             \
    X(events_make, nvmlEventSetCreate, (void **set))                                           \
    X(events_of, nvmlDeviceRegisterEvents,                                                     \
      (nvml_device device, unsigned long long types, void *set))                               \
    X(events_next, nvmlEventSetWait_v2,                                                        \
      (void *set, struct nvml_event *event, unsigned timeout_ms))                              \
    X(events_free, nvmlEventSetFree, (void *set))

/* The different errors of a card since the library was loaded, the first ones. */
struct xids {
    bool watched;
    size_t count;
    unsigned long long numbers[XIDS_MAX];
};

struct nvml {
    void *library;
#define X(member, name, parameters) int(*member) parameters;
    NVML_FUNCTIONS(X)
#undef X
    unsigned count;
    nvml_device devices[CARDS_MAX];
    unsigned long long seen[CARDS_MAX]; /* up to when the uses of processes were asked for */
    void *events;                       /* NULL: errors are not reported */
    struct xids xids[CARDS_MAX];
    struct read_schedule turns[CARDS_MAX]; /* of reading the counter of energy */
    size_t positions[CARDS_MAX];           /* in the list of the last look */
};

/* --- the library -------------------------------------------------------------------------- */

static const struct library_function functions[] = {
#define X(member, name, parameters) {#name, offsetof(struct nvml, member)},
    NVML_FUNCTIONS(X)
#undef X
};

/*
 * From now on the driver keeps errors for us. One that cannot, as of a part of a card, has none
 * that are known.
 */
static void watch_errors(struct nvml *nvml)
{
    enum { CRITICAL_XID = 0x8 };

    if (!nvml->events_make || !nvml->events_of || !nvml->events_next || !nvml->events_free ||
        nvml->events_make(&nvml->events) != NVML_DONE) {
        nvml->events = NULL;
        return;
    }
    for (unsigned i = 0; i < nvml->count; i++) {
        nvml->xids[i].watched =
            nvml->devices[i] &&
            nvml->events_of(nvml->devices[i], CRITICAL_XID, nvml->events) == NVML_DONE;
    }
}

static int start(struct nvml *nvml, struct error *err)
{
    if (!nvml->init || !nvml->count_cards || !nvml->handle || !nvml->uuid) {
        return error_set(err, ERROR_INPUT,
                         "the library of the NVIDIA driver is older than 450, of 2020");
    }
    int code = nvml->init();
    if (code != NVML_DONE) {
        return error_set(err, ERROR_IO,
                         "the NVIDIA driver does not answer (code %d of its library); see: "
                         "nvidia-smi",
                         code);
    }
    code = nvml->count_cards(&nvml->count);
    if (code != NVML_DONE) {
        return error_set(err, ERROR_IO,
                         "the NVIDIA driver does not say how many cards there are (code %d)",
                         code);
    }
    nvml->count = nvml->count < CARDS_MAX ? nvml->count : CARDS_MAX;
    for (unsigned i = 0; i < nvml->count; i++) {
        if (nvml->handle(i, &nvml->devices[i]) != NVML_DONE) {
            nvml->devices[i] = NULL; /* it is reported as failing */
        }
    }
    watch_errors(nvml);
    return 0;
}

int nvml_open(struct nvml **out, struct error *err)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return error_set(err, ERROR_MISSING, "there is no library libnvidia-ml.so.1");
    }
    struct nvml *nvml = mem_alloc(1, sizeof(*nvml));
    nvml->library = library;
    /* those that this driver does not have are looked for where they are called */
    (void)library_find(library, functions, COUNT_OF(functions), nvml);
    int failed = start(nvml, err);
    if (failed) {
        nvml_close(nvml);
        return failed;
    }
    *out = nvml;
    return 0;
}

void nvml_close(struct nvml *nvml)
{
    if (nvml) {
        if (nvml->events) {
            nvml->events_free(nvml->events);
        }
        if (nvml->shutdown) {
            nvml->shutdown();
        }
        dlclose(nvml->library);
        free(nvml);
    }
}

size_t nvml_count(const struct nvml *nvml)
{
    return nvml->count;
}

/* --- one card ----------------------------------------------------------------------------- */

/* Notes that a card is lost or has to be reset; whether the answer counts. */
static bool answered(struct gpu *card, int code)
{
    if (code == NVML_LOST || code == NVML_NEEDS_RESET) {
        look_set(&card->values, GPU_failing, 1);
    }
    return code == NVML_DONE;
}

/* Numbers that are asked for in the same way. */
static void read_simple(const struct nvml *nvml, nvml_device device, struct gpu *card)
{
    const struct {
        int (*ask)(nvml_device device, unsigned *out);
        enum gpu_field field;
        unsigned by;
    } rows[] = {
        {nvml->fan, GPU_fan, 1},
        {nvml->power, GPU_power, 1000},
        {nvml->power_limit, GPU_power_limit, 1000},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned value = 0;
        if (rows[i].ask && answered(card, rows[i].ask(device, &value))) {
            look_set(&card->values, rows[i].field, value / rows[i].by);
            if (rows[i].field == GPU_power) {
                SAMPLE_SET(&card->counters, power_mw, value);
            }
        }
    }
}

static void read_clocks(const struct nvml *nvml, nvml_device device, struct gpu *card)
{
    enum { SENSOR_GPU = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2 };

    unsigned value = 0;
    if (nvml->temperature && answered(card, nvml->temperature(device, SENSOR_GPU, &value))) {
        look_set(&card->values, GPU_temperature, value);
    }
    if (nvml->clock && answered(card, nvml->clock(device, CLOCK_SM, &value))) {
        look_set(&card->values, GPU_ce_clock, value);
    }
    if (nvml->clock && answered(card, nvml->clock(device, CLOCK_MEMORY, &value))) {
        look_set(&card->values, GPU_memory_clock, value);
    }
    if (nvml->state && answered(card, nvml->state(device, &value)) && value <= P_STATE_MAX) {
        look_set(&card->values, GPU_performance_state, value + PERFORMANCE_BASE);
    }
}

/*
 * What is used by programs: newer libraries leave out what the driver itself takes, as
 * nvidia-smi does.
 */
static void read_memory(const struct nvml *nvml, nvml_device device, struct gpu *card)
{
    struct nvml_memory_2 memory = {.version = (unsigned)sizeof(memory) | 2U << 24};
    struct nvml_memory old;
    if (nvml->memory_2 && answered(card, nvml->memory_2(device, &memory))) {
        look_set(&card->values, GPU_memory, (int64_t)(memory.used / KIB));
        SAMPLE_SET(&card->counters, mem_total_bytes, (int64_t)memory.total);
    } else if (nvml->memory && answered(card, nvml->memory(device, &old))) {
        look_set(&card->values, GPU_memory, (int64_t)(old.used / KIB));
        SAMPLE_SET(&card->counters, mem_total_bytes, (int64_t)old.total);
    }
}

static void read_use(const struct nvml *nvml, nvml_device device, struct gpu *card)
{
    struct nvml_utilisation use;
    if (nvml->utilisation && answered(card, nvml->utilisation(device, &use))) {
        look_set(&card->values, GPU_ce_util, use.gpu);
        look_set(&card->values, GPU_memory_util, use.memory);
    }
}

static void read_mode(const struct nvml *nvml, nvml_device device, struct gpu *card)
{
    static const char *const modes[] = {"Default", "Exclusive_Thread", "Prohibited",
                                        "Exclusive_Process"};
    unsigned mode = 0;
    if (nvml->mode && answered(card, nvml->mode(device, &mode)) && mode < COUNT_OF(modes)) {
        card->compute_mode = str_of(modes[mode]);
    }
}

/* Why a card runs slower than it could. That it is idle is not a reason. */
static void read_throttle(const struct nvml *nvml, nvml_device device, struct gpu *card,
                          struct arena *arena)
{
    static const struct {
        unsigned long long bit;
        const char *name;
    } reasons[] = {{0x4, "power limit"},
                   {0x8, "hardware"},
                   {0x20, "heat"},
                   {0x40, "heat (hardware)"},
                   {0x80, "power brake"}};

    unsigned long long bits = 0;
    if (!nvml->throttle || !answered(card, nvml->throttle(device, &bits))) {
        return;
    }
    struct buf text;
    buf_init(&text, LIMIT_TEXT_FIELD);
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        if (bits & reasons[i].bit) {
            buf_addf(&text, "%s%s", text.len > 0 ? ", " : "", reasons[i].name);
        }
    }
    buf_addz(&text, text.len > 0 ? "" : "none");
    SAMPLE_SET(&card->counters, gpu_throttle, arena_copy(arena, buf_str(&text)));
    buf_release(&text);
}

static void read_xids(const struct nvml *nvml, unsigned index, struct gpu *card,
                      struct arena *arena)
{
    const struct xids *xids = &nvml->xids[index];
    if (!xids->watched) {
        return;
    }
    struct buf text;
    buf_init(&text, LIMIT_TEXT_FIELD);
    for (size_t i = 0; i < xids->count; i++) {
        buf_addf(&text, "%s%llu", i ? ", " : "", xids->numbers[i]);
    }
    buf_addz(&text, text.len > 0 ? "" : "none");
    SAMPLE_SET(&card->counters, gpu_xids, arena_copy(arena, buf_str(&text)));
    buf_release(&text);
}

static void read_counters(const struct nvml *nvml, nvml_device device, struct gpu *card)
{
    enum { UNCORRECTED = 1, SINCE_MADE = 1 };

    unsigned long long value = 0;
    if (nvml->errors && answered(card, nvml->errors(device, UNCORRECTED, SINCE_MADE, &value)) &&
        value < (unsigned long long)SAMPLE_COUNT_MAX) {
        SAMPLE_SET(&card->counters, gpu_errors, (int64_t)value);
    }
}

static bool read_uuid(const struct nvml *nvml, nvml_device device, struct gpu *card,
                      struct arena *arena)
{
    char uuid[UUID_ROOM] = "";
    if (!device || !answered(card, nvml->uuid(device, uuid, sizeof(uuid)))) {
        return false;
    }
    card->uuid = arena_copy(arena, (struct str){uuid, strnlen(uuid, sizeof(uuid))});
    return true;
}

static void read_card(const struct nvml *nvml, unsigned index, struct gpu *card,
                      struct arena *arena)
{
    const nvml_device device = nvml->devices[index];
    look_set(&card->values, GPU_index, index);
    look_set(&card->values, GPU_failing, !device);
    if (!read_uuid(nvml, device, card, arena)) {
        return;
    }
    read_simple(nvml, device, card);
    read_clocks(nvml, device, card);
    read_memory(nvml, device, card);
    read_use(nvml, device, card);
    read_mode(nvml, device, card);
    read_throttle(nvml, device, card, arena);
    read_xids(nvml, index, card, arena);
    read_counters(nvml, device, card);
}

/* --- processes ---------------------------------------------------------------------------- */

enum { PROCESSES_MAX = 1024 };

/* What is on one card at the moment. */
struct on_card {
    struct nvml_process processes[PROCESSES_MAX];
    unsigned count;
    struct nvml_process_use uses[PROCESSES_MAX];
    unsigned use_count;
};

static struct gpu_use *add_use(struct gpu_list *list)
{
    struct gpu_use *use = &list->uses[list->use_count++];
    *use = (struct gpu_use){0};
    return use;
}

/* How busy a process keeps the card: the highest of what was seen since the last look. */
static void set_use(struct gpu_use *use, const struct on_card *on, unsigned pid)
{
    for (unsigned i = 0; i < on->use_count; i++) {
        if (on->uses[i].pid == pid && on->uses[i].gpu <= 100 &&
            (!look_has(&use->values, GPU_USE_gpu_util) ||
             use->values.at[GPU_USE_gpu_util] < on->uses[i].gpu)) {
            look_set(&use->values, GPU_USE_gpu_util, on->uses[i].gpu);
        }
    }
}

static void add_process(struct gpu_list *list, const struct on_card *on,
                        const struct nvml_process *process, unsigned index, struct str uuid)
{
    struct gpu_use *use = add_use(list);
    use->uuid = uuid;
    look_set(&use->values, GPU_USE_index, index);
    look_set(&use->values, GPU_USE_pid, process->pid);
    if (process->memory / KIB < (unsigned long long)LOOK_COUNT_MAX) {
        look_set(&use->values, GPU_USE_gpu_memory, (int64_t)(process->memory / KIB));
    }
    set_use(use, on, process->pid);
}

/*
 * Programs that compute, and those that draw: one that does both counts once. False if it is
 * not known.
 */
static bool list_processes(const struct nvml *nvml, nvml_device device, struct on_card *on)
{
    struct nvml_process *more = &on->processes[0];
    on->count = PROCESSES_MAX;
    if (!nvml->processes || nvml->processes(device, &on->count, more) != NVML_DONE) {
        on->count = 0;
        return false;
    }
    unsigned drawing = PROCESSES_MAX - on->count;
    more = &on->processes[on->count];
    if (drawing > 0 && nvml->graphics && nvml->graphics(device, &drawing, more) == NVML_DONE) {
        for (unsigned i = 0; i < drawing; i++) {
            bool known = false;
            for (unsigned k = 0; k < on->count && !known; k++) {
                known = on->processes[k].pid == more[i].pid;
            }
            if (!known) {
                on->processes[on->count++] = more[i];
            }
        }
    }
    return true;
}

static void list_uses(struct nvml *nvml, unsigned index, struct on_card *on)
{
    on->use_count = PROCESSES_MAX;
    if (!nvml->process_use || nvml->process_use(nvml->devices[index], on->uses, &on->use_count,
                                                nvml->seen[index]) != NVML_DONE) {
        on->use_count = 0;
    }
    for (unsigned i = 0; i < on->use_count; i++) {
        if (on->uses[i].time > nvml->seen[index]) {
            nvml->seen[index] = on->uses[i].time;
        }
    }
}

/*
 * How busy each process keeps the card is the costliest answer but for energy. Where there is
 * one process, it is what the card's own use is, which is known already.
 */
static void look_at_processes(struct nvml *nvml, unsigned index, struct str uuid,
                              nvml_device device, struct gpu_list *list, struct on_card *on)
{
    on->use_count = 0;
    if (!list_processes(nvml, device, on)) {
        list->uses_known = false;
        return;
    }
    const struct look_values *card = &list->cards[nvml->positions[index]].values;
    if (device != nvml->devices[index] || on->count == 0) {
        /* of a part of a card it is not known */
    } else if (on->count == 1 && look_has(card, GPU_ce_util)) {
        on->uses[on->use_count++] = (struct nvml_process_use){
            .pid = on->processes[0].pid, .gpu = (unsigned)card->at[GPU_ce_util]};
    } else {
        list_uses(nvml, index, on);
    }
    for (unsigned i = 0; i < on->count && list->use_count < PROCESSES_MAX; i++) {
        add_process(list, on, &on->processes[i], index, uuid);
    }
}

/* --- all of them -------------------------------------------------------------------------- */

static bool has_instances(const struct nvml *nvml, nvml_device device)
{
    unsigned current = 0, pending = 0;
    return nvml->mig && nvml->instance && nvml->mig(device, &current, &pending) == NVML_DONE &&
           current != 0;
}

/* The parts a card is divided into: cards of their own. */
static void look_at_instances(struct nvml *nvml, unsigned index, struct node_sample *look,
                              struct on_card *on)
{
    struct gpu_list *list = &look->gpus;
    for (unsigned i = 0; i < INSTANCES_MAX && list->count < CARDS_MAX; i++) {
        nvml_device instance = NULL;
        struct gpu card = {0};
        if (nvml->instance(nvml->devices[index], i, &instance) != NVML_DONE) {
            continue;
        }
        look_set(&card.values, GPU_index, index);
        if (read_uuid(nvml, instance, &card, &look->arena)) {
            read_memory(nvml, instance, &card);
            look_at_processes(nvml, index, card.uuid, instance, list, on);
            list->cards[list->count++] = card;
        }
    }
}

/*
 * The card that an event is of; count if it is not ours. The library gives handles of its own,
 * so it is known by its UUID.
 */
static unsigned card_of(const struct nvml *nvml, nvml_device device)
{
    char wanted[UUID_ROOM] = "", uuid[UUID_ROOM];
    unsigned i = 0;
    if (!device || nvml->uuid(device, wanted, sizeof(wanted)) != NVML_DONE) {
        return nvml->count;
    }
    while (i < nvml->count && !(nvml->devices[i] &&
                                nvml->uuid(nvml->devices[i], uuid, sizeof(uuid)) == NVML_DONE &&
                                strncmp(uuid, wanted, sizeof(uuid)) == 0)) {
        i++;
    }
    return i;
}

static void note_xid(struct xids *xids, unsigned long long number)
{
    for (size_t i = 0; i < xids->count; i++) {
        if (xids->numbers[i] == number) {
            return;
        }
    }
    if (xids->count < XIDS_MAX) {
        xids->numbers[xids->count++] = number;
    }
}

/* Errors that the driver has reported since the last look. */
static void take_errors(struct nvml *nvml, struct node_sample *look)
{
    struct nvml_event event = {0};
    for (unsigned taken = 0; nvml->events && taken < EVENTS_MAX &&
                             nvml->events_next(nvml->events, &event, 0) == NVML_DONE;
         taken++) {
        const unsigned card = card_of(nvml, event.device);
        if (card < nvml->count) {
            node_sample_trouble(look, "GPU %u: the driver reports error %llu (XID)", card,
                                event.data);
            note_xid(&nvml->xids[card], event.data);
        }
    }
}

void nvml_look(struct nvml *nvml, struct node_sample *look)
{
    struct gpu_list *list = &look->gpus;
    struct on_card *on = mem_alloc(1, sizeof(*on));
    list->cards = arena_alloc(&look->arena, CARDS_MAX * sizeof(*list->cards));
    list->uses = arena_alloc(&look->arena, PROCESSES_MAX * sizeof(*list->uses));
    list->uses_known = true;
    for (unsigned i = 0; i < CARDS_MAX; i++) {
        nvml->positions[i] = CARDS_MAX; /* none */
    }
    take_errors(nvml, look);
    for (unsigned i = 0; i < nvml->count && list->count < CARDS_MAX; i++) {
        nvml->positions[i] = list->count;
        struct gpu *card = &list->cards[list->count++];
        read_card(nvml, i, card, &look->arena);
        if (look_has(&card->values, GPU_failing) && card->values.at[GPU_failing]) {
            node_sample_trouble(look, "GPU %u is lost or has to be reset; see: nvidia-smi", i);
            list->uses_known = false;
        } else if (has_instances(nvml, nvml->devices[i])) {
            look_at_instances(nvml, i, look, on);
        } else {
            look_at_processes(nvml, i, card->uuid, nvml->devices[i], list, on);
        }
    }
    free(on);
}

/* Whose a card is: 0 if nobody's. */
static uint64_t holder_of(const struct gpu *card)
{
    if (!SAMPLE_HAS(&card->counters, job)) {
        return 0;
    }
    const int64_t who[] = {card->counters.job,
                           SAMPLE_HAS(&card->counters, task) ? card->counters.task : -1};
    return str_hash((struct str){(const char *)who, sizeof(who)}, 1) | 1;
}

void nvml_look_at_energy(struct nvml *nvml, struct node_sample *look)
{
    for (unsigned i = 0; nvml->energy && i < nvml->count; i++) {
        struct gpu *card =
            nvml->positions[i] < CARDS_MAX ? &look->gpus.cards[nvml->positions[i]] : NULL;
        unsigned long long mj = 0;
        if (card && nvml->devices[i] && card->values.at[GPU_failing] == 0 &&
            read_schedule_is_due(&nvml->turns[i], i, holder_of(card)) &&
            answered(card, nvml->energy(nvml->devices[i], &mj))) {
            SAMPLE_SET(&card->counters, energy_j, (int64_t)(mj / 1000));
        }
    }
}
