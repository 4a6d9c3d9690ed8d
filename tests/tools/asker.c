/* SPDX-License-Identifier: MIT */

/*
 * asker socket STORE | remote ADDRESS: asks as the command line does, through the socket beside a store or at a server elsewhere (with
 * $STINT_TOKEN). Each line of standard input is an operation and its values, "name=value", with tabs between. Prints a line each: the
 * status of HTTP that goes with the outcome, or "nobody" where nobody has answered, then what was said of a failure.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve/http/route.h"
#include "serve/rpc/rpc_client.h"
#include "serve/rpc/rpc_http.h"

enum { LINE_MAX_BYTES = 4096, VALUES_MAX = 16 };

struct way {
    bool remote;
    const char *where;
};

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static struct request read_line(char *line, struct request_value values[VALUES_MAX])
{
    char *rest = line;
    const char *name = strsep(&rest, "\t");
    struct request request = {.operation = operation_find(str_of(name)), .values = values};
    while (rest && request.count < VALUES_MAX) {
        char *value = strsep(&rest, "\t");
        name = strsep(&value, "=");
        values[request.count++] = (struct request_value){name, str_of(value ? value : "")};
    }
    return request;
}

static void ask(const struct way *way, const struct zone *zone, const struct request *request)
{
    const struct config config = {0};
    const struct caller caller = {.name = "asker", CALLER_AS(ADMIN)};
    struct session session = {.folder = way->where};
    const struct service service = {.store = way->where,
                                    .session = &session,
                                    .config = &config,
                                    .zone = zone,
                                    .now = now_us,
                                    .caller = &caller};
    const struct rpc_http remote = {.address = way->where, .token = getenv("STINT_TOKEN")};
    enum rpc_client_outcome outcome = RPC_CLIENT_ANSWERED;
    struct answer answer = {0};
    struct error err = {0};
    int failed = way->remote ? rpc_http_ask(&remote, &service, request, &answer, &err)
                             : rpc_client_ask(&service, request, &answer, &outcome, &err);
    if (outcome == RPC_CLIENT_NOBODY) {
        puts("nobody");
    } else {
        printf("%d %s\n", failed ? route_status((enum error_kind)failed) : 200,
               failed ? err.text : "");
    }
    answer_release(&answer);
}

int main(int argc, char **argv)
{
    struct error err = {0};
    struct zone *zone = NULL;
    char line[LINE_MAX_BYTES];
    if (argc != 3 || zone_open("UTC", &zone, &err) != 0) {
        fprintf(stderr, "usage: asker socket STORE | remote ADDRESS\n");
        return 2;
    }
    const struct way way = {strcmp(argv[1], "remote") == 0, argv[2]};
    while (fgets(line, sizeof(line), stdin)) {
        struct request_value values[VALUES_MAX];
        line[strcspn(line, "\n")] = '\0';
        const struct request request = read_line(line, values);
        if (request.operation) {
            ask(&way, zone, &request);
        } else {
            printf("404 there is no such operation\n");
        }
    }
    zone_close(zone);
    return 0;
}
