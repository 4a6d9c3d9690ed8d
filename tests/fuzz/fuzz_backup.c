/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backup/backup.h"
#include "base/mem.h"

/*
 * Any bytes as the text of a backup: as they are, and with the digest at the end that they would have. Beside what the
 * sanitizers see: the names of files lead nowhere, and a file has as many pieces as its size needs.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void look(struct str text)
{
    struct backup backup = {0};
    if (backup_parse(text, &backup)) {
        must(backup_size(&backup) >= 0 || backup.file_count > 1);
        (void)backup_fact_value(&backup, "made");
        for (size_t i = 0; i < backup.file_count; i++) {
            const struct backup_file *file = &backup.files[i];
            must(!strchr(file->name.ptr, '/') && file->name.ptr[0] != '.');
            must((file->size == 0) == (file->piece_count == 0));
            for (size_t j = 0; j < file->piece_count; j++) {
                must(strlen(file->pieces[j]) == SHA256_TEXT);
            }
        }
    }
    backup_release(&backup);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sha256 sha;
    char digest[SHA256_TEXT + 1];
    const struct str text = {(const char *)data, size};
    char *ended = mem_alloc(1, size + 128);
    look(text);
    sha256_begin(&sha);
    sha256_add(&sha, text);
    sha256_end(&sha, digest);
    memcpy(ended, data, size);
    const int more = snprintf(ended + size, 128, "end %s\n", digest);
    look((struct str){ended, size + (size_t)more});
    free(ended);
    return 0;
}
