/* SPDX-License-Identifier: MIT */
#include "demo/demo_people.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * Logins are made of a first and a last name in one of several house styles; one that is taken
 * gets a number, as at any site that is old enough.
 */

static const char *const first_names[] = {
    "ada",   "ali",   "amara", "anna",  "bjorn",  "carla",  "chen",  "clara", "daniel",
    "diego", "elena", "emma",  "erik",  "fatima", "felix",  "grace", "hana",  "henri",
    "ines",  "ivan",  "jan",   "jonas", "julia",  "kaito",  "karin", "lars",  "laura",
    "leila", "lin",   "lucas", "maria", "martin", "mei",    "milos", "mohan", "nadia",
    "nils",  "nora",  "olga",  "omar",  "paula",  "pedro",  "petra", "priya", "ravi",
    "rosa",  "samir", "sofia", "sven",  "tariq",  "teresa", "tom",   "ulf",   "vera",
    "wei",   "yara",  "yuki",  "zoe",
};

static const char *const last_names[] = {
    "abebe",    "alvarez",  "andersen",  "bakker",  "banerjee", "bauer",   "becker",  "berg",
    "bianchi",  "brandt",   "carlsen",   "castro",  "cohen",    "costa",   "dahl",    "diallo",
    "dubois",   "ekberg",   "farouk",    "ferrari", "fischer",  "garcia",  "gruber",  "haas",
    "hansen",   "hoffmann", "horvat",    "huang",   "ibrahim",  "ivanova", "jansen",  "jensen",
    "kaya",     "keller",   "khan",      "kim",     "kowalski", "kumar",   "lambert", "larsen",
    "lehmann",  "li",       "lindqvist", "lopez",   "marino",   "meyer",   "moreau",  "mueller",
    "nakamura", "nguyen",   "nielsen",   "novak",   "okafor",   "olsen",   "patel",   "pereira",
    "petrov",   "popescu",  "rossi",     "santos",  "sato",     "schmidt", "silva",   "singh",
    "tanaka",   "torres",   "vogel",     "wagner",  "weber",    "wong",    "yilmaz",  "zhang",
};

static const struct {
    const char *name;
    const char *department;
} fields[] = {
    {"biophys", "biology"},      {"genome", "biology"},       {"ml", "informatics"},
    {"stats", "mathematics"},    {"astro", "physics"},        {"fluid", "engineering"},
    {"theochem", "chemistry"},   {"neuro", "medicine"},       {"geophys", "earth-sciences"},
    {"hep", "physics"},          {"matsci", "engineering"},   {"ecol", "biology"},
    {"vision", "informatics"},   {"atmos", "earth-sciences"}, {"cryoem", "medicine"},
    {"econ", "social-sciences"}, {"ling", "humanities"},      {"guests", "defaultdepartment"},
};

enum {
    GROUP_PEOPLE = 7, /* in a group, on average */
    SHIFT = 3,        /* flattens the top: weights are 1/(rank + SHIFT) */
    TRIES = 5,        /* to draw somebody who is here */
    AWAY = 180,       /* thousandths of weeks people are away */
};

static char *add_text(char *at, const char *end, const char *text, size_t most)
{
    for (size_t i = 0; i < most && text[i] && at < end; i++) {
        *at++ = text[i];
    }
    *at = '\0';
    return at;
}

static void add_number(char *at, const char *end, uint32_t number)
{
    char digits[12];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (n > 0 && at < end) {
        *at++ = digits[--n];
    }
    *at = '\0';
}

/* mhansen, hansenm, ali.k, karin.berg, or mhan42 where the machine room was in charge. */
static void make_login(char login[DEMO_LOGIN_MAX], struct demo_random *random)
{
    const char *first =
        first_names[demo_random_below(random, sizeof(first_names) / sizeof(first_names[0]))];
    const char *last =
        last_names[demo_random_below(random, sizeof(last_names) / sizeof(last_names[0]))];
    const char *end = login + DEMO_LOGIN_MAX - 8; /* room for a number */
    uint32_t style = demo_random_below(random, 100);
    if (style < 45) {
        add_text(add_text(login, end, first, 1), end, last, DEMO_LOGIN_MAX);
    } else if (style < 60) {
        add_text(add_text(login, end, last, DEMO_LOGIN_MAX), end, first, 1);
    } else if (style < 75) {
        char *at = add_text(login, end, first, DEMO_LOGIN_MAX);
        add_text(add_text(at, end, ".", 1), end, last, 1);
    } else if (style < 90) {
        char *at = add_text(login, end, first, DEMO_LOGIN_MAX);
        add_text(add_text(at, end, ".", 1), end, last, DEMO_LOGIN_MAX);
    } else {
        char *at = add_text(add_text(login, end, first, 1), end, last, 3);
        add_number(at, end, 10 + demo_random_below(random, 90));
    }
}

