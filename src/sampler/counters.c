/* SPDX-License-Identifier: MIT */
#include "sampler/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/stop.h"
#include "sampler/counter.h"
#include "sampler/open_file.h"

enum { LOOK_AGAIN = 60 }; /* looks after which files are looked for again */

#define TICK_US 10000 /* USER_HZ is 100 wherever Linux runs */
#define SECTOR  512
#define KIB     1024
#define MICRO   1000000

#define RAPL_WATTS 700.0

/*
 * What all of the node has mounted, which root may read; a service from which homes are hidden
 * (ProtectHome) has them not among its own.
 */
#define MOUNTS_OF_ALL "proc/1/mountstats"
#define MOUNTS_OF_OWN "proc/self/mountstats"

/* Rows of one file stand together. */
static const struct counter rows[] = {
    {NULL, "proc/stat", COUNTER_WORDS, "cpu 1 2 3 6 7", SAMPLE_cpu_time_us, TICK_US, 1,
     COUNTER_SUM},
    {NULL, "proc/stat", COUNTER_WORDS, "cpu 1 2", SAMPLE_cpu_user_us, TICK_US, 1, COUNTER_SUM},
    {NULL, "proc/stat", COUNTER_WORDS, "cpu 3 6 7", SAMPLE_cpu_system_us, TICK_US, 1,
     COUNTER_SUM},
    {NULL, "proc/stat", COUNTER_WORDS, "cpu 5", SAMPLE_iowait_us, TICK_US, 1, COUNTER_SUM},
    {NULL, "proc/meminfo", COUNTER_WORDS, "MemTotal: 1", SAMPLE_mem_total_bytes, KIB, 1,
     COUNTER_SUM},
    {NULL, "proc/meminfo", COUNTER_WORDS, "AnonPages: 1", SAMPLE_rss_bytes, KIB, 1,
     COUNTER_SUM},
    {NULL, "proc/meminfo", COUNTER_WORDS, "Cached: 1", SAMPLE_mem_file_bytes, KIB, 1,
     COUNTER_SUM},
    {NULL, "proc/meminfo", COUNTER_WORDS, "Shmem: 1", SAMPLE_mem_shmem_bytes, KIB, 1,
     COUNTER_SUM},
    {NULL, "proc/vmstat", COUNTER_WORDS, "oom_kill 1", SAMPLE_oom_kills, 1, 1, COUNTER_SUM},
    {NULL, "proc/diskstats", COUNTER_DISKS, "3", SAMPLE_read_bytes, SECTOR, 1, COUNTER_SUM},
    {NULL, "proc/diskstats", COUNTER_DISKS, "7", SAMPLE_written_bytes, SECTOR, 1, COUNTER_SUM},
    {NULL, "proc/net/dev", COUNTER_LINKS, "1", SAMPLE_received_bytes, 1, 1, COUNTER_SUM},
    {NULL, "proc/net/dev", COUNTER_LINKS, "9", SAMPLE_sent_bytes, 1, 1, COUNTER_SUM},
    {NULL, "proc/pressure/cpu", COUNTER_PAIRS, "some total", SAMPLE_cpu_stall_us, 1, 1,
     COUNTER_SUM},
    {NULL, "proc/pressure/memory", COUNTER_PAIRS, "some total", SAMPLE_mem_stall_us, 1, 1,
     COUNTER_SUM},
    {NULL, "proc/pressure/io", COUNTER_PAIRS, "some total", SAMPLE_io_stall_us, 1, 1,
     COUNTER_SUM},
    {NULL, MOUNTS_OF_ALL, COUNTER_MOUNTS, "5", SAMPLE_remote_read_bytes, 1, 1, COUNTER_SUM},
    {NULL, MOUNTS_OF_ALL, COUNTER_MOUNTS, "6", SAMPLE_remote_written_bytes, 1, 1, COUNTER_SUM},
    {NULL, MOUNTS_OF_OWN, COUNTER_MOUNTS, "5", SAMPLE_remote_read_bytes, 1, 1, COUNTER_SUM},
    {NULL, MOUNTS_OF_OWN, COUNTER_MOUNTS, "6", SAMPLE_remote_written_bytes, 1, 1, COUNTER_SUM},
    {NULL, "proc/fs/lustre/llite/*/stats", COUNTER_WORDS, "read_bytes 6",
     SAMPLE_remote_read_bytes, 1, 1, COUNTER_SUM},
    {NULL, "proc/fs/lustre/llite/*/stats", COUNTER_WORDS, "write_bytes 6",
     SAMPLE_remote_written_bytes, 1, 1, COUNTER_SUM},
    {NULL, "sys/kernel/debug/lustre/llite/*/stats", COUNTER_WORDS, "read_bytes 6",
     SAMPLE_remote_read_bytes, 1, 1, COUNTER_SUM},
    {NULL, "sys/kernel/debug/lustre/llite/*/stats", COUNTER_WORDS, "write_bytes 6",
     SAMPLE_remote_written_bytes, 1, 1, COUNTER_SUM},
    /* counted in words of four bytes */
    {NULL, "sys/class/infiniband/*/ports/*/counters/port_rcv_data", COUNTER_WHOLE, NULL,
     SAMPLE_ib_received_bytes, 4, 1, COUNTER_SUM},
    {NULL, "sys/class/infiniband/*/ports/*/counters/port_xmit_data", COUNTER_WHOLE, NULL,
     SAMPLE_ib_sent_bytes, 4, 1, COUNTER_SUM},
    /* the packages and their memory (is_counted) */
    {NULL, "sys/class/powercap/intel-rapl:[0-9]/energy_uj", COUNTER_WHOLE, NULL,
     SAMPLE_energy_j, 1, 1, COUNTER_WRAPS},
    {NULL, "sys/class/powercap/intel-rapl:[0-9][0-9]/energy_uj", COUNTER_WHOLE, NULL,
     SAMPLE_energy_j, 1, 1, COUNTER_WRAPS},
    {NULL, "sys/class/powercap/intel-rapl:*:*/energy_uj", COUNTER_WHOLE, NULL,
     SAMPLE_energy_mem_j, 1, 1, COUNTER_WRAPS},
    {NULL, "sys/class/hwmon/hwmon*/temp*_input", COUNTER_WHOLE, NULL, SAMPLE_temperature_c, 1,
     1000, COUNTER_MOST},
    {NULL, "sys/class/thermal/thermal_zone*/temp", COUNTER_WHOLE, NULL, SAMPLE_temperature_c, 1,
     1000, COUNTER_MOST},
};

