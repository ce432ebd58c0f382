/* Unit tests of the compiler's passes: the canonical form that transform.h promises. */
#ifndef GEO_TESTS_COMPILER_TRANSFORM_CANONICAL_H
#define GEO_TESTS_COMPILER_TRANSFORM_CANONICAL_H

#include "compiler/ir/ir.h"

/* Fails the test unless every function has one return, no unreachable block, and (reducible ones)
 * loops with preheader, one latch, dedicated exits and closed values. */
void assert_canonical(struct geo_ir_module *module);
/* Runs all passes, optimising. Fails the test unless the module is then valid and canonical. */
void canonical_make(struct geo_ir_module *module);
/* Does that for a module in assembly. Fails the test unless its first function then has so many
 * loads of vectors, and so many other loads. */
void canonical_expect_loads(const char *assembly, uint32_t vectors, uint32_t others);

#endif
