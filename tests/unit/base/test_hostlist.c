/* SPDX-License-Identifier: MIT */
#include "base/hostlist.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/limit.h"
#include "support/expect.h"

struct list_row {
    const char *name;
    const char *text;
    const char *names; /* with blanks between, and cpus; NULL: cannot be read */
};

static const struct list_row list_rows[] = {
    {"one name", "n1", "n1"},
    {"names with commas", "n1,n2,gpu-3.site.example", "n1 n2 gpu-3.site.example"},
    {"a range", "c[1-3]", "c1 c2 c3"},
    {"ranges with zeros, and a name", "c[1-3,07-09],g1", "c1 c2 c3 c07 c08 c09 g1"},
    {"a width that is outgrown", "c[08-11,099-101]", "c08 c09 c10 c11 c099 c100 c101"},
    {"zero itself", "c[0-2]", "c0 c1 c2"},
    {"two brackets", "r[1-2]n[01-02]", "r1n01 r1n02 r2n01 r2n02"},
    {"text behind", "n[1-2]-ib,x", "n1-ib n2-ib x"},
    {"only a bracket", "[1-2]", "1 2"},
    {"the same twice", "n1,n[1-1]", "n1 n1"},
    {"blanks after commas", "n1, n2", "n1 n2"},
    {"cpus of each node", "c1*8,c[2-3]*4", "c1*8 c2*4 c3*4"},
    {"none of one", "c1*8,c2*0", "c1*8 c2*0"},
    {"cpus of some are those of none", "c1*8,c2", "c1 c2"},
    {"no cpus at all are not said", "c1*0,c2*0", "c1 c2"},
    {"cpus of the same node twice", "c1*8,c1*2", "c1*8 c1*2"},
    {"more cpus than anybody has", "c1*999999999,c2*999999999", "c1 c2"},
    {"a star that is a part of a name", "4*host,b*", "4*host b*"},
    {"nothing", "", NULL},
    {"an empty name", "n1,,n2", NULL},
    {"a comma at the end", "n1,", NULL},
    {"an open bracket", "n[1-3", NULL},
    {"a closing bracket", "n1]", NULL},
    {"a closing bracket behind", "n[1]2]", NULL},
    {"a bracket in a bracket", "n[[1-2]]", NULL},
    {"an empty bracket", "n[]", NULL},
    {"a range downwards", "n[3-1]", NULL},
    {"half a range", "n[1-]", NULL},
    {"the other half", "n[-1]", NULL},
    {"letters", "n[a-c]", NULL},
    {"signs", "n[+1-2]", NULL},
    {"three numbers", "n[1-2-3]", NULL},
    {"words", "None assigned", NULL},
    {"null", "(null)", NULL},
    {"cpus twice", "n1*8*4", NULL},
    {"cpus inside of a name", "n*[1-2]", NULL},
    {"cpus of nothing", "*8", NULL},
    {"a number of cpus that does not fit", "n1*9999999999", NULL},
    {"a number that does not fit", "n[99999999999999999999]", NULL},
    {"five brackets", "a[1]b[1]c[1]d[1]e[1]", NULL},
    {"too many", "n[1-65537]", NULL},
    {"too many by far", "n[0-999999999999999999]", NULL},
    {"too many together", "r[1-300]n[1-300]", NULL},
    {"digits behind a bracket", "n[1-2]0,n[1-2]1", "n10 n20 n11 n21"},
    {"zeros that are the number's own", "c[000-002]", "c000 c001 c002"},
};

static void hostlist_read_names(void **state)
{
    const struct list_row *row = *state;
    struct arena arena = {0};
    struct hostlist list;
    struct buf got;
    buf_init(&got, 1 << 20);
    expect_int(hostlist_read(str_of(row->text), &arena, &list), row->names != NULL);
    for (size_t i = 0; i < list.count; i++) {
        buf_addz(&got, i ? " " : "");
        buf_add(&got, list.nodes[i].name);
        if (list.cpus > 0) {
            buf_addf(&got, "*%" PRId64, list.nodes[i].cpus);
        }
    }
    expect_text(got.ptr, row->names ? row->names : "");
    buf_release(&got);
    arena_release(&arena);
}

/* Every list of the table has its own names and no others, and one that cannot be read has none. */
static void hostlist_has_its_names(void **state)
{
    const struct list_row *row = *state;
    static const char *const others[] = {"n1",   "n2",    "c1",    "c07",    "c7",    "c100",
                                         "c099", "r1n01", "c",     "n",      "1",     "",
                                         "n01",  "c1*8",  "n1-ib", "c001",   "g1",    "n10",
                                         "c10",  "c010",  "None",  "(null)", "4*host"};
    struct arena arena = {0};
    struct hostlist list;
    const bool good = hostlist_read(str_of(row->text), &arena, &list);
    for (size_t i = 0; i < list.count; i++) {
        expect_true(hostlist_has(str_of(row->text), list.nodes[i].name, &arena));
    }
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        bool is = false;
        for (size_t k = 0; good && k < list.count; k++) {
            is = is || str_eq(list.nodes[k].name, str_of(others[i]));
        }
        expect_int(hostlist_has(str_of(row->text), str_of(others[i]), &arena), is);
    }
    arena_release(&arena);
}

static void sorted_names_are_there_once_with_all_their_cpus(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct hostlist list;
    expect_true(hostlist_read(STR("c2*4,c1*8,c2*1"), &arena, &list));
    hostlist_sort(&list);
    expect_uint(list.count, 2);
    expect_int(list.cpus, 13);
    expect_text_n(list.nodes[0].name.ptr, list.nodes[0].name.len, "c1");
    expect_int(list.nodes[0].cpus, 8);
    expect_text_n(list.nodes[1].name.ptr, list.nodes[1].name.len, "c2");
    expect_int(list.nodes[1].cpus, 5);
    arena_release(&arena);
}

static void as_many_as_the_limit_are_read(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct hostlist list;
    expect_true(hostlist_read(STR("n[00001-65536]"), &arena, &list));
    expect_uint(list.count, LIMIT_HOSTS);
    expect_text_n(list.nodes[0].name.ptr, list.nodes[0].name.len, "n00001");
    expect_text_n(list.nodes[65535].name.ptr, list.nodes[65535].name.len, "n65536");
    arena_release(&arena);
}

static void a_name_has_a_longest(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct hostlist list;
    char text[LIMIT_HOST_NAME + 8];
    memset(text, 'n', sizeof(text));
    memcpy(text + LIMIT_HOST_NAME, "[7]", 3);
    expect_true(hostlist_read((struct str){text, LIMIT_HOST_NAME}, &arena, &list));
    expect_false(hostlist_read((struct str){text, LIMIT_HOST_NAME + 1}, &arena, &list));
    expect_false(hostlist_read((struct str){text, LIMIT_HOST_NAME + 3}, &arena, &list));
    expect_true(hostlist_read((struct str){text + 2, LIMIT_HOST_NAME + 1}, &arena, &list));
    expect_uint(list.nodes[0].name.len, LIMIT_HOST_NAME - 1);
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, hostlist_read_names, list_rows);
    SUITE_ROWS(&suite, hostlist_has_its_names, list_rows);
    SUITE_TEST(&suite, sorted_names_are_there_once_with_all_their_cpus);
    SUITE_TEST(&suite, as_many_as_the_limit_are_read);
    SUITE_TEST(&suite, a_name_has_a_longest);
    return suite_run(&suite, "hostlist");
}
