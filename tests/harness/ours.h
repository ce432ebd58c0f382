/* Which code makes a call: ours, or that of a library that is linked into ours. Decided by the name
 * of the function that the call returns to, as the symbol tables of the loaded files have it: the
 * compiler's library holds LLVM as well, whose names are C++. */
#ifndef TESTS_HARNESS_OURS_H
#define TESTS_HARNESS_OURS_H

#include <stdbool.h>

/* Reads the tables of our libraries, and of the program, that have been loaded since last time. */
void ours_learn(void);

bool ours_made(const void *return_address);

/* The function around it; "?" for code that is not ours. */
const char *ours_name(const void *return_address);

#endif
