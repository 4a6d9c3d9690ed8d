/* SPDX-License-Identifier: MIT */
#include "serve/http/cache_key.h"

#include <inttypes.h>

void cache_key_add(struct buf *key, const struct str *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_addf(key, "%zu:", texts[i].len);
        buf_add(key, texts[i]);
    }
    buf_addc(key, '\n');
}

void cache_key_add_caller(struct buf *key, const struct caller *caller)
{
    const struct str name = str_of(caller->name);
    buf_addf(key, "%d %x %d %" PRId64 " %" PRId64 "\n", (int)caller->role, caller->rights,
             (int)caller->token, caller->crowd.window_us, caller->crowd.users);
    cache_key_add(key, &name, 1);
    cache_key_add(key, caller->logins, caller->login_count);
    cache_key_add(key, caller->groups, caller->group_count);
    cache_key_add(key, caller->accounts, caller->account_count);
    cache_key_add(key, caller->metagroups, caller->metagroup_count);
}
