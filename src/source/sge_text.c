/* SPDX-License-Identifier: MIT */
#include "source/sge_row.h"

#ifdef __SSE2__
#  include <emmintrin.h>
#endif

/*
 * Finding the colons is half of the work of reading a row, so it is done sixteen bytes at a time,
 * and the same look at the bytes tells whether the row is plain ASCII.
 */

enum { CHUNK = 16 };

/* What sixteen bytes hold, as a bit each. */
struct chunk {
    unsigned colons;
    unsigned high;
    unsigned nul;
};

#ifdef __SSE2__
static inline struct chunk look(const char *bytes)
{
    __m128i data = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    return (struct chunk){
        .colons = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(data, _mm_set1_epi8(':'))),
        .high = (unsigned)_mm_movemask_epi8(data),
        .nul = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(data, _mm_setzero_si128())),
    };
}
#else
static inline struct chunk look(const char *bytes)
{
    struct chunk chunk = {0};
    for (unsigned i = 0; i < CHUNK; i++) {
        chunk.colons |= (unsigned)(bytes[i] == ':') << i;
        chunk.high |= (unsigned)((unsigned char)bytes[i] >> 7) << i;
        chunk.nul |= (unsigned)(bytes[i] == '\0') << i;
    }
    return chunk;
}
#endif

/* Notes the columns that begin after the colons; those beyond the last column are only counted. */
static inline unsigned note(uint32_t *at, unsigned fields, unsigned colons, size_t offset)
{
    if (fields > SGE_COLUMN_COUNT) {
        return fields + (unsigned)__builtin_popcount(colons);
    }
    while (colons != 0) {
        at[fields++] = (uint32_t)offset + (unsigned)__builtin_ctz(colons) + 1;
        colons &= colons - 1;
    }
    return fields;
}

enum sge_bytes sge_text_split(struct str line, struct sge_row *row, unsigned *fields)
{
    unsigned high = 0;
    unsigned nul = 0;
    unsigned count = 1;
    size_t offset = 0;
    row->text = line.ptr;
    row->at[0] = 0;
    row->odd = false;
    for (; line.len - offset >= CHUNK; offset += CHUNK) {
        struct chunk chunk = look(line.ptr + offset);
        high |= chunk.high;
        nul |= chunk.nul;
        count = note(row->at, count, chunk.colons, offset);
    }
    if (offset < line.len) {
        char rest[CHUNK];
        memset(rest, ' ', sizeof(rest));
        memcpy(rest, line.ptr + offset, line.len - offset);
        struct chunk chunk = look(rest);
        high |= chunk.high;
        nul |= chunk.nul;
        count = note(row->at, count, chunk.colons, offset);
    }
    *fields = count;
    row->count = count < SGE_COLUMN_COUNT ? count : SGE_COLUMN_COUNT;
    if (count <= SGE_COLUMN_COUNT) {
        row->at[count] = (uint32_t)line.len + 1; /* as if a colon ended the row */
    }
    return nul ? SGE_BYTES_NUL : high ? SGE_BYTES_HIGH : SGE_BYTES_ASCII;
}
