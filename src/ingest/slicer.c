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
        .carry_room = LIMIT_SLICE,
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
    const char *const end = data + length;
    uint64_t lines = 0;
    while (data < end && (data = memchr(data, '\n', (size_t)(end - data))) != NULL) {
        data++;
        lines++;
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

/* Whether the record that has no room in a slice ends in `data`, and after how many bytes. */
static bool find_end(const struct slicer *slicer, uint64_t *state, struct str data,
                     size_t *used)
{
    if (slicer->driver->skip) {
        return slicer->driver->skip(slicer->format, state, data, used);
    }
    const char *end = str_byte(data, '\n');
    *used = end ? (size_t)(end - data.ptr) + 1 : data.len;
    return end != NULL;
}

/* A record larger than a slice: keeps its beginning in *slice and reads on to its end. */
static int skip_oversize(struct slicer *slicer, struct slice *slice, struct error *err)
{
    uint64_t state = 0;
    size_t used = 0;
    slice->kind = SLICE_OVERSIZE;
    slicer->offset += slice->length;
    keep_tail(slicer, slice->data, slice->length);
    slicer->line += count_lines(slice->data, slice->length);
    if (slicer->driver->skip) {
        (void)find_end(slicer, &state, (struct str){slice->data, slice->length}, &used);
    }
    for (;;) {
        size_t got = 0;
        int failed = stream_read(slicer->stream, slicer->carry, LIMIT_SLICE, &got, err);
        if (failed) {
            return failed;
        }
        bool ends = find_end(slicer, &state, (struct str){slicer->carry, got}, &used);
        slicer->offset += used;
        slicer->line += count_lines(slicer->carry, used);
        keep_tail(slicer, slicer->carry, used);
        if (ends || got < LIMIT_SLICE) {
            slicer->carry_length = got - used;
            memmove(slicer->carry, slicer->carry + used, slicer->carry_length);
            slicer->at_end = got < LIMIT_SLICE && slicer->carry_length == 0;
            slicer->whole_to = slicer->offset;
            slicer->whole_line = slicer->line;
            return 0;
        }
    }
}

static void make_slice_room(char **data, size_t *room, size_t wanted)
{
    if (*room < wanted) {
        *data = mem_resize(*data, wanted, 1);
        *room = wanted;
    }
}

/*
 * Fills the slice and finds where to cut it. A record of many lines may take more than the
 * usual size: then the slice grows, as far as any may.
 */
static int fill_slice(struct slicer *slicer, struct slice *slice, size_t *cut, bool *ended,
                      struct error *err)
{
    const size_t most = slicer->driver->cut ? LIMIT_SLICE_MAX : LIMIT_SLICE;
    size_t size = LIMIT_SLICE;
    *cut = 0;
    *ended = false;
    while (size < slice->length) {
        size *= 2;
    }
    for (;; size *= 2) {
        size_t got = 0;
        make_slice_room(&slice->data, &slice->room, size);
        const size_t room = size - slice->length;
        int failed = stream_read(slicer->stream, slice->data + slice->length, room, &got, err);
        if (failed) {
            return failed;
        }
        slice->length += got;
        *ended = got < room;
        *cut = find_cut(slicer, (struct str){slice->data, slice->length}, *ended);
        if (*cut > 0 || *ended || size >= most) {
            return 0;
        }
    }
}

static int take_slice(struct slicer *slicer, struct slice *slice, bool *more, struct error *err)
{
    make_slice_room(&slice->data, &slice->room, LIMIT_SLICE);
    make_slice_room(&slice->data, &slice->room, slicer->carry_length);
    memcpy(slice->data, slicer->carry, slicer->carry_length);
    slice->length = slicer->carry_length;
    slice->first_byte = slicer->offset;
    slice->first_line = slicer->line;
    slice->kind = SLICE_RECORDS;
    slicer->carry_length = 0;

    size_t cut = 0;
    bool ended = false;
    int failed = fill_slice(slicer, slice, &cut, &ended, err);
    if (failed) {
        return failed;
    }
    *more = slice->length > 0;
    if (!*more) {
        slicer->at_end = true;
        return 0;
    }
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
    make_slice_room(&slicer->carry, &slicer->carry_room, slicer->carry_length);
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
