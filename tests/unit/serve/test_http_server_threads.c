/* SPDX-License-Identifier: MIT */

/*
 * A crowd at the HTTP layer alone, with handlers that answer at once, stream, or take long: some of who asks read everything, some
 * leave before or in the middle of the reply, some send half a request. Run under the thread sanitizer as well.
 */

#include "serve/http/http_server.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "serve/http/listener.h"
#include "support/expect.h"

enum {
    CLIENTS = 12,
    ROUNDS = 40,
    STREAM_BLOCKS = 40,
    HUGE_BLOCKS = 320, /* more than the system takes for a client that does not read */
    BLOCK = 16 << 10,
    SHORT_MAX = 4096,
    BODIES_MAX = 100000,
    UNREAD_MAX = 12 << 20,
    UNREAD_CLIENTS = 24
};

static struct listener listener;
static struct http_serving *serving;
static atomic_int handled, answered, streamed, wrong;

/* /long streams, /huge is whole, /slow waits until whoever asked has left or a moment is over, the others say their path. */
static int handle(void *owner, struct exchange *exchange, struct error *err)
{
    static const char block[BLOCK] = {0};
    int failed = 0;
    (void)owner;
    atomic_fetch_add(&handled, 1);
    const bool is_huge = str_eq(exchange->path, STR("/huge"));
    exchange->whole_max = is_huge ? SIZE_MAX : exchange->whole_max;
    if (is_huge || str_eq(exchange->path, STR("/long"))) {
        for (int i = 0; !failed && i < (is_huge ? HUGE_BLOCKS : STREAM_BLOCKS); i++) {
            failed = exchange_write(exchange, (struct str){block, sizeof(block)}, err);
        }
        return failed;
    }
    if (str_eq(exchange->path, STR("/slow"))) {
        (void)stop_sleep(&exchange->stop, 20000);
    }
    exchange_type(exchange, "text/plain");
    return exchange_write(exchange, exchange->path, err);
}

static int port_of(void)
{
    const char *colon = strrchr(listener.name, ':');
    int port = 0;
    for (colon++; *colon; colon++) {
        port = port * 10 + (*colon - '0');
    }
    return port;
}

static int come(void)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port_of()),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = 60};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ? fd : -1;
}

