/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a server does by itself: it makes the sums by day and month that large imports leave
 * out, and, as stint.conf says, pulls clusters on their intervals ([cluster NAME]), follows
 * files ([follow NAME]), applies limits ([enforce NAME]) and sends notices ([bank]). Each is
 * the operation that the command line has for it, in a thread of its own; a failure is logged,
 * and the job is started again after a pause.
 */

#include "facts/store.h"
#include "service/core/service.h"

struct background_jobs;

/* `service` is that of the user who started the server, in whose name the jobs run. */
struct background_jobs *background_jobs_start(struct store *store,
                                              const struct service *service);

/* Ends them in good order. Accepts NULL. */
void background_jobs_stop(struct background_jobs *chores);
