/* SPDX-License-Identifier: MIT */
#include "enforce/limit_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/scan.h"
#include "enforce/guard.h"
#include "support/expect.h"

#define SU INT64_C(1000000)

enum { ROWS_MAX = 16 };

/*
 * Texts with ; between their parts, and blanks between their words:
 *
 *     demands   BANK[<PARENT] KIND NAME ROOM        room in SU, or "unlimited"
 *     states    KIND NAME [in=ACCOUNT] [parent=ACCOUNT] [used=SECONDS] [running=MINUTES] [MODE=N]
 *               [mark-MODE=SET/BEFORE] [over-MODE=QOS]           BEFORE may be empty
 *     kept      KIND NAME [in=ACCOUNT] MODE [before=N] [value=N] [next=N] [marked]
 *     want      the steps, as print_steps writes them
 */
struct plan_row {
    const char *name;
    enum enforce_mode mode;
    const char *demands, *states, *kept, *want;
    const char *never;
    bool ends_running, release, asks_nobody, safe, marks;
    int64_t tolerance; /* micro-SU; 0: one SU; below: none */
    const char *caps;  /* BANK USER ACCOUNT ROOM, as demands */
};

struct world {
    struct limit_plan_demand demands[ROWS_MAX];
    size_t demand_count;
    struct limit_plan_demand caps[ROWS_MAX];
    size_t cap_count;
    struct enforce_states states;
    struct saved_limits kept[ROWS_MAX];
    struct saved_limits_list kept_list;
    struct limit_plan plan;
};

static int64_t number(struct str text)
{
    int64_t value = 0;
    expect_true(scan_int(text, &value));
    return value;
}

static enum enforce_mode mode_of(struct str name)
{
    unsigned mode = 0;
    while (mode < ENFORCE_MODES && !str_eq(name, str_of(enforce_mode_name(mode)))) {
        mode++;
    }
    return mode;
}

/* "key=value" into *value; false if it has another key. */
static bool is_key(struct str word, const char *key, struct str *value)
{
    *value = word;
    return str_eq(str_cut(value, '='), str_of(key)) && value->ptr;
}

static void read_demands(struct world *world, const char *text)
{
    for (struct str rest = str_of(text); rest.len > 0;) {
        struct str item = str_trim(str_cut(&rest, ';'));
        struct limit_plan_demand *demand = &world->demands[world->demand_count++];
        demand->parent = str_cut(&item, ' ');
        demand->account = str_cut(&demand->parent, '<');
        demand->kind = enforce_kind_of(str_cut(&item, ' '));
        demand->name = str_cut(&item, ' ');
        demand->unlimited = str_eq(item, STR("unlimited"));
        expect_true(demand->unlimited || scan_decimal(item, 6, &demand->room));
    }
}

static void read_caps(struct world *world, const char *text)
{
    for (struct str rest = str_of(text); rest.len > 0;) {
        struct str item = str_trim(str_cut(&rest, ';'));
        struct limit_plan_demand *cap = &world->caps[world->cap_count++];
        cap->account = str_cut(&item, ' ');
        cap->kind = ENFORCE_USER;
        cap->name = str_cut(&item, ' ');
        cap->under = str_cut(&item, ' ');
        cap->unlimited = str_eq(item, STR("unlimited"));
        expect_true(cap->unlimited || scan_decimal(item, 6, &cap->room));
    }
}

static void read_mark(struct enforce_state *state, struct str word)
{
    const enum enforce_mode mode = mode_of(str_cut(&word, '='));
    const struct str set = str_cut(&word, '/');
    expect_true(mode < ENFORCE_MODES);
    state->marks[mode] = (struct enforce_mark){.is = true, .set = number(set)};
    if (word.len) {
        state->marks[mode].before = (struct enforce_value){true, number(word)};
    }
}

static void read_state_word(struct enforce_state *state, struct str word)
{
    struct str value, name = word;
    if (is_key(word, "in", &value)) {
        state->target.under = value;
    } else if (is_key(word, "parent", &value)) {
        state->parent = value;
    } else if (is_key(word, "used", &value)) {
        state->counted = true;
        state->used_s = number(value);
    } else if (is_key(word, "running", &value)) {
        state->running_min = number(value);
    } else if (str_starts(word, STR("mark-"))) {
        read_mark(state, (struct str){word.ptr + 5, word.len - 5});
    } else if (str_starts(word, STR("over-"))) {
        name = (struct str){word.ptr + 5, word.len - 5};
        const enum enforce_mode mode = mode_of(str_cut(&name, '='));
        expect_true(mode < ENFORCE_MODES);
        state->overrides[mode] = name;
    } else {
        const enum enforce_mode mode = mode_of(str_cut(&name, '='));
        expect_true(mode < ENFORCE_MODES);
        state->values[mode] = (struct enforce_value){true, number(name)};
    }
}

