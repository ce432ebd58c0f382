/* The rules that opcodes.def and opencl_std.def name CHECK(name): a function geo_rule_<name> for
 * each. A function returns whether number and types of the operands are right. It may set *reason,
 * which has a text for wrong types already, to a static text. Operands are not NULL, and those of
 * OpenCL.std are as many as the grammar says. */
#ifndef GEO_COMPILER_VALIDATE_CHECK_H
#define GEO_COMPILER_VALIDATE_CHECK_H

#include "compiler/ir/ir.h"

#define TYPES_SAME(class, count)
#define TYPES_COUNT(result, operand, count)
#define TYPES_EACH(result, operand, count)
#define TYPES_SINGLE(result, operand, count)
#define TYPES_CHECK(name) bool geo_rule_##name(const struct geo_ir_inst *inst, const char **reason);
#define ROW(op, types, ...) TYPES_##types
#include "compiler/ir/opcodes.def"
#define ROW(name, types, ...) TYPES_##types
#include "compiler/ir/opencl_std.def"
#undef TYPES_SAME
#undef TYPES_COUNT
#undef TYPES_EACH
#undef TYPES_SINGLE
#undef TYPES_CHECK

#endif
