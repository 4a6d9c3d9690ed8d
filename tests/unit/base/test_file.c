/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/expect.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/stint-file-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

/* Removes a folder of files and of folders. */
static void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            char *inner = file_join(path, entry->d_name);
            if (unlink(inner) != 0) {
                remove_tree(inner);
            }
            free(inner);
        }
    }
    if (dir) {
        closedir(dir);
    }
    rmdir(path);
}

static int drop_folder(void **state)
{
    (void)state;
    remove_tree(folder);
    return 0;
}

static int entries_in(const char *path)
{
    DIR *dir = opendir(path);
    int count = -2; /* . and .. */
    while (readdir(dir)) {
        count++;
    }
    closedir(dir);
    return count;
}

static void expect_content(const char *path, const char *want)
{
    struct buf text;
    struct error err = {0};
    buf_init(&text, 1 << 20);
    expect_int(file_read(path, &text, &err), 0);
    expect_text(text.ptr, want);
    buf_release(&text);
}

static void file_join_puts_one_slash(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"/", "b", "/b"}, {"", "b", "b"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *path = file_join(rows[i][0], rows[i][1]);
        expect_text(path, rows[i][2]);
        free(path);
    }
}

static void file_write_then_read(void **state)
{
    (void)state;
    struct error err = {0};
    char *path = file_join(folder, "x");
    expect_int(file_write(path, STR("one\n"), &err), 0);
    expect_content(path, "one\n");
    expect_int(file_write(path, STR(""), &err), 0);
    expect_content(path, "");
    expect_int(file_write(path, STR("three"), &err), 0);
    expect_content(path, "three");
    expect_int(entries_in(folder), 1);
    free(path);
}

static void file_read_keeps_the_limit(void **state)
{
    (void)state;
    struct error err = {0};
    char *path = file_join(folder, "x");
    struct buf large;
    buf_init(&large, 300000);
    buf_fill(&large, 'x', 200000);
    expect_int(file_write(path, buf_str(&large), &err), 0);
    struct buf exact;
    buf_init(&exact, 200000);
    expect_int(file_read(path, &exact, &err), 0);
    expect_uint(exact.len, 200000);
    buf_release(&exact);
    struct buf small;
    buf_init(&small, 199999);
    expect_int(file_read(path, &small, &err), ERROR_LIMIT);
    expect_contains(err.text, "larger than 199999 bytes");
    buf_release(&small);
    buf_release(&large);
    free(path);
}

static void file_read_adds_to_what_is_there(void **state)
{
    (void)state;
    struct error err = {0};
    char *path = file_join(folder, "x");
    expect_int(file_write(path, STR("tail"), &err), 0);
    struct buf text;
    buf_init(&text, 100);
    buf_addz(&text, "head ");
    expect_int(file_read(path, &text, &err), 0);
    expect_text(text.ptr, "head tail");
    buf_release(&text);
    free(path);
}

static void file_read_of_nothing_is_missing(void **state)
{
    (void)state;
    struct error err = {0};
    struct buf text;
    buf_init(&text, 100);
    expect_int(file_read("/nowhere/at/all", &text, &err), ERROR_MISSING);
    expect_text(err.text, "cannot read '/nowhere/at/all': No such file or directory");
    expect_int(file_read(folder, &text, &err), ERROR_IO);
    expect_contains(err.text, "Is a directory");
    buf_release(&text);
}

static void file_write_keeps_mode_and_link(void **state)
{
    (void)state;
    struct error err = {0};
    struct stat st;
    char *path = file_join(folder, "x");
    char *link = file_join(folder, "link");
    expect_int(file_write(path, STR("1"), &err), 0);
    expect_int(chmod(path, 0640), 0);
    expect_int(symlink("x", link), 0);
    expect_int(file_write(link, STR("2"), &err), 0);
    expect_content(path, "2");
    expect_int(lstat(link, &st), 0);
    expect_true(S_ISLNK(st.st_mode));
    expect_int(stat(path, &st), 0);
    expect_int(st.st_mode & 07777, 0640);
    expect_int(entries_in(folder), 2);
    free(link);
    free(path);
}