/* Logins in use, as an open hash table of person indices + 1. */
struct taken {
    uint32_t *slots;
    size_t size; /* a power of two */
};

static uint64_t hash(const char *text)
{
    uint64_t value = 0;
    for (; *text; text++) {
        value = demo_random_mix(value, (unsigned char)*text);
    }
    return value;
}

static bool take_name(struct taken *taken, const struct demo_person *persons, uint32_t index)
{
    size_t at = (size_t)hash(persons[index].login) & (taken->size - 1);
    while (taken->slots[at] > 0) {
        if (strcmp(persons[taken->slots[at] - 1].login, persons[index].login) == 0) {
            return false;
        }
        at = (at + 1) & (taken->size - 1);
    }
    taken->slots[at] = index + 1;
    return true;
}

static void name_people(struct demo_people *people, struct demo_random *random)
{
    struct taken taken = {.size = 64};
    while (taken.size < 2 * people->count) {
        taken.size *= 2;
    }
    taken.slots = mem_alloc(taken.size, sizeof(*taken.slots));
    for (uint32_t i = 0; i < people->count; i++) {
        char *login = people->persons[i].login;
        make_login(login, random);
        size_t length = strlen(login);
        for (uint32_t number = 2; !take_name(&taken, people->persons, i); number++) {
            add_number(login + length, login + DEMO_LOGIN_MAX - 1, number);
        }
    }
    free(taken.slots);
}

static void make_groups(struct demo_people *people, struct demo_random *random)
{
    size_t count = sizeof(fields) / sizeof(fields[0]);
    people->group_count = people->count / GROUP_PEOPLE + 3;
    people->groups = mem_alloc(people->group_count, sizeof(*people->groups));
    for (size_t i = 0; i < people->group_count; i++) {
        struct demo_group *group = &people->groups[i];
        const char *end = group->name + DEMO_LOGIN_MAX - 1;
        char *at = add_text(group->name, end, fields[i % count].name, DEMO_LOGIN_MAX);
        if (i >= count) {
            add_number(at, end, (uint32_t)(i / count) + 1);
        }
        group->department = fields[i % count].department;
        for (size_t k = 0; k < DEMO_GROUP_PROJECTS; k++) {
            char *project = group->projects[k];
            end = project + DEMO_LOGIN_MAX - 1;
            if (k == 0) {
                add_text(project, end, group->name, DEMO_LOGIN_MAX); /* the group's own */
            } else {
                at = add_text(project, end, "p", 1);
                uint32_t year = 2100 + 100 * demo_random_below(random, 5);
                add_number(at, end, year * 100 + (uint32_t)(i * DEMO_GROUP_PROJECTS + k));
            }
        }
    }
}

static uint8_t draw_habit(struct demo_random *random)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < DEMO_HABITS; i++) {
        sum += demo_site_habits[i].people;
    }
    uint32_t at = demo_random_below(random, sum);
    uint8_t habit = 0;
    while (at >= demo_site_habits[habit].people) {
        at -= demo_site_habits[habit++].people;
    }
    return habit;
}

