/* Random kernels: the table of operations. See ops.def. */
#include "program.h"

#include <spirv/unified1/OpenCL.std.h>
#include <spirv/unified1/spirv.h>

const struct gen_op_info gen_ops[GEN_OP_COUNT] = {
#define OP(name, op_class, args, spirv, ext, c)                                                    \
    [GEN_##name] = {#name, GEN_CLASS_##op_class, args, spirv, ext, c},
#include "ops.def"
#undef OP
};

enum { SCOPE = 1, WHOLE = 2, SAME = 4, CONSTANT = 8 };

const struct gen_subgroup_info gen_subgroups[GEN_SG_COUNT] = {
#define SUBGROUP(name, form, spirv, join, flags, capability, extension, c)                         \
    [GEN_SG_##name] = {GEN_FORM_##form,                                                            \
                       spirv,                                                                      \
                       SpvCapability##capability,                                                  \
                       GEN_##join,                                                                 \
                       ((flags) & SCOPE) != 0,                                                     \
                       ((flags) & WHOLE) != 0,                                                     \
                       ((flags) & SAME) != 0,                                                      \
                       ((flags) & CONSTANT) != 0,                                                  \
                       extension,                                                                  \
                       c},
#include "subgroup.def"
#undef SUBGROUP
};
