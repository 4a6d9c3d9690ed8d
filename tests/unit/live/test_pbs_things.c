/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "live/pbs/pbs_live.h"
#include "support/expect.h"

#define NODE(name, members)                                                                    \
    "        \"" name "\":{\n            \"ntype\":\"PBS\",\n" members "        },\n"
#define LIST(nodes) "{\n    \"timestamp\":1,\n    \"nodes\":{\n" nodes "    }\n}\n"
#define STATE(word) "            \"state\":\"" word "\",\n"
#define HAS(ncpus)                                                                             \
    "            \"resources_available\":{\n                \"ncpus\":" ncpus ",\n"            \
    "                \"mem\":\"1048576kb\"\n            },\n"
#define GIVEN(ncpus)                                                                           \
    "            \"resources_assigned\":{\n                \"ncpus\":" ncpus                   \
    "\n            },\n"
#define GIVES_NONE "            \"resources_assigned\":{\n            },\n"
#define JOBS       "            \"jobs\":[\n                \"1.head/0\"\n            ],\n"

static const struct node_row {
    const char *name, *text, *class, *state;
} node_rows[] = {
    {"idle", LIST(NODE("n1", STATE("free") HAS("8") GIVES_NONE)), "idle", "free"},
    {"partly used", LIST(NODE("n1", STATE("free") HAS("8") GIVEN("3"))), "mixed", "free"},
    {"all cpus are given", LIST(NODE("n1", STATE("free") HAS("8") GIVEN("8"))), "allocated",
     "free"},
    {"one job has all of it", LIST(NODE("n1", STATE("job-exclusive") HAS("8") GIVEN("1"))),
     "allocated", "job-exclusive"},
    {"reserved and not used", LIST(NODE("n1", STATE("resv-exclusive") HAS("8") GIVES_NONE)),
     "reserved", "resv-exclusive"},
    {"reserved and used",
     LIST(NODE("n1", STATE("job-exclusive,resv-exclusive") HAS("8") GIVEN("2"))), "allocated",
     "job-exclusive,resv-exclusive"},
    {"down", LIST(NODE("n1", STATE("state-unknown,down") HAS("8") GIVES_NONE)), "down",
     "state-unknown,down"},
    {"down and taken out", LIST(NODE("n1", STATE("down,offline") HAS("8") GIVES_NONE)), "down",
     "down,offline"},
    {"taken out", LIST(NODE("n1", STATE("offline") HAS("8") GIVES_NONE)), "drained", "offline"},
    {"taken out, jobs go on", LIST(NODE("n1", STATE("offline") JOBS HAS("8") GIVEN("2"))),
     "draining", "offline"},
    {"under maintenance", LIST(NODE("n1", STATE("maintenance") HAS("8") GIVES_NONE)),
     "maintenance", "maintenance"},
    {"asleep", LIST(NODE("n1", STATE("sleep") HAS("8") GIVES_NONE)), "powered_down", "sleep"},
    {"a state of a later PBS", LIST(NODE("n1", STATE("pondering") HAS("8") GIVES_NONE)),
     "unknown", "pondering"},
    {"one of two parts is down",
     LIST(NODE("n1[0]", STATE("free") HAS("4") GIVES_NONE)
              NODE("n1[1]", STATE("down") HAS("4") GIVES_NONE)),
     "idle", "free,down"},
};

static void states_tell_the_class_of_a_node(void **state)
{
    const struct node_row *row = *state;
    struct arena arena = {0};
    struct inventory_item_list nodes = {0};
    struct error err = {0};
    expect_int(pbs_nodes_read(str_of(row->text), &arena, &nodes, NULL, &err), 0);
    expect_uint(nodes.count, 1);
    const struct inventory_item_value *values = nodes.rows[0].values;
    expect_text_n(values[NODE_node].text.ptr, values[NODE_node].text.len, "n1");
    expect_text_n(values[NODE_class].text.ptr, values[NODE_class].text.len, row->class);
    expect_text_n(values[NODE_state].text.ptr, values[NODE_state].text.len, row->state);
    expect_int(values[NODE_cpus].integer, 8);
    expect_false(values[NODE_gpus].has); /* nobody told */
    expect_false(values[NODE_gpus_alloc].has);
    inventory_item_list_release(&nodes);
    arena_release(&arena);
}

