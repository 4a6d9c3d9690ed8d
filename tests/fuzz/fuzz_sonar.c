/* SPDX-License-Identifier: MIT */

/*
 * Samples of sonar, tables and JSON: the same must hold as of runs (driver.h). One envelope gives many
 * samples, so it is between envelopes that bytes have to be consumed.
 */
#include "fuzz/driver.h"
#include "source/sonar/sonar.h"

static void check_sample(struct sample *sample, uint64_t *hash)
{
    struct error err = {0};
    must(SAMPLE_HAS(sample, time) && SAMPLE_HAS(sample, node) && SAMPLE_HAS(sample, command));
    if (!SAMPLE_HAS(sample, cluster)) {
        SAMPLE_SET(sample, cluster, STR("c"));
    }
    const bool good = sample_check(sample, &err) == 0;
    must(good || err.text[0] != '\0');
    for (unsigned i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        if (!sample_has(sample, i)) {
            continue;
        }
        if (sample_fields[i].type == FIELD_TEXT) {
            const struct str text = sample_text(sample, i);
            must(text.len > 0 && str_is_utf8(text) && (!good || text.len <= LIMIT_TEXT_FIELD));
            *hash = str_hash(text, *hash + i);
        } else {
            const int64_t number = sample_int(sample, i);
            must(number >= 0);
            *hash = str_hash((struct str){(const char *)&number, sizeof(number)}, *hash + i);
        }
    }
}

static void read_samples(const void *format, struct str slice, struct reading *reading)
{
    struct arena arena = {0};
    struct source_cursor cursor = {
        .rest = slice, .next_line = reading->next_line, .arena = &arena};
    for (;;) {
        struct sample sample = {0};
        struct error err = {0};
        const size_t before = cursor.rest.len;
        cursor.alive = 0;
        enum source_step step = sonar_driver.next_sample(format, &cursor, &sample, &err);
        if (step == SOURCE_END) {
            break;
        }
        must(cursor.rest.len < before || cursor.context.ptr); /* more of the same envelope */
        must(cursor.record.ptr >= slice.ptr &&
             cursor.record.ptr + cursor.record.len <= slice.ptr + slice.len);
        must((step == SOURCE_REJECT) == (err.text[0] != '\0'));
        must(str_is_utf8(str_of(err.text)));
        must(cursor.alive == 0 || step == SOURCE_SKIP);
        if (step == SOURCE_RECORD) {
            check_sample(&sample, &reading->hash);
        }
    }
    must(cursor.rest.len == 0);
    reading->next_line = cursor.next_line;
    arena_release(&arena);
}

/* What is skipped of an envelope that is too large is the same, however the bytes come. */
static void check_skip(const void *format, struct str all)
{
    uint64_t once = 0, twice = 0;
    size_t used = 0, first = 0, second = 0;
    const size_t half = all.len / 2;
    const bool ends = sonar_driver.skip(format, &once, all, &used);
    bool parts = sonar_driver.skip(format, &twice, (struct str){all.ptr, half}, &first);
    if (!parts) {
        must(first == half);
        parts = sonar_driver.skip(format, &twice, (struct str){all.ptr + half, all.len - half},
                                  &second);
    }
    must(used <= all.len && ends == parts && used == first + second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct source_options options = {0};
    struct reading whole = {.next_line = 1}, parts = whole;
    struct error err = {0};
    void *format = NULL;
    char *copy = mem_alloc(size ? size : 1, 1);
    if (size > 0) {
        memcpy(copy, data, size);
    }
    const struct str all = {copy, size};
    const int sure = sonar_driver.recognise(all);
    must(sure >= 0 && sure <= 100);
    must(sonar_driver.open(all, &options, &format, &err) == 0);
    const size_t cut = sonar_driver.cut(format, (struct str){copy, size / 2}, false);
    must(cut <= size / 2 && sonar_driver.cut(format, all, true) <= size);
    read_samples(format, all, &whole);
    read_samples(format, (struct str){copy, cut}, &parts);
    read_samples(format, (struct str){copy + cut, size - cut}, &parts);
    must(parts.hash == whole.hash && parts.next_line == whole.next_line);
    check_skip(format, all);
    free(copy);
    return 0;
}
