/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Names that somebody wrote down, whether or not any run has them: the people and metagroups of the books,
 * clusters whose size they tell, and so on. Which names are of which dimension is a table in
 * inventory.c. Inside service/ only.
 */

#include "base/arena.h"
#include "report/catalog.h"
#include "service/service.h"

struct inventory {
    struct str *names; /* sorted, each once */
    size_t count;
    struct arena arena;
};

/* The names of a dimension; none for one that nobody writes names of. Released also when it fails. */
int inventory_read(const struct service *service, const struct field *dimension,
                   struct inventory *out, struct error *err) MUST_CHECK;
void inventory_release(struct inventory *inventory);

bool inventory_has(const struct inventory *inventory, struct str name);
