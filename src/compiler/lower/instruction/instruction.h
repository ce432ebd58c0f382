/* What one instruction computes: the inside of instruction.c and its topic files.
 *
 * One table by opcode (instruction.c) says how an instruction is lowered:
 *
 *     part    the same scalar operation on every component: `emit` gets the operands of one part,
 *             all scalars or all <W x>, and returns the result; the table walks the parts
 *     whole   `lower` does everything itself
 *
 * OpExtInst has a table of its own with the same entries (ext_opencl.c). Half is computed in float
 * and rounded after each operation (GEO_ENTRY_FLOAT): `emit` never sees it unless it asks for bits.
 */
#ifndef GEO_COMPILER_LOWER_INSTRUCTION_H
#define GEO_COMPILER_LOWER_INSTRUCTION_H

#include "compiler/lower/emit/emit.h"
#include "compiler/lower/lower.h"

/* One part of an instruction being emitted. */
struct geo_emit {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst;   /* NULL in a constant expression */
    uint32_t op;                      /* SpvOp, or the number of an OpenCL.std instruction */
    uint32_t flags;                   /* the value's: enum geo_ir_value_flags */
    const struct geo_ir_type *type;   /* of the result's part; float for half (GEO_ENTRY_FLOAT) */
    const struct geo_ir_type *source; /* of operand 0's part, likewise */
    LLVMValueRef v[4];                /* the operands' parts */
    uint32_t count;
};

/* Instructions that Khronos' header of Debian 12 does not name yet. */
#define GEO_SPV_CONVERT_F_TO_BF16_INTEL 6116u
#define GEO_SPV_CONVERT_BF16_TO_F_INTEL 6117u
#define GEO_SPV_ARITHMETIC_FENCE_EXT    6145u

typedef LLVMValueRef (*geo_emit_fn)(struct geo_emit *e);
typedef bool (*geo_lower_fn)(struct geo_lower_function *f, const struct geo_ir_inst *inst);

enum geo_entry_flags {
    GEO_ENTRY_FLOAT = 1u << 0, /* half operands and results go through float */
    GEO_ENTRY_BITS = 1u << 1,  /* half is welcome as its bits */
};

struct geo_entry {
    uint32_t op;
    uint32_t operand_count; /* of a part entry, exact */
    uint32_t flags;
    geo_emit_fn emit;
    geo_lower_fn lower;
};

/* Runs a part entry over all parts of inst's result. Operands start at operands[0]; those with one
 * part are used for every part (vector times scalar, select with a scalar condition). */
bool geo_lower_parts(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                     const struct geo_entry *entry, uint32_t op);
/* One part from given operands: the promotion of half, then entry->emit. NULL after a failure. */
LLVMValueRef geo_emit_part(struct geo_emit *e, const struct geo_entry *entry);
/* The entry of an opcode; NULL: none. */
const struct geo_entry *geo_entry_find(uint32_t op);
const struct geo_entry *geo_entry_search(const struct geo_entry *table, size_t count, uint32_t op);
/* Whether a result is held as scalars (uniform, strided, W = 1). */
bool geo_lower_as_scalar(struct geo_lower_function *f, const struct geo_ir_value *value);
/* Sets a part from a scalar or a vector, whichever the result's shape wants. */
void geo_lower_set_wide(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t part,
                        LLVMValueRef value);
bool geo_type_is_half(const struct geo_ir_type *type);

/* arith.c, divide.c, bits.c, compare.c, convert.c */
LLVMValueRef geo_emit_arith(struct geo_emit *e);
LLVMValueRef geo_emit_divide(struct geo_emit *e);
LLVMValueRef geo_emit_frem_part(struct geo_emit *e);
LLVMValueRef geo_emit_bit_op(struct geo_emit *e);
LLVMValueRef geo_emit_compare(struct geo_emit *e);
LLVMValueRef geo_emit_classify(struct geo_emit *e);
LLVMValueRef geo_emit_logic(struct geo_emit *e);
LLVMValueRef geo_emit_select_part(struct geo_emit *e);
LLVMValueRef geo_emit_convert(struct geo_emit *e);
LLVMValueRef geo_emit_bfloat(struct geo_emit *e);
bool geo_lower_extended(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_integer_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_dot(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_any_all(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_bitcast(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* Pieces that several files need. */
LLVMValueRef geo_emit_float_op(struct geo_lower_function *f, uint32_t flags, LLVMOpcode opcode,
                               LLVMValueRef a, LLVMValueRef b);
LLVMValueRef geo_emit_mul_high(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                               bool is_signed);
/* The remainder of fmod, exact; floats of 32 or 64 bits. */
LLVMValueRef geo_emit_fmod(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y);
/* fma, correctly rounded also without FMA instructions (fma.c). */
LLVMValueRef geo_emit_fma(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                          LLVMValueRef c);

/* "llvm.floor", "llvm.ceil", "llvm.trunc", "llvm.roundeven", never a library call. round.c */
LLVMValueRef geo_emit_round(struct geo_lower_function *f, const char *name, LLVMValueRef x);
/* OpenCL's fmin and fmax: a NaN loses against a number. ext_float.c */
LLVMValueRef geo_emit_fminmax(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                              bool is_min);

/* half.c: bits of half (i16, wide) to float, and float or double to the bits of half. */
LLVMValueRef geo_emit_half_to_float(struct geo_lower_function *f, LLVMValueRef half);
LLVMValueRef geo_emit_float_to_half(struct geo_lower_function *f, LLVMValueRef value,
                                    SpvFPRoundingMode mode);
/* convert.c: double to float with a rounding mode. */
LLVMValueRef geo_emit_double_to_float(struct geo_lower_function *f, LLVMValueRef value,
                                      SpvFPRoundingMode mode);

/* composite.c */
bool geo_lower_composite(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_vector_dynamic(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_copy(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* The first part and the type of what `indices` select in a composite. False: out of range. */
bool geo_composite_walk(const struct geo_ir_type *type, const uint32_t *indices, uint32_t count,
                        uint32_t *part, const struct geo_ir_type **selected);

/* access.c */
bool geo_lower_access_chain(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_pointer(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_pointer_compare(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* OpenCL.std: ext_float.c, ext_integer.c, ext_memory.c */
LLVMValueRef geo_emit_ext_float(struct geo_emit *e);
LLVMValueRef geo_emit_ext_fma(struct geo_emit *e);
LLVMValueRef geo_emit_ext_integer(struct geo_emit *e);
LLVMValueRef geo_emit_ext_bits(struct geo_emit *e);
bool geo_lower_ext_shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_ext_vload(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_ext_vstore(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_ext_nothing(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* service.c */
bool geo_lower_ext_print(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_assert_fail(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* memory.c, copy.c, atomic.c, ext_*.c, group.c */
bool geo_lower_load(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_store(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_copy_memory(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_fence(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_atomic(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_ext(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_lower_group(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
