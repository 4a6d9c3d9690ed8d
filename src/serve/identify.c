/* SPDX-License-Identifier: MIT */
#include "serve/identify.h"

#include "serve/world.h"

int identify_caller(struct exchange *exchange, struct error *err)
{
    const struct world *world = world_of(exchange);
    (void)err;
    if (exchange->on_socket) {
        exchange->caller = caller_local(world->service->store, exchange->uid, &exchange->arena);
    } else {
        exchange->caller = (struct caller){.name = "anyone", .role = ROLE_ANYONE};
    }
    exchange->caller.remote = true; /* files of this process are not theirs to name */
    return 0;
}
