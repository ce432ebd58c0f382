/* What the model knows of OpenCL.std instructions: which of them touch memory. */
#include "compiler/ir/ir.h"

#include <spirv/unified1/OpenCL.std.h>

bool geo_ir_ext_has_effect(const struct geo_ir_inst *inst)
{
    switch (inst->literals[1]) {
    case OpenCLstd_Fract: /* these five write their second result through a pointer */
    case OpenCLstd_Frexp:
    case OpenCLstd_Lgamma_r:
    case OpenCLstd_Modf:
    case OpenCLstd_Remquo:
    case OpenCLstd_Sincos:
    case OpenCLstd_Vstoren:
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn:
    case OpenCLstd_Vstore_halfn_r:
    case OpenCLstd_Vstorea_halfn:
    case OpenCLstd_Vstorea_halfn_r:
    case OpenCLstd_Printf:
    case OpenCLstd_Prefetch:
        return true;
    default:
        return false;
    }
}
