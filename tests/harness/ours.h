/* Tells whether our own code makes a call, or a library that is linked into ours. The symbol tables
 * of the loaded files give the name of the calling function. The compiler's library also contains
 * LLVM, whose functions have C++ names. */
#ifndef TESTS_HARNESS_OURS_H
#define TESTS_HARNESS_OURS_H

#include <stdbool.h>

/* Prepares ours_made and ours_name: reads the symbol tables of the program and of our libraries.
 * Call it again after libraries are loaded; files that were read before are skipped. */
void ours_learn(void);

/* Returns whether our own code contains this return address. */
bool ours_made(const void *return_address);

/* Returns the name of the function that contains this return address; "?" if it is not ours. */
const char *ours_name(const void *return_address);

#endif
