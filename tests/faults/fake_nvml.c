/* SPDX-License-Identifier: MIT */

/*
 * A library in the place of NVIDIA's, with two cards, for tests of stint-agent. FAKE_NVML says what it does: nothing is usual;
 * "down", the driver does not answer; "lost", the second card has fallen off the bus; "mig", the first is divided in two; "old", functions that older
 * drivers do not have are not supported; "alone", one process is on the first card; "xid", the driver reports errors 48, 79 and 48 of the first card. FAKE_NVML_PID is a process on the first card.
 */

#include <stdlib.h>
#include <string.h>

enum { DONE = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, NOT_LOADED = 9, TIMEOUT = 10, LOST = 15 };

struct device {
    int number; /* 0, 1: cards; 10, 11: parts of the first */
};

static struct device cards[] = {{0}, {1}};
static struct device parts[] = {{10}, {11}};

static int mode_is(const char *name)
{
    const char *mode = getenv("FAKE_NVML");
    return mode && strcmp(mode, name) == 0;
}

static int state_of(const struct device *device)
{
    return device->number == 1 && mode_is("lost") ? LOST : DONE;
}

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **out);
int nvmlDeviceGetUUID(struct device *device, char *uuid, unsigned length);
int nvmlDeviceGetMemoryInfo(struct device *device, unsigned long long *memory);
int nvmlDeviceGetUtilizationRates(struct device *device, unsigned *use);
int nvmlDeviceGetFanSpeed(struct device *device, unsigned *out);
int nvmlDeviceGetPowerUsage(struct device *device, unsigned *out);
int nvmlDeviceGetEnforcedPowerLimit(struct device *device, unsigned *out);
int nvmlDeviceGetTotalEnergyConsumption(struct device *device, unsigned long long *out);
int nvmlDeviceGetTemperature(struct device *device, unsigned sensor, unsigned *out);
int nvmlDeviceGetClockInfo(struct device *device, unsigned which, unsigned *out);
int nvmlDeviceGetPerformanceState(struct device *device, unsigned *out);
int nvmlDeviceGetComputeMode(struct device *device, unsigned *out);
int nvmlDeviceGetCurrentClocksThrottleReasons(struct device *device, unsigned long long *out);
int nvmlDeviceGetTotalEccErrors(struct device *device, unsigned kind, unsigned since,
                                unsigned long long *out);

struct event {
    struct device *device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};

int nvmlEventSetCreate(void **set);
int nvmlDeviceRegisterEvents(struct device *device, unsigned long long types, void *set);
int nvmlEventSetWait_v2(void *set, struct event *event, unsigned timeout_ms);
int nvmlEventSetFree(void *set);

struct process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

struct process_use {
    unsigned pid;
    unsigned long long time;
    unsigned gpu, memory, encoder, decoder;
};

int nvmlDeviceGetComputeRunningProcesses_v3(struct device *device, unsigned *count,
                                            struct process *out);
int nvmlDeviceGetProcessUtilization(struct device *device, struct process_use *out,
                                    unsigned *count, unsigned long long since);
int nvmlDeviceGetMigMode(struct device *device, unsigned *current, unsigned *pending);
int nvmlDeviceGetMigDeviceHandleByIndex(struct device *device, unsigned index,
                                        struct device **out);

int nvmlInit_v2(void)
{
    return mode_is("down") ? NOT_LOADED : DONE;
}

int nvmlShutdown(void)
{
    return DONE;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 2;
    return DONE;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **out)
{
    *out = &cards[index];
    return DONE;
}

int nvmlDeviceGetUUID(struct device *device, char *uuid, unsigned length)
{
    const char *name = device->number == 0    ? "GPU-aaaa0000-0000"
                       : device->number == 1  ? "GPU-aaaa0000-0001"
                       : device->number == 10 ? "MIG-bbbb0000-0000"
                                              : "MIG-bbbb0000-0001";
    if (strlen(name) + 1 > length) {
        return NOT_FOUND;
    }
    memcpy(uuid, name, strlen(name) + 1);
    return state_of(device);
}

int nvmlDeviceGetMemoryInfo(struct device *device, unsigned long long *memory)
{
    memory[0] = 80ULL << 30;
    memory[1] = 70ULL << 30;
    memory[2] = device->number == 1 ? 0 : 10ULL << 30;
    return state_of(device);
}

