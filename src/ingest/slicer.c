/* SPDX-License-Identifier: MIT */
#include "ingest/slicer.h"

#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"

/* Adds to what is kept of the end of the whole records. */
static void keep_tail(struct slicer *slicer, const char *data, size_t length)
{
    if (length > SLICER_TAIL) {
        data += length - SLICER_TAIL;
        length = SLICER_TAIL;
    }
    const size_t room = SLICER_TAIL - length;
    const size_t kept = slicer->tail_length < room ? slicer->tail_length : room;
    memmove(slicer->tail, slicer->tail + slicer->tail_length - kept, kept);
    if (length > 0) {
        memcpy(slicer->tail + kept, data, length);
    }
    slicer->tail_length = kept + length;
}

void slicer_init(struct slicer *slicer, struct stream *stream,
                 const struct source_driver *driver, const void *format, uint64_t line,
                 struct str tail)
{
    uint64_t offset = stream_offset(stream);
    *slicer = (struct slicer){
        .stream = stream,
        .driver = driver,
        .format = format,
        .carry = mem_alloc(1, LIMIT_SLICE),
        .offset = offset,
        .line = line,
        .whole_to = offset,
        .whole_line = line,
    };
    pthread_mutex_init(&slicer->lock, NULL);
    keep_tail(slicer, tail.ptr, tail.len);
}

void slicer_release(struct slicer *slicer)
{
    if (slicer->carry) {
        pthread_mutex_destroy(&slicer->lock);
    }
    free(slicer->carry);
    slicer->carry = NULL;
}

void slicer_begin_batch(struct slicer *slicer, uint64_t bytes)
{
    slicer->batch_end = slicer->offset + bytes;
}

void slicer_end_batch(struct slicer *slicer)
{
    pthread_mutex_lock(&slicer->lock);
    slicer->batch_end = slicer->offset;
    pthread_mutex_unlock(&slicer->lock);
}

static uint64_t count_lines(const char *data, size_t length)
{
    enum {
        BLOCK = 255
    }; /* as many as a byte can count, so that the inner loop becomes vectors */

    uint64_t lines = 0;
    while (length > 0) {
        size_t block = length < BLOCK ? length : BLOCK;
        uint8_t count = 0;
        for (size_t i = 0; i < block; i++) {
            count = (uint8_t)(count + (data[i] == '\n'));
        }
        lines += count;
        data += block;
        length -= block;
    }
    return lines;
}

/* Bytes up to the last record boundary; 0 if there is none. */
static size_t find_cut(const struct slicer *slicer, struct str data, bool last)
{
    if (slicer->driver->cut) {
        return slicer->driver->cut(slicer->format, data, last);
    }
    const char *end = data.len ? memrchr(data.ptr, '\n', data.len) : NULL;
    return end ? (size_t)(end - data.ptr) + 1 : 0;
}

/* A record larger than a slice: keeps its beginning in *slice and reads on to its end. */
static int skip_oversize(struct slicer *slicer, struct slice *slice, struct error *err)
{
    slice->kind = SLICE_OVERSIZE;
    slicer->offset += slice->length;
    keep_tail(slicer, slice->data, slice->length);
    slicer->line += count_lines(slice->data, slice->length);
    for (;;) {
        size_t got = 0;
        int failed = stream_read(slicer->stream, slicer->carry, LIMIT_SLICE, &got, err);
        if (failed) {
            return failed;
        }
        const char *end = got ? memchr(slicer->carry, '\n', got) : NULL;
        size_t used = end ? (size_t)(end - slicer->carry) + 1 : got;
        slicer->offset += used;
        slicer->line += end != NULL;
        keep_tail(slicer, slicer->carry, used);
        if (end || got < LIMIT_SLICE) {
            slicer->carry_length = got - used;
            memmove(slicer->carry, slicer->carry + used, slicer->carry_length);
            slicer->at_end = got < LIMIT_SLICE && slicer->carry_length == 0;
            slicer->whole_to = slicer->offset;
            slicer->whole_line = slicer->line;
            return 0;
        }
    }
}

static int take_slice(struct slicer *slicer, struct slice *slice, bool *more, struct error *err)
{
    memcpy(slice->data, slicer->carry, slicer->carry_length);
    slice->length = slicer->carry_length;
    slice->first_byte = slicer->offset;
    slice->first_line = slicer->line;
    slice->kind = SLICE_RECORDS;
    slicer->carry_length = 0;

    size_t got = 0;
    const size_t room = LIMIT_SLICE - slice->length;
    int failed = stream_read(slicer->stream, slice->data + slice->length, room, &got, err);
    if (failed) {
        return failed;
    }
    slice->length += got;
    const bool ended = got < room;
    *more = slice->length > 0;
    if (!*more) {
        slicer->at_end = true;
        return 0;
    }
    size_t cut = find_cut(slicer, (struct str){slice->data, slice->length}, ended);
    if (cut == 0 && !ended) {
        return skip_oversize(slicer, slice, err);
    }
    if (cut == 0) {
        slice->kind = SLICE_UNFINISHED;
        slicer->offset += slice->length;
        slicer->at_end = true;
        return 0;
    }
    slicer->carry_length = slice->length - cut;
    memcpy(slicer->carry, slice->data + cut, slicer->carry_length);
    slice->length = cut;
    slicer->offset += cut;
    slicer->line += count_lines(slice->data, cut);
    slicer->whole_to = slicer->offset;
    slicer->whole_line = slicer->line;
    keep_tail(slicer, slice->data, cut);
    slicer->at_end = ended && slicer->carry_length == 0;
    return 0;
}

int slicer_next(struct slicer *slicer, struct slice *slice, bool *more, struct error *err)
{
    int failed = 0;
    pthread_mutex_lock(&slicer->lock);
    *more = !slicer->at_end && slicer->offset < slicer->batch_end;
    if (*more) {
        failed = take_slice(slicer, slice, more, err);
        if (failed) {
            slicer->at_end = true;
        }
    }
    pthread_mutex_unlock(&slicer->lock);
    return failed;
}

void slicer_progress(struct slicer *slicer, uint64_t *done, uint64_t *total)
{
    pthread_mutex_lock(&slicer->lock);
    stream_progress(slicer->stream, done, total);
    pthread_mutex_unlock(&slicer->lock);
}
