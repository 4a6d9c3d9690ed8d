/* SPDX-License-Identifier: MIT */

/*
 * hostlist_expand(VARCHAR): the names of a list of nodes (base/hostlist.h), with commas between, each once and in
 * their order; NULL where it cannot be read. Lists stay compressed in the store, and are few beside the runs: asked of
 * the different ones, this costs next to nothing.
 */

#include "base/buf.h"
#include "base/hostlist.h"
#include "base/limit.h"
#include "facts/duckdb/facts_internal.h"

#include <stdlib.h>

static int by_text(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* Each name once, in order; a list without repeats is left alone in nearly all cases, but looked at. */
static void add_names(struct buf *out, struct hostlist *list)
{
    qsort(list->names, list->count, sizeof(*list->names), by_text);
    for (size_t i = 0; i < list->count; i++) {
        if (i == 0 || !str_eq(list->names[i], list->names[i - 1])) {
            buf_addz(out, i ? "," : "");
            buf_add(out, list->names[i]);
        }
    }
}

static void on_expand(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    (void)info;
    struct arena arena = {0};
    struct buf names;
    const duckdb_vector lists = duck.data_chunk_get_vector(input, 0);
    const duckdb_string_t *texts = duck.vector_get_data(lists);
    const uint64_t *known = duck.vector_get_validity(lists);
    duck.vector_ensure_validity_writable(output);
    uint64_t *valid = duck.vector_get_validity(output);
    buf_init(&names, (size_t)LIMIT_HOSTS * (LIMIT_HOST_NAME + 1));
    for (idx_t row = 0; row < duck.data_chunk_get_size(input); row++) {
        struct hostlist list;
        buf_clear(&names);
        if ((known && !(known[row / 64] >> row % 64 & 1)) ||
            !hostlist_read(duck_text(texts, row), &arena, &list)) {
            valid[row / 64] &= ~(UINT64_C(1) << row % 64);
            continue;
        }
        add_names(&names, &list);
        duck.vector_assign_string_element_len(output, row, names.ptr, names.len);
        arena_reset(&arena);
    }
    buf_release(&names);
    arena_release(&arena);
}

int hostlists_register(struct facts *facts, struct error *err)
{
    duckdb_scalar_function function = duck.create_scalar_function();
    duckdb_logical_type text = duck.create_logical_type(DUCKDB_TYPE_VARCHAR);
    duck.scalar_function_set_name(function, "hostlist_expand");
    duck.scalar_function_add_parameter(function, text);
    duck.scalar_function_set_return_type(function, text);
    duck.scalar_function_set_function(function, on_expand);
    duck.destroy_logical_type(&text);
    const duckdb_state state = duck.register_scalar_function(facts->connection, function);
    duck.destroy_scalar_function(&function);
    return state == DuckDBSuccess
               ? 0
               : error_set(err, ERROR_STORE, "cannot register the reader of lists of nodes");
}