int nvmlDeviceGetUtilizationRates(struct device *device, unsigned *use)
{
    use[0] = device->number == 0 ? 94 : 0;
    use[1] = device->number == 0 ? 53 : 0;
    return mode_is("mig") ? NOT_SUPPORTED : state_of(device);
}

int nvmlDeviceGetFanSpeed(struct device *device, unsigned *out)
{
    (void)device, (void)out;
    return NOT_SUPPORTED; /* as of cards that are cooled from outside */
}

int nvmlDeviceGetPowerUsage(struct device *device, unsigned *out)
{
    *out = device->number == 0 ? 512345 : 71000;
    return state_of(device);
}

int nvmlDeviceGetEnforcedPowerLimit(struct device *device, unsigned *out)
{
    *out = 700000;
    return state_of(device);
}

int nvmlDeviceGetTotalEnergyConsumption(struct device *device, unsigned long long *out)
{
    *out = 123456789;
    return mode_is("old") ? NOT_SUPPORTED : state_of(device);
}

int nvmlDeviceGetTemperature(struct device *device, unsigned sensor, unsigned *out)
{
    (void)sensor;
    *out = 61;
    return state_of(device);
}

int nvmlDeviceGetClockInfo(struct device *device, unsigned which, unsigned *out)
{
    *out = which == 1 ? 1980 : 2619;
    return state_of(device);
}

int nvmlDeviceGetPerformanceState(struct device *device, unsigned *out)
{
    *out = 0;
    return state_of(device);
}

int nvmlDeviceGetComputeMode(struct device *device, unsigned *out)
{
    *out = 3;
    return state_of(device);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(struct device *device, unsigned long long *out)
{
    *out = device->number == 0 ? 0x4 | 0x20 : 0x1;
    return state_of(device);
}

int nvmlDeviceGetTotalEccErrors(struct device *device, unsigned kind, unsigned since,
                                unsigned long long *out)
{
    *out = kind == 1 && since == 1 ? 2 : 99;
    return state_of(device);
}

static unsigned pid_there(void)
{
    const char *pid = getenv("FAKE_NVML_PID");
    return pid ? (unsigned)strtoul(pid, NULL, 10) : 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(struct device *device, unsigned *count,
                                            struct process *out)
{
    const int there = device->number == (mode_is("mig") ? 11 : 0) && pid_there() && *count > 1;
    *count = 0;
    if (there) {
        out[0] = (struct process){.pid = pid_there(), .memory = 5ULL << 30};
        out[1] = (struct process){.pid = 77777777, .memory = ~0ULL};
        *count = mode_is("alone") ? 1 : 2;
    }
    return state_of(device);
}

int nvmlDeviceGetProcessUtilization(struct device *device, struct process_use *out,
                                    unsigned *count, unsigned long long since)
{
    *count = 0;
    if (device->number == 0 && since < 1000) {
        out[0] = (struct process_use){.pid = pid_there(), .time = 1000, .gpu = 64};
        *count = 1;
    }
    return DONE;
}

int nvmlDeviceGetMigMode(struct device *device, unsigned *current, unsigned *pending)
{
    *current = *pending = device->number == 0 && mode_is("mig");
    return DONE;
}

int nvmlDeviceGetMigDeviceHandleByIndex(struct device *device, unsigned index,
                                        struct device **out)
{
    (void)device;
    if (index >= 2) {
        return NOT_FOUND;
    }
    *out = &parts[index];
    return DONE;
}

int nvmlEventSetCreate(void **set)
{
    *set = calloc(1, sizeof(unsigned));
    return *set ? DONE : NOT_SUPPORTED;
}

int nvmlDeviceRegisterEvents(struct device *device, unsigned long long types, void *set)
{
    (void)types, (void)set;
    return mode_is("old") ? NOT_SUPPORTED : state_of(device);
}

int nvmlEventSetWait_v2(void *set, struct event *event, unsigned timeout_ms)
{
    static const unsigned long long numbers[] = {48, 79, 48};
    static struct device handle = {0}; /* another one than that of the card */
    unsigned *given = set;
    if (!mode_is("xid") || *given == 3 || timeout_ms > 0) {
        return TIMEOUT;
    }
    *event = (struct event){.device = &handle, .type = 0x8, .data = numbers[(*given)++]};
    return DONE;
}

int nvmlEventSetFree(void *set)
{
    free(set);
    return DONE;
}
