/* SPDX-License-Identifier: MIT */
#include "serve/rpc/wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/mem.h"
#include "report/coverage.h"
#include "support/expect.h"

enum { HEAD = 5 };

/* What is in a frame, without its length and kind. */
static struct str content_of(const struct buf *frame)
{
    return (struct str){frame->ptr + HEAD, frame->len - HEAD};
}

static void fill_table(struct table *table)
{
    const wide_int wide = ((wide_int)7 << 90) + 5;
    table_column(table, "who", "Who", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "n", "N", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_column(table, "sum", "Sum", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    table_column(table, "share", "Share", CELL_REAL, UNIT_RATIO, COLUMN_BESIDE);
    table_picture(table, 1, "Number", true);
    table->columns[1].exact = true;
    table->columns[1].audience = COLUMN_FOR_MACHINES;
    for (int i = 0; i < 3; i++) {
        const size_t row = table_row(table);
        if (i < 2) { /* the last is absent throughout */
            table_set_text(table, 0, row, i ? STR("") : STR("j\xc3\xb6rg"));
            table_set_name(table, 0, row, i ? STR("Nobody") : (struct str){0});
            table_set_int(table, 1, row, i ? INT64_MIN : INT64_MAX);
            table_set_wide(table, 2, row, i ? wide : -wide);
            table_set_real(table, 3, row, i ? -0.0 : 0.1);
        }
    }
    table->title = "Title";
    table->footer_count = 1;
}

static void expect_same_table(const struct table *got, const struct table *want)
{
    struct buf a, b;
    buf_init(&a, LIMIT_OUTPUT);
    buf_init(&b, LIMIT_OUTPUT);
    wire_put_rows(&a, got);
    wire_put_rows(&b, want);
    expect_true(str_eq(buf_str(&a), buf_str(&b)));
    buf_release(&a);
    buf_release(&b);
}

static void rows_arrive_as_they_were_sent(void **state)
{
    (void)state;
    struct table sent = {0}, got = {0};
    struct buf frame;
    struct error err = {0};
    buf_init(&frame, LIMIT_OUTPUT);
    fill_table(&sent);
    wire_put_rows(&frame, &sent);
    expect_int(wire_get_rows(content_of(&frame), &got, &err), 0);
    expect_uint(got.row_count, 3);
    expect_uint(got.column_count, 4);
    expect_uint(got.footer_count, 1);
    expect_text(got.title, "Title");
    expect_text(got.columns[0].id, "who");
    expect_text(got.columns[1].picture, "Number");
    expect_true(got.columns[1].additive);
    expect_true(got.columns[1].exact);
    expect_false(got.columns[0].exact);
    expect_true(table_has(&got, 0, 1)); /* empty is not absent */
    expect_uint(got.columns[0].cells[1].text.len, 0);
    expect_false(table_has(&got, 0, 2));
    expect_true(!got.columns[0].names[0].ptr); /* the value itself */
    expect_true(str_eq(got.columns[0].names[1], STR("Nobody")));
    expect_int(got.columns[1].audience, COLUMN_FOR_MACHINES);
    expect_int(got.columns[1].cells[1].integer, INT64_MIN);
    expect_true(got.columns[2].cells[0].wide == sent.columns[2].cells[0].wide);
    expect_true(got.columns[2].cells[1].wide == sent.columns[2].cells[1].wide);
    expect_same_table(&got, &sent);
    table_release(&sent);
    table_release(&got);
    buf_release(&frame);
}

static const struct coverage_stretch covers[] = {{{"alder", 5}, {1, 2}},
                                                 {{"birch", 5}, {3, 4}}};

static void an_answer_arrives_with_all_there_is_to_it(void **state)
{
    (void)state;
    struct answer sent = {.as_list = true,
                          .period = {1, 2},
                          .covered = {3, 4},
                          .covers = covers,
                          .cover_count = COUNT_OF(covers),
                          .as_of = 5,
                          .status = 1,
                          .row_count = 77};
    struct answer got = {0};
    struct error err = {0}, why = {0};
    struct buf frame;
    int ended = 0;
    buf_init(&frame, LIMIT_OUTPUT);
    buf_init(&sent.document, LIMIT_OUTPUT);
    buf_addz(&sent.document, "text");
    fill_table(&sent.table);
    answer_note(&sent, NOTE_PERIOD, "a %s", "period");
    answer_note_about(&sent, NOTE_REJECTED, STR("file"), "100%% bad");
    wire_put_answer(&frame, &sent, 0, NULL);
    expect_int(wire_get_answer(content_of(&frame), &got, &ended, &why, &err), 0);
    expect_int(ended, 0);
    expect_same_table(&got.table, &sent.table);
    expect_uint(got.shown.column_count, 0);
    expect_uint(got.drawn.column_count, 0);
    expect_uint(got.cover_count, 2);
    expect_true(str_eq(got.covers[1].cluster, STR("birch")));
    expect_int(got.covers[1].period.to, 4);
    expect_true(got.as_list && !got.as_records);
    expect_text(got.document.ptr, "text");
    expect_int(got.period.to + got.covered.from * 10 + got.as_of * 100, 532);
    expect_uint(got.row_count, 77);
    expect_int(got.status, 1);
    expect_uint(got.notes.count, 2);
    expect_text(got.notes.rows[1].text, "100% bad");
    expect_text(got.notes.rows[1].about, "file");
    expect_int(got.notes.rows[1].kind, NOTE_REJECTED);
    answer_release(&sent);
    answer_release(&got);
    buf_release(&frame);
}

static void a_failure_arrives_as_one(void **state)
{
    (void)state;
    const struct error sent = {.kind = ERROR_MISSING, .text = "no such thing"};
    struct answer answer = {0};
    struct error err = {0}, why = {0};
    struct buf frame;
    int ended = 0;
    buf_init(&frame, LIMIT_OUTPUT);
    wire_put_answer(&frame, &answer, ERROR_MISSING, &sent);
    expect_int(wire_get_answer(content_of(&frame), &answer, &ended, &why, &err), 0);
    expect_int(ended, ERROR_MISSING);
    expect_int(why.kind, ERROR_MISSING);
    expect_text(why.text, "no such thing");
    answer_release(&answer);
    buf_release(&frame);
}

static void put_request(struct buf *frame)
{
    const struct request_value values[] = {
        {"measure", STR("jobs")}, {"user", STR("ann")}, {"user", STR("")}};
    struct wire_request *sent = mem_alloc(1, sizeof(*sent));
    sent->request =
        (struct request){operation_find(STR("report")), values, COUNT_OF(values), NULL};
    sent->zone = STR("Europe/Oslo");
    sent->year_month = 10;
    sent->streams = true;
    buf_init(frame, LIMIT_OUTPUT);
    wire_put_request(frame, sent);
    free(sent);
}

static void a_request_arrives_as_it_was_asked(void **state)
{
    (void)state;
    struct wire_request *got = mem_alloc(1, sizeof(*got));
    struct error err = {0};
    struct buf frame;
    put_request(&frame);
    if (wire_get_request(content_of(&frame), got, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_text(got->request.operation->name, "report");
    expect_true(str_eq(got->zone, STR("Europe/Oslo")));
    expect_int(got->year_month, 10);
    expect_true(got->streams && !got->bare);
    expect_uint(got->request.count, 3);
    expect_true(str_eq(request_text(&got->request, "measure"), STR("jobs")));
    struct str user;
    expect_true(request_each(&got->request, "user", 1, &user));
    expect_uint(user.len, 0);
    wire_request_release(got);
    buf_release(&frame);
    free(got);
}

/* Cut anywhere, or with any byte changed: refused or taken, never worse. */
static void a_damaged_request_is_refused_or_harmless(void **state)
{
    (void)state;
    struct wire_request *got = mem_alloc(1, sizeof(*got));
    struct error err = {0};
    struct buf frame;
    put_request(&frame);
    for (size_t i = 0; i < frame.len - HEAD; i++) {
        char *copy = mem_alloc(1, i + 1); /* so that a sanitizer sees what is read beyond it */
        memcpy(copy, frame.ptr + HEAD, i);
        expect_int(wire_get_request((struct str){copy, i}, got, &err), ERROR_INPUT);
        wire_request_release(got);
        free(copy);
        frame.ptr[HEAD + i] ^= (char)0xff;
        (void)!wire_get_request(content_of(&frame), got, &err);
        wire_request_release(got);
        frame.ptr[HEAD + i] ^= (char)0xff;
    }
    buf_release(&frame);
    free(got);
}

static void an_answer_of_a_billion_rows_is_not_believed(void **state)
{
    (void)state;
    struct table sent = {0}, got = {0};
    struct error err = {0};
    struct buf frame;
    buf_init(&frame, LIMIT_OUTPUT);
    fill_table(&sent);
    wire_put_rows(&frame, &sent);
    /* title, its length before it; columns; then the number of rows */
    memset(frame.ptr + HEAD + 4 + 5 + 4, 0x3f, 4);
    expect_int(wire_get_rows(content_of(&frame), &got, &err), ERROR_INPUT);
    expect_uint(got.row_count, 0);
    table_release(&sent);
    table_release(&got);
    buf_release(&frame);
}

static void frames_go_through_a_socket_one_after_the_other(void **state)
{
    (void)state;
    int ends[2];
    struct buf frame, got;
    struct error err = {0};
    enum frame_kind kind;
    expect_int(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    put_request(&frame);
    wire_put_busy(&frame);
    const struct str half = {frame.ptr, frame.len - 3};
    expect_int(frame_send(ends[0], buf_str(&frame), &err), 0);
    expect_int(frame_send(ends[0], half, &err), 0);
    close(ends[0]);
    buf_init(&got, WIRE_REQUEST_MAX);
    expect_int(frame_receive(ends[1], WIRE_REQUEST_MAX, NULL, &kind, &got, &err), 0);
    expect_int(kind, FRAME_REQUEST);
    expect_int(frame_receive(ends[1], WIRE_REQUEST_MAX, NULL, &kind, &got, &err), 0);
    expect_int(kind, FRAME_BUSY);
    expect_uint(got.len, 0);
    expect_int(frame_receive(ends[1], 3, NULL, &kind, &got, &err), ERROR_INPUT); /* too long */
    close(ends[1]);
    buf_release(&frame);
    buf_release(&got);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, rows_arrive_as_they_were_sent);
    SUITE_TEST(&suite, an_answer_arrives_with_all_there_is_to_it);
    SUITE_TEST(&suite, a_failure_arrives_as_one);
    SUITE_TEST(&suite, a_request_arrives_as_it_was_asked);
    SUITE_TEST(&suite, a_damaged_request_is_refused_or_harmless);
    SUITE_TEST(&suite, an_answer_of_a_billion_rows_is_not_believed);
    SUITE_TEST(&suite, frames_go_through_a_socket_one_after_the_other);
    return suite_run(&suite, "wire");
}