const struct counters_part counters_parts[] = {
    {"cpus", "/proc/stat", SAMPLE_cpu_time_us},
    {"memory", "/proc/meminfo", SAMPLE_mem_total_bytes},
    {"disks", "/proc/diskstats", SAMPLE_read_bytes},
    {"network", "/proc/net/dev", SAMPLE_received_bytes},
    {"pressure", "/proc/pressure: the kernel has none, or was started without psi=1",
     SAMPLE_cpu_stall_us},
    {"InfiniBand", "there is none (/sys/class/infiniband)", SAMPLE_ib_received_bytes},
    {"NFS, Lustre", "no such file system is mounted", SAMPLE_remote_read_bytes},
    {"energy (RAPL)",
     "the processors have no counter, or none that the kernel shows (/sys/class/powercap)",
     SAMPLE_energy_j},
    {"temperatures", "the kernel shows none (/sys/class/hwmon, /sys/class/thermal)",
     SAMPLE_temperature_c},
};
const size_t counters_part_count = COUNT_OF(counters_parts);

/* A file that a row names. */
struct counter_file {
    char *path;
    size_t row; /* the first that is about it */
    struct open_file kept;
    int64_t last;    /* of one that starts over: what it had; -1: nothing yet */
    int64_t last_us; /* and when, on a clock that nobody sets */
    double range;    /* after which it starts over, in microjoules; 0: not known */
    double watts;    /* that it takes at most */
};

void counters_init(struct counters *counters, const char *root)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    *counters = (struct counters){
        .root = strdup(root),
        .began = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec,
    };
}

static void forget_files(struct counters *counters)
{
    for (size_t i = 0; i < counters->count; i++) {
        open_file_close(&counters->files[i].kept);
        free(counters->files[i].path);
    }
    free(counters->files);
    counters->files = NULL;
    counters->count = 0;
}

void counters_release(struct counters *counters)
{
    forget_files(counters);
    free(counters->root);
    *counters = (struct counters){0};
}

/* --- finding ------------------------------------------------------------------------------ */

static void add_file(struct counters *counters, const struct counters *before, const char *path,
                     size_t row)
{
    struct counter_file *file = &counters->files[counters->count++];
    *file = (struct counter_file){.path = strdup(path), .row = row, .last = -1};
    for (size_t i = 0; i < before->count; i++) {
        if (strcmp(before->files[i].path, path) == 0) {
            file->last = before->files[i].last;
            file->last_us = before->files[i].last_us;
        }
    }
}

