/* SPDX-License-Identifier: MIT */
#include "source/sge/sge_row.h"

#ifdef __SSE2__
#    include <emmintrin.h>
#endif

/*
 * Finding the colons is half of the work of reading a row, so it is done 64 bytes at a time,
 * and the same look at the bytes says whether the row is plain ASCII.
 */

enum { CHUNK = 64 };

/* What a chunk holds. */
struct chunk {
    uint64_t colons; /* a bit for each byte */
    unsigned high;   /* not 0 if some byte is not ASCII */
    unsigned nul;    /* not 0 if some byte is 0 */
};

#ifdef __SSE2__

static inline unsigned bits(__m128i bytes)
{
    return (unsigned)_mm_movemask_epi8(bytes);
}

static inline struct chunk look(const char *bytes)
{
    const __m128i colon = _mm_set1_epi8(':');
    struct chunk chunk = {0};
    __m128i all = _mm_setzero_si128();
    __m128i least = _mm_set1_epi8(1);
#    pragma GCC unroll 4
    for (unsigned i = 0; i < CHUNK; i += 16) {
        __m128i data = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
        chunk.colons |= (uint64_t)bits(_mm_cmpeq_epi8(data, colon)) << i;
        all = _mm_or_si128(all, data);
        least = _mm_min_epu8(least, data);
    }
    chunk.high = bits(all);
    chunk.nul = bits(_mm_cmpeq_epi8(least, _mm_setzero_si128()));
    return chunk;
}

#else

static inline struct chunk look(const char *bytes)
{
    struct chunk chunk = {0};
    for (unsigned i = 0; i < CHUNK; i++) {
        chunk.colons |= (uint64_t)(bytes[i] == ':') << i;
        chunk.high |= (unsigned char)bytes[i] & 0x80;
        chunk.nul |= bytes[i] == '\0';
    }
    return chunk;
}

#endif

/*
 * Notes the columns that begin after the colons; those beyond the last column are only counted.
 */
static inline unsigned note(uint32_t *at, unsigned fields, uint64_t colons, size_t offset)
{
    if (fields > SGE_COLUMN_COUNT) {
        return fields + (unsigned)__builtin_popcountll(colons);
    }
    uint32_t *next = at + fields;
    for (; colons != 0; colons &= colons - 1) {
        *next++ = (uint32_t)offset + (unsigned)__builtin_ctzll(colons) + 1;
    }
    return (unsigned)(next - at);
}

/* The last chunk, which need not be full: `done` bytes of the line are behind it. */
static inline struct chunk look_at_rest(struct str line, size_t done)
{
    const size_t left = line.len - done;
    if (line.len >= CHUNK) {
        struct chunk chunk = look(line.ptr + line.len - CHUNK);
        chunk.colons >>= CHUNK - left;
        return chunk;
    }
    char padded[CHUNK];
    memset(padded, ' ', sizeof(padded));
    memcpy(padded, line.ptr + done, left);
    return look(padded);
}

enum sge_bytes sge_text_split(struct str line, struct sge_row *row, unsigned *fields)
{
    unsigned high = 0;
    unsigned nul = 0;
    unsigned count = 1;
    row->text = line.ptr;
    row->at[0] = 0;
    row->odd = false;
    row->reported = false;
    for (size_t done = 0; done < line.len; done += CHUNK) {
        struct chunk chunk =
            line.len - done >= CHUNK ? look(line.ptr + done) : look_at_rest(line, done);
        high |= chunk.high;
        nul |= chunk.nul;
        count = note(row->at, count, chunk.colons, done);
    }
    *fields = count;
    row->count = count < SGE_COLUMN_COUNT ? count : SGE_COLUMN_COUNT;
    if (count <= SGE_COLUMN_COUNT) {
        row->at[count] = (uint32_t)line.len + 1; /* as if a colon ended the row */
    }
    return nul ? SGE_BYTES_NUL : high ? SGE_BYTES_HIGH : SGE_BYTES_ASCII;
}
