/* SPDX-License-Identifier: MIT */
#include "config/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/zone.h"
#include "support/expect.h"

static const struct config_key keys[] = {
    {.name = "scheduler",
     .type = CONFIG_CHOICE,
     .choices = "slurm sge",
     .required = true,
     .help = "which"},
    {.name = "every", .type = CONFIG_DURATION, .fallback = "60", .help = "how often"},
    {.name = "retries", .type = CONFIG_NUMBER, .fallback = "2", .help = "how many"},
    {.name = "steps", .type = CONFIG_FLAG, .help = "also steps"},
    {.name = "zone", .type = CONFIG_ZONE, .help = "its clock"},
    {.name = "token_file", .type = CONFIG_FILE, .help = "a file", .secret = true},
    {.name = "since", .type = CONFIG_INSTANT, .help = "from when"},
    {.name = "note", .type = CONFIG_TEXT, .help = "anything"},
};

static const char good[] = "# a site\n"
                           "[site]\n"
                           "zone = Europe/Oslo\r\n"
                           "\n"
                           "[cluster alder]\n"
                           "scheduler=slurm\n"
                           "  every = 5m  \n"
                           "note = a = b # not a comment\n"
                           "[ cluster  birch grove ]\n"
                           "scheduler = sge\n"
                           "steps = yes\n";

static void sections_and_keys_are_found(void **state)
{
    (void)state;
    struct config config;
    struct error err = {0};
    expect_int(config_parse(str_of(good), "f", &config, &err), 0);
    expect_uint(config.section_count, 3);
    const struct config_section *alder = config_find(&config, STR("cluster"), STR("alder"));
    expect_true(alder != NULL);
    expect_int(config_check_section(&config, alder, keys, COUNT_OF(keys), &err), 0);
    expect_int(alder->line, 5);
    expect_text(config_text(alder, &keys[0]).ptr, "slurm");
    expect_int(config_number(alder, &keys[1], -1), 300 * SECOND_US);
    expect_int(config_number(alder, &keys[2], -1), 2);  /* the fallback */
    expect_int(config_number(alder, &keys[3], -1), -1); /* neither there nor has it one */
    expect_text(config_text(alder, &keys[7]).ptr, "a = b # not a comment");
    expect_true(config_text(alder, &keys[4]).ptr == NULL);
    const struct config_section *birch =
        config_find(&config, STR("cluster"), STR("birch grove"));
    expect_true(birch != NULL);
    expect_int(config_number(birch, &keys[3], -1), 1);
    expect_true(config_find(&config, STR("cluster"), (struct str){0}) == alder);
    expect_true(config_find(&config, STR("cluster"), STR("cedar")) == NULL);
    expect_int(config_check_section(&config, config_find(&config, STR("site"), (struct str){0}),
                                    config_site_keys, config_site_key_count, &err),
               0);
    config_release(&config);
}

static void what_is_not_there_has_its_fallback(void **state)
{
    (void)state;
    expect_int(config_number(NULL, &keys[1], -1), 60 * SECOND_US);
    expect_true(config_text(NULL, &keys[7]).ptr == NULL);
}

struct wrong_row {
    const char *name, *text, *says;
};

static const struct wrong_row wrong_rows[] = {
    {"no section", "zone = UTC\n", "'f' line 1: 'zone' is outside of a section"},
    {"unknown section", "[site]\n[clutser a]\n", "'f' line 2: there is no section 'clutser'"},
    {"no name", "[cluster]\n", "needs a name: [cluster NAME]"},
    {"a name", "[site x]\n", "[site] has no name"},
    {"not closed", "[site\n", "a section ends with ]"},
    {"only an opening", "[\n", "a section ends with ]"},
    {"empty", "[]\n", "there is no section ''"},
    {"twice", "[cluster a]\n\n[cluster a]\n",
     "'f' line 3: [cluster a] already exists on line 1"},
    {"site twice", "[site]\n[site]\n", "[site] already exists on line 1"},
    {"key twice", "[site]\nzone=UTC\nzone=UTC\n",
     "'f' line 3: 'zone' is already set on line 2"},
    {"no sign", "[site]\nzone UTC\n", "a line is '# comment', '[section]' or 'key = value'"},
    {"no key", "[site]\n= UTC\n", "a line is '# comment'"},
    {"no value", "[site]\nzone =\n", "'zone' has no value"},
    {"not utf-8", "[site]\nzone = \xff\n", "'f' line 2: not UTF-8"},
    {"control", "[site]\nzone = \033[31m\n", "a control character"},
};

