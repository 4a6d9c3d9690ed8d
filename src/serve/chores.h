/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a server does by itself: it makes the sums by day and month that large imports leave out, and, as stint.conf says, pulls
 * clusters on their intervals ([cluster NAME]), follows files ([follow NAME]), applies limits ([enforce NAME]) and sends notices
 * ([bank]). Each is the operation that the command line has for it, in a thread of its own; one that fails is said, and begun
 * again after a while.
 */

#include "facts/store.h"
#include "service/service.h"

struct chores;

/* `service` is that of whoever started the server, in whose name it is done. */
struct chores *chores_start(struct store *store, const struct service *service);

/* Ends them in good order. Accepts NULL. */
void chores_stop(struct chores *chores);
