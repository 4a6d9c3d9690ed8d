/* SPDX-License-Identifier: MIT */
#include "view/web/template.h"

#include "base/url.h"
#include "view/chart/markup.h"

/* Where the next byte of the page stands. */
enum place {
    PLACE_TEXT,
    PLACE_OPENING, /* after <, in the name of the tag */
    PLACE_TAG,     /* in a tag, outside of values */
    PLACE_VALUE,   /* in the quoted value of an attribute */
    PLACE_CODE,    /* in a script or style element */
};

enum { NAME_MAX_BYTES = 32, PARTS_DEEP = 8 };

/* A short name as it is read; a longer one than any we look for is cut. */
struct name {
    char text[NAME_MAX_BYTES];
    size_t len;
};

struct writer {
    struct buf *out;
    const struct template_set *set;
    const char *file; /* being written */
    struct error *err;
    int deep; /* parts in parts */
    enum place place;
    struct name tag, attribute;
    bool at_start; /* of the value */
    char quote;    /* that ends it */
};

/* What ends a block. */
enum end { END_OF_FILE, END_ELSE, END_IF, END_EACH, END_BAD };

static bool name_is(const struct name *name, const char *text)
{
    return str_eq((struct str){name->text, name->len}, str_of(text));
}

static void name_add(struct name *name, char byte)
{
    if (name->len < sizeof name->text) {
        name->text[name->len++] = (char)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
    }
}

static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == ':';
}

static void step_tag(struct writer *w, char byte)
{
    if (byte == '>') {
        bool code = name_is(&w->tag, "script") || name_is(&w->tag, "style");
        w->place = code ? PLACE_CODE : PLACE_TEXT;
    } else if (byte == '"' || byte == '\'') {
        w->place = PLACE_VALUE;
        w->at_start = true;
        w->quote = byte;
    } else if (is_name_byte(byte)) {
        name_add(&w->attribute, byte);
    } else if (byte != '=') {
        w->attribute.len = 0;
    }
}

static void step(struct writer *w, char byte)
{
    switch (w->place) {
    case PLACE_TEXT:
    case PLACE_CODE:
        if (byte == '<') {
            w->place = PLACE_OPENING;
            w->tag.len = w->attribute.len = 0;
        }
        break;
    case PLACE_OPENING:
        if (is_name_byte(byte) || byte == '/' || byte == '!') {
            name_add(&w->tag, byte);
        } else {
            w->place = PLACE_TAG;
            step_tag(w, byte);
        }
        break;
    case PLACE_TAG:
        step_tag(w, byte);
        break;
    case PLACE_VALUE:
        w->at_start = false;
        if (byte == w->quote) {
            w->place = PLACE_TAG;
            w->attribute.len = 0;
        }
        break;
    }
}

static void write_literal(struct writer *w, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        step(w, text.ptr[i]);
    }
    buf_add(w->out, text);
}

static int refuse_template(struct writer *w, const char *why, struct str what)
{
    return error_set(w->err, ERROR_INPUT, "template %s: %s '%.*s'", w->file, why,
                     STR_ARG(what));
}

static bool is_address(const struct name *attribute)
{
    return name_is(attribute, "href") || name_is(attribute, "src") ||
           name_is(attribute, "action");
}

/* Attributes that hold code, or that load something by other rules. */
static bool is_barred(const struct name *attribute)
{
    struct str name = {attribute->text, attribute->len};
    return str_starts(name, STR("on")) || name_is(attribute, "style") ||
           name_is(attribute, "srcdoc") || name_is(attribute, "srcset") ||
           name_is(attribute, "formaction") || name.len == 0;
}

/* An address on this site: a path, a query or a place on the same page. */
static bool is_own(struct str url)
{
    bool path = url.len > 0 && url.ptr[0] == '/' &&
                (url.len < 2 || (url.ptr[1] != '/' && url.ptr[1] != '\\'));
    return path || (url.len > 0 && (url.ptr[0] == '?' || url.ptr[0] == '#'));
}

static void write_address(struct writer *w, struct str text)
{
    if (!w->at_start) {
        url_encode(w->out, text);
    } else {
        markup_text(w->out, is_own(text) ? text : STR("#"));
    }
    w->at_start = false;
}

/* Between single quotes double ones mean nothing, and JSON has thousands of them. */
static void write_attribute(struct writer *w, struct str text)
{
    while (w->quote == '\'' && str_byte(text, '"')) {
        markup_text(w->out, str_cut(&text, '"'));
        buf_addc(w->out, '"');
    }
    markup_text(w->out, text);
    w->at_start = false;
}

static int write_value(struct writer *w, struct str name, const struct model *model)
{
    struct model_value value;
    if (!model_find(model, name, &value)) {
        return refuse_template(w, "there is no value", name);
    }
    if (value.kind != MODEL_TEXT && (value.kind != MODEL_MARKUP || w->place != PLACE_TEXT)) {
        return refuse_template(w, "what cannot be written here:", name);
    }
    if (w->place == PLACE_TEXT && value.kind == MODEL_MARKUP) {
        buf_add(w->out, value.text);
    } else if (w->place == PLACE_TEXT) {
        markup_text(w->out, value.text);
    } else if (w->place != PLACE_VALUE || is_barred(&w->attribute)) {
        return refuse_template(w, "no value may stand where there is", name);
    } else if (is_address(&w->attribute)) {
        write_address(w, value.text);
    } else {
        write_attribute(w, value.text);
    }
    return 0;
}

