/* SPDX-License-Identifier: MIT */
#include "support/http_answers.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/expect.h"

extern char **environ;

void http_answers_start(struct http_answers *server, const char *where,
                        const char *const *words)
{
    char script[] = TEST_SOURCE_DIR "/support/answer.mjs", node[] = "node", place[256];
    char *argv[8] = {node, script, place};
    int input[2], output[2];
    posix_spawn_file_actions_t files;
    snprintf(place, sizeof(place), "%s", where);
    for (size_t i = 0; words && words[i] && i < 4; i++) {
        memcpy(&argv[3 + i], &words[i], sizeof(words[i]));
    }
    expect_int(pipe2(input, O_CLOEXEC), 0);
    expect_int(pipe2(output, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, output[1], STDOUT_FILENO);
    expect_int(posix_spawnp(&server->pid, node, &files, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&files);
    close(input[0]);
    close(output[1]);
    server->input = input[1];
    char line[256] = "";
    FILE *said = fdopen(output[0], "r");
    expect_true(said && fgets(line, sizeof(line), said) != NULL);
    fclose(said);
    line[strcspn(line, "\n")] = '\0';
    snprintf(server->address, sizeof(server->address), "%s%.200s",
             where[0] == '/' ? "unix:"
             : words         ? "https://127.0.0.1:"
                             : "http://127.0.0.1:",
             line);
}

void http_answers_stop(struct http_answers *server)
{
    close(server->input);
    (void)kill(server->pid, SIGTERM);
    (void)waitpid(server->pid, NULL, 0);
}
