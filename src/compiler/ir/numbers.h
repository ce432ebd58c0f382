/* Constants for the numbers of SPIR-V that <spirv/unified1/spirv.h> of Debian 12 does not name; the
 * rows, with the source of each number, are in numbers.def. */
#ifndef GEO_COMPILER_IR_NUMBERS_H
#define GEO_COMPILER_IR_NUMBERS_H

enum {
#define OP(name, number, spirv, operands, class, source) GEO_SPV_##name = number,
#define DEBUG_OP(name, number, spirv, operands, source)  GEO_SPV_DEBUG_##name = number,
#define DRAFT_OP(name, number, spirv, operands, source)  GEO_SPV_DRAFT_##name = number,
#define CAPABILITY(name, number, spirv, source)          GEO_CAPABILITY_##name = number,
#define ENUMERANT(name, number, kind, spirv, source)     name = number,
#include "compiler/ir/numbers.def"
};

#endif
