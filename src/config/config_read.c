/* SPDX-License-Identifier: MIT */

/* The lines of stint.conf as sections and entries, whatever they say. */

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/limit.h"
#include "config/config_internal.h"

enum { SECTIONS_MAX = 1024, ENTRIES_MAX = 256 };

int config_wrong(const struct config_place *at, struct error *err, const char *format, ...)
{
    struct buf out;
    va_list args;
    buf_init(&out, ERROR_TEXT_MAX - 1);
    va_start(args, format);
    buf_addv(&out, format, args);
    va_end(args);
    error_set(err, ERROR_INPUT, "'%s' line %u: %s", at->name, at->line, out.ptr);
    buf_release(&out);
    return ERROR_INPUT;
}

struct reader {
    struct config *config;
    struct config_place at;
    size_t section_room, entry_room;
};

/*
 * Room for one more in a list that lies in the arena: twice as much, the old one is left there.
 */
static void *grow_in_arena(struct arena *arena, void *old, size_t count, size_t *room,
                           size_t size)
{
    if (count < *room) {
        return old;
    }
    *room = *room ? *room * 2 : 8;
    void *larger = arena_alloc(arena, *room * size);
    if (count > 0) {
        memcpy(larger, old, count * size);
    }
    return larger;
}

/* The kinds of sections: the table's, and clusters, whose keys are those of their drivers. */
static bool find_kind(struct str kind, bool *named)
{
    for (const struct config_plain *plain = config_plain; plain->kind; plain++) {
        if (str_eq(str_of(plain->kind), kind)) {
            *named = plain->name != NULL;
            return true;
        }
    }
    *named = true;
    return str_eq(kind, STR("cluster"));
}

static int unknown_kind(const struct reader *reader, struct str kind, struct error *err)
{
    struct buf kinds;
    buf_init(&kinds, LIMIT_ARGUMENT);
    for (const struct config_plain *plain = config_plain; plain->kind; plain++) {
        buf_addf(&kinds, "[%s%s%s], ", plain->kind, plain->name ? " " : "",
                 plain->name ? plain->name : "");
    }
    const int failed = config_wrong(
        &reader->at, err, "there is no section '%.*s'; the sections are %s[cluster NAME]",
        STR_ARG(kind), kinds.ptr);
    buf_release(&kinds);
    return failed;
}

static int check_kind(const struct reader *reader, struct str kind, struct str name,
                      struct error *err)
{
    bool named = false;
    if (!find_kind(kind, &named)) {
        return unknown_kind(reader, kind, err);
    }
    if (named == (name.len > 0)) {
        return 0;
    }
    return named
               ? config_wrong(&reader->at, err,
                              "a section of this kind needs a name: [%.*s NAME]", STR_ARG(kind))
               : config_wrong(&reader->at, err, "[%.*s] has no name", STR_ARG(kind));
}

/* "[cluster alder]", without blanks at its ends. */
static int read_section(struct reader *reader, struct str line, struct error *err)
{
    struct config *config = reader->config;
    if (!str_ends(line, STR("]"))) {
        return config_wrong(&reader->at, err, "a section ends with ]: [cluster NAME]");
    }
    struct str name = str_trim((struct str){line.ptr + 1, line.len - 2});
    struct str rest = name;
    const struct str kind = str_cut(&rest, ' ');
    name = str_trim(rest);
    int failed = check_kind(reader, kind, name, err);
    if (failed) {
        return failed;
    }
    if (name.len > LIMIT_BOOKS_NAME) {
        return config_wrong(&reader->at, err, "a name of more than %d bytes", LIMIT_BOOKS_NAME);
    }
    const struct config_section *twin = config_find(config, kind, name);
    if (twin) {
        return config_wrong(&reader->at, err, "[%.*s%s%.*s] already exists on line %u",
                            STR_ARG(kind), name.len > 0 ? " " : "", STR_ARG(name), twin->line);
    }
    if (config->section_count == SECTIONS_MAX) {
        return config_wrong(&reader->at, err, "more than %d sections", SECTIONS_MAX);
    }
    config->sections = grow_in_arena(&config->arena, config->sections, config->section_count,
                                     &reader->section_room, sizeof(*config->sections));
    reader->entry_room = 0;
    config->sections[config->section_count++] = (struct config_section){
        .kind = arena_copy(&config->arena, kind),
        .name = arena_copy(&config->arena, name),
        .line = reader->at.line,
    };
    return 0;
}

