/* SPDX-License-Identifier: MIT */
#include "agent/sample_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/idle_wait.h"
#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/zone.h"
#include "sampler/sonar_writer.h"

enum { LINE_MAX_BYTES = 64 << 20, PATH_ROOM = 4096 };

struct sample_output {
    struct sample_output_plan plan;
    struct uploader *shipping; /* or NULL */
    struct buf line;           /* the look as it is written; its room is used again */
};

int sample_output_open(const struct sample_output_plan *plan, struct sample_output **out,
                       struct error *err)
{
    if (plan->folder) {
        int failed = file_make_folder(plan->folder, err);
        if (failed) {
            return failed;
        }
    }
    struct sample_output *outlet = mem_alloc(1, sizeof(*outlet));
    outlet->plan = *plan;
    buf_init(&outlet->line, LINE_MAX_BYTES);
    int failed =
        plan->shipping.server ? uploader_open(&plan->shipping, &outlet->shipping, err) : 0;
    if (failed) {
        sample_output_close(outlet);
        return failed;
    }
    *out = outlet;
    return 0;
}

int64_t sample_output_lost(struct sample_output *outlet)
{
    return outlet->shipping ? uploader_lost(outlet->shipping) : 0;
}

void sample_output_close(struct sample_output *outlet)
{
    if (outlet) {
        uploader_close(outlet->shipping);
        buf_release(&outlet->line);
        free(outlet);
    }
}

/* FOLDER/2026/11/16, which is made if need be. */
static int day_folder(const struct sample_output *outlet, int64_t time, struct buf *path,
                      struct error *err)
{
    const struct civil day = civil_of_days(time / DAY_US);
    buf_addf(path, "%s/%04d/%02d/%02d", outlet->plan.folder, day.year, day.month, day.day);
    return file_make_folder(path->ptr, err);
}

/* A name is the node's own and may be anything: what would leave the folder is replaced. */
static void add_node(struct buf *path, struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        buf_addc(path, name.ptr[i] == '/' ? '_' : name.ptr[i]);
    }
}

/* In one go, so that a line is whole or, where the disk is full, is taken back. */
static int append(const char *path, struct str line, struct error *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) {
        return error_errno(err, "cannot open '%s'", path);
    }
    const off_t before = lseek(fd, 0, SEEK_END);
    const ssize_t put = write(fd, line.ptr, line.len);
    int failed = 0;
    if (put != (ssize_t)line.len) {
        errno = put < 0 ? errno : ENOSPC;
        failed = error_errno(err, "cannot write '%s'", path);
        if (put > 0 && before >= 0) {
            (void)!ftruncate(fd, before);
        }
    }
    close(fd);
    return failed;
}

static int put_into_file(struct sample_output *outlet, const struct node_sample *look,
                         struct error *err)
{
    struct buf path;
    buf_init(&path, PATH_ROOM);
    int failed = day_folder(outlet, look->time, &path, err);
    if (!failed) {
        buf_addz(&path, "/0+sample-");
        add_node(&path, look->node.name);
        buf_addz(&path, ".json");
        failed = path.overflow ? error_set(err, ERROR_LIMIT, "the path of the file is too long")
                               : append(path.ptr, buf_str(&outlet->line), err);
    }
    buf_release(&path);
    return failed;
}

int sample_output_put(struct sample_output *outlet, const struct node_sample *look,
                      struct error *err)
{
    struct json json = {.out = &outlet->line};
    buf_clear(&outlet->line);
    sonar_write(&json, look);
    buf_addc(&outlet->line, '\n');
    if (outlet->line.overflow) {
        return error_set(err, ERROR_LIMIT, "the sample is larger than %d bytes",
                         LINE_MAX_BYTES);
    }
    if (outlet->shipping) {
        const int failed = uploader_put(outlet->shipping, buf_str(&outlet->line), err);
        if (failed || !outlet->plan.folder) {
            return failed;
        }
    }
    if (outlet->plan.folder) {
        return put_into_file(outlet, look, err);
    }
    return agent_print(buf_str(&outlet->line)) == AGENT_DONE
               ? 0
               : error_set(err, ERROR_IO, "the sample is lost");
}

int sample_output_finish(struct sample_output *outlet, struct error *err)
{
    return outlet->shipping ? uploader_send(outlet->shipping, NULL, err) : 0;
}

bool sample_output_work(struct sample_output *outlet, int64_t pause_us, const struct stop *stop)
{
    return outlet->shipping ? uploader_work(outlet->shipping, pause_us, stop)
                            : idle_wait_for(stop, pause_us);
}