static bool begins_file(size_t row)
{
    return row == 0 || strcmp(rows[row].file, rows[row - 1].file) != 0;
}

/* The text of a file that lies beside another. */
static bool read_beside(const char *path, const char *name, struct buf *text)
{
    struct open_file kept = {0};
    struct buf beside;
    const char *slash = strrchr(path, '/');
    buf_init(&beside, LIMIT_ARGUMENT);
    buf_add(&beside, (struct str){path, slash ? (size_t)(slash - path) : 0});
    buf_addf(&beside, "/%s", name);
    const bool read = open_file_read(&kept, AT_FDCWD, beside.ptr, true, text) == 0;
    open_file_close(&kept);
    buf_release(&beside);
    return read;
}

/*
 * Of the places where a processor measures energy: packages, and their memory, which is not in
 * them. Cores and graphics are in their package, and the whole platform (psys) has the packages
 * in it.
 */
static bool is_counted(const char *path)
{
    const char *folder = strstr(path, "/intel-rapl:");
    const bool below = folder && strchr(folder + sizeof("/intel-rapl:") - 1, ':');
    struct buf name;
    buf_init(&name, LIMIT_ARGUMENT);
    const bool named = read_beside(path, "name", &name);
    const struct str text = named ? str_trim(buf_str(&name)) : STR("");
    const bool counted = below ? str_eq(text, STR("dram")) : !str_eq(text, STR("psys"));
    buf_release(&name);
    return counted;
}

static bool may_be_read(const char *root, const char *file)
{
    struct buf path;
    buf_init(&path, LIMIT_ARGUMENT);
    buf_addf(&path, "%s/%s", root, file);
    const int fd = open(path.ptr, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        close(fd);
    }
    buf_release(&path);
    return fd >= 0;
}

/* Whether it has nothing that is not in another file as well. */
static bool is_repeated(const struct counters *counters, size_t row)
{
    return strcmp(rows[row].file, MOUNTS_OF_OWN) == 0 &&
           may_be_read(counters->root, MOUNTS_OF_ALL);
}

/* A number in a file beside it; 0 if that is missing. */
static double number_beside(const struct counter_file *file, const char *name, struct buf *text)
{
    static const struct counter whole = {.form = COUNTER_WHOLE, .times = 1, .by = 1};
    int64_t number = 0;
    const bool read =
        read_beside(file->path, name, text) && counter_read(&whole, buf_str(text), &number);
    return read && number > 0 ? (double)number : 0;
}

/*
 * The most watts that it may have taken: half as much again as its limits, over which
 * processors go for moments, or what no package takes, if it names none.
 */
static double most_watts(const struct counter_file *file, struct buf *text)
{
    const double limit = fmax(number_beside(file, "constraint_0_power_limit_uw", text),
                              number_beside(file, "constraint_0_max_power_uw", text)) /
                         MICRO;
    return limit > 0 ? 1.5 * limit : RAPL_WATTS;
}

/* Of a counter that starts over: after how much, and how soon that may be. */
static void note_range(struct counter_file *file, struct buf *text)
{
    if (rows[file->row].join == COUNTER_WRAPS) {
        file->range = number_beside(file, "max_energy_range_uj", text);
        file->watts = most_watts(file, text);
    }
}

/* All files that there are now; those that were known go on. */
static void find_files(struct counters *counters, struct buf *text)
{
    struct counters before = *counters;
    counters->files = mem_alloc(LIMIT_COUNTER_FILES, sizeof(*counters->files));
    counters->count = 0;
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        glob_t found = {0};
        struct buf path;
        if (!begins_file(row) || is_repeated(counters, row)) {
            continue;
        }
        buf_init(&path, LIMIT_ARGUMENT);
        buf_addf(&path, "%s/%s", counters->root, rows[row].file);
        if (glob(path.ptr, 0, NULL, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc && counters->count < LIMIT_COUNTER_FILES;
                 i++) {
                if (rows[row].join != COUNTER_WRAPS || is_counted(found.gl_pathv[i])) {
                    add_file(counters, &before, found.gl_pathv[i], row);
                    note_range(&counters->files[counters->count - 1], text);
                }
            }
        }
        globfree(&found);
        buf_release(&path);
    }
    counters->files =
        mem_resize(counters->files, counters->count + 1, sizeof(*counters->files));
    forget_files(&before);
}

