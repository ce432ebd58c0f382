/* Unit tests of the compiler's passes: the canonical form that transform.h promises. */
#ifndef GEO_TESTS_COMPILER_TRANSFORM_CANONICAL_H
#define GEO_TESTS_COMPILER_TRANSFORM_CANONICAL_H

#include "compiler/ir/ir.h"

/* Fails the test unless every function has one return, no unreachable block, and (reducible ones)
 * loops with preheader, one latch, dedicated exits and closed values. */
void assert_canonical(struct geo_ir_module *module);
/* Runs all passes, optimising. Fails the test unless the module is then valid and canonical. */
void canonical_make(struct geo_ir_module *module);

#endif
