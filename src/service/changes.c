/* SPDX-License-Identifier: MIT */
#include "service/changes.h"

#include "base/attribute.h"

bool changes_action(const struct operation_action *action)
{
    static const char *const verbs[] = {"add",    "set",    "remove",   "revoke",
                                        "import", "passwd", "transfer", "restore"};
    if (str_eq(str_of(action->name), STR("list"))) {
        return false; /* whoever may see it */
    }
    bool changes = action->role >= ROLE_ADMIN;
    for (size_t i = 0; !changes && i < COUNT_OF(verbs); i++) {
        changes = str_eq(str_of(action->name), str_of(verbs[i]));
    }
    return changes;
}
