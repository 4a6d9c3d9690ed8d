/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A real HTTP server beside a test: tests/support/answer.mjs, run by node. It ends with http_answers_stop, or
 * with the test, whatever becomes of it.
 */

#include <sys/types.h>

struct http_answers {
    pid_t pid;
    int input;         /* open as long as it is to live */
    char address[256]; /* for struct http_server */
};

/*
 * Starts one. `where` is "-" for a port of the loopback or the path of a Unix socket; `words` are what
 * else to give it (certificate, key, authority: then it speaks https), ended by NULL.
 */
void http_answers_start(struct http_answers *server, const char *where,
                        const char *const *words);
void http_answers_stop(struct http_answers *server);
