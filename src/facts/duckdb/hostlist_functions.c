/* SPDX-License-Identifier: MIT */

/*
 * Lists of nodes (base/hostlist.h) for statements; NULL where a list cannot be read:
 *
 *     hostlist_expand(VARCHAR)  its names, with commas between, each once and in their order
 *     hostlist_cpus(VARCHAR)    the cpus of these, in the same order; NULL where it does not say them of each
 *     hostlist_has(VARCHAR, VARCHAR)  whether the second is one of these names
 *
 * Lists stay compressed in the store, and are few beside the runs: asked of the different ones,
 * this costs next to nothing.
 */

#include "base/buf.h"
#include "base/hostlist.h"
#include "base/limit.h"
#include "facts/duckdb/facts_internal.h"

#include <inttypes.h>

/* Writes what a function answers for a list; false: NULL. */
typedef bool answer_list(struct str text, struct arena *arena, struct buf *out);

static bool add_names(struct str text, struct arena *arena, struct buf *out)
{
    struct hostlist list;
    if (!hostlist_read(text, arena, &list)) {
        return false;
    }
    hostlist_sort(&list);
    for (size_t i = 0; i < list.count; i++) {
        buf_addz(out, i ? "," : "");
        buf_add(out, list.nodes[i].name);
    }
    return true;
}

/* Few lists say any: the others are not expanded. */
static bool add_cpus(struct str text, struct arena *arena, struct buf *out)
{
    struct hostlist list;
    if (!str_byte(text, '*') || !hostlist_read(text, arena, &list) || list.cpus == 0) {
        return false;
    }
    hostlist_sort(&list);
    for (size_t i = 0; i < list.count; i++) {
        buf_addz(out, i ? "," : "");
        buf_addf(out, "%" PRId64, list.nodes[i].cpus);
    }
    return true;
}

static bool is_absent(const uint64_t *known, idx_t row)
{
    return known && !(known[row / 64] >> row % 64 & 1);
}

static void answer(duckdb_data_chunk input, duckdb_vector output, answer_list *add)
{
    struct arena arena = {0};
    struct buf text;
    const duckdb_vector lists = duck.data_chunk_get_vector(input, 0);
    const duckdb_string_t *texts = duck.vector_get_data(lists);
    const uint64_t *known = duck.vector_get_validity(lists);
    duck.vector_ensure_validity_writable(output);
    uint64_t *valid = duck.vector_get_validity(output);
    buf_init(&text, (size_t)LIMIT_HOSTS * (LIMIT_HOST_NAME + 1));
    for (idx_t row = 0; row < duck.data_chunk_get_size(input); row++) {
        buf_clear(&text);
        if (!is_absent(known, row) && add(duck_text(texts, row), &arena, &text)) {
            duck.vector_assign_string_element_len(output, row, text.ptr, text.len);
        } else {
            valid[row / 64] &= ~(UINT64_C(1) << row % 64);
        }
        arena_reset(&arena);
    }
    buf_release(&text);
    arena_release(&arena);
}

static void on_expand(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    (void)info;
    answer(input, output, add_names);
}

static void on_cpus(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    (void)info;
    answer(input, output, add_cpus);
}

static void on_has(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    (void)info;
    struct arena arena = {0};
    const duckdb_vector lists = duck.data_chunk_get_vector(input, 0);
    const duckdb_vector names = duck.data_chunk_get_vector(input, 1);
    const duckdb_string_t *texts = duck.vector_get_data(lists);
    const duckdb_string_t *wanted = duck.vector_get_data(names);
    const uint64_t *known = duck.vector_get_validity(lists);
    bool *found = duck.vector_get_data(output);
    for (idx_t row = 0; row < duck.data_chunk_get_size(input); row++) {
        found[row] = !is_absent(known, row) &&
                     !is_absent(duck.vector_get_validity(names), row) &&
                     hostlist_has(duck_text(texts, row), duck_text(wanted, row), &arena);
        arena_reset(&arena);
    }
    arena_release(&arena);
}

static const struct {
    const char *name;
    size_t arguments;
    duckdb_type type;
    duckdb_scalar_function_t run;
} functions[] = {{"hostlist_expand", 1, DUCKDB_TYPE_VARCHAR, on_expand},
                 {"hostlist_cpus", 1, DUCKDB_TYPE_VARCHAR, on_cpus},
                 {"hostlist_has", 2, DUCKDB_TYPE_BOOLEAN, on_has}};

int hostlists_register(struct facts *facts, struct error *err)
{
    duckdb_logical_type text = duck.create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_state state = DuckDBSuccess;
    for (size_t i = 0; state == DuckDBSuccess && i < COUNT_OF(functions); i++) {
        duckdb_logical_type result = duck.create_logical_type(functions[i].type);
        duckdb_scalar_function function = duck.create_scalar_function();
        duck.scalar_function_set_name(function, functions[i].name);
        for (size_t a = 0; a < functions[i].arguments; a++) {
            duck.scalar_function_add_parameter(function, text);
        }
        duck.scalar_function_set_return_type(function, result);
        duck.scalar_function_set_function(function, functions[i].run);
        state = duck.register_scalar_function(facts->connection, function);
        duck.destroy_scalar_function(&function);
        duck.destroy_logical_type(&result);
    }
    duck.destroy_logical_type(&text);
    return state == DuckDBSuccess
               ? 0
               : error_set(err, ERROR_STORE, "cannot register the reader of lists of nodes");
}
