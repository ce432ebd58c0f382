/* Writes SPIR-V of any size, word by word: modules that are large, deep or bent, as families with a
 * size. What is written is valid unless a family says otherwise. */
#ifndef GEO_TESTS_COMPILER_SPV_H
#define GEO_TESTS_COMPILER_SPV_H

#include <spirv/unified1/spirv.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they stand in a module. */
enum spv_section {
    SPV_HEAD,
    SPV_ENTRIES,
    SPV_MODES,
    SPV_NAMES,
    SPV_DECORATIONS,
    SPV_GLOBALS,
    SPV_CODE,
    SPV_SECTIONS,
};

struct spv {
    struct {
        uint32_t *items;
        size_t count, capacity;
    } sections[SPV_SECTIONS];
    uint32_t bound; /* ids are below it */
    /* types */
    uint32_t none, boolean, i8, i32, i64, global_i32, private_i32, signature, kernel_signature;
    uint32_t i64x3, gid; /* the variable of global ids */
    /* of the kernel being written */
    uint32_t out, x; /* parameters: a pointer to global memory, and an integer */
    uint32_t item;   /* differs between items: i32 */
    uint32_t place;  /* out + item */
};

void spv_begin(struct spv *s);
/* The words of the whole module; *bytes long. Frees the rest. */
uint32_t *spv_end(struct spv *s, size_t *bytes);

uint32_t spv_id(struct spv *s);
void spv_put(struct spv *s, enum spv_section section, uint32_t op, const uint32_t *words,
             uint32_t count);
/* A string after the words. */
void spv_put_text(struct spv *s, enum spv_section section, uint32_t op, const uint32_t *words,
                  uint32_t count, const char *text);

/* An instruction of words that are given one by one. */
#define SPV(s, section, op, ...)                                                                   \
    spv_put(s, section, op, (const uint32_t[]){__VA_ARGS__},                                       \
            sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
/* The same in a function's code, with a type and a result, which is the value. */
#define SPV_VALUE(s, op, type, ...)                                                                \
    spv_value(s, SPV_CODE, op, type, (const uint32_t[]){__VA_ARGS__},                              \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define SPV_GLOBAL(s, op, type, ...)                                                               \
    spv_value(s, SPV_GLOBALS, op, type, (const uint32_t[]){__VA_ARGS__},                           \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
/* A type: no type of its own, but a result. */
#define SPV_TYPE(s, op, ...)                                                                       \
    spv_type(s, op, (const uint32_t[]){__VA_ARGS__},                                               \
             sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

uint32_t spv_value(struct spv *s, enum spv_section section, uint32_t op, uint32_t type,
                   const uint32_t *words, uint32_t count);
uint32_t spv_type(struct spv *s, uint32_t op, const uint32_t *words, uint32_t count);
uint32_t spv_int(struct spv *s, uint32_t value);
uint32_t spv_int64(struct spv *s, uint64_t value);

/* kernel void NAME(global int *out, int x), its first block begun; ended with a return. */
uint32_t spv_kernel(struct spv *s, const char *name);
/* int f(global int *out, int x). */
uint32_t spv_function(struct spv *s);
void spv_return(struct spv *s, uint32_t value); /* 0: of a kernel; ends the function */

void spv_label(struct spv *s, uint32_t label);
void spv_branch(struct spv *s, uint32_t to);
void spv_branch_if(struct spv *s, uint32_t condition, uint32_t yes, uint32_t no);
/* A new condition that differs between items, or (varying 0) is the same for all. */
uint32_t spv_condition(struct spv *s, uint32_t number, int varying);
uint32_t spv_add(struct spv *s, uint32_t a, uint32_t b);
uint32_t spv_load(struct spv *s, uint32_t from);
void spv_store(struct spv *s, uint32_t to, uint32_t value);
/* A variable of the function: at its start only. */
uint32_t spv_private(struct spv *s);
void spv_barrier(struct spv *s);

#endif