static int read_entry(struct reader *reader, struct str line, struct error *err)
{
    struct config *config = reader->config;
    struct str value = line;
    const struct str key = str_trim(str_cut(&value, '='));
    if (!value.ptr || key.len == 0) {
        return config_wrong(&reader->at, err,
                            "a line is '# comment', '[section]' or 'key = value'");
    }
    value = str_trim(value);
    if (config->section_count == 0) {
        return config_wrong(
            &reader->at, err,
            "'%.*s' is outside of a section; begin with [site] or [cluster NAME]",
            STR_ARG(key));
    }
    if (value.len == 0) {
        return config_wrong(&reader->at, err,
                            "'%.*s' has no value; remove the line to use the default",
                            STR_ARG(key));
    }
    struct config_section *section = &config->sections[config->section_count - 1];
    for (size_t i = 0; i < section->entry_count; i++) {
        if (str_eq(section->entries[i].key, key)) {
            return config_wrong(&reader->at, err, "'%.*s' is already set on line %u",
                                STR_ARG(key), section->entries[i].line);
        }
    }
    if (section->entry_count == ENTRIES_MAX) {
        return config_wrong(&reader->at, err, "more than %d keys in a section", ENTRIES_MAX);
    }
    section->entries = grow_in_arena(&config->arena, section->entries, section->entry_count,
                                     &reader->entry_room, sizeof(*section->entries));
    section->entries[section->entry_count++] = (struct config_entry){
        .key = arena_copy(&config->arena, key),
        .value = arena_copy(&config->arena, value),
        .line = reader->at.line,
    };
    return 0;
}

static int read_line(struct reader *reader, struct str line, struct error *err)
{
    line = str_trim(line);
    if (line.len == 0 || line.ptr[0] == '#') {
        return 0;
    }
    for (size_t i = 0; i < line.len; i++) {
        if ((unsigned char)line.ptr[i] < ' ' && line.ptr[i] != '\t') {
            return config_wrong(&reader->at, err, "a control character");
        }
    }
    if (!str_is_utf8(line)) {
        return config_wrong(&reader->at, err, "not UTF-8");
    }
    return line.ptr[0] == '[' ? read_section(reader, line, err) : read_entry(reader, line, err);
}

int config_parse(struct str text, const char *name, struct config *out, struct error *err)
{
    struct reader reader = {.config = out, .at = {.name = name}};
    *out = (struct config){0};
    out->path = arena_text(&out->arena, str_of(name));
    int failed =
        text.len > LIMIT_CONFIG
            ? error_set(err, ERROR_LIMIT, "'%s' has more than %d bytes", name, LIMIT_CONFIG)
            : 0;
    while (!failed && text.ptr) {
        reader.at.line++;
        failed = read_line(&reader, str_cut(&text, '\n'), err);
    }
    return failed;
}

/* The secret of which "client_secret_file" names the file; NULL: the section has none. */
static const struct config_key *secret_of(const struct config_section *section, struct str key)
{
    const struct str suffix = STR("_file");
    if (!str_ends(key, suffix)) {
        return NULL;
    }
    const struct str name = {key.ptr, key.len - suffix.len};
    for (const struct config_plain *plain = config_plain; plain->kind; plain++) {
        for (size_t k = 0; str_eq(section->kind, str_of(plain->kind)) && k < plain->key_count;
             k++) {
            if (plain->keys[k].secret && str_eq(name, str_of(plain->keys[k].name))) {
                return &plain->keys[k];
            }
        }
    }
    return NULL;
}

/*
 * The first line of a file; the null string if it cannot be read: most commands run without the
 * site's secrets.
 */
static struct str read_secret(const char *path, struct arena *arena)
{
    struct buf text;
    struct error ignored;
    struct str line = {0};
    buf_init(&text, LIMIT_ARGUMENT);
    if (file_read(path, &text, &ignored) == 0) {
        struct str rest = buf_str(&text);
        line = arena_copy(arena, str_trim(str_cut(&rest, '\n')));
    }
    buf_release(&text);
    return line;
}

static int load_secrets(struct config *config, struct config_section *section,
                        struct error *err)
{
    for (size_t i = 0; i < section->entry_count; i++) {
        struct config_entry *entry = &section->entries[i];
        const struct config_key *key = secret_of(section, entry->key);
        const struct config_place at = {config->path, entry->line};
        if (!key) {
            continue;
        }
        if (config_entry_of(section, str_of(key->name))) {
            return config_wrong(&at, err, "'%s' and '%.*s' are both set: keep one", key->name,
                                STR_ARG(entry->key));
        }
        entry->key = str_of(key->name);
        entry->file = entry->value.ptr;
        entry->value = read_secret(entry->file, &config->arena);
    }
    return 0;
}

int config_read(const char *path, struct config *out, struct error *err)
{
    struct buf text;
    *out = (struct config){0};
    buf_init(&text, LIMIT_CONFIG);
    int failed = file_read(path, &text, err);
    if (!failed) {
        failed = config_parse(buf_str(&text), path, out, err);
    }
    for (size_t i = 0; !failed && i < out->section_count; i++) {
        failed = load_secrets(out, &out->sections[i], err);
    }
    buf_release(&text);
    return failed;
}

void config_release(struct config *config)
{
    arena_release(&config->arena);
    *config = (struct config){0};
}
