/* SPDX-License-Identifier: MIT */
#include "reach/http_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/zone.h"
#include "reach/program.h"
#include "support/expect.h"
#include "support/http_answers.h"

static struct http_answers server;

static struct http_server plain_server(void)
{
    return (struct http_server){
        .address = server.address, .timeout_us = 600 * SECOND_US, .limit = 4 << 20};
}

/* Asks once; what came is left in *body, if it is not NULL. */
static int get(const struct http_server *from, const char *path, struct http_answer *answer,
               struct buf *body, struct error *err)
{
    struct http *http = NULL;
    int failed = http_open(from, &http, err);
    if (!failed) {
        failed = http_get(http, path, 0, answer, err);
    }
    if (!failed && body) {
        failed = spool_text(&answer->body, body, err);
    }
    if (!failed) {
        spool_close(&answer->body);
    }
    http_close(http);
    return failed;
}

struct answer_row {
    const char *name, *path;
    int status;
    int64_t index;
    const char *body;
};

static const struct answer_row answer_rows[] = {
    {"an answer", "/plain", 200, -1, "plain\n"},
    {"the index", "/index", 200, 4711, "[]"},
    {"a sick server", "/sick", 500, -1, "it hurts"},
    {"what is not there", "/none", 404, -1, "no such thing"},
    {"a redirection is not followed", "/elsewhere", 302, -1, "go on"},
    {"a question", "/path?a=b%20c", 200, -1, "/path?a=b%20c\n"},
};

