/* SPDX-License-Identifier: MIT */

/*
 * What agents send: POST /api/v1/agent/samples, packed looks of any number of nodes of one cluster, whose name the token has
 * (agent-CLUSTER). They are put into a file of the day below the store's folder, inbox/CLUSTER/, synced, and then it is said that
 * they have arrived. The file is imported like any other, from where it ended, by whichever request comes when the last import is some
 * seconds old: one import takes in what many nodes sent. What arrives twice is kept once, by the identity of samples.
 */

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/stream.h"
#include "base/zone.h"
#include "serve/identify.h"
#include "serve/problem.h"
#include "serve/routes.h"
#include "serve/world.h"

enum {
    LOOKS_MAX = 64 << 20,
    IMPORT_EVERY_S = 5,
    KEPT_DAYS = 3,
    DAYS_MAX = 16,
    NAME_MAX_BYTES = 128
};

#define TOKEN_PREFIX "token agent-"

/* --- who ---------------------------------------------------------------------------------------------- */

static bool is_plain(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            !(i > 0 && strchr("-._", c))) {
            return false;
        }
    }
    return name.len > 0 && name.len < NAME_MAX_BYTES;
}

/* The cluster that the token is for; whoever may import may send for none. */
static int find_cluster(const struct exchange *exchange, const char **cluster,
                        struct error *err)
{
    const struct str name = str_of(exchange->caller.name);
    const struct str bearer = exchange_header(exchange, "Authorization");
    const struct str prefix = STR(TOKEN_PREFIX);
    if (!bearer.ptr || !str_starts(name, prefix)) {
        return error_set(
            err, ERROR_DENIED,
            "looks are taken with a token of the name agent-CLUSTER: stint token add "
            "agent-CLUSTER --role user");
    }
    *cluster = name.ptr + prefix.len;
    return is_plain(str_of(*cluster))
               ? 0
               : error_set(
                     err, ERROR_DENIED,
                     "the name of the token's cluster has other than letters, digits, '-', "
                     "'.' and '_'");
}

/* --- onto the disk ------------------------------------------------------------------------------------ */

static int read_packed(void *context, const struct input *input, uint64_t offset, void *data,
                       size_t size, size_t *got, struct error *err)
{
    const struct str *body = context;
    (void)input, (void)err;
    const size_t at = offset < body->len ? (size_t)offset : body->len;
    *got = body->len - at < size ? body->len - at : size;
    if (*got > 0) {
        memcpy(data, body->ptr + at, *got);
    }
    return 0;
}

static int unpack(struct exchange *exchange, struct buf *out, struct error *err)
{
    const struct input_about about = {.size = (int64_t)exchange->body.len};
    struct input *input = input_new("the batch", NULL, &about);
    struct stream *stream = NULL;
    size_t got = 1;
    input->context = &exchange->body;
    input->read = read_packed;
    int failed = stream_open_input(input, &stream, err);
    while (!failed && got > 0) {
        buf_reserve(out, EXCHANGE_WHOLE_MAX);
        if (out->overflow) {
            failed = error_set(err, ERROR_LIMIT, "a batch holds %d bytes at most", LOOKS_MAX);
            break;
        }
        failed = stream_read(stream, out->ptr + out->len, out->room - out->len - 1, &got, err);
        out->len += got;
        out->ptr[out->len] = '\0';
    }
    stream_close(stream);
    input_close(input);
    if (!failed && (out->len == 0 || out->ptr[0] != '{' || out->ptr[out->len - 1] != '\n')) {
        failed =
            error_set(err, ERROR_INPUT, "a batch is lines of JSON, as stint-agent prints them");
    }
    return failed;
}

static int write_all(int fd, struct str bytes, const char *path, struct error *err)
{
    const off_t before = lseek(fd, 0, SEEK_END);
    for (struct str rest = bytes; rest.len > 0;) {
        const ssize_t put = write(fd, rest.ptr, rest.len);
        if (put <= 0) {
            int failed = error_errno(err, "cannot write '%s'", path);
            (void)!ftruncate(fd, before); /* a part of a batch is none */
            return failed;
        }
        rest.ptr += put;
        rest.len -= (size_t)put;
    }
    return fdatasync(fd) == 0 ? 0 : error_errno(err, "cannot write '%s'", path);
}