static void read_states(struct world *world, const char *text)
{
    for (struct str rest = str_of(text); rest.len > 0;) {
        struct str item = str_trim(str_cut(&rest, ';'));
        struct enforce_state *state = enforce_states_add(&world->states);
        state->target.kind = enforce_kind_of(str_cut(&item, ' '));
        state->target.name = str_cut(&item, ' ');
        while (item.len > 0) {
            read_state_word(state, str_cut(&item, ' '));
        }
    }
    enforce_states_sort(&world->states);
}

static void read_kept(struct world *world, const char *text)
{
    for (struct str rest = str_of(text), value; rest.len > 0;) {
        struct str item = str_trim(str_cut(&rest, ';'));
        struct saved_limits *kept = &world->kept[world->kept_list.count++];
        kept->target.kind = enforce_kind_of(str_cut(&item, ' '));
        kept->target.name = str_cut(&item, ' ');
        while (item.len > 0) {
            const struct str word = str_cut(&item, ' ');
            if (is_key(word, "in", &value)) {
                kept->target.under = value;
            } else if (is_key(word, "before", &value)) {
                kept->before = (struct enforce_value){true, number(value)};
            } else if (is_key(word, "value", &value)) {
                kept->known = true;
                kept->value = (struct enforce_value){true, number(value)};
            } else if (is_key(word, "next", &value)) {
                kept->trying = true;
                kept->next = (struct enforce_value){true, number(value)};
            } else if (str_eq(word, STR("marked"))) {
                kept->marked = true;
            } else {
                kept->mode = mode_of(word);
            }
        }
    }
    world->kept_list.rows = world->kept;
}

static void print_value(struct buf *out, struct enforce_value value)
{
    if (value.is) {
        buf_addf(out, "%" PRId64, value.n);
    } else {
        buf_addz(out, "none");
    }
}

/* "set hold chem none>0 stops; restore ...": one for each step, or "alone NAME" for what is left alone. */
static void print_steps(struct buf *out, const struct limit_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct limit_plan_row *row = &plan->rows[i];
        const char *gap = out->len ? "; " : "";
        if (row->untouched && !limit_plan_is_step(row)) {
            buf_addf(out, "%salone %.*s", gap, STR_ARG(row->target.name));
        } else if (row->foreign < ENFORCE_MODES) {
            buf_addf(out, "%sforeign %s %.*s", gap, enforce_mode_name(row->foreign),
                     STR_ARG(row->target.name));
        } else if (row->override.ptr) {
            buf_addf(out, "%sover %.*s %.*s", gap, STR_ARG(row->override),
                     STR_ARG(row->target.name));
        } else if (limit_plan_is_step(row)) {
            buf_addf(out, "%s%s %s %.*s%s%.*s ", gap, limit_plan_action_name(row->action),
                     enforce_mode_name(row->mode), STR_ARG(row->target.name),
                     row->target.under.ptr ? "@" : "", STR_ARG(row->target.under));
            print_value(out, row->now);
            buf_addc(out, '>');
            print_value(out, row->to);
            buf_addz(out, row->stops ? " stops" : row->tightens ? " tightens" : "");
            buf_addz(out, row->outcome == PLAN_WITHHELD ? " withheld" : "");
        }
    }
}

static const struct enforce_driver asked = {
    .name = "asked",
    .modes = 15,
    .kinds = 1U << ENFORCE_ACCOUNT | 1U << ENFORCE_USER,
    .lists_all = true,
};

static int never_asked(const struct enforce_site *site, struct enforce_states *out,
                       struct error *err)
{
    (void)site;
    (void)out;
    return error_set(err, ERROR_IO, "a plan asks nobody");
}

