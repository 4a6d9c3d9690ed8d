/* SPDX-License-Identifier: MIT */

/*
 * One poll loop over what the program writes, until both ends are closed; then it is waited
 * for. A program that closes its output and lives on counts as running, so time and the wish to
 * stop are looked at there too.
 */

#include "reach/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stop.h"

enum {
    LOOK_MS = 50,       /* how often the wish to stop is looked at */
    GRACE_US = 2000000, /* between TERM and KILL */
    READ_AT_ONCE = 64 << 10
};

extern char **environ;

/* A program that runs. */
struct child {
    const struct program *program;
    pid_t pid;
    int output, said;        /* our ends of its pipes; -1: closed */
    int64_t begun, ended_at; /* when it was reported to end; 0: it was not */
    bool killed, reaped;
    int status;
    char last[PROGRAM_SAID]; /* of what it says on standard error */
    size_t last_length;
    struct error failure; /* why we ended it */
    int failed;
};

/*
 * Ours, with what the caller wants laid over it; freed by the caller, the texts are borrowed.
 */
static char **make_environment(const char *const *over)
{
    size_t ours = 0, theirs = 0, count = 0;
    while (environ[ours]) {
        ours++;
    }
    while (over && over[theirs]) {
        theirs++;
    }
    char **out = mem_alloc(ours + theirs + 1, sizeof(*out));
    for (size_t i = 0; i < ours; i++) {
        size_t name = strcspn(environ[i], "=") + 1;
        bool covered = false;
        for (size_t k = 0; k < theirs && !covered; k++) {
            covered = strncmp(environ[i], over[k], name) == 0;
        }
        if (!covered) {
            out[count++] = environ[i];
        }
    }
    for (size_t i = 0; i < theirs; i++) {
        memcpy(&out[count++], &over[i], sizeof(*over)); /* posix_spawn does not write to them */
    }
    return out;
}

static int give_input(posix_spawn_file_actions_t *files, const struct spool *input)
{
    return input ? posix_spawn_file_actions_adddup2(files, input->fd, STDIN_FILENO)
                 : posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                                    0);
}

static int start(struct child *child, int output, int said, struct error *err)
{
    const struct program *program = child->program;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    char **environment = make_environment(program->environment);
    char *const *words;
    memcpy(&words, &program->words, sizeof(words));
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    sigemptyset(&none);
    sigfillset(&all);
    int wrong;
    (void)((wrong = give_input(&files, program->input)) ||
           (wrong = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)) ||
           (wrong = posix_spawn_file_actions_adddup2(&files, said, STDERR_FILENO)) ||
           (wrong = posix_spawnattr_setpgroup(&how, 0)) ||
           (wrong = posix_spawnattr_setsigmask(&how, &none)) ||
           (wrong = posix_spawnattr_setsigdefault(&how, &all)) ||
           (wrong =
                posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                   POSIX_SPAWN_SETSIGDEF)) ||
           (wrong = posix_spawnp(&child->pid, words[0], &files, &how, words, environment)));
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    free(environment);
    if (wrong == ENOENT) {
        return error_set(err, ERROR_MISSING, "cannot run '%s': there is no such program%s",
                         words[0], strchr(words[0], '/') ? "" : " in PATH");
    }
    errno = wrong;
    return wrong ? error_errno(err, "cannot run '%s'", words[0]) : 0;
}

static void signal_group(const struct child *child, int number)
{
    (void)kill(-child->pid, number);
}

/* Tells it to end, for the reason that is in child->failure. */
static void give_up(struct child *child, int failed)
{
    if (!child->ended_at) {
        child->failed = failed;
        child->ended_at = stop_clock();
        signal_group(child, SIGTERM);
    }
}

static void look_at_time(struct child *child)
{
    const struct program *program = child->program;
    const int64_t now = stop_clock();
    if (child->ended_at) {
        if (!child->killed && now - child->ended_at >= GRACE_US) {
            child->killed = true;
            signal_group(child, SIGKILL);
        }
    } else if (stop_is_set(program->stop)) {
        give_up(child, error_set(&child->failure, ERROR_STOPPED, "interrupted while '%s' ran",
                                 program->words[0]));
    } else if (program->timeout_us > 0 && now - child->begun >= program->timeout_us) {
        give_up(child,
                error_set(&child->failure, ERROR_IO,
                          "'%s' was stopped: it did not answer completely within %lld seconds",
                          program->words[0], (long long)(program->timeout_us / 1000000)));
    }
}

/* Keeps the last bytes of what it says. */
static void keep_said(struct child *child, const char *bytes, size_t length)
{
    if (length > sizeof(child->last)) {
        bytes += length - sizeof(child->last);
        length = sizeof(child->last);
    }
    size_t over = child->last_length + length > sizeof(child->last)
                      ? child->last_length + length - sizeof(child->last)
                      : 0;
    memmove(child->last, child->last + over, child->last_length - over);
    child->last_length -= over;
    memcpy(child->last + child->last_length, bytes, length);
    child->last_length += length;
}