static void say(int fd, const char *text)
{
    (void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
}

/* All that comes until the other side closes; the beginning is in `text`. */
static size_t read_all(int fd, char text[SHORT_MAX])
{
    static _Thread_local char room[64 << 10];
    size_t all = 0;
    ssize_t got;
    text[0] = '\0';
    while ((got = recv(fd, room, sizeof(room), 0)) > 0) {
        if (all == 0) {
            snprintf(text, SHORT_MAX, "%.*s", got < SHORT_MAX ? (int)got : SHORT_MAX - 1, room);
        }
        all += (size_t)got;
    }
    return all;
}

/* One visit, by its number: what is asked, and whether the reply is read. */
static void visit(int number)
{
    char text[SHORT_MAX], room[1024];
    const int fd = come();
    if (fd < 0) {
        atomic_fetch_add(&wrong, 1);
        return;
    }
    switch (number % 6) {
    case 0:
    case 1:
        say(fd, "GET /short HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        read_all(fd, text);
        atomic_fetch_add(strstr(text, "200 OK") ? &answered : &wrong, 1);
        break;
    case 2:
        say(fd, "GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        atomic_fetch_add(
            read_all(fd, text) > (size_t)STREAM_BLOCKS * BLOCK ? &streamed : &wrong, 1);
        break;
    case 3: /* leaves in the middle of the reply */
        say(fd, "GET /long HTTP/1.1\r\nHost: x\r\n\r\n");
        (void)!recv(fd, room, sizeof(room), 0);
        break;
    case 4: /* leaves before it */
        say(fd, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
        break;
    default: /* says half of what it wants */
        say(fd, "GET /sho");
        break;
    }
    close(fd);
}

static void *client(void *data)
{
    const int *number = data;
    for (int round = 0; round < ROUNDS; round++) {
        visit(*number + round);
    }
    return NULL;
}

static void start(size_t unread_max)
{
    struct http_listener own = {0};
    struct error err = {0};
    expect_int(listener_open("127.0.0.1:0", &listener, &err), 0);
    own.fd = listener.fd;
    const struct http_options options = {
        .listeners = &own,
        .listener_count = 1,
        .prefix = "",
        .workers = 4,
        .queue_max = 512,
        .connections_max = 512,
        .bodies_max = BODIES_MAX,
        .unread_max = unread_max,
        .request_us = 30000000,
        .idle_us = 30000000,
        .handle = handle,
    };
    expect_int(http_start(&options, &serving, &err), 0);
}

static void end(void)
{
    http_stop(serving, 10000000);
    listener_close(&listener);
}

static void a_crowd_is_answered_and_nobody_waits_for_those_who_leave(void **state)
{
    (void)state;
    pthread_t threads[CLIENTS];
    int numbers[CLIENTS];
    start(SIZE_MAX);
    for (int i = 0; i < CLIENTS; i++) {
        numbers[i] = i;
        expect_int(pthread_create(&threads[i], NULL, client, &numbers[i]), 0);
    }
    struct http_counts counts = {0};
    for (int i = 0; i < CLIENTS; i++) {
        http_count(serving, &counts); /* beside them, as /inside does */
        pthread_join(threads[i], NULL);
    }
    expect_int(atomic_load(&wrong), 0);
    expect_int(atomic_load(&answered), CLIENTS * ROUNDS / 3);
    expect_int(atomic_load(&streamed), CLIENTS * ROUNDS / 6);
    end();
}

/* Posts a body, of which so much is sent. */
static int post(size_t length, size_t sent)
{
    static const char body[BODIES_MAX] = {0};
    char head[128];
    const int fd = come();
    snprintf(
        head, sizeof(head),
        "POST /short HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
        length);
    say(fd, head);
    for (ssize_t part = 1; sent > 0 && part > 0; sent -= (size_t)part) {
        part = send(fd, body, sent, MSG_NOSIGNAL);
    }
    return fd;
}

static void expect_status(int fd, const char *status)
{
    char text[SHORT_MAX];
    read_all(fd, text);
    expect_contains(text, status);
    close(fd);
}

static void await_bodies(size_t least, size_t most)
{
    struct http_counts counts = {.body_bytes = SIZE_MAX};
    while (counts.body_bytes < least || counts.body_bytes > most) {
        http_count(serving, &counts);
        (void)usleep(1000);
    }
}

static void what_all_bring_together_has_a_limit(void **state)
{
    (void)state;
    start(SIZE_MAX);
    const int held = post(BODIES_MAX, BODIES_MAX - 1000);
    await_bodies(BODIES_MAX - 1000, BODIES_MAX);
    expect_status(post(2000, 2000), " 503 ");
    expect_status(post(500, 500), " 200 ");
    close(held);
    await_bodies(0, 0);
    expect_status(post(2000, 2000), " 200 ");
    await_bodies(0, 0);
    end();
}

/* Asks for a long reply and has little room to receive it. */
static int ask_and_not_read(void)
{
    const int little = 4096;
    const int fd = come();
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little));
    say(fd, "GET /huge HTTP/1.1\r\nHost: x\r\n\r\n");
    return fd;
}

/*
 * Replies that nobody reads have a limit together: those that were not read for longest are
 * closed, and others are answered.
 */
static void what_nobody_reads_has_a_limit(void **state)
{
    (void)state;
    int unread[UNREAD_CLIENTS];
    struct http_counts counts = {0};
    start(UNREAD_MAX);
    for (int i = 0; i < UNREAD_CLIENTS; i++) {
        unread[i] = ask_and_not_read();
        expect_true(unread[i] >= 0);
    }
    while (counts.requests < UNREAD_CLIENTS || counts.under_way > 0 ||
           counts.unread > UNREAD_MAX / 4 * 3 || counts.connections == UNREAD_CLIENTS) {
        http_count(serving, &counts);
        (void)usleep(1000);
    }
    const int fd = come();
    say(fd, "GET /short HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect_status(fd, " 200 ");
    for (int i = 0; i < UNREAD_CLIENTS; i++) {
        close(unread[i]);
    }
    while (counts.unread > 0) {
        http_count(serving, &counts);
        (void)usleep(1000);
    }
    end();
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_crowd_is_answered_and_nobody_waits_for_those_who_leave);
    SUITE_TEST(&suite, what_all_bring_together_has_a_limit);
    SUITE_TEST(&suite, what_nobody_reads_has_a_limit);
    return suite_run(&suite, "http_threads");
}
