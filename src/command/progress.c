/* SPDX-License-Identifier: MIT */
#include "command/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "base/printable.h"
#include "base/stop.h"

enum { REDRAW_US = 100000, BAR = 24 };

static void draw(const struct progress *progress, const char *what, uint64_t done,
                 uint64_t total, int64_t records, int64_t now)
{
    char bar[BAR + 1];
    const char *base = strrchr(what, '/');
    double seconds = (double)(now - progress->begun) / 1e6;
    double share = total ? (double)done / (double)total : 0;
    share = share > 1 ? 1 : share;
    size_t filled = (size_t)(share * BAR);
    memset(bar, '.', BAR);
    memset(bar, '#', filled);
    bar[BAR] = '\0';
    double rate = seconds > 0 ? (double)records / seconds : 0;
    struct buf name;
    buf_init(&name, LIMIT_ARGUMENT);
    printable_add(&name, str_of(base ? base + 1 : what), false);
    fprintf(stderr, "\r\033[K%.24s ", buf_str(&name).len > 0 ? name.ptr : "");
    buf_release(&name);
    if (total) {
        fprintf(stderr, "[%s] %3.0f %% ", bar, share * 100);
    }
    fprintf(stderr, "%" PRId64 " records, %.0f/s", records, rate);
    if (share > 0.01 && seconds > 1) {
        fprintf(stderr, ", %.0f s left", seconds / share - seconds);
    }
}

void progress_show(struct progress *progress, const char *what, uint64_t done, uint64_t total,
                   int64_t records)
{
    pthread_mutex_lock(&progress->lock);
    int64_t now = stop_clock();
    if (!progress->begun) {
        progress->begun = now;
    }
    if (now - progress->drawn >= REDRAW_US) {
        progress->drawn = now;
        progress->on_screen = true;
        draw(progress, what, done, total, records, now);
    }
    pthread_mutex_unlock(&progress->lock);
}

void progress_clear(struct progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    if (progress->on_screen) {
        fputs("\r\033[K", stderr);
        progress->on_screen = false;
    }
    progress->begun = 0;
    pthread_mutex_unlock(&progress->lock);
}
