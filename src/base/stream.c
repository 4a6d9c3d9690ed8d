/* SPDX-License-Identifier: MIT */
#include "base/stream.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"

/*
 * All bytes come through a window of the file, `in`, which the decoder of the encoding empties
 * into the caller's memory. Plain content uses it for the bytes looked at on opening only;
 * after them the caller's memory is read into directly.
 *
 * gzip: RFC 1952, members may follow each other. zstd: RFC 8878, frames may follow each other,
 * and skippable frames (which parallel compressors put first) hold nothing.
 */

enum { WINDOW = 256 << 10, MAGIC_BYTES = 4 };

struct stream;

/*
 * Decodes from the window into `data`; *got 0 with room left means the window must be filled.
 */
typedef int decode_fn(struct stream *stream, void *data, size_t size, size_t *got,
                      struct error *err);

struct encoding {
    const char *name;
    decode_fn *decode; /* NULL: bytes are what they are */
};

struct stream {
    const struct encoding *encoding;
    const struct input *input;
    struct input *own; /* the same, if it is ours to close */
    const char *path;  /* as shown to people */
    bool at_end;       /* the file has no more bytes */
    unsigned char *in;
    size_t in_pos, in_len;
    uint64_t offset; /* of content */
    uint64_t taken;  /* bytes of the file */
    bool between;    /* after a whole member or frame: the content may end here */
    z_stream gzip;
    bool has_gzip;
    ZSTD_DCtx *zstd;
    unsigned char *ahead; /* content that was peeked at and not read yet */
    size_t ahead_pos, ahead_len;
    struct error failure; /* of decoding, reported again if asked again */
    bool failed;
};

static int read_file(struct stream *stream, void *data, size_t size, size_t *got,
                     struct error *err)
{
    int failed = input_read(stream->input, stream->taken, data, size, got, err);
    if (!failed) {
        stream->at_end = *got == 0;
        stream->taken += *got;
    }
    return failed;
}

/* Adds what is there to an empty or partly filled window. */
static int fill_window(struct stream *stream, struct error *err)
{
    if (stream->in_pos == stream->in_len) {
        stream->in_pos = 0;
        stream->in_len = 0;
    }
    size_t got = 0;
    int rc = read_file(stream, stream->in + stream->in_len, WINDOW - stream->in_len, &got, err);
    if (rc == 0) {
        stream->in_len += got;
    }
    return rc;
}

static size_t window_left(const struct stream *stream)
{
    return stream->in_len - stream->in_pos;
}

static int broken(struct stream *stream, const char *why, struct error *err)
{
    return error_set(err, ERROR_INPUT,
                     "cannot read '%s': broken %s data at offset %" PRIu64
                     " of the content: %s",
                     stream->path, stream->encoding->name, stream->offset, why);
}

/* Between members: another one, or padding with zeros as tapes have it, which is let pass. */
static int begin_member(struct stream *stream, struct error *err)
{
    while (window_left(stream) > 0 && stream->in[stream->in_pos] == 0) {
        stream->in_pos++;
    }
    if (window_left(stream) == 0) {
        return 0;
    }
    if (inflateReset(&stream->gzip) != Z_OK) {
        return broken(stream, "cannot begin the next member", err);
    }
    stream->between = false;
    return 0;
}

static int decode_gzip(struct stream *stream, void *data, size_t size, size_t *got,
                       struct error *err)
{
    if (stream->between) {
        int rc = begin_member(stream, err);
        if (rc != 0 || stream->between) {
            return rc;
        }
    }
    z_stream *gzip = &stream->gzip;
    gzip->next_in = stream->in + stream->in_pos;
    gzip->avail_in = (uInt)window_left(stream);
    gzip->next_out = data;
    gzip->avail_out = size < UINT32_MAX ? (uInt)size : UINT32_MAX;
    size_t room = gzip->avail_out;
    int status = inflate(gzip, Z_NO_FLUSH);
    stream->in_pos = stream->in_len - gzip->avail_in;
    *got = room - gzip->avail_out;
    stream->offset += *got;
    if (status == Z_STREAM_END) {
        stream->between = true;
        return 0;
    }
    if (status == Z_OK || status == Z_BUF_ERROR) {
        return 0;
    }
    return broken(stream, gzip->msg ? gzip->msg : zError(status), err);
}

