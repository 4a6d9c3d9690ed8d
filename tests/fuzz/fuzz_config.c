/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "config/config.h"

/*
 * Any bytes as a stint.conf. Beside what the sanitizers see: a refusal has a reason that is one line, lines
 * ascend, no section and no key of a section is there twice, and what was checked can be asked.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* One of each type. */
static const struct config_key keys[] = {
    {.name = "a", .type = CONFIG_TEXT, .help = ""},
    {.name = "b", .type = CONFIG_NUMBER, .help = ""},
    {.name = "c", .type = CONFIG_DURATION, .help = ""},
    {.name = "d", .type = CONFIG_FLAG, .help = ""},
    {.name = "e", .type = CONFIG_CHOICE, .choices = "x y", .help = ""},
    {.name = "zone", .type = CONFIG_ZONE, .help = ""},
    {.name = "g", .type = CONFIG_FILE, .help = ""},
    {.name = "h", .type = CONFIG_WORDS, .help = ""},
    {.name = "since", .type = CONFIG_INSTANT, .help = ""},
};

static void check_section(const struct config *config, const struct config_section *section)
{
    struct error err = {0};
    unsigned line = section->line;
    for (size_t i = 0; i < section->entry_count; i++) {
        const struct config_entry *entry = &section->entries[i];
        must(entry->line > line && entry->key.len > 0 && entry->value.len > 0);
        must(entry->value.ptr[entry->value.len] == '\0' && str_is_utf8(entry->value));
        line = entry->line;
    }
    if (config_check_section(config, section, keys, COUNT_OF(keys), &err)) {
        must(err.text[0] != '\0');
        return;
    }
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        must(config_number(section, &keys[i], 0) >= 0 || keys[i].type == CONFIG_TEXT ||
             keys[i].type == CONFIG_WORDS);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config config;
    struct error err = {0};
    int failed =
        config_parse((struct str){(const char *)data, size}, "stint.conf", &config, &err);
    must(failed ? err.text[0] != '\0' : true);
    for (size_t i = 0; !failed && i < config.section_count; i++) {
        const struct config_section *section = &config.sections[i];
        must(i == 0 || section->line > config.sections[i - 1].line);
        must(config_find(&config, section->kind, section->name) == section);
        check_section(&config, section);
    }
    config_release(&config);
    return 0;
}
