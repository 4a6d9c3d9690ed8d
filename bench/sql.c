/* SPDX-License-Identifier: MIT */

/*
 * sql [-w] [-a] [-n TIMES] [-s SETUP]... DATABASE STATEMENT...
 *
 * Asks a DuckDB file directly, without stint, and says how long each answer took inside the process.
 * Opens the file once (read-only unless -w), runs every SETUP, then all STATEMENTs in turn, TIMES
 * rounds of them, so that what disturbs one disturbs the others too. Prints a line a statement and
 * round: number of the statement (from 1), milliseconds until the last row was read, rows.
 *
 * With -a it prints the rows themselves instead, tab-separated: for comparing answers.
 * A statement of the form @FILE is read from that file. The engine's settings are its defaults,
 * except that the order of insertion is not preserved, which is faster and what stint has.
 */

#include <duckdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SETUP_MAX = 16 };

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void die(const char *what, const char *why)
{
    fprintf(stderr, "sql: %s: %s\n", what, why ? why : "no reason given");
    exit(1);
}

/* The text of a statement: itself, or the content of the file it names. Never released. */
static const char *text_of(const char *statement)
{
    if (statement[0] != '@') {
        return statement;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(statement + 1, "re");
    if (!file || getdelim(&text, &size, '\0', file) < 0) {
        die("cannot read", statement + 1);
    }
    fclose(file);
    return text;
}

static duckdb_connection open_file(const char *path, bool writable, duckdb_database *database)
{
    duckdb_config config;
    duckdb_connection connection;
    char *message = NULL;
    duckdb_create_config(&config);
    duckdb_set_config(config, "preserve_insertion_order", "false");
    duckdb_set_config(config, "access_mode",
                      writable || strcmp(path, ":memory:") == 0 ? "READ_WRITE" : "READ_ONLY");
    if (duckdb_open_ext(path, database, config, &message) != DuckDBSuccess) {
        die("cannot open", message);
    }
    duckdb_destroy_config(&config);
    if (duckdb_connect(*database, &connection) != DuckDBSuccess) {
        die("cannot connect to", path);
    }
    return connection;
}

static void print_rows(duckdb_result *result)
{
    for (idx_t row = 0; row < duckdb_row_count(result); row++) {
        for (idx_t column = 0; column < duckdb_column_count(result); column++) {
            char *value = duckdb_value_varchar(result, column, row);
            printf("%s%s", column ? "\t" : "", value ? value : "");
            duckdb_free(value);
        }
        putchar('\n');
    }
}

/* Asks once and reads the answer to its end; the number of its rows. */
static unsigned long long ask(duckdb_connection connection, const char *sql, bool answers)
{
    duckdb_result result;
    unsigned long long rows = 0;
    if (duckdb_query(connection, sql, &result) != DuckDBSuccess) {
        die("the statement failed", duckdb_result_error(&result));
    }
    if (answers) {
        print_rows(&result);
    } else {
        duckdb_data_chunk chunk;
        while ((chunk = duckdb_fetch_chunk(result)) != NULL) {
            rows += duckdb_data_chunk_get_size(chunk);
            duckdb_destroy_data_chunk(&chunk);
        }
    }
    duckdb_destroy_result(&result);
    return rows;
}

int main(int argc, char **argv)
{
    const char *setup[SETUP_MAX];
    int setups = 0, option;
    long times = 1;
    bool writable = false, answers = false;
    while ((option = getopt(argc, argv, "+wan:s:")) != -1) {
        switch (option) {
        case 'w':
            writable = true;
            break;
        case 'a':
            answers = true;
            break;
        case 'n':
            times = strtol(optarg, NULL, 10);
            break;
        case 's':
            if (setups == SETUP_MAX) {
                die("-s", "too many of them");
            }
            setup[setups++] = optarg;
            break;
        default:
            return 2;
        }
    }
    if (argc - optind < 2) {
        fputs("usage: sql [-w] [-a] [-n TIMES] [-s SETUP]... DATABASE STATEMENT...\n", stderr);
        return 2;
    }
    duckdb_database database;
    duckdb_connection connection = open_file(argv[optind], writable, &database);
    for (int i = 0; i < setups; i++) {
        ask(connection, text_of(setup[i]), false);
    }
    for (long round = 0; round < times; round++) {
        for (int i = optind + 1; i < argc; i++) {
            const char *sql = text_of(argv[i]);
            double begun = now_ms();
            unsigned long long rows = ask(connection, sql, answers);
            if (!answers) {
                printf("%d %.3f %llu\n", i - optind, now_ms() - begun, rows);
            }
        }
    }
    duckdb_disconnect(&connection);
    duckdb_close(&database);
    return 0;
}
