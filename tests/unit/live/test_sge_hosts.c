/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "live/sge/sge_live.h"
#include "support/expect.h"

#define HOST(queues)                                                                           \
    "<?xml version='1.0'?>\n<qhost xmlns:xsd=\"x\">\n"                                         \
    " <host name='global'><hostvalue name='num_proc'>-</hostvalue></host>\n"                   \
    " <host name='n1'>\n"                                                                      \
    "   <hostvalue name='arch_string'>lx-amd64</hostvalue>\n"                                  \
    "   <hostvalue name='num_proc'>8</hostvalue>\n"                                            \
    "   <hostvalue name='m_core'>4</hostvalue>\n"                                              \
    "   <hostvalue name='load_avg'>0.45</hostvalue>\n"                                         \
    "   <hostvalue name='mem_total'>23.5G</hostvalue>\n" queues " </host>\n</qhost>\n"
#define QUEUE(name, used, slots, state)                                                        \
    " <queue name='" name "'>\n   <queuevalue qname='" name "' name='slots_used'>" used        \
    "</queuevalue>\n   <queuevalue qname='" name "' name='slots'>" slots                       \
    "</queuevalue>\n   <queuevalue qname='" name "' name='state_string'>" state                \
    "</queuevalue>\n </queue>\n"

static const struct host_row {
    const char *name, *text, *class, *state;
} host_rows[] = {
    {"idle", HOST(QUEUE("a", "0", "8", "")), "idle", "idle"},
    {"partly used", HOST(QUEUE("a", "3", "8", "")), "mixed", "mixed"},
    {"used by two queues together", HOST(QUEUE("a", "4", "8", "") QUEUE("b", "4", "8", "")),
     "allocated", "allocated"},
    {"fewer slots than cpus, all used", HOST(QUEUE("a", "2", "2", "")), "allocated",
     "allocated"},
    {"disabled and empty", HOST(QUEUE("a", "0", "8", "d")), "drained", "a=d"},
    {"disabled, jobs go on", HOST(QUEUE("a", "1", "8", "d")), "draining", "a=d"},
    {"one of two queues disabled", HOST(QUEUE("a", "0", "8", "d") QUEUE("b", "0", "8", "")),
     "idle", "a=d"},
    {"not reached", HOST(QUEUE("a", "0", "8", "au") QUEUE("b", "0", "8", "adu")), "down",
     "a=au,b=adu"},
    {"in error", HOST(QUEUE("a", "0", "8", "E")), "failed", "a=E"},
    {"a load alarm is no state of the node", HOST(QUEUE("a", "8", "8", "a")), "allocated",
     "a=a"},
    {"without a queue", HOST(""), "unknown", "unknown"},
};

static void queues_tell_the_state_of_a_node(void **state)
{
    const struct host_row *row = *state;
    struct arena arena = {0};
    struct inventory_item_list nodes = {0}, partitions = {0};
    struct error err = {0};
    expect_int(sge_hosts_read(str_of(row->text), &arena, &nodes, &partitions, &err), 0);
    expect_uint(nodes.count, 1); /* 'global' is none */
    const struct inventory_item_value *values = nodes.rows[0].values;
    expect_text_n(values[NODE_class].text.ptr, values[NODE_class].text.len, row->class);
    expect_text_n(values[NODE_state].text.ptr, values[NODE_state].text.len, row->state);
    expect_int(values[NODE_cpus].integer, 8);
    expect_int(values[NODE_cores].integer, 4);
    expect_int(values[NODE_mem_bytes].integer, INT64_C(47) << 29); /* 23.5 GiB */
    inventory_item_list_release(&nodes);
    inventory_item_list_release(&partitions);
    arena_release(&arena);
}

static void queues_are_partitions(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct inventory_item_list nodes = {0}, partitions = {0};
    struct error err = {0};
    const struct str text =
        STR("<qhost><host name='n1'><hostvalue name='load_avg'>1</hostvalue>" QUEUE("a", "0",
                                                                                    "8", "")
                QUEUE("b", "0", "2", "") "</host><host name='n2'>" QUEUE("a", "0", "4",
                                                                         "u") "</host>"
                                                                              "</qhost>");
    expect_int(sge_hosts_read(text, &arena, &nodes, &partitions, &err), 0);
    expect_uint(nodes.count, 2);
    expect_uint(partitions.count, 2);
    const struct inventory_item_value *a = partitions.rows[0].values;
    expect_text_n(a[PARTITION_partition].text.ptr, a[PARTITION_partition].text.len, "a");
    expect_int(a[PARTITION_node_count].integer, 2);
    expect_int(a[PARTITION_cpus].integer, 12);
    const struct inventory_item_value *n2 = nodes.rows[1].values;
    expect_text_n(n2[NODE_class].text.ptr, n2[NODE_class].text.len, "down");
    expect_false(n2[NODE_cpus].has); /* nobody told */
    inventory_item_list_release(&nodes);
    inventory_item_list_release(&partitions);
    arena_release(&arena);
}

static void what_is_no_list_of_hosts_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "error: commlib error: got select error",
                                        "<qhost><host name='n1'>", "<job_info></job_info>"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct arena arena = {0};
        struct inventory_item_list nodes = {0}, partitions = {0};
        struct error err = {0};
        expect_int(sge_hosts_read(str_of(texts[i]), &arena, &nodes, &partitions, &err),
                   ERROR_INPUT);
        expect_contains(err.text, "qhost");
        inventory_item_list_release(&nodes);
        inventory_item_list_release(&partitions);
        arena_release(&arena);
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, queues_tell_the_state_of_a_node, host_rows);
    SUITE_TEST(&suite, queues_are_partitions);
    SUITE_TEST(&suite, what_is_no_list_of_hosts_is_refused);
    return suite_run(&suite, "sge_hosts");
}
