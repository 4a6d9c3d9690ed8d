/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Names that are known whether or not any run has them: people and metagroups of the books,
 * clusters whose size they tell, nodes and queues that a scheduler reported. Which names are of
 * which dimension is a table in known_names.c. Inside service/ only.
 */

#include "base/arena.h"
#include "report/catalog.h"
#include "service/core/service.h"

struct known_names {
    struct str *names; /* sorted, each once */
    size_t count;
    struct arena arena;
};

/*
 * The names of a dimension that the caller may know: those who do not see everybody's runs know
 * no names of people, groups and accounts from here. None for a dimension that nobody has names
 * of. Released also when it fails.
 */
int known_names_read(const struct service *service, struct facts *facts,
                     const struct field *dimension, struct known_names *out,
                     struct error *err) MUST_CHECK;
void known_names_release(struct known_names *directory);

bool known_names_has(const struct known_names *directory, struct str name);
