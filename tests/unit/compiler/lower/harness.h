/* Runs single instructions at every width: a batch of small functions, each
 *
 *     for every lane: out[id] = op(in0, in1, ...)
 *
 * is built in the model, lowered by geo_dispatch_instruction inside a minimal frame of this
 * harness, emitted by codegen/ and called. An input is varying (in[id]), uniform (in[0]) or a
 * constant.
 *
 * Everything here fails the running test when something is wrong. */
#ifndef GEO_TESTS_LOWER_HARNESS_H
#define GEO_TESTS_LOWER_HARNESS_H

#include "compiler/codegen/codegen.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/state/module.h"
#include "compiler/validate/validate.h"

#define HARNESS_INPUTS 4u

struct harness {
    const char *cpu; /* the level that code is for */
    struct geo_ir_module *module;
    struct geo_codegen_target *target;
    LLVMContextRef context;
    LLVMModuleRef llvm_module;
    struct geo_lower_options options;
    struct geo_lower lower; /* only the model is used, and what is counted */
    struct geo_strbuf log;
    bool optimize;
    uint32_t count; /* functions so far */
    void *library;
};

/* Scalar and vector types by a short name: "i8" ... "i64", "f16" ... "f64", "b", "f32x4". */
const struct geo_ir_type *harness_type(struct harness *h, const char *name);

/* Starts a batch of code for a level, such as "x86-64-v3" (GEOID_CPU's values). */
void harness_begin(struct harness *h, const char *cpu, uint32_t lanes, bool optimize);
/* Emits and loads what was added. False when this machine cannot run it (nothing is loaded then,
 * but emission was checked). */
bool harness_load(struct harness *h);
void harness_end(struct harness *h);

enum harness_input {
    HARNESS_VARYING, /* in[id] */
    HARNESS_UNIFORM, /* in[0] */
};

/* A function being built: the parameters are pointers to in0 ... in3 and out, in global memory. */
struct harness_function {
    struct harness *h;
    struct geo_ir_function *function;
    struct geo_ir_block *block;
    struct geo_ir_value *inputs[HARNESS_INPUTS], *output;
    struct geo_ir_value *id; /* 64-bit global id, strided by 1 */
    uint32_t number;
};

void harness_function_begin(struct harness *h, struct harness_function *fn);
/* An instruction at the end; `operands` may be NULL for count 0. */
struct geo_ir_inst *harness_add(struct harness_function *fn, unsigned op,
                                const struct geo_ir_type *type,
                                struct geo_ir_value *const *operands, uint32_t operand_count,
                                const uint32_t *literals, uint32_t literal_count);
/* Input i as a value of this type, loaded as asked for. */
struct geo_ir_value *harness_load_input(struct harness_function *fn, uint32_t i,
                                        const struct geo_ir_type *type, enum harness_input how);
/* A typed pointer to element `index` (a value, or NULL: 0) of input i (HARNESS_INPUTS: the output).
 */
struct geo_ir_value *harness_element(struct harness_function *fn, uint32_t i,
                                     const struct geo_ir_type *type, struct geo_ir_value *index,
                                     SpvStorageClass storage);
/* out[id] = value. */
void harness_store_output(struct harness_function *fn, struct geo_ir_value *value);
struct geo_ir_value *harness_constant(struct harness_function *fn, const struct geo_ir_type *type,
                                      uint64_t bits);
/* Lowers it (masked: under a run-time mask); gives its number for harness_call. With `error`
 * (at least 256 bytes) lowering must fail and its message goes there; nothing may be loaded then.
 */
uint32_t harness_function_end(struct harness_function *fn, bool masked, char *error);

/* One chunk: lanes base ... base + W - 1 under the mask (ignored by functions that have none). */
void harness_call(struct harness *h, uint32_t number, void *const *inputs, void *output,
                  uint64_t base, uint64_t mask);
/* The LLVM text of a function before optimisation, for looking at; free with LLVMDisposeMessage. */
char *harness_text(struct harness *h, uint32_t number);

/* ---- the usual case: one component-wise operation ---- */

struct harness_case {
    unsigned op; /* SpvOp, or an OpenCL.std number with `ext` */
    bool ext;
    const char *name;   /* for messages */
    const char *result; /* type names */
    const char *operands[HARNESS_INPUTS];
    uint32_t operand_count;
    uint32_t flags; /* of the value: saturation, rounding mode */
    uint64_t (*reference)(const struct harness_case *test, const uint64_t *operands);
    uint32_t ulps; /* float results may differ by so much */
};

/* Runs each case at widths 1, 8 and 16 on every CPU level, optimised and not, with varying, uniform
 * and masked operands over edge values and random ones. Levels that this machine cannot run are
 * emitted and linked. */
void harness_run_everywhere(const struct harness_case *cases, uint32_t count);

/* Reads and writes an element of a type name in an array. */
uint64_t harness_read(const char *type, const void *array, uint64_t index);
void harness_write(const char *type, void *array, uint64_t index, uint64_t bits);
uint32_t harness_type_bytes(const char *type);
bool harness_type_is_float(const char *type);
uint32_t harness_type_bits(const char *type);

/* reference.c: edge values of a type, then random ones; the n-th. */
uint64_t reference_value(const char *type, uint32_t n, uint64_t *random);
uint32_t reference_edge_count(const char *type);

#endif