static void keep_output(struct child *child, struct spool *spool, struct str bytes)
{
    const struct program *program = child->program;
    if (child->ended_at) {
        return; /* nothing of it counts any more */
    }
    if (spool->size + bytes.len > program->limit) {
        give_up(child, error_set(&child->failure, ERROR_LIMIT,
                                 "'%s' was stopped: it wrote more than %llu bytes",
                                 program->words[0], (unsigned long long)program->limit));
        return;
    }
    int failed = spool_add(spool, bytes, &child->failure);
    if (failed) {
        give_up(child, failed);
    }
}

/* Takes what a pipe has; closes it at its end. */
static void drain(struct child *child, int *pipe, struct spool *spool)
{
    char bytes[READ_AT_ONCE];
    ssize_t got = read(*pipe, bytes, sizeof(bytes));
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (got <= 0) {
        close(*pipe);
        *pipe = -1;
    } else if (spool) {
        keep_output(child, spool, (struct str){bytes, (size_t)got});
    } else {
        keep_said(child, bytes, (size_t)got);
    }
}

static void reap(struct child *child)
{
    child->reaped = child->reaped || waitpid(child->pid, &child->status, WNOHANG) == child->pid;
}

/*
 * Until it has ended and said all. What it left running may hold the pipes open: once the
 * program itself is gone and nothing more comes for a moment, it is not waited for.
 */
static void listen_to(struct child *child, struct spool *spool)
{
    while (!child->reaped || child->output >= 0 || child->said >= 0) {
        struct pollfd ends[] = {{.fd = child->output, .events = POLLIN},
                                {.fd = child->said, .events = POLLIN}};
        const bool said_all = child->output < 0 && child->said < 0;
        const int ready = poll(ends, 2, said_all ? 1 : LOOK_MS);
        if (ready > 0 && ends[0].revents) {
            drain(child, &child->output, spool);
        }
        if (ready > 0 && ends[1].revents) {
            drain(child, &child->said, NULL);
        }
        const bool quiet = child->reaped && ready == 0;
        reap(child);
        look_at_time(child);
        if (quiet && !said_all) { /* it left somebody behind, who goes with it */
            signal_group(child, SIGKILL);
            break;
        }
    }
}

/* The last line it said, with bytes that are not for the terminal as dots. */
static struct str last_words(struct child *child)
{
    struct str text = {child->last, child->last_length};
    for (size_t i = 0; i < child->last_length; i++) {
        unsigned char byte = (unsigned char)child->last[i];
        if (byte != '\n' && (byte < ' ' || byte > '~')) {
            child->last[i] = '.';
        }
    }
    text = str_trim(text);
    for (size_t i = text.len; i > 0; i--) {
        if (text.ptr[i - 1] == '\n') {
            return (struct str){text.ptr + i, text.len - i};
        }
    }
    return text;
}

static int judge(struct child *child, struct error *err)
{
    const char *name = child->program->words[0];
    const struct str said = last_words(child);
    const char *colon = said.len > 0 ? ": " : "";
    if (child->failed) {
        return error_set(err, child->failure.kind, "%s%s%.*s", child->failure.text,
                         child->failure.kind == ERROR_STOPPED ? "" : colon,
                         child->failure.kind == ERROR_STOPPED ? 0 : (int)said.len, said.ptr);
    }
    if (WIFSIGNALED(child->status)) {
        return error_set(err, ERROR_IO, "'%s' was terminated by signal %d%s%.*s", name,
                         WTERMSIG(child->status), colon, STR_ARG(said));
    }
    if (WEXITSTATUS(child->status) == 127 && said.len == 0) {
        return error_set(err, ERROR_MISSING, "cannot run '%s': there is no such program", name);
    }
    return WEXITSTATUS(child->status) != 0 &&
                   WEXITSTATUS(child->status) != child->program->also_status
               ? error_set(err, ERROR_IO, "'%s' failed with exit status %d%s%.*s", name,
                           WEXITSTATUS(child->status), colon, STR_ARG(said))
               : 0;
}

static void close_end(int *end)
{
    if (*end >= 0) {
        close(*end);
        *end = -1;
    }
}

int program_run(const struct program *program, struct spool *out, struct error *err)
{
    struct child child = {.program = program, .output = -1, .said = -1, .begun = stop_clock()};
    int output[2] = {-1, -1}, said[2] = {-1, -1};
    int failed = spool_open(out, err);
    if (!failed && (pipe2(output, O_CLOEXEC) != 0 || pipe2(said, O_CLOEXEC) != 0)) {
        failed = error_errno(err, "cannot run '%s'", program->words[0]);
    }
    if (!failed) {
        failed = start(&child, output[1], said[1], err);
    }
    close_end(&output[1]);
    close_end(&said[1]);
    child.output = output[0];
    child.said = said[0];
    if (!failed) {
        listen_to(&child, out);
        failed = judge(&child, err);
    }
    close_end(&child.output);
    close_end(&child.said);
    if (!failed) {
        failed = spool_rewind(out, err);
    }
    if (failed) {
        spool_close(out);
    }
    return failed;
}
