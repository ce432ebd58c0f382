/* Work is counted, not timed: the compiler is built for these tests with a call at each basic block
 * (geoid_compiler_counted, geoid_lower_counted), and what the C library copies counts by its size.
 * What LLVM does is not counted. */
#ifndef GEO_TESTS_COMPILER_STEPS_H
#define GEO_TESTS_COMPILER_STEPS_H

#include <stdint.h>

/* Since the program was started; set it as you like. */
extern uint64_t steps;

#endif
