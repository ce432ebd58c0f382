/* OpenCL.std instructions that are emitted in place: those with a good vector form on x86. All
 * others become calls of library functions before lowering (builtins/).
 *
 * No LLVM intrinsic is used that may become a library call on x86-64-v2 or later. */
#include "compiler/lower/ext/opencl.h"

#include "compiler/lower/arith/fma.h"
#include "compiler/lower/ext/float.h"
#include "compiler/lower/ext/integer.h"
#include "compiler/lower/ext/memory.h"
#include "compiler/lower/ext/service.h"
#include "compiler/lower/ext/vector.h"
#include "compiler/lower/value/apply.h"

#include <spirv/unified1/OpenCL.std.h>

#define PART(number, operands, flag, function)                                                     \
    {                                                                                              \
        .part = {                                                                                  \
            .op = OpenCLstd_##number,                                                              \
            .operand_count = (operands),                                                           \
            .flags = (flag),                                                                       \
            .emit = (function)                                                                     \
        }                                                                                          \
    }
#define WHOLE(number, function) {.part.op = OpenCLstd_##number, .lower = (function)}
#define FLOAT(number, operands) PART(number, operands, GEO_OPERATION_FLOAT, geo_emit_ext_float)
#define INT(number, operands)   PART(number, operands, 0, geo_emit_ext_integer)

static bool nothing(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    (void)f, (void)inst;
    return true;
}

/* Sorted by number. */
static const struct geo_entry entries[] = {
    FLOAT(Ceil, 1),
    FLOAT(Copysign, 2),
    FLOAT(Fabs, 1),
    FLOAT(Fdim, 2),
    FLOAT(Floor, 1),
    PART(Fma, 3, GEO_OPERATION_BITS, geo_emit_ext_fma),
    FLOAT(Fmax, 2),
    FLOAT(Fmin, 2),
    FLOAT(Fmod, 2),
    FLOAT(Ldexp, 2),
    FLOAT(Mad, 3),
    FLOAT(Maxmag, 2),
    FLOAT(Minmag, 2),
    PART(Nan, 1, GEO_OPERATION_BITS, geo_emit_ext_choose),
    PART(Nextafter, 2, GEO_OPERATION_BITS, geo_emit_ext_choose),
    FLOAT(Rint, 1),
    FLOAT(Round, 1),
    FLOAT(Rsqrt, 1),
    FLOAT(Sqrt, 1),
    FLOAT(Trunc, 1),
    FLOAT(Half_divide, 2),
    FLOAT(Half_recip, 1),
    FLOAT(Half_rsqrt, 1),
    FLOAT(Half_sqrt, 1),
    FLOAT(Native_divide, 2),
    FLOAT(Native_recip, 1),
    FLOAT(Native_rsqrt, 1),
    FLOAT(Native_sqrt, 1),
    FLOAT(FClamp, 3),
    FLOAT(Degrees, 1),
    FLOAT(FMax_common, 2),
    FLOAT(FMin_common, 2),
    FLOAT(Mix, 3),
    FLOAT(Radians, 1),
    FLOAT(Step, 2),
    FLOAT(Smoothstep, 3),
    FLOAT(Sign, 1),
    WHOLE(Cross, geo_lower_ext_cross),
    WHOLE(Fast_distance, geo_lower_ext_length),
    WHOLE(Fast_length, geo_lower_ext_length),
    WHOLE(Fast_normalize, geo_lower_ext_length),
    INT(SAbs, 1),
    INT(SAbs_diff, 2),
    INT(SAdd_sat, 2),
    INT(UAdd_sat, 2),
    INT(SHadd, 2),
    INT(UHadd, 2),
    INT(SRhadd, 2),
    INT(URhadd, 2),
    INT(SClamp, 3),
    INT(UClamp, 3),
    INT(Clz, 1),
    INT(Ctz, 1),
    INT(SMad_hi, 3),
    INT(UMad_sat, 3),
    INT(SMad_sat, 3),
    INT(SMax, 2),
    INT(UMax, 2),
    INT(SMin, 2),
    INT(UMin, 2),
    INT(SMul_hi, 2),
    INT(Rotate, 2),
    INT(SSub_sat, 2),
    INT(USub_sat, 2),
    INT(U_Upsample, 2),
    INT(S_Upsample, 2),
    INT(Popcount, 1),
    INT(SMad24, 3),
    INT(UMad24, 3),
    INT(SMul24, 2),
    INT(UMul24, 2),
    WHOLE(Vloadn, geo_lower_ext_vload),
    WHOLE(Vstoren, geo_lower_ext_vstore),
    WHOLE(Vload_half, geo_lower_ext_vload),
    WHOLE(Vload_halfn, geo_lower_ext_vload),
    WHOLE(Vstore_half, geo_lower_ext_vstore),
    WHOLE(Vstore_half_r, geo_lower_ext_vstore),
    WHOLE(Vstore_halfn, geo_lower_ext_vstore),
    WHOLE(Vstore_halfn_r, geo_lower_ext_vstore),
    WHOLE(Vloada_halfn, geo_lower_ext_vload),
    WHOLE(Vstorea_halfn, geo_lower_ext_vstore),
    WHOLE(Vstorea_halfn_r, geo_lower_ext_vstore),
    WHOLE(Shuffle, geo_lower_ext_shuffle),
    WHOLE(Shuffle2, geo_lower_ext_shuffle),
    WHOLE(Printf, geo_lower_print),
    WHOLE(Prefetch, nothing),
    PART(Bitselect, 3, GEO_OPERATION_BITS, geo_emit_ext_choose),
    PART(Select, 3, GEO_OPERATION_BITS, geo_emit_ext_choose),
    INT(UAbs, 1),
    INT(UAbs_diff, 2),
    INT(UMul_hi, 2),
    INT(UMad_hi, 3),
};

static const struct geo_entry *find(uint32_t number)
{
    return geo_row_find(entries, sizeof(entries) / sizeof(entries[0]), sizeof(entries[0]), number);
}

bool geo_lower_ext(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (inst->literal_count < 2 || inst->literals[0] != GEO_EXT_OPENCL_STD) {
        geo_lower_error(f, inst, "unknown extended instruction set");
        return false;
    }
    const struct geo_entry *entry = find(inst->literals[1]);
    if (!entry) {
        geo_lower_error(f, inst, "OpenCL.std instruction %u is not supported", inst->literals[1]);
        return false;
    }
    return entry->part.emit ? geo_lower_apply(f, inst, &entry->part)
                            : entry->lower(f, inst) && !f->failed;
}