static void what_is_given_is_not_known_where_nothing_says_so(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct inventory_item_list nodes = {0};
    struct error err = {0};
    expect_int(pbs_nodes_read(STR(LIST(NODE("n1", STATE("free") HAS("8")))), &arena, &nodes,
                              NULL, &err),
               0);
    expect_false(nodes.rows[0].values[NODE_cpus_alloc].has);
    inventory_item_list_release(&nodes);
    arena_release(&arena);
}

static void out_of_use_is_since_the_state_changed(void **state)
{
    (void)state;
    static const char *const texts[] = {"1759744800", "\"Mon Oct  6 10:00:00 2025\""};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        char text[512];
        struct arena arena = {0};
        struct inventory_item_list nodes = {0};
        struct error err = {0};
        snprintf(text, sizeof(text),
                 "{\n \"nodes\":{\n  \"n1\":{\n   \"state\":\"down\",\n"
                 "   \"comment\":\"it \"fell\" over\",\n   \"last_state_change_time\":%s\n"
                 "  },\n  \"n2\":{\n   \"state\":\"free\",\n"
                 "   \"last_state_change_time\":%s\n  }\n }\n}\n",
                 texts[i], texts[i]);
        expect_int(pbs_nodes_read(str_of(text), &arena, &nodes, NULL, &err), 0);
        expect_uint(nodes.count, 2);
        const struct inventory_item_value *values = nodes.rows[0].values;
        expect_int(values[NODE_reason_at].integer, INT64_C(1759744800) * SECOND_US);
        expect_text_n(values[NODE_reason].text.ptr, values[NODE_reason].text.len,
                      "it \"fell\" over");
        expect_false(nodes.rows[1].values[NODE_reason_at].has);
        inventory_item_list_release(&nodes);
        arena_release(&arena);
    }
}

static void reservations_have_their_nodes_and_times(void **state)
{
    (void)state;
    static const char text[] = "Resv ID: M7.head\nReserve_Name = pump\n"
                               "reserve_state = RESV_RUNNING\n"
                               "reserve_start = Mon Oct  6 10:00:00 2025\n"
                               "reserve_end = 1759780800\n"
                               "Resource_List.ncpus = 96\n"
                               "resv_nodes = (n1:ncpus=64)+\n\t(n2[0]:ncpus=32)\n\n"
                               "Resv ID: R8.head\nreserve_state = RESV_DELETED\n";
    struct arena arena = {0};
    struct inventory_item_list list = {0};
    struct error err = {0};
    expect_int(pbs_reservations_read(str_of(text), &arena, &list, NULL, &err), 0);
    expect_uint(list.count, 1);
    const struct inventory_item_value *values = list.rows[0].values;
    expect_text_n(values[RESERVATION_reservation].text.ptr,
                  values[RESERVATION_reservation].text.len, "pump");
    expect_text_n(values[RESERVATION_flags].text.ptr, values[RESERVATION_flags].text.len,
                  "MAINT,RUNNING");
    expect_text_n(values[RESERVATION_nodes].text.ptr, values[RESERVATION_nodes].text.len,
                  "n1,n2");
    expect_int(values[RESERVATION_start].integer, INT64_C(1759744800) * SECOND_US);
    expect_int(values[RESERVATION_end].integer, INT64_C(1759780800) * SECOND_US);
    expect_int(values[RESERVATION_cpus].integer, 96);
    inventory_item_list_release(&list);
    arena_release(&arena);
}

static void what_is_no_list_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"Connection refused\n",
                                        "{\n    \"Jobs\":{\n    }\n}\n"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct arena arena = {0};
        struct inventory_item_list list = {0};
        struct error err = {0};
        const struct str text = str_of(texts[i]);
        expect_int(pbs_nodes_read(text, &arena, &list, NULL, &err), ERROR_INPUT);
        expect_int(pbs_queues_read(text, &arena, &list, NULL, &err), ERROR_INPUT);
        expect_int(pbs_reservations_read(text, &arena, &list, NULL, &err), ERROR_INPUT);
        expect_uint(list.count, 0);
        inventory_item_list_release(&list);
        arena_release(&arena);
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, states_tell_the_class_of_a_node, node_rows);
    SUITE_TEST(&suite, what_is_given_is_not_known_where_nothing_says_so);
    SUITE_TEST(&suite, out_of_use_is_since_the_state_changed);
    SUITE_TEST(&suite, reservations_have_their_nodes_and_times);
    SUITE_TEST(&suite, what_is_no_list_is_refused);
    return suite_run(&suite, "pbs_things");
}
