/* SPDX-License-Identifier: MIT */
#include "serve/http/http_reply.h"

#include "base/timed_wait.h"
#include "serve/http/http_request.h"

enum {
    BLOCK = 32 << 10, /* bytes that are asked for at a time */
    READ_RATE =
        4096, /* bytes a second that a client reads at least of a reply that is sent as a whole */
};

void http_reply_count(struct http_request *request, size_t unread)
{
    const size_t before = atomic_exchange(&request->unread, unread);
    atomic_fetch_add(&request->serving->unread, unread - before);
}

/* Under its guard. */
void http_reply_suspend(struct http_request *request)
{
    request->suspended = true;
    mhd.suspend_connection(request->handle);
}

void http_reply_wake(struct http_request *request)
{
    if (request->suspended && !request->gone) {
        request->suspended = false;
        mhd.resume_connection(request->handle);
    }
}

static bool is_unwanted(const struct http_request *request)
{
    return request->gone || stop_is_set(&request->exchange.stop);
}

/*
 * By a worker, where a client reads too slowly for what may be kept for it: another worker
 * takes its place meanwhile. False: it did not read for so long that it is gone.
 */
static bool await_reader(struct http_request *request)
{
    const int64_t until = stop_clock() + HTTP_READ_US;
    struct workers *lane = http_lane(request->serving, &request->exchange);
    const bool out = workers_step_out(lane, request->exchange.party);
    bool late = false;
    while (!reply_flow_fits(&request->flow) && !is_unwanted(request) && !late) {
        late = !timed_wait_until(&request->taken, &request->guard, until);
    }
    if (out) {
        workers_step_in(lane, request->exchange.party);
    }
    return !late;
}

/*
 * By a worker: adds to what is to be read. Under the request's guard, which it leaves while it
 * writes to the file.
 */
static bool keep_bytes(struct http_request *request, struct str bytes)
{
    struct error ignored;
    if (!reply_flow_fits(&request->flow) && reply_flow_reserve(&request->flow, bytes.len)) {
        pthread_mutex_unlock(&request->guard);
        const bool failed = reply_flow_spill(&request->flow, bytes, &ignored) != 0;
        pthread_mutex_lock(&request->guard);
        reply_flow_commit(&request->flow, bytes.len, failed);
        if (!failed) {
            return true;
        }
    }
    if (!reply_flow_fits(&request->flow) && !await_reader(request)) {
        return false;
    }
    reply_flow_keep(&request->flow, bytes);
    http_reply_count(request, reply_flow_memory(&request->flow));
    return true;
}

int http_reply_send(void *sender, struct str bytes, struct error *err)
{
    struct http_request *request = sender;
    pthread_mutex_lock(&request->guard);
    const bool lost =
        is_unwanted(request) || !keep_bytes(request, bytes) || is_unwanted(request);
    if (!lost) {
        int64_t nothing = 0;
        request->state = request->state == REQUEST_HANDLED ? REQUEST_ANSWERED : request->state;
        (void)atomic_compare_exchange_strong(&request->read_us, &nothing, stop_clock());
        http_reply_wake(request);
    }
    pthread_mutex_unlock(&request->guard);
    return lost ? error_set(err, ERROR_STOPPED, "nobody reads the answer any more") : 0;
}

/*
 * By the library: takes what is there; where there is nothing yet, the connection is suspended.
 */
static ssize_t give_bytes(void *data, uint64_t at, char *to, size_t room)
{
    struct http_request *request = data;
    (void)at;
    pthread_mutex_lock(&request->guard);
    ssize_t given = reply_flow_take(&request->flow, to, room);
    http_reply_count(request, reply_flow_memory(&request->flow));
    if (given > 0) {
        atomic_store(&request->read_us, stop_clock());
        pthread_cond_signal(&request->taken);
    } else if (given < 0) {
        given = MHD_CONTENT_READER_END_WITH_ERROR;
    } else if (request->ended) {
        given =
            request->cut ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        atomic_store(&request->read_us, 0);
        http_reply_suspend(request);
    }
    pthread_mutex_unlock(&request->guard);
    return given;
}

static void give_back(void *data)
{
    http_request_drop(data);
}

/* What the library is to send. NULL: it cannot. */
static struct MHD_Response *response_of(struct http_request *request)
{
    struct exchange *exchange = &request->exchange;
    struct MHD_Response *response;
    if (!exchange->streaming) {
        const size_t length = exchange->reply.len;
        http_reply_count(request, exchange->reply.room);
        return mhd.create_response_from_buffer(length, buf_take(&exchange->reply),
                                               MHD_RESPMEM_MUST_FREE);
    }
    atomic_fetch_add(&request->holders, 1);
    response = mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, give_bytes, request,
                                                 give_back);
    if (!response) {
        atomic_fetch_sub(&request->holders, 1);
    }
    return response;
}

enum MHD_Result http_reply_queue(struct http_request *request)
{
    const struct exchange *exchange = &request->exchange;
    if (!exchange->streaming) {
        request->patience_us += (int64_t)(exchange->reply.len / READ_RATE) * INT64_C(1000000);
    }
    atomic_store(&request->read_us, stop_clock());
    struct MHD_Response *response = response_of(request);
    if (!response) {
        return MHD_NO;
    }
    for (size_t i = 0; i < exchange->reply_headers.count; i++) {
        const struct exchange_pair *header = &exchange->reply_headers.rows[i];
        (void)mhd.add_response_header(response, header->name.ptr, header->value.ptr);
    }
    if (request->ambiguous || atomic_load(&request->serving->stopping)) {
        (void)mhd.add_response_header(response, "Connection", "close");
    }
    const enum MHD_Result queued =
        mhd.queue_response(request->handle, (unsigned)exchange->status, response);
    mhd.destroy_response(response);
    return queued;
}