static void make(struct world *world, const struct plan_row *row)
{
    struct enforce_driver driver = asked;
    driver.ask = row->asks_nobody ? NULL : never_asked;
    driver.lists_all = !row->asks_nobody;
    driver.marks = row->marks;
    *world = (struct world){0};
    read_demands(world, row->demands);
    read_caps(world, row->caps);
    read_states(world, row->states);
    read_kept(world, row->kept);
    world->states.safe = row->safe;
    const struct limit_plan_question question = {
        .driver = &driver,
        .mode = row->mode,
        .ends_running = row->ends_running,
        .tolerance = row->tolerance == 0  ? SU
                     : row->tolerance < 0 ? 0
                                          : row->tolerance,
        .never = str_of(row->never),
        .release = row->release,
        .demands = world->demands,
        .demand_count = world->demand_count,
        .caps = world->caps,
        .cap_count = world->cap_count,
        .states = &world->states,
        .kept = &world->kept_list,
    };
    limit_plan_make(&question, &world->plan);
}

static void release(struct world *world)
{
    limit_plan_release(&world->plan);
    enforce_states_release(&world->states);
}

static const struct plan_row plan_rows[] = {
    {.name = "an account with room is let be",
     ENFORCE_HOLD,
     "chem account chem 5",
     "account root;account chem parent=root used=0",
     "",
     ""},
    {.name = "an account without room is held",
     ENFORCE_HOLD,
     "chem account chem 0",
     "account root;account chem parent=root used=0",
     "",
     "set hold chem none>0 stops"},
    {.name = "one that is held already stays so",
     ENFORCE_HOLD,
     "chem account chem -3",
     "account root;account chem parent=root used=0 hold=0",
     "account chem hold value=0",
     ""},
    {.name = "a limit of somebody else's that stops nothing is replaced",
     ENFORCE_HOLD,
     "chem account chem -3",
     "account root;account chem parent=root used=0 hold=600",
     "",
     "set hold chem 600>0 stops"},
    {.name = "room again restores what was set before",
     ENFORCE_HOLD,
     "chem account chem 0.000001",
     "account root;account chem parent=root used=0 hold=0",
     "account chem hold before=600 value=0",
     "restore hold chem 0>600"},
    {.name = "room again restores that nothing was set",
     ENFORCE_HOLD,
     "chem account chem 1",
     "account root;account chem parent=root used=0 hold=0",
     "account chem hold value=0",
     "restore hold chem 0>none"},
    {.name = "a step that was never confirmed is restored as well",
     ENFORCE_HOLD,
     "chem account chem 1",
     "account root;account chem parent=root used=0 hold=0",
     "account chem hold next=0",
     "restore hold chem 0>none"},
    {.name = "what somebody else has set since stays",
     ENFORCE_HOLD,
     "chem account chem 1",
     "account root;account chem parent=root used=0 hold=77",
     "account chem hold value=0",
     "leave hold chem 77>77"},
    {.name = "what is as before already is only forgotten",
     ENFORCE_HOLD,
     "chem account chem 1",
     "account root;account chem parent=root used=0",
     "account chem hold value=0",
     "leave hold chem none>none"},
    {.name = "submission is refused in the same way",
     ENFORCE_REFUSE,
     "chem account chem 0",
     "account root;account chem parent=root used=0",
     "",
     "set refuse chem none>0 stops"},
    {.name = "unlimited is never held, and released",
     ENFORCE_HOLD,
     "chem account chem unlimited;bio account bio unlimited",
     "account root;account chem parent=root used=0;account bio parent=root used=0 hold=0",
     "account bio hold value=0",
     "restore hold bio 0>none"},
    {.name = "another account does not notice",
     ENFORCE_HOLD,
     "bio account bio 5;chem account chem 0",
     "account root;account bio parent=root used=0;account chem parent=root used=0",
     "",
     "set hold chem none>0 stops"},

    {.name = "a limit is used, running and room: 60 + 30 + 5 x 60",
     ENFORCE_LIMIT,
     "chem account chem 5",
     "account root;account chem parent=root used=3600 running=30",
     "",
     "set limit chem none>390 tightens"},
    {.name = "a limit within the tolerance of an SU stays",
     ENFORCE_LIMIT,
     "chem account chem 5",
     "account root;account chem parent=root used=3600 running=30 limit=331",
     "account chem limit value=331",
     ""},
    {.name = "beyond it, it is set anew",
     ENFORCE_LIMIT,
     "chem account chem 5",
     "account root;account chem parent=root used=3600 running=30 limit=329",
     "account chem limit value=329",
     "set limit chem 329>390"},
    {.name = "room of less than the tolerance lets an account start that was stopped",
     ENFORCE_LIMIT,
     "chem account chem 0.5",
     "account root;account chem parent=root used=3600 limit=60",
     "account chem limit value=60",
     "set limit chem 60>90"},
    {.name = "and none stops it",
     ENFORCE_LIMIT,
     "chem account chem 0",
     "account root;account chem parent=root used=3600 limit=90",
     "account chem limit value=90",
     "set limit chem 90>60 stops"},
    {.name = "running jobs always fit below the limit",
     ENFORCE_LIMIT,
     "chem account chem -100",
     "account root;account chem parent=root used=3600 running=600 limit=9000",
     "",
     "set limit chem 9000>660 stops"},
    {.name = "unless the site lets them be ended",
     ENFORCE_LIMIT,
     "chem account chem -2",
     "account root;account chem parent=root used=3600 running=600 limit=9000",
     "",
     "set limit chem 9000>540 stops",
     NULL,
     true},
    {.name = "or the scheduler never ends any: then what is owed counts as well",
     ENFORCE_LIMIT,
     "chem account chem -2",
     "account root;account chem parent=root used=3600 running=600 limit=9000",
     "",
     "set limit chem 9000>540 stops",
     .safe = true},
    {.name = "though never below 0",
     ENFORCE_LIMIT,
     "chem account chem -9000000000000",
     "account root;account chem parent=root used=3600 running=600 limit=9000",
     "",
     "set limit chem 9000>0 stops",
     NULL,
     true},
    {.name = "usage that has decayed lowers the limit by as much",
     ENFORCE_LIMIT,
     "chem account chem 5",
     "account root;account chem parent=root used=0 limit=390",
     "account chem limit value=390",
     "set limit chem 390>300 tightens"},
    {.name = "the largest room there can be fits",
     ENFORCE_LIMIT,
     "chem account chem 9223372036854",
     "account root;account chem parent=root used=9223372036854775807",
     "",
     "set limit chem none>154276269603124170 tightens"},
    {.name = "without usage nothing is set",
     ENFORCE_LIMIT,
     "chem account chem 5",
     "account root;account chem parent=root",
     "",
     "alone chem"},

    {.name = "another mode releases what the one before has set",
     ENFORCE_LIMIT,
     "chem account chem 5",
     "account root;account chem parent=root used=0 hold=0",
     "account chem hold before=7 value=0",
     "set limit chem none>300 tightens; restore hold chem 0>7"},
    {.name = "what draws on no account any more is released",
     ENFORCE_HOLD,
     "",
     "account root;account chem parent=root used=0 hold=0",
     "account chem hold value=0",
     "restore hold chem 0>none"},
    {.name = "what the scheduler lists no more is forgotten",
     ENFORCE_HOLD,
     "",
     "account root",
     "account chem hold value=0",
     "leave hold chem none>none"},

    {.name = "what is never to be touched is not",
     ENFORCE_HOLD,
     "chem account chem 0;staff account staff-a 0",
     "account root;account chem parent=root used=0;account staff-a parent=root used=0",
     "",
     "set hold chem none>0 stops; alone staff-a",
     "staff*, ops"},
    {.name = "nor is root",
     ENFORCE_HOLD,
     "site account root 0",
     "account root used=0",
     "",
     "alone root"},
    {.name = "an account that the scheduler does not know is left alone",
     ENFORCE_HOLD,
     "chem account chem 0",
     "account root",
     "",
     "alone chem"},
    {.name = "a scheduler without projects holds none",
     ENFORCE_HOLD,
     "chem project chem 0",
     "account root",
     "",
     "alone chem"},
    {.name = "an account with one in it that draws on none is left alone",
     ENFORCE_HOLD,
     "chem account chem 0",
     "account root;account chem parent=root used=0;account lab parent=chem used=0",
     "",
     "alone chem"},
    {.name = "also if that lies deeper",
     ENFORCE_HOLD,
     "chem account chem 0;chem account lab 0",
     "account root;account chem parent=root;account lab parent=chem;account x parent=lab",
     "",
     "alone chem; alone lab"},
    {.name = "one whose parts draw on the same account is held",
     ENFORCE_HOLD,
     "chem account chem 0;chem account lab 0",
     "account root;account chem parent=root;account lab parent=chem",
     "",
     "set hold chem none>0 stops; set hold lab none>0 stops"},
    {.name = "one that pays for its parts is held, and they are",
     ENFORCE_HOLD,
     "chem account chem 0;lab<chem account lab 0;late<chem account late 7",
     "account root;account chem parent=root;account lab parent=chem;account late parent=chem",
     "",
     "set hold chem none>0 stops; set hold lab none>0 stops"},
    {.name = "a part that reached its ceiling is held alone",
     ENFORCE_HOLD,
     "chem account chem 9;lab<chem account lab 0",
     "account root;account chem parent=root;account lab parent=chem",
     "",
     "set hold lab none>0 stops"},
    {.name = "a part that another account pays for is in the way",
     ENFORCE_HOLD,
     "chem account chem 0;lab<bio account lab 0",
     "account root;account chem parent=root;account lab parent=chem",
     "",
     "alone chem; set hold lab none>0 stops"},
    {.name = "a user who draws is held in each account",
     ENFORCE_HOLD,
     "ann user ann 0",
     "account root;account a;account b;user ann in=a;user ann in=b;user bob in=a",
     "",
     "set hold ann@a none>0 stops; set hold ann@b none>0 stops"},
    {.name = "who has reached a cap is held in that account, and nobody else",
     ENFORCE_HOLD,
     "chem account chem 50",
     "account root;account a;account chem;user ann in=a;user ann in=chem;user bob in=chem",
     "",
     "set hold ann@chem none>0 stops",
     .caps = "chem ann chem 0;chem bob chem 5"},
    {.name = "with more left of the cap what was set before is restored",
     ENFORCE_HOLD,
     "chem account chem 50",
     "account root;account chem;user ann in=chem hold=0",
     "user ann in=chem hold value=0",
     "restore hold ann@chem 0>none",
     .caps = "chem ann chem 1"},
    {.name = "and without a cap",
     ENFORCE_HOLD,
     "chem account chem 50",
     "account root;account chem;user ann in=chem hold=0",
     "user ann in=chem hold value=0",
     "restore hold ann@chem 0>none"},
    {.name = "in mode limit a cap is counted like a balance",
     ENFORCE_LIMIT,
     "chem account chem unlimited",
     "account root;account chem;user ann in=chem used=3600 running=30;"
     "user bob in=chem used=60",
     "",
     "set limit ann@chem none>390 tightens",
     .caps = "chem ann chem 5;chem bob chem unlimited"},
    {.name = "an account whose user draws on another is left alone",
     ENFORCE_HOLD,
     "chem account chem 0;ann user ann 5",
     "account root;account chem;user ann in=chem;user bob in=chem",
     "",
     "alone chem"},
    {.name = "accounts that are parts of each other end",
     ENFORCE_HOLD,
     "chem account chem 0",
     "account root;account chem parent=lab;account lab parent=chem",
     "",
     "alone chem"},

    {.name = "release restores everything, whatever the balances are",
     ENFORCE_HOLD,
     "chem account chem 0;bio account bio 5",
     "account root;account chem hold=0;account bio limit=9",
     "account bio limit before=3 value=9;"
     "account chem hold value=0",
     "restore hold chem 0>none; restore limit bio 9>3",
     "chem",
     false,
     true},
    {.name = "a driver that cannot be asked goes by what was set last",
     ENFORCE_HOLD,
     "chem account chem 5;bio account bio 0;geo account geo 0",
     "",
     "account chem hold value=0;account geo hold value=0",
     "restore hold chem 0>none; set hold bio none>0 stops",
     NULL,
     false,
     false,
     true},

    /* what stint set is undone, whatever else keeps an account from being touched */
    {.name = "an account that was held and is left alone by now is released",
     ENFORCE_HOLD,
     "chem account chem 0",
     "account root;account chem parent=root used=0 hold=0;account lab parent=chem used=0",
     "account chem hold before=600 value=0",
     "restore hold chem 0>600"},
    {.name = "also with balance",
     ENFORCE_HOLD,
     "chem account chem 1000",
     "account root;account chem parent=root used=0 hold=0;account lab parent=chem used=0",
     "account chem hold value=0",
     "restore hold chem 0>none"},
    {.name = "what is never touched from now on is released",
     ENFORCE_HOLD,
     "chem account chem 0",
     "account root;account chem parent=root used=0 hold=0",
     "account chem hold value=0",
     "restore hold chem 0>none",
     "chem"},

    /* marks */
    {.name = "a mark tells whose a limit is where the books do not",
     ENFORCE_HOLD,
     "chem account chem 5",
     "account root;account chem parent=root used=0 hold=0 mark-hold=0/600",
     "",
     "restore hold chem 0>600",
     .marks = true},
    {.name = "also where nothing draws on the bank",
     ENFORCE_HOLD,
     "",
     "account root;account chem parent=root used=0 hold=0 mark-hold=0/",
     "",
     "restore hold chem 0>none",
     .marks = true},
    {.name = "of two that differ the mark counts",
     ENFORCE_HOLD,
     "chem account chem 5",
     "account root;account chem parent=root used=0 hold=0 mark-hold=0/600",
     "account chem hold before=7 value=0 marked",
     "restore hold chem 0>600",
     .marks = true},
    {.name = "a limit that lost its mark is somebody else's",
     ENFORCE_HOLD,
     "chem account chem 5",
     "account root;account chem parent=root used=0 hold=9",
     "account chem hold before=7 value=9 marked",
     "leave hold chem 9>9",
     .marks = true},
    {.name = "a mark beside a limit that somebody changed is taken away, and the limit stays",
     ENFORCE_HOLD,
     "chem account chem 5",
     "account root;account chem parent=root used=0 hold=44 mark-hold=0/600",
     "",
     "restore hold chem 44>44",
     .marks = true},
    {.name = "a held account that somebody let go is held again",
     ENFORCE_HOLD,
     "chem account chem 0",
     "account root;account chem parent=root used=0 hold=44 mark-hold=0/600",
     "account chem hold before=600 value=0 marked",
     "set hold chem 44>0 stops",
     .marks = true},
    {.name = "a limit of before there were marks gets one",
     ENFORCE_HOLD,
     "chem account chem 0",
     "account root;account chem parent=root used=0 hold=0",
     "account chem hold before=600 value=0",
     "set hold chem 0>0",
     .marks = true},
    {.name = "a stop without mark or record is nobody's, and is said",
     ENFORCE_HOLD,
     "chem account chem 5;bio account bio unlimited;geo account geo 0",
     "account root;account chem parent=root used=0 hold=0;"
     "account bio parent=root used=0 refuse=0;account geo parent=root used=0 hold=0",
     "",
     "foreign hold chem; foreign refuse bio",
     .marks = true},

    /* the stricter one holds */
    {.name = "a limit of the site's that is lower than the balance stays",
     ENFORCE_LIMIT,
     "chem account chem 100",
     "account root;account chem parent=root used=0 limit=600",
     "",
     "",
     .marks = true},
    {.name = "one that somebody set lower since stays, without stint's mark",
     ENFORCE_LIMIT,
     "chem account chem 100",
     "account root;account chem parent=root used=0 limit=600 mark-limit=6000/",
     "account chem limit value=6000 marked",
     "restore limit chem 600>600",
     .marks = true},
    {.name = "one that somebody set higher since is what comes back",
     ENFORCE_LIMIT,
     "chem account chem 100",
     "account root;account chem parent=root used=0 limit=9000 mark-limit=6000/",
     "account chem limit value=6000 marked",
     "set limit chem 9000>6000 tightens",
     .marks = true},
    {.name = "the site's limit comes back where the balance grows beyond it",
     ENFORCE_LIMIT,
     "chem account chem 100",
     "account root;account chem parent=root used=0 limit=60 mark-limit=60/600",
     "account chem limit before=600 value=60 marked",
     "restore limit chem 60>600",
     .marks = true},
    {.name =
         "without tolerance a limit is not set anew for what is lost where minutes are whole",
     ENFORCE_LIMIT,
     "chem account chem 5.016",
     "account root;account chem parent=root used=3659 running=30 limit=392",
     "account chem limit value=392",
     "",
     .tolerance = -1},
    {.name = "but for more than that",
     ENFORCE_LIMIT,
     "chem account chem 5.016",
     "account root;account chem parent=root used=3659 running=30 limit=393",
     "account chem limit value=393",
     "set limit chem 393>390 tightens",
     .tolerance = -1},

    /* limits of a quality of service */
    {.name = "where a quality of service overrides a hold, a number of jobs holds",
     ENFORCE_HOLD,
     "chem account chem 0",
     "account root;account chem parent=root used=0 over-hold=run",
     "",
     "set jobs chem none>0 stops"},
    {.name = "what was held before stays so, until there is room",
     ENFORCE_HOLD,
     "chem account chem 0;bio account bio 5",
     "account root;account chem parent=root used=0 hold=0 mark-hold=0/ over-hold=run;"
     "account bio parent=root used=0 hold=0 mark-hold=0/ jobs=0 mark-jobs=0/8 over-hold=run",
     "account chem hold value=0 marked",
     "set jobs chem none>0 stops; restore jobs bio 0>8; restore hold bio 0>none",
     .marks = true},
    {.name = "one that overrides both is said",
     ENFORCE_HOLD,
     "chem account chem 5",
     "account root;account chem parent=root used=0 over-hold=run over-jobs=run",
     "",
     "over run chem"},
};