static int decode_zstd(struct stream *stream, void *data, size_t size, size_t *got,
                       struct error *err)
{
    if (stream->between && window_left(stream) == 0) {
        return 0;
    }
    ZSTD_inBuffer in = {stream->in, stream->in_len, stream->in_pos};
    ZSTD_outBuffer out = {data, size, 0};
    size_t status = ZSTD_decompressStream(stream->zstd, &out, &in);
    stream->in_pos = in.pos;
    *got = out.pos;
    stream->offset += out.pos;
    if (ZSTD_isError(status)) {
        if (ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge) {
            return error_set(err, ERROR_LIMIT,
                             "cannot read '%s': its zstd window is above 128 MiB: compress it "
                             "again without --long",
                             stream->path);
        }
        return broken(stream, ZSTD_getErrorName(status), err);
    }
    stream->between = status == 0;
    return 0;
}

static const struct encoding plain_encoding = {"plain", NULL};
static const struct encoding gzip_encoding = {"gzip", decode_gzip};
static const struct encoding zstd_encoding = {"zstd", decode_zstd};

/*
 * Bytes that end inside a member; decoders may still hold content when the file is at its end.
 */
static int cut_short(struct stream *stream, struct error *err)
{
    return error_set(err, ERROR_INPUT,
                     "cannot read '%s': the %s data is cut short after %" PRIu64
                     " bytes of content",
                     stream->path, stream->encoding->name, stream->offset);
}

/* Decodes up to `size` bytes; *got 0 is the end of the content. */
static int read_decoded(struct stream *stream, void *data, size_t size, size_t *got,
                        struct error *err)
{
    *got = 0;
    for (;;) {
        int rc = stream->encoding->decode(stream, data, size, got, err);
        if (rc != 0 || *got > 0) {
            return rc;
        }
        if (window_left(stream) > 0) {
            continue; /* a member without content, or one that has just ended */
        }
        if (stream->at_end) {
            return stream->between ? 0 : cut_short(stream, err);
        }
        rc = fill_window(stream, err);
        if (rc != 0) {
            return rc;
        }
    }
}

static int read_plain(struct stream *stream, void *data, size_t size, size_t *got,
                      struct error *err)
{
    size_t left = window_left(stream);
    if (left > 0) {
        *got = size < left ? size : left;
        memcpy(data, stream->in + stream->in_pos, *got);
        stream->in_pos += *got;
    } else {
        int rc = read_file(stream, data, size, got, err);
        if (rc != 0) {
            return rc;
        }
    }
    stream->offset += *got;
    return 0;
}

static size_t take_ahead(struct stream *stream, void *data, size_t size)
{
    size_t left = stream->ahead_len - stream->ahead_pos;
    size_t taken = size < left ? size : left;
    if (taken > 0) {
        memcpy(data, stream->ahead + stream->ahead_pos, taken);
        stream->ahead_pos += taken;
        stream->offset += taken;
    }
    return taken;
}

int stream_read(struct stream *stream, void *data, size_t size, size_t *got, struct error *err)
{
    *got = take_ahead(stream, data, size);
    if (*got == size) {
        return 0;
    }
    if (stream->failed) {
        return error_set(err, stream->failure.kind, "%s", stream->failure.text);
    }
    while (*got < size) {
        size_t more = 0;
        void *place = (char *)data + *got;
        int rc = stream->encoding->decode
                     ? read_decoded(stream, place, size - *got, &more, &stream->failure)
                     : read_plain(stream, place, size - *got, &more, &stream->failure);
        *got += more;
        if (rc != 0) {
            stream->failed = true;
            return error_set(err, stream->failure.kind, "%s", stream->failure.text);
        }
        if (more == 0) {
            break;
        }
    }
    return 0;
}

int stream_peek(struct stream *stream, struct str *head, struct error *err)
{
    assert(stream->offset == 0 && !stream->ahead);
    size_t got = 0;
    stream->ahead = mem_resize(NULL, STREAM_PEEK, 1);
    int rc = stream_read(stream, stream->ahead, STREAM_PEEK, &got, err);
    stream->ahead_len = got;
    stream->offset = 0;
    *head = (struct str){(const char *)stream->ahead, got};
    return got > 0 ? 0 : rc;
}

static bool is_zstd(const unsigned char *magic)
{
    bool frame = memcmp(magic, "\x28\xb5\x2f\xfd", MAGIC_BYTES) == 0;
    bool skippable = (magic[0] & 0xf0) == 0x50 && memcmp(magic + 1, "\x2a\x4d\x18", 3) == 0;
    return frame || skippable;
}

