/* SPDX-License-Identifier: MIT */

/* Templates of messages: {{name}} in a text. */

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "message/message.h"

/* A template that is being filled in. */
struct filling {
    const char *path; /* for sentences */
    const struct message_value *values;
    size_t value_count;
    unsigned line;
};

static int wrong(const struct filling *filling, const char *what, struct str about,
                 struct error *err)
{
    return error_set(err, ERROR_INPUT, "'%s' line %u: %s '%.*s'", filling->path, filling->line,
                     what, STR_ARG(about));
}

static const struct message_value *find_value(const struct filling *filling, struct str name)
{
    for (size_t i = 0; i < filling->value_count; i++) {
        if (str_eq(name, str_of(filling->values[i].name))) {
            return &filling->values[i];
        }
    }
    return NULL;
}

/* Where the two bytes of `pair` begin in the text, or its length. */
static size_t find_pair(struct str text, const char *pair)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] == pair[0] && text.ptr[i + 1] == pair[1]) {
            return i;
        }
    }
    return text.len;
}

static struct str after(struct str text, size_t length)
{
    return (struct str){text.ptr + length, text.len - length};
}

static int fill_line(const struct filling *filling, struct str line, struct buf *out,
                     struct error *err)
{
    for (;;) {
        const size_t begin = find_pair(line, "{{");
        buf_add(out, (struct str){line.ptr, begin});
        if (begin == line.len) {
            return 0;
        }
        line = after(line, begin + 2);
        const size_t end = find_pair(line, "}}");
        const struct str name = str_trim((struct str){line.ptr, end});
        if (end == line.len) {
            return wrong(filling, "a {{ without }} before", name, err);
        }
        const struct message_value *value = find_value(filling, name);
        if (!value) {
            return wrong(filling, "nothing is called", name, err);
        }
        buf_add(out, value->value);
        line = after(line, end + 2);
    }
}

static int fill(struct filling *filling, struct str text, struct buf *subject, struct buf *body,
                struct error *err)
{
    const struct str head = STR("Subject: ");
    struct str first = str_cut(&text, '\n');
    filling->line = 1;
    if (!str_starts(first, head)) {
        return wrong(filling, "a template begins with 'Subject: ', not with", first, err);
    }
    int failed = fill_line(filling, str_trim(after(first, head.len)), subject, err);
    for (filling->line = 2; !failed && text.len > 0; filling->line++) {
        const struct str line = str_cut(&text, '\n');
        if (filling->line == 2 && str_trim(line).len == 0) {
            continue;
        }
        failed = fill_line(filling, line, body, err);
        buf_addc(body, '\n');
    }
    if (!failed && (subject->overflow || body->overflow)) {
        failed = error_set(err, ERROR_LIMIT, "the message of '%s' is too long", filling->path);
    }
    return failed;
}

/* The path of the site's template, or NULL; freed by the caller. */
static char *path_of(const struct config *config, const char *name)
{
    const struct config_section *site =
        config ? config_find(config, STR("site"), (struct str){0}) : NULL;
    const struct str folder =
        site ? config_text(site, &config_site_keys[CONFIG_SITE_TEMPLATES]) : (struct str){0};
    if (!folder.ptr) {
        return NULL;
    }
    struct buf file;
    buf_init(&file, LIMIT_BOOKS_NAME);
    buf_addf(&file, "%s.txt", name);
    char *path = file_join(folder.ptr, file.ptr);
    buf_release(&file);
    if (access(path, F_OK) != 0) {
        free(path);
        path = NULL;
    }
    return path;
}

int message_fill(const struct config *config, const char *name, struct str otherwise,
                 const struct message_value *values, size_t value_count, struct buf *subject,
                 struct buf *body, struct error *err)
{
    char *path = path_of(config, name);
    struct filling filling = {path ? path : name, values, value_count, 0};
    struct buf text;
    buf_init(&text, MESSAGE_MAX);
    buf_clear(subject);
    buf_clear(body);
    int failed = path ? file_read(path, &text, err) : 0;
    failed =
        failed ? failed : fill(&filling, path ? buf_str(&text) : otherwise, subject, body, err);
    buf_release(&text);
    free(path);
    return failed;
}