static void plans_are(void **state)
{
    const struct plan_row *row = *state;
    struct world world;
    struct buf text;
    make(&world, row);
    buf_init(&text, 1 << 16);
    print_steps(&text, &world.plan);
    expect_text(text.ptr, row->want);
    buf_release(&text);
    release(&world);
}

/* --- drift ---------------------------------------------------------------------------------------- */

struct drift_row {
    const char *name;
    enum enforce_mode mode;
    const char *room, *state, *want; /* enforced and drift in SU, or - */
};

static const struct drift_row drift_rows[] = {
    {"no limit cannot be compared", ENFORCE_LIMIT, "5", "used=3600", "- -"},
    {"what is shown is enforced", ENFORCE_LIMIT, "5", "used=3600 running=30 limit=390", "5 0"},
    {"an SU too much", ENFORCE_LIMIT, "5", "used=3600 limit=420", "6 1"},
    {"two too little", ENFORCE_LIMIT, "5", "used=3600 limit=240", "3 -2"},
    {"more is gone than there is", ENFORCE_LIMIT, "-3", "used=36000 limit=60", "0 0"},
    {"held, and rightly", ENFORCE_HOLD, "-2", "hold=0", "0 0"},
    {"held by mistake", ENFORCE_HOLD, "2", "hold=0", "0 -2"},
    {"not held by mistake", ENFORCE_HOLD, "-2", "used=0", "- 2"},
    {"not held, and rightly", ENFORCE_HOLD, "2", "used=0", "- 0"},
};