/* Fills the window until the first bytes tell the encoding, and makes its decoder. */
static int find_encoding(struct stream *stream, struct error *err)
{
    stream->encoding = &plain_encoding;
    while (stream->in_len < MAGIC_BYTES && !stream->at_end) {
        int rc = fill_window(stream, err);
        if (rc != 0) {
            return rc;
        }
    }
    if (stream->in_len < MAGIC_BYTES) {
        return 0;
    }
    if (memcmp(stream->in, "\x1f\x8b\x08", 3) == 0) {
        stream->encoding = &gzip_encoding;
        stream->has_gzip = inflateInit2(&stream->gzip, 16 + MAX_WBITS) == Z_OK;
        return stream->has_gzip
                   ? 0
                   : error_set(err, ERROR_IO, "cannot read '%s': zlib does not start",
                               stream->path);
    }
    if (is_zstd(stream->in)) {
        stream->encoding = &zstd_encoding;
        stream->zstd = ZSTD_createDCtx();
        return stream->zstd ? 0
                            : error_set(err, ERROR_IO, "cannot read '%s': zstd does not start",
                                        stream->path);
    }
    return 0;
}

int stream_open_input(const struct input *input, struct stream **out, struct error *err)
{
    struct stream *stream = mem_alloc(1, sizeof(*stream));
    stream->input = input;
    stream->path = strcmp(input->name, "-") == 0 ? "standard input" : input->name;
    stream->in = mem_resize(NULL, WINDOW, 1);
    int rc = find_encoding(stream, err);
    if (rc != 0) {
        stream_close(stream);
        return rc;
    }
    *out = stream;
    return 0;
}

int stream_open(const char *path, struct stream **out, struct error *err)
{
    struct input *input = NULL;
    int rc = input_open(path, &input, err);
    rc = rc ? rc : stream_open_input(input, out, err);
    if (rc) {
        input_close(input);
        return rc;
    }
    (*out)->own = input;
    return 0;
}

void stream_close(struct stream *stream)
{
    if (!stream) {
        return;
    }
    if (stream->has_gzip) {
        inflateEnd(&stream->gzip);
    }
    ZSTD_freeDCtx(stream->zstd);
    input_close(stream->own);
    free(stream->ahead);
    free(stream->in);
    free(stream);
}

static int too_short(struct stream *stream, uint64_t offset, struct error *err)
{
    return error_set(err, ERROR_INPUT,
                     "cannot read '%s' from offset %" PRIu64 ": it is shorter than that",
                     stream->path, offset);
}

static int seek_to(struct stream *stream, uint64_t offset, struct error *err)
{
    char before;
    size_t got = 1;
    int failed = offset > 0 ? input_read(stream->input, offset - 1, &before, 1, &got, err) : 0;
    if (failed || got == 0) {
        return failed ? failed : too_short(stream, offset, err);
    }
    stream->in_pos = 0;
    stream->in_len = 0;
    stream->ahead_pos = stream->ahead_len;
    stream->at_end = false;
    stream->offset = offset;
    stream->taken = offset;
    return 0;
}

static int read_through(struct stream *stream, uint64_t offset, struct error *err)
{
    unsigned char *rubbish = mem_resize(NULL, WINDOW, 1);
    int rc = 0;
    while (rc == 0 && stream->offset < offset) {
        uint64_t left = offset - stream->offset;
        size_t got = 0;
        rc = stream_read(stream, rubbish, left < WINDOW ? (size_t)left : WINDOW, &got, err);
        if (rc == 0 && got == 0) {
            rc = too_short(stream, offset, err);
        }
    }
    free(rubbish);
    return rc;
}

int stream_skip_to(struct stream *stream, uint64_t offset, struct error *err)
{
    assert(offset >= stream->offset);
    if (stream_is_plain(stream)) {
        return seek_to(stream, offset, err);
    }
    return read_through(stream, offset, err);
}

uint64_t stream_offset(const struct stream *stream)
{
    return stream->offset;
}

bool stream_is_file(const struct stream *stream)
{
    return stream->input->about.is_file;
}

bool stream_is_plain(const struct stream *stream)
{
    return stream_is_file(stream) && stream->encoding == &plain_encoding;
}

const struct input_about *stream_about(const struct stream *stream)
{
    return &stream->input->about;
}

const char *stream_encoding(const struct stream *stream)
{
    return stream->encoding->name;
}

void stream_progress(const struct stream *stream, uint64_t *done, uint64_t *total)
{
    *done = stream->taken;
    *total = (uint64_t)stream->input->about.size;
}
