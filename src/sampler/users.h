/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The names of users, each asked for once. Below / the system is asked, so that directories
 * count too; below another folder its etc/passwd.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct users {
    int passwd; /* the etc/passwd to read; -1: none, or the system is asked */
    bool ask_system;
    struct user *known;
    size_t count, room;
};

/* `root` is the folder the node's files are below, open; `is_system` if that is /. */
void users_open(struct users *users, int root, bool is_system);
void users_close(struct users *users);

/* The name, in the arena; "_user_1234" if it has none, as sonar writes it. */
struct str users_name(struct users *users, int64_t uid, struct arena *arena);