static void print_amount(struct buf *out, bool is, int64_t micro)
{
    if (is) {
        expect_int(micro % SU, 0);
        buf_addf(out, "%" PRId64, micro / SU);
    } else {
        buf_addc(out, '-');
    }
}

static void drifts_are(void **state)
{
    const struct drift_row *row = *state;
    char demands[64], states[128];
    struct world world;
    struct buf text;
    int64_t enforced, drift;
    (void)snprintf(demands, sizeof(demands), "chem account chem %s", row->room);
    (void)snprintf(states, sizeof(states), "account chem used=0 %s", row->state);
    const struct plan_row plan = {.name = "", row->mode, demands, states, "", ""};
    make(&world, &plan);
    expect_uint(world.plan.count, 1);
    const bool is = limit_plan_enforced(&world.plan.rows[0], &enforced);
    buf_init(&text, 64);
    print_amount(&text, is, enforced);
    buf_addc(&text, ' ');
    const bool differs = limit_plan_drift(&world.plan.rows[0], &drift);
    print_amount(&text, differs, drift);
    expect_text(text.ptr, row->want);
    buf_release(&text);
    release(&world);
}

/* --- guards --------------------------------------------------------------------------------------- */

#define TEN                                                                                    \
    "a account a 0;b account b 0;c account c 0;d account d 0;e account e 5;f account f 5;"     \
    "g account g 5;h account h 5;i account i 5;j account j 5"