static int write_block(struct writer *w, struct str *rest, const struct model *model,
                       enum end *end);

static int write_file(struct writer *w, struct str name, const struct model *model)
{
    const char *before = w->file;
    enum end end = END_OF_FILE;
    int failed = 0;
    const struct template_file *file = NULL;
    for (size_t i = 0; i < w->set->count && !file; i++) {
        file = str_eq(str_of(w->set->files[i].name), name) ? &w->set->files[i] : NULL;
    }
    if (!file || w->deep >= PARTS_DEEP) {
        return refuse_template(w, file ? "too many parts in parts:" : "there is no part", name);
    }
    struct str text = file->text;
    w->file = file->name;
    w->deep++;
    failed = write_block(w, &text, model, &end);
    if (!failed && end != END_OF_FILE) {
        failed = refuse_template(w, "an end without a beginning in", name);
    }
    w->deep--;
    w->file = before;
    return failed;
}

/* Passes over a block, with the blocks in it. */
static int skip_block(struct writer *w, struct str *rest, enum end *end)
{
    return write_block(w, rest, NULL, end);
}

static int write_if(struct writer *w, struct str name, struct str *rest,
                    const struct model *model)
{
    struct model_value value = {0};
    enum end end = END_BAD;
    if (model && !model_find(model, name, &value)) {
        return refuse_template(w, "there is no value", name);
    }
    int failed = write_block(w, rest, value.flag ? model : NULL, &end);
    if (!failed && end == END_ELSE) {
        failed = write_block(w, rest, value.flag ? NULL : model, &end);
    }
    return failed || end == END_IF ? failed : refuse_template(w, "no {{/if}} for", name);
}

static int write_each(struct writer *w, struct str name, struct str *rest,
                      const struct model *model)
{
    struct model_value value = {0};
    enum end end = END_BAD;
    int failed = 0;
    if (model && (!model_find(model, name, &value) || value.kind != MODEL_LIST)) {
        return refuse_template(w, "there is no list", name);
    }
    const struct str body = *rest;
    for (const struct model *row = value.rows; row && !failed; row = model_next(row)) {
        *rest = body;
        failed = write_block(w, rest, row, &end);
    }
    if (!failed) {
        *rest = body;
        failed = skip_block(w, rest, &end);
    }
    return failed || end == END_EACH ? failed : refuse_template(w, "no {{/each}} for", name);
}

/* A word after # or /: what it begins or ends. */
static int write_word(struct writer *w, struct str word, struct str *rest,
                      const struct model *model, enum end *end)
{
    struct str name = word;
    struct str verb = str_cut(&name, ' ');
    name = str_trim(name);
    if (str_eq(verb, STR("#if"))) {
        return write_if(w, name, rest, model);
    }
    if (str_eq(verb, STR("#each"))) {
        return write_each(w, name, rest, model);
    }
    if (str_eq(verb, STR("#part"))) {
        return model ? write_file(w, name, model) : 0;
    }
    *end = str_eq(word, STR("#else"))   ? END_ELSE
           : str_eq(word, STR("/if"))   ? END_IF
           : str_eq(word, STR("/each")) ? END_EACH
                                        : END_BAD;
    return *end == END_BAD ? refuse_template(w, "what is", word) : 0;
}

/* Up to the next end, or the end of the file. Without a model nothing is written. */
static int write_block(struct writer *w, struct str *rest, const struct model *model,
                       enum end *end)
{
    int failed = 0;
    *end = END_OF_FILE;
    while (!failed && *end == END_OF_FILE && rest->len > 0) {
        const char *open = memmem(rest->ptr, rest->len, "{{", 2);
        size_t before = open ? (size_t)(open - rest->ptr) : rest->len;
        if (model) {
            write_literal(w, (struct str){rest->ptr, before});
        }
        *rest = (struct str){rest->ptr + before, rest->len - before};
        if (!open) {
            break;
        }
        const char *close = memmem(rest->ptr, rest->len, "}}", 2);
        if (!close) {
            return refuse_template(w, "no }} after", (struct str){rest->ptr, 2});
        }
        struct str word = {rest->ptr + 2, (size_t)(close - rest->ptr) - 2};
        *rest = (struct str){close + 2, rest->len - word.len - 4};
        if (word.len > 0 && (word.ptr[0] == '#' || word.ptr[0] == '/')) {
            failed = write_word(w, word, rest, model, end);
        } else if (model) {
            failed = write_value(w, word, model);
        }
    }
    return failed;
}

int template_write(struct buf *out, const struct template_set *set, const char *name,
                   const struct model *model, struct error *err)
{
    struct writer writer = {.out = out, .set = set, .file = name, .err = err};
    return write_file(&writer, str_of(name), model);
}
