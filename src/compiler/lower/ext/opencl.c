/* Lowers OpenCL.std instructions that are emitted in place, as ir/opencl_std.def says: those with a
 * good vector form on x86. All others became calls of library functions before lowering.
 *
 * It uses no LLVM intrinsic that may become a library call on x86-64-v2 or later. */
#include "compiler/lower/ext/opencl.h"

#include "compiler/ir/grammar.h"
#include "compiler/lower/arith/fma.h"
#include "compiler/lower/ext/float.h"
#include "compiler/lower/ext/integer.h"
#include "compiler/lower/ext/memory.h"
#include "compiler/lower/ext/vector.h"
#include "compiler/lower/value/apply.h"

#include <string.h>

/* Ignores a hint. */
static bool geo_ext_nothing(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    (void)f, (void)inst;
    return true;
}

/* Calls the host's printf, as the machine does. */
static bool geo_ext_print(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    return f->lower->machine->print(f, inst);
}

/* How each kind of emitter treats halves. */
enum {
    FLAGS_float = GEO_OPERATION_FLOAT,
    FLAGS_integer = 0,
    FLAGS_bits = GEO_OPERATION_BITS,
    FLAGS_fma = GEO_OPERATION_BITS,
};

/* Fused multiply-add is plain arithmetic. */
#define geo_ext_fma geo_arith_fma

/* By row of opencl_std.def; `part.op` is set when it is used. The grammar gives the number of
 * operands. Rows of the library have no emitter. */
static const struct geo_entry entries[GEO_OPENCL_ROW_COUNT] = {
#define LOWERING_LIBRARY   {.lower = NULL}
#define LOWERING_GEOMETRIC {.lower = NULL}
#define LOWERING_PART(emitter)                                                                     \
    {                                                                                              \
        .part = {.flags = FLAGS_##emitter, .emit = geo_ext_##emitter }                             \
    }
#define LOWERING_PART_64(emitter) LOWERING_PART(emitter)
#define LOWERING_WHOLE(emitter)   {.lower = geo_ext_##emitter}
#define ROW(name, types, shape, rounding, lowering, ...)                                           \
    [GEO_OPENCL_ROW_##name] = LOWERING_##lowering,
#include "compiler/ir/opencl_std.def"
};

bool geo_ext_opencl(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (inst->literal_count < 2 || inst->literals[0] != GEO_EXT_OPENCL_STD) {
        geo_state_error(f, inst, "unknown extended instruction set");
        return false;
    }
    uint32_t number = inst->literals[1];
    const struct geo_entry *entry = &entries[geo_grammar_opencl_row(number)];
    if (entry->lower) {
        return entry->lower(f, inst) && !f->failed;
    }
    if (!entry->part.emit) {
        const struct geo_grammar *grammar = geo_grammar_find_opencl(number);
        geo_state_error(f, inst, "the library has no %s of OpenCL.std for these types",
                        grammar ? grammar->name : "such instruction");
        return false;
    }
    struct geo_operation part = entry->part;
    part.op = number;
    part.operand_count = (uint32_t)strlen(geo_grammar_find_opencl(number)->operands);
    return geo_value_apply(f, inst, &part);
}
