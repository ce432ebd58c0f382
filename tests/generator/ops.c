/* The table of operations. See ops.def. */
#include "program.h"

#include <math.h>
#include <spirv/unified1/OpenCL.std.h>
#include <spirv/unified1/spirv.h>

const struct gen_op_info gen_ops[GEN_OP_COUNT] = {
#define OP(name, op_class, args, spirv, ext, c)                                                    \
    [GEN_##name] = {#name, GEN_CLASS_##op_class, args, spirv, ext, c},
#include "ops.def"
#undef OP
};

void gen_integer_range(uint32_t bits, bool is_signed, double *low, double *high)
{
    *high = ldexp(1, (int)(is_signed ? bits - 1 : bits));
    *low = is_signed ? -*high : 0;
}