static void make_person(struct demo_person *person, size_t index, size_t group_count,
                        struct demo_random *random)
{
    person->habit = index < DEMO_HABITS_CERTAIN ? (uint8_t)index : draw_habit(random);
    /* People of one habit tend to sit together; some sit elsewhere. */
    uint32_t groups = (uint32_t)group_count;
    assert(groups > 0);
    person->group = person->habit % groups;
    if (demo_random_chance(random, 500)) {
        person->group = demo_random_below(random, groups);
    }
    person->names = (uint8_t)demo_random_below(random, DEMO_NAMES_MAX);
    person->project = (uint16_t)(demo_random_chance(random, 300) ? 0 : 700);
    person->asks_queue = (uint16_t)(demo_random_chance(random, 400) ? 900 : 60);
    person->left = 1000;
    if (index >= DEMO_HABITS_CERTAIN) {
        if (demo_random_chance(random, 200)) {
            person->came = (uint16_t)demo_random_below(random, 800);
        } else if (demo_random_chance(random, 150)) {
            person->left = (uint16_t)(200 + demo_random_below(random, 800));
        }
    }
}

/* 1/(rank + SHIFT), the ranks dealt at random; the two oddities are neither first nor last. */
static void rank_people(struct demo_people *people, struct demo_random *random)
{
    uint32_t *ranks = mem_alloc(people->count, sizeof(*ranks));
    for (uint32_t i = 0; i < people->count; i++) {
        uint32_t other = demo_random_below(random, i + 1);
        ranks[i] = ranks[other];
        ranks[other] = i;
    }
    for (size_t i = 0; i < people->count; i++) {
        struct demo_person *person = &people->persons[i];
        bool odd = demo_site_habits[person->habit].people == 0;
        person->activity = UINT32_C(1000000) / ((odd ? 12 : ranks[i]) + SHIFT);
    }
    free(ranks);
}

void demo_people_init(struct demo_people *people, uint64_t seed, size_t count)
{
    struct demo_random random;
    demo_random_init(&random, seed, UINT64_C(0x70656f706c65));
    *people = (struct demo_people){.seed = seed, .count = count};
    people->persons = mem_alloc(count, sizeof(*people->persons));
    make_groups(people, &random);
    for (size_t i = 0; i < count; i++) {
        make_person(&people->persons[i], i, people->group_count, &random);
    }
    name_people(people, &random);
    rank_people(people, &random);
}

void demo_people_release(struct demo_people *people)
{
    free(people->persons);
    free(people->groups);
    *people = (struct demo_people){0};
}

void demo_people_crowd(const struct demo_people *people, size_t cluster,
                       enum demo_rhythm rhythm, struct demo_crowd *crowd)
{
    *crowd = (struct demo_crowd){
        .members = mem_alloc(people->count, sizeof(*crowd->members)),
        .sums = mem_alloc(people->count, sizeof(*crowd->sums)),
    };
    uint64_t sum = 0;
    for (uint32_t i = 0; i < people->count; i++) {
        const struct demo_person *person = &people->persons[i];
        const struct demo_habit *habit = &demo_site_habits[person->habit];
        uint64_t weight = (uint64_t)person->activity * habit->clusters[cluster] / 1000;
        if (habit->rhythm == rhythm && weight > 0) {
            sum += weight;
            crowd->members[crowd->count] = i;
            crowd->sums[crowd->count++] = sum;
        }
    }
}

void demo_people_crowd_release(struct demo_crowd *crowd)
{
    free(crowd->members);
    free(crowd->sums);
    *crowd = (struct demo_crowd){0};
}

uint64_t demo_people_crowd_weight(const struct demo_crowd *crowd)
{
    return crowd->count > 0 ? crowd->sums[crowd->count - 1] : 0;
}

static uint32_t draw_anybody(const struct demo_crowd *crowd, struct demo_random *random)
{
    uint64_t weight = demo_people_crowd_weight(crowd);
    assert(weight > 0);
    uint64_t at = demo_random_next(random) % weight;
    size_t low = 0;
    size_t high = crowd->count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (crowd->sums[middle] > at) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return crowd->members[low];
}

uint32_t demo_people_draw(const struct demo_people *people, const struct demo_crowd *crowd,
                          struct demo_random *random, uint32_t when, int64_t week)
{
    uint32_t index = draw_anybody(crowd, random);
    for (int i = 0; i < TRIES; i++) {
        const struct demo_person *person = &people->persons[index];
        uint64_t diary = demo_random_mix(people->seed ^ (uint64_t)index << 32, (uint64_t)week);
        if (when >= person->came && when < person->left && diary % 1000 >= AWAY) {
            break;
        }
        index = draw_anybody(crowd, random);
    }
    return index;
}
