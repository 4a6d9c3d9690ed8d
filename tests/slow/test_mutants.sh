#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Small faults put into the sources, and whether the tests notice: tests/mutants/run.mjs. timeout: 14400
exec node tests/mutants/run.mjs
