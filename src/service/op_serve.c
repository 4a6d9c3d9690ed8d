/* SPDX-License-Identifier: MIT */

/*
 * stint serve: what it is called and takes. What it does lies above the operations, which it offers to others; so the
 * caller brings it along (struct service's `serve`).
 */

#include "service/operations.h"

static int run_serve(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    if (!service->serve) {
        return error_set(err, ERROR_DENIED, "a server does not start another one");
    }
    return service->serve(service, request, answer, err);
}

static const struct param params[] = {
    {.name = "listen",
     .letter = 'l',
     .type = PARAM_TEXT,
     .value = "ADDRESS",
     .fallback = "127.0.0.1:8467",
     .help = "where to listen: ADDRESS:PORT or unix:PATH; may be repeated; default "
             "127.0.0.1:8467, or what systemd hands over",
     .repeated = true},
    {.name = "tls-cert",
     .type = PARAM_TEXT,
     .value = "FILE",
     .help = "certificate (PEM, with those it rests on) to encrypt with"},
    {.name = "tls-key", .type = PARAM_TEXT, .value = "FILE", .help = "its key (PEM)"},
    {.name = "prefix",
     .type = PARAM_TEXT,
     .value = "PATH",
     .help = "path below which a reverse proxy shows this server, as /stint"},
    {.name = "workers",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "requests that are answered at the same time; default twice the cores, 4 to 32"},
    {.name = "timeout",
     .type = PARAM_NUMBER,
     .value = "SECONDS",
     .fallback = "60",
     .help = "how long a request may take"},
    {.name = "no-pull",
     .type = PARAM_FLAG,
     .help = "ask no scheduler and follow no file, whatever stint.conf says"},
};

const struct operation operation_serve = {
    .name = "serve",
    .summary = "answer over HTTP: an API, pages and metrics",
    .description =
        "Owns the store until it is stopped (SIGTERM, SIGINT), and answers for it: over HTTP "
        "on loopback, unless --listen says otherwise, and on the socket beside the store, by "
        "which every other command on this machine finds it.\n"
        "The API has the operations of the command line, with the same names of parameters: "
        "GET /api/v1/report?measure=cpu_hours&by=user. /api/v1/openapi.json describes it.\n"
        "The schedulers that stint.conf names are asked on their intervals, as by stint pull "
        "--every, and the files of its [follow NAME] sections are read as they grow, as by "
        "stint import --follow.\n"
        "A request that takes longer than --timeout is ended. On SIGTERM no new connections "
        "are taken, requests under way are answered, and the program ends. With systemd's "
        "socket activation the socket stays open meanwhile, so that nobody is refused.",
    .examples = "stint serve # on 127.0.0.1:8467\n"
                "stint serve --listen unix:/run/stint/http --prefix /stint # behind a proxy",
    .role = ROLE_ADMIN,
    .local = true,
    .stoppable = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_serve,
};
