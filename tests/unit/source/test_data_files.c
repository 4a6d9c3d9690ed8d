/* SPDX-License-Identifier: MIT */
#include <ftw.h>

#include "unit/source/peer.h"

/*
 * Every file of $STINT_DATA before every driver of the table: its own are recognised, others are not.
 */

enum { HEAD_SIZE = 1 << 16, FOLDERS_OPEN = 16 };

/* A driver, and what the paths of its files hold, or, with a dot, end in. */
struct owner_row {
    const char *name;
    const char *parts[4];
};

static const struct owner_row owner_rows[] = {
    {"pbs", {"/pbs/pbs-2026.log", "/shredder/pbs/input/"}},
    {"lsf", {"/lsb.acct", "/shredder/lsf/input/"}},
    {"htcondor", {NULL}},
    {"swf", {".swf"}},
    {"csv", {NULL}},
};

static const struct owner_row *current;
static int own_seen;
static int others_seen;

static bool is_own(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(current->parts) && current->parts[i]; i++) {
        const char *part = current->parts[i];
        if (part[0] == '.' ? str_ends(str_of(path), str_of(part))
                           : strstr(path, part) != NULL) {
            return true;
        }
    }
    return false;
}

static int look_at_file(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)walk;
    static char head[HEAD_SIZE];
    FILE *file = type == FTW_F ? fopen(path, "rb") : NULL;
    if (!file) {
        return 0;
    }
    struct str read = {head, fread(head, 1, sizeof(head), file)};
    (void)fclose(file);
    const struct source_driver *driver = source_find(str_of(current->name));
    int sure = driver->recognise(read);
    bool own = is_own(path);
    if ((sure > 0) != own || (own && source_recognise(read) != driver)) {
        print_message("%s: %s is %d sure\n", path, current->name, sure);
        return 1;
    }
    own_seen += own;
    others_seen += !own;
    return 0;
}

static void driver_recognises_its_own_files_alone(void **state)
{
    current = *state;
    own_seen = others_seen = 0;
    expect_int(nftw(peer_folder(), look_at_file, FOLDERS_OPEN, FTW_PHYS), 0);
    expect_true(own_seen >= 2 || !current->parts[0]);
    expect_true(others_seen > 100);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, driver_recognises_its_own_files_alone, owner_rows);
    return suite_run(&suite, "data_files");
}
