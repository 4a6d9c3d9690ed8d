/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The command line: finds the operation, reads its arguments, runs it, shows the answer.
 * Everything that prints, reads the environment or ends the program is here.
 */

/* The exit status: 0 done, 1 failed or something was rejected, 2 wrong usage. */
int command_main(int argc, char **argv);