static void answers_are_kept(void **state)
{
    const struct answer_row *row = *state;
    const struct http_server from = plain_server();
    struct http_answer answer;
    struct error err = {0};
    struct buf body;
    buf_init(&body, 4096);
    if (get(&from, row->path, &answer, &body, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_int(answer.status, row->status);
    expect_int(answer.index, row->index);
    expect_text(body.ptr, row->body);
    buf_release(&body);
}

struct trouble_row {
    const char *name, *path;
    int64_t timeout_us;
    uint64_t limit;
    int kind;
    const char *says;
};

static const struct trouble_row trouble_rows[] = {
    {"endless", "/huge", 600 * SECOND_US, 1 << 20, ERROR_LIMIT, "more than 1048576 bytes"},
    {"slow", "/slow", SECOND_US, 100, ERROR_IO, "did not answer completely within 1 seconds"},
    {"cut short", "/cut", 600 * SECOND_US, 10000, ERROR_IO, "nothing of the answer is used"},
    {"hung up", "/nothing", 600 * SECOND_US, 10000, ERROR_IO, "that kind of server"},
};

static void trouble_is_a_sentence(void **state)
{
    const struct trouble_row *row = *state;
    struct http_server from = plain_server();
    struct http_answer answer;
    struct error err = {0};
    from.timeout_us = row->timeout_us;
    from.limit = row->limit;
    expect_int(get(&from, row->path, &answer, NULL, &err), row->kind);
    expect_contains(err.text, row->says);
    expect_contains(err.text, server.address);
    expect_int(answer.body.fd, -1);
}

static void one_connection_asks_often(void **state)
{
    (void)state;
    const struct http_header headers[] = {{"X-SLURM-USER-TOKEN", "secret"}, {NULL, NULL}};
    struct http_server from = plain_server();
    struct http *http = NULL;
    struct error err = {0};
    struct buf body;
    from.headers = headers;
    buf_init(&body, 8 << 20);
    expect_int(http_open(&from, &http, &err), 0);
    for (int i = 0; i < 3; i++) {
        struct http_answer answer;
        buf_clear(&body);
        expect_int(http_get(http, i == 1 ? "/megabytes" : "/header", 0, &answer, &err), 0);
        expect_int(spool_text(&answer.body, &body, &err), 0);
        expect_uint(body.len, i == 1 ? 3 << 20 : strlen("secret\n"));
        spool_close(&answer.body);
    }
    http_close(http);
    buf_release(&body);
}

static void the_wish_to_stop_ends_it(void **state)
{
    (void)state;
    const struct stop stop = {.asked = 1};
    struct http_server from = plain_server();
    struct http_answer answer;
    struct error err = {0};
    from.stop = &stop;
    expect_int(get(&from, "/slow", &answer, NULL, &err), ERROR_STOPPED);
}

static void nobody_there_is_a_sentence(void **state)
{
    (void)state;
    struct http_server from = plain_server();
    struct http_answer answer;
    struct error err = {0};
    from.address = "http://127.0.0.1:1";
    expect_int(get(&from, "/", &answer, NULL, &err), ERROR_IO);
    expect_contains(err.text, "is it running");
    from.address = "unix:/nonexistent/socket";
    expect_int(get(&from, "/", &answer, NULL, &err), ERROR_IO);
    expect_contains(err.text, "unix:/nonexistent/socket");
}

static const struct {
    const char *name, *address;
} address_rows[] = {
    {"no scheme", "localhost:6820"},
    {"another scheme", "file:///etc/passwd"},
    {"a password", "http://root:secret@localhost:6820"},
    {"nothing", ""},
};

static void what_is_no_address_is_refused(void **state)
{
    const char *const *row = *state;
    struct http_server from = plain_server();
    struct http *http = NULL;
    struct error err = {0};
    from.address = row[1];
    expect_int(http_open(&from, &http, &err), ERROR_USAGE);
    expect_contains(err.text, "is not an address");
}

static void a_unix_socket_is_a_server(void **state)
{
    (void)state;
    char folder[] = "/tmp/stint-http-XXXXXX", path[64];
    struct http_answers local;
    struct http_answer answer;
    struct error err = {0};
    struct buf body;
    expect_true(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/socket", folder);
    http_answers_start(&local, path, NULL);
    buf_init(&body, 4096);
    struct http_server from = plain_server();
    from.address = local.address;
    expect_int(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
    if (get(&from, "/plain", &answer, &body, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_int(unsetenv("http_proxy"), 0);
    expect_text(body.ptr, "plain\n");
    buf_release(&body);
    http_answers_stop(&local);
    (void)unlink(path);
    expect_int(rmdir(folder), 0);
}

/* An authority, a server's certificate for server.global.nomad, and one of ours. */
static void make_certificates(const char *folder)
{
    static const char script[] =
        "cd \"$0\" && openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem "
        "-days 2 -subj /CN=ca && for n in server client; do "
        "echo subjectAltName=DNS:server.global.nomad > $n.ext; "
        "openssl req -newkey rsa:2048 -nodes -keyout $n.key -out $n.csr -subj /CN=$n && "
        "openssl x509 -req -in $n.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 "
        "-extfile $n.ext -out $n.pem; done";
    const char *const words[] = {"sh", "-c", script, folder, NULL};
    struct spool spool;
    struct error err = {0};
    if (program_run(&(struct program){.words = words, .limit = 1 << 20}, &spool, &err) != 0) {
        expect_fail("%s", err.text);
    }
    spool_close(&spool);
}

static void certificates_are_checked(void **state)
{
    (void)state;
    char folder[] = "/tmp/stint-http-XXXXXX";
    char cert[64], key[64], ca[64], own[64], own_key[64];
    struct http_answer answer;
    struct error err = {0};
    struct http_answers secure;
    expect_true(mkdtemp(folder) != NULL);
    make_certificates(folder);
    snprintf(cert, sizeof(cert), "%s/server.pem", folder);
    snprintf(key, sizeof(key), "%s/server.key", folder);
    snprintf(ca, sizeof(ca), "%s/ca.pem", folder);
    snprintf(own, sizeof(own), "%s/client.pem", folder);
    snprintf(own_key, sizeof(own_key), "%s/client.key", folder);
    http_answers_start(&secure, "-", (const char *const[]){cert, key, ca, NULL});
    struct http_server from = plain_server();
    from.address = secure.address;
    expect_int(get(&from, "/plain", &answer, NULL, &err), ERROR_IO); /* an unknown authority */
    expect_contains(err.text, "set 'authority' to a file");
    from.authority = ca;
    expect_int(get(&from, "/plain", &answer, NULL, &err), ERROR_IO); /* another name */
    from.server_name = "server.global.nomad";
    expect_int(get(&from, "/plain", &answer, NULL, &err), ERROR_IO); /* we show none of ours */
    from.certificate = own;
    from.key = own_key;
    if (get(&from, "/plain", &answer, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_int(answer.status, 200);
    http_answers_stop(&secure);
    const char *const words[] = {"rm", "-rf", folder, NULL};
    struct spool spool;
    expect_int(program_run(&(struct program){.words = words, .limit = 1}, &spool, &err), 0);
    spool_close(&spool);
}

static void text_is_escaped_for_its_place(void **state)
{
    (void)state;
    struct buf out;
    buf_init(&out, 100);
    http_escape(&out, STR("a-b_c.d~1/2 3&\xc3\xa9%"));
    expect_text(out.ptr, "a-b_c.d~1%2F2%203%26%C3%A9%25");
    buf_release(&out);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, text_is_escaped_for_its_place);
    http_answers_start(&server, "-", NULL);
    SUITE_ROWS(&suite, answers_are_kept, answer_rows);
    SUITE_ROWS(&suite, trouble_is_a_sentence, trouble_rows);
    SUITE_TEST(&suite, one_connection_asks_often);
    SUITE_TEST(&suite, the_wish_to_stop_ends_it);
    SUITE_TEST(&suite, nobody_there_is_a_sentence);
    SUITE_ROWS(&suite, what_is_no_address_is_refused, address_rows);
    SUITE_TEST(&suite, a_unix_socket_is_a_server);
    SUITE_TEST(&suite, certificates_are_checked);
    int failed = suite_run(&suite, "http");
    http_answers_stop(&server);
    return failed;
}
