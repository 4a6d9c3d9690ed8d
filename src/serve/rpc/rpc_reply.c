/* SPDX-License-Identifier: MIT */
#include "serve/rpc/rpc_reply.h"

#include <stdlib.h>

#include "base/mem.h"
#include "serve/rpc/wire.h"

void rpc_reply_init(struct rpc_reply *asking, const struct service *service,
                    const struct request *request, struct answer *answer)
{
    *asking = (struct rpc_reply){.service = service, .answer = answer};
    input_sender_init(&asking->giving, request);
}

void rpc_reply_release(struct rpc_reply *asking)
{
    input_sender_release(&asking->giving);
}

int rpc_reply_put_request(const struct rpc_reply *asking, struct buf *out, struct error *err)
{
    const struct service *service = asking->service;
    struct wire_request *asked = mem_alloc(1, sizeof(*asked));
    asked->request = *asking->giving.request;
    asked->zone = str_of(zone_name(service->zone));
    asked->year_month = zone_fiscal_month(service->zone);
    asked->bare = asking->answer->bare;
    asked->noteless = asking->answer->noteless;
    asked->streams = asking->answer->sink != NULL;
    asked->watches = service->progress != NULL;
    wire_put_request(out, asked);
    free(asked);
    return out->overflow ? error_set(err, ERROR_LIMIT, "the request is too large to be sent")
                         : 0;
}

static int pass_rows(const struct rpc_reply *asking, struct str content, struct error *err)
{
    const struct table_sink *sink = asking->answer->sink;
    struct table rows = {0};
    int failed = wire_get_rows(content, &rows, err);
    if (!failed) {
        failed = sink ? sink->take(sink->context, &rows, err)
                      : error_set(err, ERROR_INPUT, "rows came that nobody takes");
    }
    table_release(&rows);
    return failed;
}

static int pass_progress(const struct rpc_reply *asking, struct str content, struct error *err)
{
    const struct service *service = asking->service;
    struct wire_progress progress;
    int failed = wire_get_progress(content, &progress, err);
    if (!failed && service->progress) {
        service->progress(service->watcher, progress.what, progress.done, progress.total,
                          progress.records);
    }
    return failed;
}

static int pass_line(const struct rpc_reply *asking, struct str content, struct error *err)
{
    const struct service *service = asking->service;
    struct arena arena = {0};
    const char *line = NULL;
    int failed = wire_get_say(content, &arena, &line, err);
    if (!failed && service->say) {
        service->say(service->watcher, line);
    }
    arena_release(&arena);
    return failed;
}

static int take_answer(struct rpc_reply *asking, struct str content, struct error *err)
{
    asking->answered = true;
    asking->last = true;
    return wire_get_answer(content, asking->answer, &asking->ended, &asking->why, err);
}

int rpc_reply_result(const struct rpc_reply *asking, struct error *err)
{
    if (asking->ended) {
        *err = asking->why;
    }
    return asking->ended;
}

static int give(struct rpc_reply *asking, enum frame_kind kind, struct str content,
                struct error *err)
{
    struct str reply;
    if (asking->stopped) {
        return 0; /* it learns of that by itself */
    }
    int failed = input_sender_answer(&asking->giving, kind, content, &reply, err);
    return failed || reply.len == 0 ? failed : asking->send(asking->context, reply, err);
}

int rpc_reply_take(struct rpc_reply *asking, enum frame_kind kind, struct str content,
                   struct error *err)
{
    switch (kind) {
    case FRAME_ROWS:
        asking->answered = true;
        return pass_rows(asking, content, err);
    case FRAME_OPEN:
    case FRAME_READ:
    case FRAME_CLOSE:
        return give(asking, kind, content, err);
    case FRAME_PROGRESS:
        return pass_progress(asking, content, err);
    case FRAME_SAY:
        return pass_line(asking, content, err);
    case FRAME_ANSWER:
        return take_answer(asking, content, err);
    case FRAME_HELLO:
    case FRAME_REQUEST:
    case FRAME_OPENED:
    case FRAME_BYTES:
    case FRAME_TAKES:
    case FRAME_INLET:
    case FRAME_BUSY:
    default: /* given back, or gone */
        asking->last = true;
        return asking->answered
                   ? error_set(err, ERROR_IO, "the process that answered has ended; ask again")
                   : 0;
    }
}