/* --- reading ------------------------------------------------------------------------------ */

/*
 * Adds up microjoules over the times that the counter started over. If it may have done so more
 * often than was seen, since the looks are too far apart or its range is not known, the sum has
 * another generation from here on.
 */
static int64_t unwrapped(struct counters *counters, struct counter_file *file, int64_t value)
{
    const int64_t now = stop_clock();
    const bool again = file->last >= 0 && value < file->last;
    const double range = file->range, rise = (double)(value - file->last) + (again ? range : 0);
    const double most = file->watts * (double)(now - file->last_us);
    if (again) {
        int64_t *carried = rows[file->row].field == SAMPLE_energy_mem_j
                               ? &counters->memory_carried
                               : &counters->energy_carried;
        *carried += range > 0 ? (int64_t)range : file->last;
    }
    if (file->last >= 0 && (range > 0 ? rise + range <= most : again)) {
        counters->energy_sets++;
    }
    file->last = value;
    file->last_us = now;
    counters->energy_read += str_hash(str_of(file->path), 1);
    return value;
}

static void read_row(struct counters *counters, struct counter_file *file, size_t row,
                     struct buf *text, struct sample *out)
{
    int64_t value = 0;
    if (!counter_read(&rows[row], buf_str(text), &value)) {
        return;
    }
    if (rows[row].join == COUNTER_WRAPS) {
        value = unwrapped(counters, file, value);
    }
    counter_join(&rows[row], value, out);
}

/* From microjoules; the sum has what memory used. */
static void settle_energy(const struct counters *counters, struct sample *out)
{
    int64_t memory = 0;
    if (SAMPLE_HAS(out, energy_mem_j)) {
        memory = out->energy_mem_j + counters->memory_carried;
        SAMPLE_SET(out, energy_mem_j, memory / MICRO);
    }
    if (SAMPLE_HAS(out, energy_j)) {
        SAMPLE_SET(out, energy_j, (out->energy_j + counters->energy_carried + memory) / MICRO);
        SAMPLE_SET(out, energy_generation,
                   sample_generation(counters->began, counters->energy_sets));
    } else {
        SAMPLE_CLEAR(out, energy_mem_j);
    }
}

void counters_look(struct counters *counters, struct sample *out, struct buf *text)
{
    if (counters->looks++ % LOOK_AGAIN == 0) {
        find_files(counters, text);
    }
    const uint64_t energy_before = counters->energy_read;
    counters->energy_read = 0;
    *out = (struct sample){0};
    for (size_t i = 0; i < counters->count; i++) {
        struct counter_file *file = &counters->files[i];
        if (open_file_read(&file->kept, AT_FDCWD, file->path, false, text) != 0) {
            continue;
        }
        for (size_t row = file->row;
             row < COUNT_OF(rows) && (row == file->row || !begins_file(row)); row++) {
            read_row(counters, file, row, text, out);
        }
    }
    counters->energy_sets += counters->energy_read != energy_before;
    settle_energy(counters, out);
}

/* --- what is missing ---------------------------------------------------------------------- */

/* Whether the first file that the row names is there and may not be read; *out says so. */
static bool is_denied(const char *root, const char *file, struct buf *out)
{
    glob_t found = {0};
    struct buf path;
    bool denied = false;
    buf_init(&path, LIMIT_ARGUMENT);
    buf_addf(&path, "%s/%s", root, file);
    if (glob(path.ptr, 0, NULL, &found) == 0) {
        const int fd = open(found.gl_pathv[0], O_RDONLY | O_CLOEXEC);
        denied = fd < 0 && (errno == EACCES || errno == EPERM);
        if (denied) {
            buf_addf(out, "'%s' may not be read; run it as root, or with CAP_DAC_READ_SEARCH",
                     found.gl_pathv[0] + (strncmp(found.gl_pathv[0], "//", 2) == 0));
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    globfree(&found);
    buf_release(&path);
    return denied;
}

void counters_why(const char *root, const struct counters_part *part, struct buf *out)
{
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        /* without that one there is its own */
        const bool needed = strcmp(rows[row].file, MOUNTS_OF_ALL) != 0;
        if (needed && rows[row].field == part->field && begins_file(row) &&
            is_denied(root, rows[row].file, out)) {
            return;
        }
    }
    buf_addz(out, part->missing);
}
