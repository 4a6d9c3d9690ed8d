/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * DuckDB's C functions, found when first needed. Inside facts/ only.
 *
 * The library is 60 MB of C++; linking it would add ten milliseconds to every `stint --help`.
 * So it is loaded on the first facts_open: from lib/stint beside the program, else from where
 * the build found it, else from the system's library path. Call through the table:
 * duck.query(connection, sql, &result) is duckdb_query().
 */

#include <duckdb.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

/* Every function of the C interface that we use; a missing one is found at load, not at use. */
#define DUCK_FUNCTIONS(X)                                                                      \
    X(create_config)                                                                           \
    X(set_config)                                                                              \
    X(destroy_config)                                                                          \
    X(open_ext)                                                                                \
    X(close)                                                                                   \
    X(connect)                                                                                 \
    X(disconnect)                                                                              \
    X(interrupt)                                                                               \
    X(free)                                                                                    \
    X(query)                                                                                   \
    X(result_error)                                                                            \
    X(result_error_type)                                                                       \
    X(rows_changed)                                                                            \
    X(column_count)                                                                            \
    X(column_name)                                                                             \
    X(column_type)                                                                             \
    X(fetch_chunk)                                                                             \
    X(destroy_result)                                                                          \
    X(prepare)                                                                                 \
    X(prepare_error)                                                                           \
    X(bind_int64)                                                                              \
    X(bind_double)                                                                             \
    X(bind_varchar_length)                                                                     \
    X(bind_blob)                                                                               \
    X(bind_null)                                                                               \
    X(execute_prepared)                                                                        \
    X(execute_prepared_streaming)                                                              \
    X(destroy_prepare)                                                                         \
    X(appender_create_ext)                                                                     \
    X(appender_error_data)                                                                     \
    X(error_data_error_type)                                                                   \
    X(error_data_message)                                                                      \
    X(destroy_error_data)                                                                      \
    X(append_int64)                                                                            \
    X(append_double)                                                                           \
    X(append_varchar_length)                                                                   \
    X(append_blob)                                                                             \
    X(append_timestamp)                                                                        \
    X(append_null)                                                                             \
    X(appender_end_row)                                                                        \
    X(appender_close)                                                                          \
    X(appender_destroy)                                                                        \
    X(create_logical_type)                                                                     \
    X(destroy_logical_type)                                                                    \
    X(create_table_function)                                                                   \
    X(destroy_table_function)                                                                  \
    X(table_function_set_name)                                                                 \
    X(table_function_add_parameter)                                                            \
    X(table_function_set_extra_info)                                                           \
    X(table_function_set_bind)                                                                 \
    X(table_function_set_init)                                                                 \
    X(table_function_set_local_init)                                                           \
    X(table_function_set_function)                                                             \
    X(register_table_function)                                                                 \
    X(create_scalar_function)                                                                  \
    X(destroy_scalar_function)                                                                 \
    X(scalar_function_set_name)                                                                \
    X(scalar_function_add_parameter)                                                           \
    X(scalar_function_set_return_type)                                                         \
    X(scalar_function_set_function)                                                            \
    X(register_scalar_function)                                                                \
    X(bind_get_extra_info)                                                                     \
    X(bind_get_parameter)                                                                      \
    X(bind_set_bind_data)                                                                      \
    X(bind_set_error)                                                                          \
    X(bind_add_result_column)                                                                  \
    X(init_set_max_threads)                                                                    \
    X(init_set_init_data)                                                                      \
    X(init_get_bind_data)                                                                      \
    X(get_int64)                                                                               \
    X(destroy_value)                                                                           \
    X(function_get_extra_info)                                                                 \
    X(function_get_local_init_data)                                                            \
    X(function_set_error)                                                                      \
    X(data_chunk_get_size)                                                                     \
    X(data_chunk_set_size)                                                                     \
    X(data_chunk_get_vector)                                                                   \
    X(destroy_data_chunk)                                                                      \
    X(vector_size)                                                                             \
    X(vector_get_data)                                                                         \
    X(vector_get_validity)                                                                     \
    X(vector_ensure_validity_writable)                                                         \
    X(vector_assign_string_element_len)

struct duck {
#define X(name) __typeof__(duckdb_##name) *name;
    DUCK_FUNCTIONS(X)
#undef X
};

/* Filled by duck_load, read-only afterwards. */
extern struct duck duck;

/* The text in a row of a column of texts; it lives as long as the column. */
static inline struct str duck_text(const duckdb_string_t *texts, idx_t row)
{
    const duckdb_string_t *s = &texts[row];

    enum { INLINE_MAX = sizeof(s->value.inlined.inlined) };

    const uint32_t length = s->value.inlined.length;
    return (struct str){length <= INLINE_MAX ? s->value.inlined.inlined : s->value.pointer.ptr,
                        length};
}

/* Loads the library once for the process; may be called again and from any thread. */
int duck_load(struct error *err) MUST_CHECK;