#define TEN_STATES                                                                             \
    "account a;account b;account c;account d;account e hold=0;account f;account g;account h;"  \
    "account i;account j"
#define TEN_KEPT "account e hold value=0"
#define ALL_HELD                                                                               \
    "set hold a none>0 stops; set hold b none>0 stops; set hold c none>0 stops; "              \
    "set hold d none>0 stops; restore hold e 0>none"
#define NONE_HELD                                                                              \
    "set hold a none>0 stops withheld; set hold b none>0 stops withheld; set hold c none>0 "   \
    "stops withheld; set hold d none>0 stops withheld; restore hold e 0>none"

struct guard_row {
    const char *name;
    struct guard guard;
    const char *want, *why; /* of the first step */
};

#define CLOCK .now = 7200 * SU, .max_age_us = 3600 * SU
#define FINE  CLOCK, .facts_at = 3600 * SU, .covered = true
#define MANY  .max_accounts = 10, .max_share = 100

static const struct guard_row guard_rows[] = {
    {"all is well", {FINE, MANY}, ALL_HELD, NULL},
    {"switched off, nothing is changed at all",
     {FINE, MANY, .off = true},
     NONE_HELD " withheld",
     "enforcement is switched off: 'off = yes' in stint.conf"},
    {"so it is while the file exists",
     {FINE, MANY, .stop_file = "/run/no"},
     NONE_HELD " withheld",
     "enforcement is switched off while '/run/no' exists"},
    {"on old data nobody is held, and who has room is let go",
     {CLOCK, MANY, .covered = true, .facts_at = 3540 * SU},
     NONE_HELD,
     "the data are 61 minutes old, and max_age allows 60 minutes: stint pull, or stint import"},
    {"without data nobody is held",
     {CLOCK, MANY, .covered = true, .facts_at = -1},
     NONE_HELD,
     "there are no data of this cluster: stint pull, or stint import"},
    {"nor while data are missing",
     {CLOCK, MANY, .facts_at = 3600 * SU},
     NONE_HELD,
     "data of the time before now are missing: see stint doctor and stint gap list"},
    {"four are more than three",
     {FINE, .max_accounts = 3, .max_share = 100},
     NONE_HELD,
     "4 of 10 would be stopped in one go, and max_accounts and max_share allow 3: look at the "
     "balances, or raise them"},
    {"four are a larger share than 39 % of ten",
     {FINE, .max_accounts = 10, .max_share = 39},
     NONE_HELD,
     "4 of 10 would be stopped in one go, and max_accounts and max_share allow 3: look at the "
     "balances, or raise them"},
    {"and not than 40 %", {FINE, .max_accounts = 10, .max_share = 40}, ALL_HELD, NULL},
};

