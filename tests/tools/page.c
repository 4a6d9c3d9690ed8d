/* SPDX-License-Identifier: MIT */

/*
 * page STORE ADDRESS...: prints the pages of these addresses as a member of staff gets them, each after a line with its
 * status, type and where it leads.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/zone.h"
#include "serve/http/route.h"
#include "serve/pages/page.h"

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
    const struct config config = {0};
    const struct caller caller = {.name = "staff", CALLER_AS(STAFF)};
    struct error err = {0};
    struct zone *zone = NULL;
    if (argc < 3 || zone_open("UTC", &zone, &err) != 0) {
        fprintf(stderr, "usage: page STORE ADDRESS...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        struct session session = {.folder = argv[1], .wait = {.limit_us = -1}};
        struct service service = {
            .store = argv[1],
            .session = &session,
            .config = &config,
            .zone = zone,
            .now = now_us,
            .caller = &caller,
        };
        struct page_reply reply = {0};
        struct str query = str_of(argv[i]);
        const struct page_request request = {
            .path = str_cut(&query, '?'),
            .query = query,
            .prefix = "",
            .login = caller.name,
        };
        int failed = page_answer(&service, &request, &reply, &err);
        if (failed) {
            fprintf(stderr, "page: %s: %s\n", argv[i], err.text);
        } else {
            printf("%d %s %s\n",
                   reply.location ? 303
                   : reply.failed ? route_status((enum error_kind)reply.failed)
                                  : 200,
                   reply.type ? reply.type : "-", reply.location ? reply.location : "");
            fwrite(reply.body.ptr, 1, reply.body.len, stdout);
        }
        page_release(&reply);
        if (failed) {
            return 1;
        }
    }
    zone_close(zone);
    return 0;
}
