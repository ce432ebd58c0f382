/* Unit tests of the compiler: state of the reference interpreter, shared by its files. See
 * interpret.h. */
#ifndef GEO_TESTS_INTERPRET_INTERNAL_H
#define GEO_TESTS_INTERPRET_INTERNAL_H

#include "interpret.h"

#include "base/array.h"

#define INTERP_BUILTINS 64u /* the built-ins of plain kernels; sub-group masks are beyond */

struct region {
    uint8_t *bytes;
    size_t size;
    bool owned, dead;
    struct geo_ir_function *function; /* the region is a function's address */
};

struct interp {
    struct geo_ir_module *module;
    struct {
        struct region *items;
        size_t count, capacity;
    } regions;
    uint64_t *shared;        /* [module value index]: address of a variable all items share */
    uint64_t (*builtins)[3]; /* [SpvBuiltIn] */
    struct geo_arena arena;  /* constants' leaves */
    uint64_t steps, step_limit, barriers;
    char error[256];
};

enum item_status {
    ITEM_RUNNING,
    ITEM_BARRIER,
    ITEM_DONE,
    ITEM_FAILED,
};

struct frame {
    struct geo_ir_function *function;
    uint32_t *slot;   /* [value index]: first leaf in values */
    uint64_t *values; /* slot and values are one malloc block each */
    struct geo_ir_block *block, *previous;
    struct geo_ir_inst *next;
    const struct geo_ir_inst *call; /* in the caller; NULL for the first frame */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } regions; /* of Function variables */
};

struct item {
    struct interp *interp;
    enum item_status status;
    uint64_t (*builtins)[3]; /* this item's own; NULL: the interpreter's */
    uint64_t **cache;        /* [module value index]: leaves of constants and addresses */
    struct {
        struct frame *items;
        size_t count, capacity;
    } frames;
    uint64_t *result; /* leaves of the first frame's result */
};

__attribute__((format(printf, 2, 3))) void interp_fail(struct item *item, const char *format, ...);

/* interpret_memory.c */
uint64_t interp_region_add(struct interp *interp, void *bytes, size_t size, bool owned);
/* size bytes at an address; NULL after interp_fail. */
uint8_t *interp_bytes(struct item *item, uint64_t address, uint64_t size, const char *what);
void interp_memory_load(struct item *item, const struct geo_ir_type *type, uint64_t address,
                        uint64_t *leaves);
void interp_memory_store(struct item *item, const struct geo_ir_type *type, uint64_t address,
                         const uint64_t *leaves);
/* Address of a module-scope variable or function, made on first use. */
uint64_t interp_variable_address(struct item *item, struct geo_ir_variable *variable);
uint64_t interp_function_address(struct item *item, struct geo_ir_function *function);
/* Leaf number of a member or element, and its type. */
const struct geo_ir_type *interp_member(const struct geo_ir_type *type, uint64_t index,
                                        uint32_t *leaf);

/* interpret_op.c */
/* Leaves of an operand in the current frame; NULL after interp_fail. */
const uint64_t *interp_operand(struct item *item, struct geo_ir_value *value);
struct interp_expression {
    SpvOp op;
    const struct geo_ir_type *type;
    struct geo_ir_value **operands;
    uint32_t operand_count;
    const uint32_t *literals;
    uint32_t literal_count;
    uint32_t flags;
};
/* Everything without control flow, memory or effects. False: no such operation. */
bool interp_pure(struct item *item, const struct interp_expression *e, uint64_t *result);

/* A scalar leaf's type and width in bytes in memory. */
const struct geo_ir_type *interp_scalar_of(const struct geo_ir_type *type);
uint32_t interp_scalar_bytes(const struct geo_ir_type *type);

#endif
