/* SPIR-V written by tests, word by word, for what spirv-as and clang do not write: instructions
 * younger than they are, and modules made for many types and sizes.
 *
 *     struct words w;
 *     words_begin(&w);
 *     uint32_t type = words_int(&w, 32);
 *     uint32_t in = words_kernel(&w, "name", parameter types, count);   parameters: in, in + 1 ...
 *     uint32_t sum = words_op(&w, SpvOpIAdd, type, 2, (uint32_t[]){a, b});
 *     struct geo_ir_module *module = words_model(&w);
 *
 * Types and constants may be asked for at any time, also again and inside of a kernel. */
#ifndef GEO_TESTS_LOWER_WORDS_H
#define GEO_TESTS_LOWER_WORDS_H

#include "compiler/ir/ir.h"

#define WORDS_LIMIT 8192u
#define WORDS_KNOWN 256u

struct words_part {
    uint32_t words[WORDS_LIMIT];
    uint32_t count;
};

struct words {
    struct words_part head, modes, types, code;
    uint32_t bound;
    uint32_t known[WORDS_KNOWN]; /* where types and constants begin in `types` */
    uint32_t known_count;
    uint32_t kernel; /* the last one; 0: none yet */
    bool in_kernel;
};

void words_begin(struct words *w);
/* A new id. */
uint32_t words_id(struct words *w);

/* Capabilities of OpenCL are there; others by number. */
void words_capability(struct words *w, uint32_t capability);

/* A type: opcode and operands without the result. The same one again is the same id. */
uint32_t words_type(struct words *w, uint32_t op, uint32_t count, const uint32_t *operands);
uint32_t words_int(struct words *w, uint32_t width);
uint32_t words_float(struct words *w, uint32_t width);
uint32_t words_vector(struct words *w, uint32_t element, uint32_t count);
uint32_t words_pointer(struct words *w, uint32_t storage, uint32_t element);
/* A constant of up to 32 bits, or 64. */
uint32_t words_constant(struct words *w, uint32_t type, uint64_t bits, uint32_t width);
uint32_t words_i32(struct words *w, uint32_t value);

/* A kernel; gives the id of its first parameter, the others follow. It ends with words_end. */
uint32_t words_kernel(struct words *w, const char *name, const uint32_t *parameters,
                      uint32_t count);
/* An execution mode of the kernel that is being written. */
void words_mode(struct words *w, uint32_t mode, uint32_t count, const uint32_t *literals);
/* An instruction with a result, and one without. */
uint32_t words_op(struct words *w, uint32_t op, uint32_t type, uint32_t count,
                  const uint32_t *operands);
void words_do(struct words *w, uint32_t op, uint32_t count, const uint32_t *operands);
/* A decoration with one literal. */
void words_decorate(struct words *w, uint32_t id, uint32_t decoration, uint32_t literal);
/* The value of a built-in variable of this type (of 32 or 64 bits, or a vector). */
uint32_t words_builtin(struct words *w, uint32_t builtin, uint32_t type);
/* OpReturn and the end of the function. */
void words_end(struct words *w);

/* The whole module. */
void words_finish(struct words *w, struct words_part *out);
/* The model of it; the test fails where it cannot be read. */
struct geo_ir_module *words_model(struct words *w);

#endif