static void guards_withhold(void **state)
{
    const struct guard_row *row = *state;
    const struct plan_row plan = {.name = "", ENFORCE_HOLD, TEN, TEN_STATES, TEN_KEPT, ""};
    struct world world;
    struct buf text;
    make(&world, &plan);
    guard_apply(&row->guard, &world.plan);
    buf_init(&text, 1 << 16);
    print_steps(&text, &world.plan);
    expect_text(text.ptr, row->want);
    expect_text(world.plan.rows[0].why, row->why);
    buf_release(&text);
    release(&world);
}

/* A limit that becomes less keeps jobs from starting, though not all of them. */
static void on_old_data_no_limit_becomes_less(void **state)
{
    (void)state;
    struct limit_plan_row rows[] = {
        {.action = PLAN_SET, .now = {true, 900}, .to = {true, 300}, .tightens = true},
        {.action = PLAN_SET, .now = {true, 300}, .to = {true, 900}},
    };
    struct limit_plan plan = {.rows = rows, .count = COUNT_OF(rows)};
    const struct guard guard = {CLOCK, MANY, .covered = true, .facts_at = 0};
    guard_apply(&guard, &plan);
    expect_int(rows[0].outcome, PLAN_WITHHELD);
    expect_int(rows[1].outcome, PLAN_SHOWN);
    arena_release(&plan.arena);
}

static void one_may_be_held_however_few_there_are(void **state)
{
    (void)state;
    const struct plan_row plan = {
        .name = "", ENFORCE_HOLD, "a account a 0;b account b 5", "account a;account b", "", ""};
    const struct guard guard = {FINE, .max_accounts = 10, .max_share = 20};
    struct world world;
    make(&world, &plan);
    guard_apply(&guard, &world.plan);
    expect_int(world.plan.rows[0].outcome, PLAN_SHOWN);
    release(&world);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, plans_are, plan_rows);
    SUITE_ROWS(&suite, drifts_are, drift_rows);
    SUITE_ROWS(&suite, guards_withhold, guard_rows);
    SUITE_TEST(&suite, on_old_data_no_limit_becomes_less);
    SUITE_TEST(&suite, one_may_be_held_however_few_there_are);
    return suite_run(&suite, "limit_plan");
}
