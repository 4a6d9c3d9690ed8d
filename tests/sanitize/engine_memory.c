/* SPDX-License-Identifier: MIT */

/*
 * Linked into most programs that run under the address sanitizer: what the engines allocate for
 * themselves comes from the C library and not from the sanitizer: with operator new in DuckDB,
 * which is C++ and not instrumented, and all of SQLite's. Watching DuckDB's plans was two fifths
 * of the time that the tests took, watching how SQLite reads a schema half of every command of
 * the bank; our code never sees a byte of either.
 *
 * Our own memory is watched everywhere. What the engines allocate for us (results, statements,
 * values) is watched for leaks and use after release in the programs that leave this out: see
 * `watched` in tests/CMakeLists.txt.
 */
#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* The C library's own, whatever stands before them. */
void *__libc_malloc(size_t size);
void *__libc_realloc(void *piece, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *piece);

static void *or_abort(void *piece)
{
    if (!piece) {
        (void)fputs("the engine is out of memory\n", stderr);
        abort();
    }
    return piece;
}

/*
 * The names are those of the C++ ABI for x86-64 and other machines whose size_t is unsigned long. `tag` is
 * std::nothrow, `size` what is released: neither matters here.
 */
#define OPERATOR(type, name, symbol, ...)                                                      \
    __attribute__((visibility("default"), used)) type name(__VA_ARGS__) __asm__(symbol);       \
    type name(__VA_ARGS__)

/* clang-format off */
#define NEW(kind, letter)                                                                      \
    OPERATOR(void *, new_##kind, "_Zn" letter "m", size_t size)                                \
    { return or_abort(__libc_malloc(size)); }                                                  \
    OPERATOR(void *, new_##kind##_or_null, "_Zn" letter "mRKSt9nothrow_t", size_t size,        \
             const void *tag)                                                                  \
    { (void)tag; return __libc_malloc(size); }                                                 \
    OPERATOR(void *, new_##kind##_aligned, "_Zn" letter "mSt11align_val_t", size_t size,       \
             size_t alignment)                                                                 \
    { return or_abort(__libc_memalign(alignment, size)); }                                     \
    OPERATOR(void *, new_##kind##_aligned_or_null, "_Zn" letter "mSt11align_val_tRKSt9nothrow_t", \
             size_t size, size_t alignment, const void *tag)                                   \
    { (void)tag; return __libc_memalign(alignment, size); }

#define DELETE(kind, letter)                                                                   \
    OPERATOR(void, delete_##kind, "_Zd" letter "Pv", void *piece)                              \
    { __libc_free(piece); }                                                                    \
    OPERATOR(void, delete_##kind##_sized, "_Zd" letter "Pvm", void *piece, size_t size)        \
    { (void)size; __libc_free(piece); }                                                        \
    OPERATOR(void, delete_##kind##_tagged, "_Zd" letter "PvRKSt9nothrow_t", void *piece,       \
             const void *tag)                                                                  \
    { (void)tag; __libc_free(piece); }                                                         \
    OPERATOR(void, delete_##kind##_aligned, "_Zd" letter "PvSt11align_val_t", void *piece,     \
             size_t alignment)                                                                 \
    { (void)alignment; __libc_free(piece); }                                                   \
    OPERATOR(void, delete_##kind##_aligned_sized, "_Zd" letter "PvmSt11align_val_t",           \
             void *piece, size_t size, size_t alignment)                                       \
    { (void)size; (void)alignment; __libc_free(piece); }                                       \
    OPERATOR(void, delete_##kind##_aligned_tagged, "_Zd" letter "PvSt11align_val_tRKSt9nothrow_t", \
             void *piece, size_t alignment, const void *tag)                                   \
    { (void)alignment; (void)tag; __libc_free(piece); }
/* clang-format on */

NEW(one, "w")
NEW(array, "a")
DELETE(one, "l")
DELETE(array, "a")

/* --- SQLite ---------------------------------------------------------------------------------- */

/* Before each piece, since SQLite asks how large it is. */
union head {
    int size;
    max_align_t aligned;
};

static void *piece_of(union head *head, int size)
{
    if (!head) {
        return NULL;
    }
    head->size = size;
    return head + 1;
}

static void *take(int size)
{
    return piece_of(__libc_malloc(sizeof(union head) + (size_t)size), size);
}

static void *resize(void *piece, int size)
{
    return piece_of(__libc_realloc((union head *)piece - 1, sizeof(union head) + (size_t)size),
                    size);
}

static void give_back(void *piece)
{
    __libc_free((union head *)piece - 1);
}

static int size_of(void *piece)
{
    return piece ? ((union head *)piece - 1)->size : 0;
}

static int round_up(int size)
{
    return (size + 7) & ~7;
}

static int begin(void *unused)
{
    (void)unused;
    return SQLITE_OK;
}

static void end(void *unused)
{
    (void)unused;
}

/* Before main, since it can be said only until SQLite is first used. */
__attribute__((constructor)) static void leave_sqlite_unwatched(void)
{
    static const struct sqlite3_mem_methods plain = {take,     give_back, resize, size_of,
                                                     round_up, begin,     end,    NULL};
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &plain) != SQLITE_OK) {
        abort();
    }
}
