/* SPDX-License-Identifier: MIT */
#include "command/offer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

struct arrival {
    const struct service *service;
    const char *name;
};

static void on_arrival(void *watcher, uint64_t done)
{
    const struct arrival *arrival = watcher;
    if (arrival->service->progress) {
        arrival->service->progress(arrival->service->watcher, arrival->name, done, 0, 0);
    }
}

static char *offered_name(const struct offer *offer, size_t index)
{
    const struct str text = offer->values[index].text;
    char *name = mem_alloc(text.len + 1, 1);
    if (text.len > 0) {
        memcpy(name, text.ptr, text.len);
    }
    return name;
}

static int put_aside(struct offer *offer, size_t index, const struct input *input,
                     struct error *err)
{
    struct arrival arrival = {offer->service, input->name};
    return input_keep(input, &offer->spools[index], offer->service->stop, on_arrival, &arrival,
                      err);
}

static int open_named(struct offer *offer, size_t index, const char *name, struct input **out,
                      struct error *err)
{
    int failed = 0;
    *out = NULL;
    if (offer->spools[index].fd < 0) {
        failed = input_open(name, out, err);
        if (failed || !(*out)->about.once) {
            return failed;
        }
        failed = put_aside(offer, index, *out, err);
        input_close(*out);
        *out = NULL;
    }
    if (!failed) {
        *out = input_of_spool(&offer->spools[index], name);
    }
    return failed;
}

static int open_value(void *context, size_t index, struct input **out, struct error *err)
{
    struct offer *offer = context;
    char *name = offered_name(offer, index);
    int failed = open_named(offer, index, name, out, err);
    free(name);
    return failed;
}

/* Of a file nothing need be awaited, and of thousands none is opened. */
static bool is_pipe(const char *name)
{
    struct stat st;
    const bool there =
        str_eq(str_of(name), STR("-")) ? fstat(STDIN_FILENO, &st) == 0 : stat(name, &st) == 0;
    return there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int await_value(void *context, size_t index, struct error *err)
{
    struct offer *offer = context;
    char *name = offered_name(offer, index);
    struct input *input = NULL;
    int failed = 0;
    if (offer->spools[index].fd < 0 && is_pipe(name)) {
        failed = input_open(name, &input, err);
        failed = failed ? failed : put_aside(offer, index, input, err);
    }
    input_close(input);
    free(name);
    return failed;
}

void offer_init(struct offer *offer, const struct request_value *values, size_t count,
                const struct service *service)
{
    *offer = (struct offer){
        .values = values,
        .count = count,
        .service = service,
        .spools = mem_alloc(count + 1, sizeof(*offer->spools)),
        .inputs = {offer, open_value, await_value},
    };
    for (size_t i = 0; i < count; i++) {
        offer->spools[i] = SPOOL_NONE;
    }
}

void offer_release(struct offer *offer)
{
    for (size_t i = 0; i < offer->count; i++) {
        spool_close(&offer->spools[i]);
    }
    free(offer->spools);
    *offer = (struct offer){0};
}