static void mistakes_are_named_with_their_line(void **state)
{
    const struct wrong_row *row = *state;
    struct config config;
    struct error err = {0};
    expect_int(config_parse(str_of(row->text), "f", &config, &err), ERROR_INPUT);
    expect_contains(err.text, row->says);
    config_release(&config);
}

static const struct wrong_row check_rows[] = {
    {"unknown", "[cluster a]\nscheduler=slurm\nevrey = 5\n",
     "'f' line 3: there is no key 'evrey'; did you mean 'every'?"},
    {"far off", "[cluster a]\nscheduler=slurm\nbananas = 5\n",
     "there is no key 'bananas'; the keys are: scheduler, every"},
    {"choice", "[cluster a]\nscheduler = pbs\n", "'scheduler' is one of: slurm sge; not 'pbs'"},
    {"required", "[cluster a]\n\nevery = 5\n",
     "'f' line 1: this section needs 'scheduler = ...'"},
    {"duration", "[cluster a]\nscheduler=slurm\nevery = soon\n", "'every' is a length of time"},
    {"no duration", "[cluster a]\nscheduler=slurm\nevery = 0\n", "'every' is a length of time"},
    {"number", "[cluster a]\nscheduler=slurm\nretries = -1\n", "'retries' is a whole number"},
    {"flag", "[cluster a]\nscheduler=slurm\nsteps = maybe\n", "'steps' is yes or no"},
    {"zone", "[cluster a]\nscheduler=slurm\nzone = Mars/Base\n", "'zone' is a time zone"},
    {"path", "[cluster a]\nscheduler=slurm\ntoken_file = here\n",
     "'token_file' is an absolute path"},
    {"instant", "[cluster a]\nscheduler=slurm\nsince = when\n", "'since' is a day or time"},
};

static void values_that_cannot_be_are_refused(void **state)
{
    const struct wrong_row *row = *state;
    struct config config;
    struct error err = {0};
    expect_int(config_parse(str_of(row->text), "f", &config, &err), 0);
    expect_int(config_check_section(&config, &config.sections[0], keys, COUNT_OF(keys), &err),
               ERROR_INPUT);
    expect_contains(err.text, row->says);
    config_release(&config);
}

static void many_sections_stay_in_order(void **state)
{
    (void)state;
    struct buf text;
    struct config config;
    struct error err = {0};
    buf_init(&text, 1 << 20);
    for (int i = 0; i < 500; i++) {
        buf_addf(&text, "[cluster c%d]\nscheduler = slurm\nretries = %d\n", i, i);
    }
    expect_int(config_parse(buf_str(&text), "f", &config, &err), 0);
    expect_uint(config.section_count, 500);
    for (int i = 0; i < 500; i++) {
        expect_int(config_number(&config.sections[i], &keys[2], -1), i);
    }
    config_release(&config);
    for (int i = 500; i < 1100; i++) {
        buf_addf(&text, "[cluster c%d]\n", i);
    }
    expect_int(config_parse(buf_str(&text), "f", &config, &err), ERROR_INPUT);
    expect_contains(err.text, "more than 1024 sections");
    config_release(&config);
    buf_release(&text);
}

static void a_file_is_read(void **state)
{
    (void)state;
    char path[] = "/tmp/stint-config-XXXXXX";
    struct config config;
    struct error err = {0};
    int fd = mkstemp(path);
    expect_true(fd >= 0);
    expect_int(write(fd, good, strlen(good)), (int64_t)strlen(good));
    close(fd);
    expect_int(config_read(path, &config, &err), 0);
    expect_text(config.path, path);
    config_release(&config);
    expect_int(unlink(path), 0);
    expect_int(config_read(path, &config, &err), ERROR_MISSING);
    config_release(&config);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, sections_and_keys_are_found);
    SUITE_TEST(&suite, what_is_not_there_has_its_fallback);
    SUITE_ROWS(&suite, mistakes_are_named_with_their_line, wrong_rows);
    SUITE_ROWS(&suite, values_that_cannot_be_are_refused, check_rows);
    SUITE_TEST(&suite, many_sections_stay_in_order);
    SUITE_TEST(&suite, a_file_is_read);
    return suite_run(&suite, "config");
}
