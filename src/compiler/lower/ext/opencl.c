/* Lowers OpenCL.std instructions that are emitted in place, as builtins/opencl.def says: those with
 * a good vector form on x86. All others became calls of library functions before lowering.
 *
 * It uses no LLVM intrinsic that may become a library call on x86-64-v2 or later. */
#include "compiler/lower/ext/opencl.h"

#include "base/assert.h"
#include "compiler/ir/grammar.h"
#include "compiler/lower/arith/fma.h"
#include "compiler/lower/ext/float.h"
#include "compiler/lower/ext/integer.h"
#include "compiler/lower/ext/memory.h"
#include "compiler/lower/ext/vector.h"
#include "compiler/lower/value/apply.h"

#include <spirv/unified1/OpenCL.std.h>
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

/* Sorted by number like opencl.def. The grammar gives the number of operands. */
static const struct geo_entry entries[] = {
#define PART(name, emitter)                                                                        \
    {.part = {.op = OpenCLstd_##name, .flags = FLAGS_##emitter, .emit = geo_ext_##emitter}},
#define PART_64(name, emitter) PART(name, emitter)
#define WHOLE(name, emitter)   {.part.op = OpenCLstd_##name, .lower = geo_ext_##emitter},
#include "compiler/builtins/opencl.def"
};

static const struct geo_entry *find(uint32_t number)
{
    return geo_arith_operation_row_find(entries, sizeof(entries) / sizeof(entries[0]),
                                        sizeof(entries[0]), number);
}

bool geo_ext_opencl(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (inst->literal_count < 2 || inst->literals[0] != GEO_EXT_OPENCL_STD) {
        geo_state_error(f, inst, "unknown extended instruction set");
        return false;
    }
    const struct geo_entry *entry = find(inst->literals[1]);
    if (!entry) {
        geo_state_error(f, inst, "OpenCL.std instruction %u is not supported", inst->literals[1]);
        return false;
    }
    if (entry->lower) {
        return entry->lower(f, inst) && !f->failed;
    }
    struct geo_operation part = entry->part;
    GEO_ASSERT(part.emit && geo_grammar_find_opencl(part.op));
    part.operand_count = (uint32_t)strlen(geo_grammar_find_opencl(part.op)->operands);
    return geo_value_apply(f, inst, &part);
}