static int keep(const char *folder, int64_t now, struct str bytes, struct error *err)
{
    struct buf path;
    const struct civil day = civil_of_days(now / DAY_US);
    buf_init(&path, LIMIT_ARGUMENT);
    buf_addf(&path, "%s/%04d-%02d-%02d.json", folder, day.year, day.month, day.day);
    int failed = file_make_folder(folder, err);
    const int fd = failed ? -1 : open(path.ptr, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (!failed && fd < 0) {
        failed = error_errno(err, "cannot open '%s'", path.ptr);
    }
    if (!failed && flock(fd, LOCK_EX) != 0) {
        failed = error_errno(err, "cannot lock '%s'", path.ptr);
    }
    failed = failed ? failed : write_all(fd, bytes, path.ptr, err);
    if (fd >= 0) {
        close(fd);
    }
    buf_release(&path);
    return failed;
}

/* --- into the store ------------------------------------------------------------------------------------ */

/* The files of the last days; older ones were imported long since, and go. */
struct days {
    char *paths[DAYS_MAX];
    size_t count;
};

static void add_day(struct days *days, const char *folder, const char *name, int64_t now)
{
    struct stat info;
    char *path = file_join(folder, name);
    if (days->count == DAYS_MAX || !str_ends(str_of(name), STR(".json")) || stat(path, &info)) {
        free(path);
    } else if ((int64_t)info.st_mtim.tv_sec <
               now / SECOND_US - KEPT_DAYS * (DAY_US / SECOND_US)) {
        (void)unlink(path);
        free(path);
    } else {
        days->paths[days->count++] = path;
    }
}

static void find_days(struct days *days, const char *folder, int64_t now)
{
    const struct dirent *entry;
    DIR *listing = opendir(folder);
    *days = (struct days){0};
    while (listing && (entry = readdir(listing))) {
        add_day(days, folder, entry->d_name, now);
    }
    if (listing) {
        closedir(listing);
    }
}

static int open_day(void *context, size_t index, struct input **out, struct error *err)
{
    const struct days *days = context;
    return input_open(days->paths[index], out,
                      err); /* files are the first values of the request */
}

/* As the server itself: the request is one that it makes, of files that are its own. */
static int import_days(struct exchange *exchange, struct days *days, const char *cluster,
                       struct error *err)
{
    struct request_value values[DAYS_MAX + 2];
    const struct inputs inputs = {.context = days, .open = open_day};
    struct answer answer = {0};
    const struct caller caller = exchange->caller;
    size_t count = 0;
    while (count < days->count) {
        values[count] = (struct request_value){"file", str_of(days->paths[count])};
        count++;
    }
    values[count++] = (struct request_value){"source", STR("sonar")};
    values[count++] = (struct request_value){"cluster", str_of(cluster)};
    const struct request request = {.operation = operation_find(STR("import")),
                                    .values = values,
                                    .count = count,
                                    .inputs = &inputs};
    exchange->caller = (struct caller){.name = caller.name, .role = ROLE_ADMIN};
    int failed = world_ask(exchange, &request, NULL, &answer, err);
    exchange->caller = caller;
    answer_release(&answer);
    return failed;
}

/* Once a day, by whoever is the first to import on it. */
static void thin_daily(struct exchange *exchange, int64_t last, int64_t now)
{
    const struct request request = {.operation = operation_find(STR("thin"))};
    const struct caller caller = exchange->caller;
    struct answer answer = {0};
    struct error err;
    if (last > 0 && last / DAY_US < now / DAY_US) {
        exchange->caller = (struct caller){.name = caller.name, .role = ROLE_ADMIN};
        (void)!world_ask(exchange, &request, NULL, &answer, &err);
        exchange->caller = caller;
        answer_release(&answer);
    }
}

/* Whether it is this request's turn: nobody else imports, and the last import is some seconds old. The lock is in *fd. */
static bool take_turn(const char *folder, int64_t now, int *fd)
{
    struct stat info;
    char *path = file_join(folder, "imported");
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    free(path);
    if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) != 0 || fstat(*fd, &info) != 0) {
        return false;
    }
    return info.st_size == 0 ||
           now / SECOND_US - (int64_t)info.st_mtim.tv_sec >= IMPORT_EVERY_S ||
           (int64_t)info.st_mtim.tv_sec > now / SECOND_US;
}

/* A failure is no matter for whoever sent: what they sent is here, and the next request tries again. */
static bool import_in_turn(struct exchange *exchange, const char *folder, const char *cluster)
{
    const int64_t now = world_of(exchange)->service->now();
    struct days days;
    struct error err;
    struct stat info = {0};
    int fd = -1;
    bool imported = false;
    if (take_turn(folder, now, &fd)) {
        const bool before = fstat(fd, &info) == 0 && info.st_size > 0;
        find_days(&days, folder, now);
        imported = import_days(exchange, &days, cluster, &err) == 0;
        (void)!pwrite(fd, "\n", 1, 0);
        thin_daily(exchange, before ? (int64_t)info.st_mtim.tv_sec * SECOND_US : 0, now);
        for (size_t i = 0; i < days.count; i++) {
            free(days.paths[i]);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return imported;
}

static int take_samples(struct exchange *exchange, struct error *err)
{
    const struct world *world = world_of(exchange);
    const char *cluster = NULL;
    struct buf looks;
    buf_init(&looks, LOOKS_MAX);
    int failed;
    (void)((failed = find_cluster(exchange, &cluster, err)) ||
           (failed = unpack(exchange, &looks, err)));
    if (!failed) {
        char *inbox = file_join(world->service->store, "inbox");
        char *folder = file_join(inbox, cluster);
        failed = keep(folder, world->service->now(), buf_str(&looks), err);
        const bool imported = !failed && import_in_turn(exchange, folder, cluster);
        free(folder);
        free(inbox);
        exchange->status = imported ? 200 : 202;
        exchange_type(exchange, "application/json");
        failed = failed ? failed
                        : exchange_write(exchange,
                                         imported ? STR("{\"imported\":true}\n")
                                                  : STR("{\"imported\":false}\n"),
                                         err);
    }
    buf_release(&looks);
    return failed;
}

static const struct route rows[] = {
    {"/api/v1/agent/samples", METHOD_POST, ROLE_USER, take_samples},
};

const struct route_table arrival_routes = {rows, COUNT_OF(rows), "/api/", problem_write};
