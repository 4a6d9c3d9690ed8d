/* SPDX-License-Identifier: MIT */
#include "serve/daemon/sample_inbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/zone.h"
#include "service/core/inputs.h"

enum {
    IMPORT_EVERY_US = 5000000, /* between two imports */
    FILES_MAX = 16,            /* in one import; the others are in the next */
    NAME_ROOM = 32,
    NODES = 8192, /* counters of what nodes send; two may share one */
    NODE_HOUR_MAX =
        256 << 20, /* bytes that a node may send in an hour: some 100 times what it does */
};

/* Bytes that may lie in the inbox of a cluster: days of a large one. */
#define CLUSTER_MAX (INT64_C(16) << 30)

struct sample_inbox {
    struct store *store;
    struct service service; /* its settings: under the guard */
    struct stop stop;
    char *folder;
    bool failing; /* that the last import failed was said */
    pthread_mutex_t guard;
    pthread_cond_t changed;
    bool arrived;              /* under the guard: something is to be imported */
    const struct config *used; /* under the guard: by what is under way; or NULL */
    int64_t hour;              /* under the guard: that the following counts */
    uint64_t sent[NODES];      /* bytes, by cluster and node */
    pthread_t thread;
    bool started;
};

static void set_arrived(struct sample_inbox *inbox)
{
    pthread_mutex_lock(&inbox->guard);
    inbox->arrived = true;
    pthread_cond_signal(&inbox->changed);
    pthread_mutex_unlock(&inbox->guard);
}

/* Waits until something has arrived; false: it is to end. */
static bool await_arrival(struct sample_inbox *inbox)
{
    pthread_mutex_lock(&inbox->guard);
    while (!inbox->arrived && !stop_is_set(&inbox->stop)) {
        pthread_cond_wait(&inbox->changed, &inbox->guard);
    }
    inbox->arrived = false;
    pthread_mutex_unlock(&inbox->guard);
    return !stop_is_set(&inbox->stop);
}

/* --- onto the disk ------------------------------------------------------------------------ */

/* The file that takes what arrives now. */
static void name_hour(int64_t now, char name[NAME_ROOM])
{
    const struct civil day = civil_of_days(now / DAY_US);
    snprintf(name, NAME_ROOM, "%04d-%02d-%02dT%02d.json", day.year, day.month, day.day,
             (int)(now % DAY_US / HOUR_US));
}

/*
 * A server that was killed while it wrote has left a part of a line, which was not confirmed
 * and is sent again: what follows must not become a part of it.
 */
static void end_line(int fd, off_t size)
{
    char last = '\n';
    if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n') {
        (void)!write(fd, "\n", 1);
    }
}

static int write_all(int fd, struct str bytes, const char *path, struct error *err)
{
    const off_t before = lseek(fd, 0, SEEK_END);
    end_line(fd, before);
    for (struct str rest = bytes; rest.len > 0;) {
        const ssize_t put = write(fd, rest.ptr, rest.len);
        if (put <= 0) {
            int failed = error_errno(err, "cannot write '%s'", path);
            (void)!ftruncate(fd, before); /* a part of a batch is dropped */
            return failed;
        }
        rest.ptr += put;
        rest.len -= (size_t)put;
    }
    return fdatasync(fd) == 0 ? 0 : error_errno(err, "cannot write '%s'", path);
}

/* Opened and locked; not a file that was removed in between. */
static int open_hour(const char *path, int *out, struct error *err)
{
    for (;;) {
        struct stat info;
        const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) {
            return error_errno(err, "cannot open '%s'", path);
        }
        if (flock(fd, LOCK_EX) != 0 || fstat(fd, &info) != 0) {
            int failed = error_errno(err, "cannot lock '%s'", path);
            close(fd);
            return failed;
        }
        if (info.st_nlink > 0) {
            *out = fd;
            return 0;
        }
        close(fd);
    }
}

static int is_looks(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && str_ends(str_of(entry->d_name), STR(".json"));
}

int sample_inbox_admit(struct sample_inbox *inbox, const char *cluster, struct str node,
                       size_t bytes, struct error *err)
{
    const int64_t hour = inbox->service.now() / HOUR_US;
    const uint64_t hash = str_hash(node, str_hash(str_of(cluster), 0));
    pthread_mutex_lock(&inbox->guard);
    if (hour != inbox->hour) {
        memset(inbox->sent, 0, sizeof(inbox->sent));
        inbox->hour = hour;
    }
    uint64_t *sent = &inbox->sent[hash % NODES];
    const bool fits = *sent + bytes <= NODE_HOUR_MAX;
    *sent += fits ? bytes : 0;
    pthread_mutex_unlock(&inbox->guard);
    return fits
               ? 0
               : error_set(err, ERROR_CONFLICT,
                           "the node '%.*s' has sent %d MiB in this hour, and more is taken in "
                           "the next",
                           STR_ARG(node), NODE_HOUR_MAX >> 20);
}

