/* SPDX-License-Identifier: MIT */
#include "message/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/expect.h"

static char folder[256];

static char *path_of(const char *name)
{
    return file_join(folder, name);
}

static void put(const char *name, const char *text)
{
    struct error err;
    char *path = path_of(name);
    expect_int(file_write(path, str_of(text), &err), 0);
    expect_int(chmod(path, 0700), 0);
    free(path);
}

/* stint.conf of this text, whose %s are the folder. */
static void configure(const char *text, struct config *config)
{
    struct error err;
    struct buf all;
    buf_init(&all, 4096);
    for (struct str rest = str_of(text); rest.len > 0;) {
        const struct str piece = str_cut(&rest, '%');
        buf_addf(&all, "%.*s%s", STR_ARG(piece), rest.ptr ? folder : "");
    }
    expect_int(config_parse(buf_str(&all), "stint.conf", config, &err), 0);
    expect_int(config_check_plain(config, &err), 0);
    buf_release(&all);
}

static int send(const struct config *config, struct error *err)
{
    return message_send(config,
                        &(struct message){STR("ann@example.org"), STR("hello"), STR("text\n")},
                        0, NULL, err);
}

static void without_a_section_it_says_what_to_add(void **state)
{
    (void)state;
    struct error err;
    expect_false(message_is_configured(NULL));
    expect_int(send(NULL, &err), ERROR_MISSING);
    expect_contains(err.text, "[mail]");
}

static void sendmail_gets_the_mail_and_its_addresses(void **state)
{
    (void)state;
    struct config config;
    struct error err;
    struct buf got;
    put("sendmail", "#!/bin/sh\n{ echo \"$@\"; cat; } >\"${0%/*}/got\"\n");
    configure("[mail]\nfrom = stint@example.org\nsendmail = %/sendmail\n", &config);
    expect_int(send(&config, &err), 0);
    buf_init(&got, 4096);
    char *path = path_of("got");
    expect_int(file_read(path, &got, &err), 0);
    expect_contains(got.ptr, "-i -f stint@example.org -- ann@example.org\n");
    expect_contains(got.ptr, "\nSubject: hello\n");
    expect_contains(got.ptr, "\n\ntext\n");
    free(path);
    buf_release(&got);
    config_release(&config);
}

static void a_sendmail_that_fails_is_quoted(void **state)
{
    (void)state;
    struct config config;
    struct error err;
    put("refuse", "#!/bin/sh\necho 'queue is full' >&2\nexit 75\n");
    configure("[mail]\nfrom = stint@example.org\nsendmail = %/refuse\n", &config);
    expect_int(send(&config, &err), ERROR_IO);
    expect_contains(err.text, "queue is full");
    config_release(&config);
}

static void a_webhook_that_fails_keeps_the_mail_back(void **state)
{
    (void)state;
    struct config config;
    struct error err;
    put("never", "#!/bin/sh\ntouch \"${0%/*}/called\"\n");
    configure("[mail]\nfrom = stint@example.org\nsendmail = %/never\n"
              "[webhook]\naddress = unix:%/nobody\n",
              &config);
    expect_int(send(&config, &err), ERROR_IO);
    char *path = path_of("called");
    expect_int(access(path, F_OK), -1);
    free(path);
    config_release(&config);
}

struct template_row {
    const char *name, *text, *subject, *body; /* subject NULL: body is what the error says */
};

static const struct template_row template_rows[] = {
    {"values", "Subject: {{what}} now\n\nDear {{ who }},\n{{who}}{{who}}\n", "news now",
     "Dear ann,\nannann\n"},
    {"no blank line", "Subject: s\nbody", "s", "body\n"},
    {"braces that are none", "Subject: s\n\na { b } c\n", "s", "a { b } c\n"},
    {"a name that is not there", "Subject: s\n\n\n{{wat}}\n", NULL,
     "line 4: nothing is called 'wat'"},
    {"an open end", "Subject: s\n\n{{who\n", NULL, "line 3: a {{ without }} before 'who'"},
    {"no subject", "Dear\n", NULL, "begins with 'Subject: '"},
};

static void a_template_is_filled_in(void **state)
{
    const struct template_row *row = *state;
    static const struct message_value values[] = {{"who", {"ann", 3}}, {"what", {"news", 4}}};
    struct buf subject, body;
    struct error err;
    buf_init(&subject, 1024);
    buf_init(&body, 1024);
    const int failed =
        message_fill(NULL, "notice", str_of(row->text), values, 2, &subject, &body, &err);
    expect_int(failed, row->subject ? 0 : ERROR_INPUT);
    if (row->subject) {
        expect_text(subject.ptr, row->subject);
        expect_text(body.ptr, row->body);
    } else {
        expect_contains(err.text, row->body);
    }
    buf_release(&subject);
    buf_release(&body);
}

static void a_template_of_the_site_comes_first(void **state)
{
    (void)state;
    struct config config;
    struct error err;
    struct buf subject, body;
    buf_init(&subject, 1024);
    buf_init(&body, 1024);
    put("notice.txt", "Subject: ours\n\nours\n");
    configure("[site]\ntemplates = %\n", &config);
    expect_int(
        message_fill(&config, "notice", STR("Subject: s\n"), NULL, 0, &subject, &body, &err),
        0);
    expect_text(subject.ptr, "ours");
    expect_int(
        message_fill(&config, "other", STR("Subject: s\n"), NULL, 0, &subject, &body, &err), 0);
    expect_text(subject.ptr, "s");
    buf_release(&subject);
    buf_release(&body);
    config_release(&config);
}

static void remove_folder(void)
{
    static const char *const names[] = {"sendmail", "got", "refuse", "never", "notice.txt"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char *path = path_of(names[i]);
        (void)unlink(path);
        free(path);
    }
    (void)rmdir(folder);
}

int main(void)
{
    struct suite suite = {0};
    suite_folder(folder, sizeof(folder), "message");
    SUITE_TEST(&suite, without_a_section_it_says_what_to_add);
    SUITE_TEST(&suite, sendmail_gets_the_mail_and_its_addresses);
    SUITE_TEST(&suite, a_sendmail_that_fails_is_quoted);
    SUITE_TEST(&suite, a_webhook_that_fails_keeps_the_mail_back);
    SUITE_ROWS(&suite, a_template_is_filled_in, template_rows);
    SUITE_TEST(&suite, a_template_of_the_site_comes_first);
    const int failed = suite_run(&suite, "message");
    remove_folder();
    return failed;
}
