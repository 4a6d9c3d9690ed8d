/* SPDX-License-Identifier: MIT */
/*
 * Feeds a fuzz target every file of the folders (or the files) named on the command line, and the
 * empty input: what libFuzzer does with its corpus, without libFuzzer. Prints TAP, one test in all;
 * the name of each input goes before it, so a crash says by what.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The optional hook for what a target sets up once. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

static unsigned long fed;

static void die(const char *what, const char *path)
{
    (void)fprintf(stderr, "%s '%s': %s\n", what, path, strerror(errno));
    exit(1);
}

/* The input is allocated to its exact size, so that reading one byte past it is seen. */
static void feed_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        die("cannot open", path);
    }
    uint8_t *data = malloc(size > 0 ? size : 1);
    if (data == NULL || fread(data, 1, size, file) != size) {
        die("cannot read", path);
    }
    (void)fclose(file);
    printf("# %s\n", path);
    (void)fflush(stdout);
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    fed++;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void feed(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        die("cannot find", path);
    }
    if (!S_ISDIR(info.st_mode)) {
        feed_file(path, (size_t)info.st_size);
        return;
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_visible, alphasort);
    if (count < 0) {
        die("cannot list", path);
    }
    for (int i = 0; i < count; i++) {
        char inner[4096];
        if (snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name) >=
            (int)sizeof inner) {
            errno = ENAMETOOLONG;
            die("cannot open", entries[i]->d_name);
        }
        feed(inner);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    printf("1..1\n");
    if (LLVMFuzzerInitialize != NULL) {
        (void)LLVMFuzzerInitialize(&argc, &argv);
    }
    static const uint8_t nothing[1];
    (void)LLVMFuzzerTestOneInput(nothing, 0);
    for (int i = 1; i < argc; i++) {
        feed(argv[i]);
    }
    printf("%s 1 - replays its corpus (%lu inputs)\n", fed > 0 ? "ok" : "not ok", fed);
    return fed > 0 ? 0 : 1;
}