/* What lies in the inbox of a cluster. */
static int64_t bytes_in(const char *folder)
{
    int64_t bytes = 0;
    DIR *open = opendir(folder);
    for (const struct dirent *entry = open ? readdir(open) : NULL; entry;
         entry = readdir(open)) {
        struct stat info;
        if (is_looks(entry) && fstatat(dirfd(open), entry->d_name, &info, 0) == 0) {
            bytes += (int64_t)info.st_size;
        }
    }
    if (open) {
        closedir(open);
    }
    return bytes;
}

static int check_full(const char *folder, const char *cluster, size_t more, struct error *err)
{
    return bytes_in(folder) + (int64_t)more <= CLUSTER_MAX
               ? 0
               : error_set(err, ERROR_CONFLICT,
                           "the inbox of cluster '%s' has %d GiB that are not imported yet",
                           cluster, (int)(CLUSTER_MAX >> 30));
}

int sample_inbox_add(struct sample_inbox *inbox, const char *cluster, struct str looks,
                     struct error *err)
{
    char name[NAME_ROOM];
    char *folder = file_join(inbox->folder, cluster);
    int fd = -1;
    name_hour(inbox->service.now(), name);
    char *path = file_join(folder, name);
    int failed = file_make_folder(folder, err);
    failed = failed ? failed : check_full(folder, cluster, looks.len, err);
    failed = failed ? failed : open_hour(path, &fd, err);
    failed = failed ? failed : write_all(fd, looks, path, err);
    if (fd >= 0) {
        close(fd);
    }
    free(path);
    free(folder);
    if (!failed) {
        set_arrived(inbox);
    }
    return failed;
}

/* --- into the store ----------------------------------------------------------------------- */

struct hours {
    char *paths[FILES_MAX];
    int64_t sizes[FILES_MAX];
    size_t count;
    bool more;
};

static int is_cluster(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void find_hours(struct hours *hours, const char *folder)
{
    struct dirent **entries = NULL;
    const int found = scandir(folder, &entries, is_looks, alphasort);
    *hours = (struct hours){0};
    for (int i = 0; i < found; i++) {
        struct stat info;
        char *path = file_join(folder, entries[i]->d_name);
        if (hours->count < FILES_MAX && stat(path, &info) == 0) {
            hours->sizes[hours->count] = (int64_t)info.st_size;
            hours->paths[hours->count++] = path;
        } else {
            hours->more = true;
            free(path);
        }
        free(entries[i]);
    }
    free(entries);
}

static void release_hours(struct hours *hours)
{
    for (size_t i = 0; i < hours->count; i++) {
        free(hours->paths[i]);
    }
}

/* Files are the first values of the request. */
static int open_hours(void *context, size_t index, struct input **out, struct error *err)
{
    const struct hours *hours = context;
    return input_open(hours->paths[index], out, err);
}

static int call_inbox_operation(struct sample_inbox *inbox, const struct request *request,
                                struct error *err)
{
    struct session session = {
        .folder = inbox->service.store,
        .store = inbox->store,
        .wait = {.limit_us = -1, .stop = &inbox->stop},
    };
    struct answer answer = {0};
    pthread_mutex_lock(&inbox->guard);
    struct service service = inbox->service;
    inbox->used = service.config;
    pthread_mutex_unlock(&inbox->guard);
    service.session = &session;
    service.say = NULL;
    int failed = service_call(&service, request, &answer, err);
    pthread_mutex_lock(&inbox->guard);
    inbox->used = NULL;
    pthread_mutex_unlock(&inbox->guard);
    answer_release(&answer);
    return failed;
}

static int import_hours(struct sample_inbox *inbox, struct hours *hours, const char *cluster,
                        struct error *err)
{
    struct request_value values[FILES_MAX + 2];
    const struct inputs inputs = {.context = hours, .open = open_hours};
    size_t count = 0;
    while (count < hours->count) {
        values[count] = (struct request_value){"file", str_of(hours->paths[count])};
        count++;
    }
    values[count++] = (struct request_value){"source", STR("sonar")};
    values[count++] = (struct request_value){"cluster", str_of(cluster)};
    const struct request request = {.operation = operation_find(STR("import")),
                                    .values = values,
                                    .count = count,
                                    .inputs = &inputs};
    return call_inbox_operation(inbox, &request, err);
}

/* Those that nothing is added to any more and of which all was there when the import began. */
static void remove_imported(const struct sample_inbox *inbox, const struct hours *hours)
{
    char now[NAME_ROOM];
    name_hour(inbox->service.now(), now);
    for (size_t i = 0; i < hours->count; i++) {
        struct stat info;
        const int fd = str_ends(str_of(hours->paths[i]), str_of(now))
                           ? -1
                           : open(hours->paths[i], O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX) == 0 && fstat(fd, &info) == 0 &&
            (int64_t)info.st_size == hours->sizes[i]) {
            (void)unlink(hours->paths[i]);
        }
        if (fd >= 0) {
            close(fd);
        }
    }
}

/*
 * After one of them was refused: the others must not wait for it. The first failure is
 * returned.
 */
