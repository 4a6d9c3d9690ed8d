/* SPDX-License-Identifier: MIT */
#include "serve/daemon/background_jobs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "service/core/inputs.h"

enum { VALUES_MAX = 4, AGAIN_US = 60000000 };

/* How often it is looked whether a large import left days without sums. */
enum { ROLLUP_EVERY_US = 60000000 };

struct chore {
    struct background_jobs *chores;
    const char *name; /* for messages */
    const struct operation *operation;
    struct request_value values[VALUES_MAX];
    size_t count;
    /* between two times; 0: it repeats by itself, and is begun again after a failure */
    int64_t every_us;
    pthread_t thread;
    bool started;
};

struct background_jobs {
    struct store *store;
    struct service service;
    struct stop stop;
    struct chore *rows;
    size_t count;
};

/* Files that stint.conf names are the server's own to open. */
static int open_file(void *context, size_t index, struct input **out, struct error *err)
{
    const struct chore *chore = context;
    return input_open(chore->values[index].text.ptr, out, err);
}

/* What something that is done on an interval did, if it did anything. */
static void say_notes(const struct chore *chore, const struct answer *answer)
{
    const struct service *service = &chore->chores->service;
    for (size_t i = 0; service->say && i < answer->notes.count; i++) {
        const struct note *note = &answer->notes.rows[i];
        char line[ERROR_TEXT_MAX + 128];
        if (note->kind == NOTE_RESULT || note->kind == NOTE_WARNING) {
            snprintf(line, sizeof(line), "%.80s: %.1000s", chore->name, note->text);
            service->say(service->watcher, line);
        }
    }
}

static int do_once(struct chore *chore, struct error *err)
{
    struct background_jobs *chores = chore->chores;
    const struct inputs inputs = {.context = chore, .open = open_file};
    const struct request request = {.operation = chore->operation,
                                    .values = chore->values,
                                    .count = chore->count,
                                    .inputs = &inputs};
    struct session session = {
        .folder = chores->service.store,
        .store = chores->store,
        .wait = {.limit_us = -1, .stop = &chores->stop},
    };
    struct service service = chores->service;
    struct answer answer = {0};
    service.session = &session;
    int failed = service_call(&service, &request, &answer, err);
    if (!failed && chore->every_us > 0 && answer.table.row_count > 0) {
        say_notes(chore, &answer);
    }
    answer_release(&answer);
    return failed;
}

static void say_failure(const struct chore *chore, const struct error *err)
{
    const struct service *service = &chore->chores->service;
    char line[ERROR_TEXT_MAX + 128];
    snprintf(line, sizeof(line), "%.80s: %s; it is tried again%s", chore->name, err->text,
             chore->every_us > 0 ? "" : " in a minute");
    if (service->say) {
        service->say(service->watcher, line);
    }
}

static void *chore_main(void *data)
{
    struct chore *chore = data;
    const struct stop *stop = &chore->chores->stop;
    do {
        struct error err = {0};
        const int failed = do_once(chore, &err);
        if (failed && failed != ERROR_STOPPED && !stop_is_set(stop)) {
            say_failure(chore, &err);
        }
    } while (stop_sleep(stop, chore->every_us > 0 ? chore->every_us : AGAIN_US));
    return NULL;
}

static void add_value(struct chore *chore, const char *name, struct str text)
{
    if (text.ptr) {
        chore->values[chore->count++] = (struct request_value){name, text};
    }
}

static struct chore *add_chore(struct background_jobs *chores, const char *name,
                               const char *operation)
{
    struct chore *chore = &chores->rows[chores->count++];
    *chore = (struct chore){
        .chores = chores, .name = name, .operation = operation_find(str_of(operation))};
    return chore;
}

/* What is applied on an interval: limits of a cluster, notices, messages about requests. */
static void add_applied(struct background_jobs *chores, const char *name, const char *operation,
                        const char *action, struct str cluster, int64_t every_us)
{
    if (every_us > 0) {
        struct chore *chore = add_chore(chores, name, operation);
        add_value(chore, "action", str_of(action));
        add_value(chore, "cluster", cluster);
        add_value(chore, "apply", STR(""));
        chore->every_us = every_us;
    }
}

static void add_bank(struct background_jobs *chores, const struct config_section *section)
{
    const struct config_key *keys = config_bank_keys;
    add_applied(chores, "notices", "bank", "notices", (struct str){0},
                config_number(section, &keys[CONFIG_BANK_NOTICES], 0));
    add_applied(chores, "requests", "request", "messages", (struct str){0},
                config_number(section, &keys[CONFIG_BANK_REQUESTS], 0));
}

static void add_backup(struct background_jobs *chores, const struct config_section *section)
{
    const int64_t every = config_number(section, &config_backup_keys[CONFIG_BACKUP_EVERY], 0);
    if (every > 0) {
        struct chore *chore = add_chore(chores, "backup", "backup");
        add_value(chore, "action", STR("make"));
        add_value(chore, "due", STR(""));
        chore->every_us = every < AGAIN_US ? every : AGAIN_US;
    }
}

static void find_chores(struct background_jobs *chores, const struct config *config)
{
    chores->rows =
        mem_alloc(2 * (config ? config->section_count : 0) + 2, sizeof(*chores->rows));
    struct chore *rollup = add_chore(chores, "rollup", "rollup");
    add_value(rollup, "due", STR(""));
    rollup->every_us = ROLLUP_EVERY_US;
    if (!config) {
        return;
    }
    if (config_find(config, STR("cluster"), (struct str){0})) {
        add_value(add_chore(chores, "pull", "pull"), "every", STR("0"));
    }
    for (size_t i = 0; i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        if (str_eq(section->kind, STR("enforce"))) {
            add_applied(chores, "limits", "bank", "enforce", section->name,
                        config_number(section, &config_enforce_keys[CONFIG_ENFORCE_EVERY], 0));
        } else if (str_eq(section->kind, STR("bank"))) {
            add_bank(chores, section);
        } else if (str_eq(section->kind, STR("backup"))) {
            add_backup(chores, section);
        }
        if (!str_eq(section->kind, STR("follow"))) {
            continue;
        }
        struct chore *chore = add_chore(chores, section->name.ptr, "import");
        const struct config_key *keys = config_follow_keys;
        add_value(chore, "source", config_text(section, &keys[CONFIG_FOLLOW_SOURCE]));
        add_value(chore, "file", config_text(section, &keys[CONFIG_FOLLOW_FILE]));
        add_value(chore, "cluster", config_text(section, &keys[CONFIG_FOLLOW_CLUSTER]));
        add_value(chore, "follow", STR(""));
    }
}

struct background_jobs *background_jobs_start(struct store *store,
                                              const struct service *service)
{
    struct background_jobs *chores = mem_alloc(1, sizeof(*chores));
    chores->store = store;
    chores->service = *service;
    chores->service.stop = &chores->stop;
    chores->service.progress = NULL;
    chores->service.serve = NULL;
    find_chores(chores, service->config);
    for (size_t i = 0; i < chores->count; i++) {
        struct chore *chore = &chores->rows[i];
        chore->started = pthread_create(&chore->thread, NULL, chore_main, chore) == 0;
    }
    return chores;
}

void background_jobs_stop(struct background_jobs *chores)
{
    if (!chores) {
        return;
    }
    stop_ask(&chores->stop);
    for (size_t i = 0; i < chores->count; i++) {
        if (chores->rows[i].started) {
            pthread_join(chores->rows[i].thread, NULL);
        }
    }
    free(chores->rows);
    free(chores);
}
