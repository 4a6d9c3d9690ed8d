/* SPDX-License-Identifier: MIT */
#include "unit/source/sge_reader.h"

/* Splitting against the plain way, for every length around the sizes that are looked at at once. */
static void columns_are_where_the_colons_are(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (size_t len = 0; len < 400; len++) {
        char *line = malloc(len > 0 ? len : 1);
        assert_non_null(line);
        for (size_t i = 0; i < len; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            line[i] = (seed >> 60) < 3 ? ':' : (char)('a' + (char)(seed >> 40 & 15));
        }
        struct sge_row row;
        unsigned fields = 0;
        expect_int(sge_text_split((struct str){line, len}, &row, &fields), SGE_BYTES_ASCII);
        struct str rest = {line, len};
        unsigned count = 0;
        for (; rest.ptr; count++) {
            struct str piece = str_cut(&rest, ':');
            if (count < SGE_COLUMN_COUNT) {
                struct str got = sge_column(&row, count);
                expect_true(got.ptr == piece.ptr && got.len == piece.len);
            }
        }
        expect_int(fields, count);
        expect_int(row.count, count < SGE_COLUMN_COUNT ? count : SGE_COLUMN_COUNT);
        free(line);
    }
}

static void split_tells_what_bytes_it_saw(void **state)
{
    (void)state;
    for (size_t len = 1; len < 200; len++) {
        char *line = malloc(len);
        assert_non_null(line);
        for (size_t at = 0; at < len; at++) {
            struct sge_row row;
            unsigned fields = 0;
            memset(line, 'x', len);
            line[at] = '\xe9';
            expect_int(sge_text_split((struct str){line, len}, &row, &fields), SGE_BYTES_HIGH);
            line[at] = '\x01';
            expect_int(sge_text_split((struct str){line, len}, &row, &fields), SGE_BYTES_ASCII);
            line[at] = '\0';
            expect_int(sge_text_split((struct str){line, len}, &row, &fields), SGE_BYTES_NUL);
            expect_int(fields, 1);
        }
        free(line);
    }
}

static void a_thousand_colons_are_counted(void **state)
{
    (void)state;
    char line[1000];
    memset(line, ':', sizeof(line));
    struct sge_row row;
    unsigned fields = 0;
    (void)sge_text_split((struct str){line, sizeof(line)}, &row, &fields);
    expect_int(fields, 1001);
    expect_int(row.count, SGE_COLUMN_COUNT);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, columns_are_where_the_colons_are);
    SUITE_TEST(&suite, split_tells_what_bytes_it_saw);
    SUITE_TEST(&suite, a_thousand_colons_are_counted);
    return suite_run(&suite, "sge_text");
}
