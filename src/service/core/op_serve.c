/* SPDX-License-Identifier: MIT */

/*
 * stint serve: what it is called and takes. What it does lies above the operations, which it
 * offers to others; so the caller brings it along (struct service's `serve`).
 */

#include "service/core/operations.h"

static int run_serve(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    if (!service->serve) {
        return error_set(err, ERROR_DENIED, "a server cannot start another server");
    }
    return service->serve(service, request, answer, err);
}

static const struct param params[] = {
    {.name = "listen",
     .letter = 'l',
     .type = PARAM_TEXT,
     .value = "ADDRESS",
     .fallback = "127.0.0.1:8467",
     .help =
         "where to listen: ADDRESS:PORT or unix:PATH, after local= or proxy= if callers are "
         "identified that way; may be repeated; sockets passed by systemd replace the "
         "default",
     .repeated = true},
    {.name = "tls-cert",
     .type = PARAM_TEXT,
     .value = "FILE",
     .help = "TLS certificate (PEM, including its chain)"},
    {.name = "tls-key",
     .type = PARAM_TEXT,
     .value = "FILE",
     .help = "private key of the certificate (PEM)"},
    {.name = "prefix",
     .type = PARAM_TEXT,
     .value = "PATH",
     .help = "URL path under which a reverse proxy publishes this server, such as /stint"},
    {.name = "workers",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "maximum number of requests processed at the same time; default twice the cores, "
             "4 to 32"},
    {.name = "timeout",
     .type = PARAM_NUMBER,
     .value = "SECONDS",
     .fallback = "60",
     .help = "maximum time for a request"},
    {.name = "no-pull",
     .type = PARAM_FLAG,
     .help = "query no scheduler and follow no file, even if stint.conf lists some"},
};

const struct operation operation_serve = {
    .name = "serve",
    .summary = "run a server: HTTP API, web pages and metrics",
    .description =
        "Opens the store and serves all requests until it is stopped (SIGTERM, SIGINT): over "
        "HTTP on the loopback interface, unless --listen names other addresses, and over a "
        "socket in the store's folder, through which all other commands on this machine reach "
        "it.\n"
        "The API offers the operations of the command line, with the same parameter names: GET "
        "/api/v1/report?measure=cpu_hours&by=user. /api/v1/openapi.json describes it.\n"
        "The schedulers in stint.conf are queried at their intervals, as by stint pull "
        "--every, and the files of its [follow NAME] sections are read as they grow, as by "
        "stint import --follow.\n"
        "How callers are identified is a property of the address. By default it is open: a "
        "caller has a token or logs in, on a Unix socket too. With local= (Unix sockets only), "
        "callers are the users of this machine, as the kernel reports them. With proxy=, a "
        "reverse proxy that [serve] of stint.conf names (proxy_uids on a Unix socket; proxy "
        "and "
        "proxy_secret_file otherwise) says who they are.\n"
        "On SIGHUP the server reads stint.conf, the certificate and the key again, without "
        "refusing or cancelling a request; if one of them is invalid it says so and continues "
        "with the previous ones. Addresses and the other options need a restart.\n"
        "A request that takes longer than --timeout is cancelled. On SIGTERM the server "
        "accepts no new connections, answers the requests in progress and exits. With systemd "
        "socket activation the socket stays open during a restart, so no client is refused.",
    .examples =
        "stint serve # on 127.0.0.1:8467\n"
        "stint serve --listen unix:/run/stint/http --prefix /stint # behind a proxy, with "
        "logins of stint\n"
        "stint serve --listen proxy=unix:/run/stint/http # the proxy authenticates users\n"
        "stint serve --listen local=unix:/run/stint/local # for users of this machine",
    .rights = RIGHT_CHORES | RIGHT_ALL,
    .local = true,
    .stoppable = true,
    .reloads = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_serve,
};
