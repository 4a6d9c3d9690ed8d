/* SPDX-License-Identifier: MIT */

/*
 * holder STORE [--silent | --all]: opens a store to write, as a long import does, says "ready" and keeps it until its standard input ends.
 * It answers for the store as every such process does; with --silent nobody answers, and with
 * --all it also does what changes the store, as a server does.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "facts/session.h"
#include "serve/rpc/rpc_server.h"

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
    const struct config config = {0};
    struct error err = {0};
    struct facts *facts = NULL;
    struct session session = {.folder = argc > 1 ? argv[1] : ".", .wait = {.limit_us = -1}};
    const struct service service = {.store = session.folder, .config = &config, .now = now_us};
    if (session_facts(&session, FACTS_WRITE, &facts, &err) != 0) {
        fprintf(stderr, "holder: %s\n", err.text);
        return 1;
    }
    const bool silent = argc > 2 && strcmp(argv[2], "--silent") == 0;
    const bool all = argc > 2 && strcmp(argv[2], "--all") == 0;
    struct store *store = facts_store(facts);
    if (all) { /* others write */
        facts_close(facts);
        session.facts = NULL;
    }
    struct rpc_server *answering =
        silent ? NULL
               : rpc_server_start(store, &service, all ? RPC_SERVER_ALL : RPC_SERVER_QUESTIONS);
    puts(answering || silent ? "ready" : "cannot answer");
    fflush(stdout);
    while (getchar() != EOF) {
    }
    rpc_server_stop(answering);
    session_close(&session);
    return 0;
}
