/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a server does by itself, as stint.conf says: it pulls clusters on their intervals ([cluster NAME]) and follows files ([follow
 * NAME]). Each is the operation that the command line has for it, pull --every and import --follow, in a thread of its own; one that
 * fails is said, and begun again after a while.
 */

#include "facts/store.h"
#include "service/service.h"

struct chores;

/* NULL if there is nothing to do. `service` is that of whoever started the server, in whose name it is done. */
struct chores *chores_start(struct store *store, const struct service *service);

/* Ends them in good order. Accepts NULL. */
void chores_stop(struct chores *chores);
