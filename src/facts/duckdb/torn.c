/* SPDX-License-Identifier: MIT */

/*
 * A block of metadata that was written in part.
 *
 * The engine never overwrites data that the database in use refers to, with one exception: a
 * block of metadata consists of 64 parts, and a checkpoint writes into the parts that are free,
 * and then the whole block over the old one, before the header that makes the new parts count.
 * A process that is killed, or a machine that loses power, in the middle of that write leaves
 * the old parts as they were, byte by byte, but under the checksum of the new block: the engine
 * refuses the block, and with it the whole database, though nothing that counts is missing.
 *
 * Such a block gets the checksum of what it contains. This is done only while the log of the
 * killed process is there, which is the case until a checkpoint has succeeded, and only for
 * blocks of metadata: a sum that is wrong anywhere else, or after an orderly end, is damage,
 * and stays an error.
 */

#include <endian.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scan.h"
#include "facts/duckdb/facts_internal.h"

/*
 * The layout of the file: three headers, then blocks, each of which begins with its checksum.
 */
enum { BLOCKS_AT = 3 * 4096, BLOCK_SIZE = 256 * 1024, SUM_SIZE = 8 };

bool torn_is_possible(const char *path)
{
    struct stat st;
    char log[PATH_MAX];
    snprintf(log, sizeof(log), "%s.wal", path);
    return stat(log, &st) == 0 && st.st_size > 0;
}

static uint64_t sum_of(const unsigned char *block)
{
    uint64_t sum = 5381;
    for (size_t i = SUM_SIZE; i < BLOCK_SIZE; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, block + i, sizeof(word));
        sum ^= le64toh(word) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    return htole64(sum);
}

/*
 * Whether the block's checksum is wrong; with `repair`, it is then replaced by the right one.
 */
static bool check_block(int fd, int64_t at, bool repair)
{
    unsigned char *block = mem_alloc(1, BLOCK_SIZE);
    bool torn = false;
    if (pread(fd, block, BLOCK_SIZE, at) == BLOCK_SIZE) {
        const uint64_t sum = sum_of(block);
        torn = memcmp(&sum, block, SUM_SIZE) != 0;
        if (torn && repair) {
            torn = pwrite(fd, &sum, SUM_SIZE, at) == SUM_SIZE && fdatasync(fd) == 0;
        }
    }
    free(block);
    return torn;
}

/*
 * The one place where a sentence of the engine is read: nothing else says which block it
 * refuses. Another wording would mean that the block is not repaired, and that the sentence is
 * shown.
 */
static bool find_location(const char *message, int64_t *at)
{
    static const char before[] = "in block at location ";
    const char *place = message ? strstr(message, before) : NULL;
    if (!place || !strstr(message, "checksum")) {
        return false;
    }
    place += sizeof(before) - 1;
    const struct str number = {place, strspn(place, "0123456789")};
    return scan_int(number, at) && *at >= BLOCKS_AT && (*at - BLOCKS_AT) % BLOCK_SIZE == 0;
}

bool torn_named(const char *path, const char *message, bool repair)
{
    int64_t at = 0;
    const int fd =
        find_location(message, &at) ? open(path, (repair ? O_RDWR : O_RDONLY) | O_CLOEXEC) : -1;
    if (fd < 0) {
        return false;
    }
    const bool torn = check_block(fd, at, repair);
    close(fd);
    return torn;
}

/*
 * The numbers of the blocks of metadata; the list of them is read without the blocks
 * themselves.
 */
static size_t list_blocks(struct store *store, int64_t **out)
{
    duckdb_connection connection = NULL;
    duckdb_result result = {0};
    duckdb_data_chunk chunk = NULL;
    size_t count = 0, room = 0;
    *out = NULL;
    if (duck.connect(store->database, &connection) != DuckDBSuccess) {
        return 0;
    }
    if (duck.query(connection, "SELECT block_id FROM pragma_metadata_info()", &result) ==
        DuckDBSuccess) {
        while ((chunk = duck.fetch_chunk(result)) != NULL) {
            const size_t rows = duck.data_chunk_get_size(chunk);
            const int64_t *ids = duck.vector_get_data(duck.data_chunk_get_vector(chunk, 0));
            for (size_t i = 0; i < rows; i++) {
                *out = mem_grow(*out, count, &room, sizeof(**out));
                (*out)[count++] = ids[i];
            }
            duck.destroy_data_chunk(&chunk);
        }
    }
    duck.destroy_result(&result);
    duck.disconnect(&connection);
    return count;
}

/*
 * To close any descriptor of a file drops all POSIX locks that the process has on it. So a
 * reader, whose database stays open, goes on without the lock that the engine took; what keeps
 * a writer out is the lock of the folder (lock.c).
 */
bool torn_listed(struct store *store, const char *path, bool repair)
{
    int64_t *blocks;
    const size_t count = list_blocks(store, &blocks);
    bool torn = false;
    if (repair) {
        duck.close(
            &store->database); /* what it has locked would be unlocked by close() below */
        store->database = NULL;
    }
    const int fd = count > 0 ? open(path, (repair ? O_RDWR : O_RDONLY) | O_CLOEXEC) : -1;
    for (size_t i = 0; fd >= 0 && i < count; i++) {
        if (blocks[i] >= 0 && blocks[i] < INT64_MAX / BLOCK_SIZE - 1) {
            torn = check_block(fd, BLOCKS_AT + blocks[i] * BLOCK_SIZE, repair) || torn;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    free(blocks);
    return torn;
}
