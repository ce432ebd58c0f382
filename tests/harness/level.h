/* The levels of code (GEOID_CPU's values) that this machine runs. Tests build code for every
 * level, and ask here which of it they may run. Levels that are skipped are named. */
#ifndef GEOID_TESTS_LEVEL_H
#define GEOID_TESTS_LEVEL_H

#include <stdbool.h>

/* The exit status of a test that was skipped, for CTest's SKIP_RETURN_CODE. */
enum { LEVEL_SKIPPED = 77 };

/* Returns true when this machine runs code of the level `name`; NULL stands for the machine's own
 * level. Prints a line for each level that the machine lacks, once in a process. Returns true for
 * an unknown name, which the compiler refuses with a text of its own. */
bool level_runs(const char *name);

/* Ends the process with LEVEL_SKIPPED when GEOID_CPU names a level that this machine lacks. Every
 * program that runs kernels calls this first; those of geoid_add_test do so in demand.c. */
void level_demand(void);

#endif