static void file_write_asks_the_umask(void **state)
{
    (void)state;
    struct error err = {0};
    struct stat st;
    char *path = file_join(folder, "x");
    mode_t old = umask(027);
    expect_int(file_write(path, STR("1"), &err), 0);
    umask(old);
    expect_int(stat(path, &st), 0);
    expect_int(st.st_mode & 07777, 0640);
    free(path);
}

static void file_write_does_not_replace_a_device(void **state)
{
    (void)state;
    struct error err = {0};
    struct stat st;
    expect_int(file_write("/dev/null", STR("gone"), &err), 0);
    expect_int(stat("/dev/null", &st), 0);
    expect_true(S_ISCHR(st.st_mode));
    expect_int(file_write("/dev/full", STR("gone"), &err), ERROR_IO);
    expect_text(err.text, "cannot write '/dev/full': No space left on device");
}

static void file_write_where_it_cannot(void **state)
{
    (void)state;
    struct error err = {0};
    expect_int(file_write("/nowhere/at/all", STR("x"), &err), ERROR_MISSING);
    expect_contains(err.text, "cannot write '/nowhere/at/all'");
    expect_int(file_write(folder, STR("x"), &err), ERROR_IO);
    expect_int(entries_in(folder), 0);
}

static void file_write_steps_aside_for_a_stale_temporary(void **state)
{
    (void)state;
    struct error err = {0};
    char *path = file_join(folder, "x");
    char name[64];
    snprintf(name, sizeof(name), ".x.%ld-0.tmp", (long)getpid());
    char *stale = file_join(folder, name);
    int fd = open(stale, O_CREAT | O_WRONLY, 0600);
    expect_true(fd >= 0);
    close(fd);
    expect_int(file_write(path, STR("new"), &err), 0);
    expect_content(path, "new");
    free(stale);
    free(path);
}

static void file_make_folder_makes_all_above(void **state)
{
    (void)state;
    struct error err = {0};
    struct stat st;
    char *path = file_join(folder, "a/b//c/");
    expect_int(file_make_folder(path, &err), 0);
    expect_int(stat(path, &st), 0);
    expect_true(S_ISDIR(st.st_mode));
    expect_int(st.st_mode & 0777, 0700);
    expect_int(file_make_folder(path, &err), 0);
    expect_int(file_make_folder("/", &err), 0);
    free(path);
}

static void file_make_folder_over_a_file_fails(void **state)
{
    (void)state;
    struct error err = {0};
    char *file = file_join(folder, "x");
    expect_int(file_write(file, STR("1"), &err), 0);
    expect_int(file_make_folder(file, &err), ERROR_IO);
    expect_contains(err.text, "Not a directory");
    char *below = file_join(file, "y");
    expect_int(file_make_folder(below, &err), ERROR_IO);
    expect_content(file, "1");
    free(below);
    free(file);
}

#define WITH_FOLDER(suite, function)                                                           \
    suite_test_with((suite), #function, (function), make_folder, drop_folder, NULL)

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, file_join_puts_one_slash);
    WITH_FOLDER(&suite, file_write_then_read);
    WITH_FOLDER(&suite, file_read_keeps_the_limit);
    WITH_FOLDER(&suite, file_read_adds_to_what_is_there);
    WITH_FOLDER(&suite, file_read_of_nothing_is_missing);
    WITH_FOLDER(&suite, file_write_keeps_mode_and_link);
    WITH_FOLDER(&suite, file_write_asks_the_umask);
    WITH_FOLDER(&suite, file_write_does_not_replace_a_device);
    WITH_FOLDER(&suite, file_write_where_it_cannot);
    WITH_FOLDER(&suite, file_write_steps_aside_for_a_stale_temporary);
    WITH_FOLDER(&suite, file_make_folder_makes_all_above);
    WITH_FOLDER(&suite, file_make_folder_over_a_file_fails);
    return suite_run(&suite, "file");
}