static int import_one_by_one(struct sample_inbox *inbox, const struct hours *hours,
                             const char *cluster, struct error *err)
{
    int failed = 0;
    for (size_t i = 0; i < hours->count && !stop_is_set(&inbox->stop); i++) {
        struct hours one = {.paths = {hours->paths[i]}, .sizes = {hours->sizes[i]}, .count = 1};
        struct error own = {0};
        const int refused = import_hours(inbox, &one, cluster, &own);
        if (!refused) {
            remove_imported(inbox, &one);
        } else if (!failed) {
            failed = refused;
            *err = own;
        }
    }
    return failed;
}

static int import_cluster(struct sample_inbox *inbox, const char *cluster, struct error *err)
{
    struct hours hours;
    char *folder = file_join(inbox->folder, cluster);
    find_hours(&hours, folder);
    int failed = hours.count ? import_hours(inbox, &hours, cluster, err) : 0;
    if (!failed) {
        remove_imported(inbox, &hours);
    } else if (failed == ERROR_INPUT && hours.count > 1) {
        failed = import_one_by_one(inbox, &hours, cluster, err);
    }
    if (hours.more) {
        set_arrived(inbox);
    }
    release_hours(&hours);
    free(folder);
    return failed;
}

static void say_failure(struct sample_inbox *inbox, const char *cluster,
                        const struct error *err)
{
    const struct service *service = &inbox->service;
    char line[ERROR_TEXT_MAX + 192];
    snprintf(line, sizeof(line),
             "samples of cluster '%.80s' stay in the inbox: %s; the import is retried", cluster,
             err->text);
    if (service->say && !inbox->failing) {
        service->say(service->watcher, line);
    }
    inbox->failing = true;
}

static void import_all(struct sample_inbox *inbox)
{
    struct dirent **entries = NULL;
    const int found = scandir(inbox->folder, &entries, is_cluster, alphasort);
    bool failed = false;
    for (int i = 0; i < found; i++) {
        struct error err = {0};
        if (!stop_is_set(&inbox->stop) &&
            import_cluster(inbox, entries[i]->d_name, &err) != 0 &&
            !stop_is_set(&inbox->stop)) {
            failed = true;
            say_failure(inbox, entries[i]->d_name, &err);
        }
        free(entries[i]);
    }
    free(entries);
    if (failed) {
        set_arrived(inbox);
    } else {
        inbox->failing = false;
    }
}

/*
 * The file .thinned of the inbox is as old as the last time. A server that never had an inbox
 * leaves samples as they are.
 */
static void thin_daily(struct sample_inbox *inbox)
{
    const struct request request = {.operation = operation_find(STR("thin"))};
    struct stat info;
    struct error err;
    char *path = file_join(inbox->folder, ".thinned");
    const int64_t today = inbox->service.now() / DAY_US;
    const bool known = stat(path, &info) == 0;
    const bool due = known && (int64_t)info.st_mtim.tv_sec * SECOND_US / DAY_US < today;
    if ((due && call_inbox_operation(inbox, &request, &err) == 0) ||
        (!known && stat(inbox->folder, &info) == 0)) {
        const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (fd >= 0) {
            (void)!futimens(fd, NULL);
            close(fd);
        }
    }
    free(path);
}

static void *inbox_main(void *data)
{
    struct sample_inbox *inbox = data;
    while (await_arrival(inbox)) {
        import_all(inbox);
        thin_daily(inbox);
        if (!stop_sleep(&inbox->stop, IMPORT_EVERY_US)) {
            break;
        }
    }
    return NULL;
}

struct sample_inbox *sample_inbox_start(struct store *store, const struct service *service)
{
    struct sample_inbox *inbox = mem_alloc(1, sizeof(*inbox));
    inbox->store = store;
    inbox->service = *service;
    inbox->service.stop = &inbox->stop;
    inbox->service.progress = NULL;
    inbox->service.serve = NULL;
    inbox->folder = file_join(service->store, "inbox");
    pthread_mutex_init(&inbox->guard, NULL);
    pthread_cond_init(&inbox->changed, NULL);
    inbox->arrived = true;
    inbox->started = pthread_create(&inbox->thread, NULL, inbox_main, inbox) == 0;
    return inbox;
}

void sample_inbox_adopt(struct sample_inbox *inbox, const struct service *service)
{
    pthread_mutex_lock(&inbox->guard);
    service_adopt(&inbox->service, service);
    pthread_mutex_unlock(&inbox->guard);
}

bool sample_inbox_uses(struct sample_inbox *inbox, const struct config *config)
{
    pthread_mutex_lock(&inbox->guard);
    const bool found = inbox->used == config;
    pthread_mutex_unlock(&inbox->guard);
    return found;
}

void sample_inbox_stop(struct sample_inbox *inbox)
{
    if (!inbox) {
        return;
    }
    stop_ask(&inbox->stop);
    set_arrived(inbox);
    if (inbox->started) {
        pthread_join(inbox->thread, NULL);
    }
    pthread_cond_destroy(&inbox->changed);
    pthread_mutex_destroy(&inbox->guard);
    free(inbox->folder);
    free(inbox);
}
