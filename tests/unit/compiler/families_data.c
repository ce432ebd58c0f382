/* Hostile modules of data: types, constants, variables, long chains, names and decorations. */
#include "families.h"

#include <stdlib.h>

static void kernel_empty(struct spv *s)
{
    spv_kernel(s, "k");
    spv_return(s, 0);
}

/* ---- values ---- */

/* x = x * item + x, again and again. */
static void chain(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t value = s->x;
    for (uint32_t i = 0; i < size; i++) {
        value = SPV_VALUE(s, i % 2 ? SpvOpIAdd : SpvOpIMul, s->i32, value, s->item);
    }
    spv_store(s, s->place, value);
    spv_return(s, 0);
}

/* Each element of a vector goes through another one. */
static void vectors(struct spv *s, uint32_t size)
{
    uint32_t vector = SPV_TYPE(s, SpvOpTypeVector, s->i32, 16);
    uint32_t null = spv_value(s, SPV_GLOBALS, SpvOpConstantNull, vector, NULL, 0);
    spv_kernel(s, "k");
    uint32_t value = SPV_VALUE(s, SpvOpCompositeInsert, vector, s->item, null, 0);
    for (uint32_t i = 0; i < size; i++) {
        value = SPV_VALUE(s, SpvOpVectorShuffle, vector, value, value, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                          10, 11, 12, 13, 14, 15, 16);
        value = SPV_VALUE(s, SpvOpIAdd, vector, value, value);
    }
    spv_store(s, s->place, SPV_VALUE(s, SpvOpCompositeExtract, s->i32, value, 3));
    spv_return(s, 0);
}

static void atomics(struct spv *s, uint32_t size)
{
    uint32_t scope = spv_int(s, SpvScopeDevice), relaxed = spv_int(s, 0);
    spv_kernel(s, "k");
    for (uint32_t i = 0; i < size; i++) {
        SPV_VALUE(s, SpvOpAtomicIAdd, s->i32, s->place, scope, relaxed, s->item);
    }
    spv_return(s, 0);
}

/* Loads and stores at places that depend on what was loaded. */
static void accesses(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t value = s->item;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t wide = SPV_VALUE(s, SpvOpSConvert, s->i64, value);
        uint32_t place = SPV_VALUE(s, SpvOpInBoundsPtrAccessChain, s->global_i32, s->out, wide);
        value = spv_load(s, place);
        spv_store(s, place, s->x);
    }
    spv_return(s, 0);
}

/* Private variables, stored under conditions, loaded at the end. */
static void variables_private(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    /* Variables stand first in a function: before the ids that spv_kernel reads. They may stand
       anywhere for the reader, which some producers rely on. */
    uint32_t *variables = calloc(size, sizeof(*variables));
    for (uint32_t i = 0; i < size; i++) {
        variables[i] = spv_private(s);
        spv_store(s, variables[i], s->x);
    }
    for (uint32_t i = 0; i < size; i += 4) {
        uint32_t yes = spv_id(s), join = spv_id(s);
        spv_branch_if(s, spv_condition(s, i, 1), yes, join);
        spv_label(s, yes);
        spv_store(s, variables[i], spv_load(s, variables[size - 1 - i]));
        spv_branch(s, join);
        spv_label(s, join);
    }
    for (uint32_t i = 0; i < size; i += 64) {
        spv_store(s, s->place, spv_load(s, variables[i]));
    }
    spv_return(s, 0);
    free(variables);
}

/* A switch whose cases store a variable each; all of them are live behind it. */
static void variables_cases(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t *ids = calloc(2 * (size_t)size, sizeof(*ids)), done = spv_id(s);
    uint32_t *words = calloc(2 * (size_t)size + 2, sizeof(*words));
    words[0] = s->x;
    words[1] = done;
    for (uint32_t i = 0; i < size; i++) {
        ids[i] = spv_private(s);
        spv_store(s, ids[i], s->item);
        words[2 + 2 * i] = i;
        words[3 + 2 * i] = ids[size + i] = spv_id(s);
    }
    spv_put(s, SPV_CODE, SpvOpSwitch, words, 2 * size + 2);
    for (uint32_t i = 0; i < size; i++) {
        spv_label(s, ids[size + i]);
        spv_store(s, ids[i], s->x);
        spv_branch(s, done);
    }
    spv_label(s, done);
    for (uint32_t i = 0; i < size; i++) {
        spv_store(s, s->place, spv_load(s, ids[i]));
    }
    spv_return(s, 0);
    free(ids);
    free(words);
}

/* ---- types ---- */

static void arrays(struct spv *s, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        uint32_t array = SPV_TYPE(s, SpvOpTypeArray, s->i32, spv_int(s, i + 1));
        SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassCrossWorkgroup, array);
    }
    kernel_empty(s);
}

/* Pointers to pointers, and a variable of the last. */
static void pointers(struct spv *s, uint32_t size)
{
    uint32_t storage = SpvStorageClassCrossWorkgroup, type = s->global_i32;
    for (uint32_t i = 0; i < size; i++) {
        type = SPV_TYPE(s, SpvOpTypePointer, storage, type);
    }
    uint32_t variable = SPV_GLOBAL(s, SpvOpVariable, type, storage);
    spv_kernel(s, "k");
    uint32_t place = SPV_VALUE(s, SpvOpBitcast, s->global_i32, variable);
    spv_store(s, s->place, spv_load(s, place));
    spv_return(s, 0);
}

/* A pointer to itself. */
static void pointer_to_itself(struct spv *s, uint32_t size)
{
    uint32_t storage = SpvStorageClassCrossWorkgroup, first = spv_id(s), type = first;
    SPV(s, SPV_GLOBALS, SpvOpTypeForwardPointer, first, storage);
    for (uint32_t i = 1; i < size; i++) {
        type = SPV_TYPE(s, SpvOpTypePointer, storage, type);
    }
    SPV(s, SPV_GLOBALS, SpvOpTypePointer, first, storage, type);
    kernel_empty(s);
}

/* struct { T, T }, `levels` deep, of the type. */
static uint32_t doubled(struct spv *s, uint32_t type, uint32_t levels)
{
    for (uint32_t i = 0; i < levels; i++) {
        type = SPV_TYPE(s, SpvOpTypeStruct, type, type);
    }
    return type;
}

/* Copies of 2,048 scalars. */
static void structs_doubled(struct spv *s, uint32_t size)
{
    uint32_t type = doubled(s, s->i32, 11);
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassCrossWorkgroup, type);
    spv_kernel(s, "k");
    uint32_t place = SPV_VALUE(s, SpvOpBitcast, pointer, s->out);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t value = SPV_VALUE(s, SpvOpLoad, type, place);
        uint32_t next = SPV_VALUE(s, SpvOpInBoundsPtrAccessChain, pointer, place, s->item);
        SPV(s, SPV_CODE, SpvOpStore, next, value);
        place = next;
    }
    spv_return(s, 0);
}

/* As many scalars in each value, of which one is read. */
static void structs_read(struct spv *s, uint32_t size)
{
    uint32_t type = doubled(s, s->i32, 8);
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassCrossWorkgroup, type);
    spv_kernel(s, "k");
    uint32_t place = SPV_VALUE(s, SpvOpBitcast, pointer, s->out);
    for (uint32_t i = 0; i < size; i++) {
        place = SPV_VALUE(s, SpvOpInBoundsPtrAccessChain, pointer, place, s->item);
        uint32_t value = SPV_VALUE(s, SpvOpLoad, type, place);
        spv_store(s, s->place,
                  SPV_VALUE(s, SpvOpCompositeExtract, s->i32, value, 1, 0, 1, 0, 1, 0, 1, 1));
    }
    spv_return(s, 0);
}

/* Values of 2,048 scalars that are changed again and again, and come together after each branch. */
static void structs_joined(struct spv *s, uint32_t size)
{
    uint32_t type = doubled(s, s->i32, 11);
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassCrossWorkgroup, type);
    spv_kernel(s, "k");
    uint32_t place = SPV_VALUE(s, SpvOpBitcast, pointer, s->out);
    uint32_t value = SPV_VALUE(s, SpvOpLoad, type, place), from = spv_id(s);
    spv_branch(s, from);
    spv_label(s, from);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t yes = spv_id(s), join = spv_id(s);
        spv_branch_if(s, spv_condition(s, i, 1), yes, join);
        spv_label(s, yes);
        uint32_t changed =
            SPV_VALUE(s, SpvOpCompositeInsert, type, s->x, value, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1);
        spv_branch(s, join);
        spv_label(s, join);
        value = SPV_VALUE(s, SpvOpPhi, type, changed, yes, value, from);
        from = join;
    }
    SPV(s, SPV_CODE, SpvOpStore, place, value);
    spv_return(s, 0);
}

/* A private variable of structs in structs, copied to and from memory. */
static void structs_nested(struct spv *s, uint32_t size)
{
    uint32_t type = s->i32;
    for (uint32_t i = 0; i < size; i++) {
        type = i % 2 ? SPV_TYPE(s, SpvOpTypeStruct, type)
                     : SPV_TYPE(s, SpvOpTypeArray, type, spv_int(s, 1));
    }
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassCrossWorkgroup, type);
    uint32_t variable = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassFunction, type);
    spv_kernel(s, "k");
    uint32_t own = SPV_VALUE(s, SpvOpVariable, variable, SpvStorageClassFunction);
    uint32_t place = SPV_VALUE(s, SpvOpBitcast, pointer, s->out);
    SPV(s, SPV_CODE, SpvOpStore, own, SPV_VALUE(s, SpvOpLoad, type, place));
    SPV(s, SPV_CODE, SpvOpStore, place, SPV_VALUE(s, SpvOpLoad, type, own));
    spv_return(s, 0);
}

/* Structs without members that double, with one integer beside them. */
static void structs_empty(struct spv *s, uint32_t size)
{
    uint32_t empty = spv_type(s, SpvOpTypeStruct, NULL, 0);
    uint32_t type = SPV_TYPE(s, SpvOpTypeStruct, s->i32, doubled(s, empty, size));
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassCrossWorkgroup, type);
    spv_kernel(s, "k");
    uint32_t place = SPV_VALUE(s, SpvOpBitcast, pointer, s->out);
    uint32_t value = SPV_VALUE(s, SpvOpLoad, type, place);
    SPV(s, SPV_CODE, SpvOpStore, place, value);
    spv_return(s, 0);
}

/* ---- constants and variables at module scope ---- */

/* A variable of the type that starts with the constant, read by a kernel; 0: with nothing. */
static void variable_read(struct spv *s, uint32_t type, uint32_t constant)
{
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassCrossWorkgroup, type);
    uint32_t words[] = {SpvStorageClassCrossWorkgroup, constant};
    uint32_t variable = spv_value(s, SPV_GLOBALS, SpvOpVariable, pointer, words, constant ? 2 : 1);
    spv_kernel(s, "k");
    uint32_t place = SPV_VALUE(s, SpvOpBitcast, s->global_i32, variable);
    spv_store(s, s->place, spv_load(s, place));
    spv_return(s, 0);
}

/* The same constant twice, that twice ... */
static void constants_doubled(struct spv *s, uint32_t size)
{
    uint32_t type = s->i32, value = spv_int(s, 7);
    for (uint32_t i = 0; i < size; i++) {
        type = SPV_TYPE(s, SpvOpTypeArray, type, spv_int(s, 2));
        value = SPV_GLOBAL(s, SpvOpConstantComposite, type, value, value);
    }
    variable_read(s, type, value);
}

static void constants_table(struct spv *s, uint32_t size)
{
    uint32_t *values = calloc(size, sizeof(*values));
    for (uint32_t i = 0; i < size; i++) {
        values[i] = spv_int(s, i * 7);
    }
    uint32_t type = SPV_TYPE(s, SpvOpTypeArray, s->i32, spv_int(s, size));
    variable_read(s, type, spv_value(s, SPV_GLOBALS, SpvOpConstantComposite, type, values, size));
    free(values);
}

/* Variables that start with the address of the one before. */
static void variables_linked(struct spv *s, uint32_t size)
{
    uint32_t start = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassCrossWorkgroup, s->i32);
    uint32_t storage = SpvStorageClassCrossWorkgroup;
    uint32_t byte = SPV_TYPE(s, SpvOpTypePointer, storage, s->i8);
    uint32_t holder = SPV_TYPE(s, SpvOpTypePointer, storage, byte);
    uint32_t last = SPV_GLOBAL(s, SpvOpVariable, start, storage);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t address = SPV_GLOBAL(s, SpvOpSpecConstantOp, byte, SpvOpBitcast, last);
        last = SPV_GLOBAL(s, SpvOpVariable, holder, storage, address);
    }
    spv_kernel(s, "k");
    uint32_t place = SPV_VALUE(s, SpvOpBitcast, s->global_i32, last);
    spv_store(s, s->place, spv_load(s, place));
    spv_return(s, 0);
}

static void expressions_deep(struct spv *s, uint32_t size)
{
    uint32_t storage = SpvStorageClassCrossWorkgroup;
    uint32_t byte = SPV_TYPE(s, SpvOpTypePointer, storage, s->i8);
    uint32_t holder = SPV_TYPE(s, SpvOpTypePointer, storage, byte);
    uint32_t value = SPV_GLOBAL(s, SpvOpVariable, s->global_i32, storage);
    for (uint32_t i = 0; i < size; i++) {
        value =
            SPV_GLOBAL(s, SpvOpSpecConstantOp, i % 2 ? s->global_i32 : byte, SpvOpBitcast, value);
    }
    value = SPV_GLOBAL(s, SpvOpSpecConstantOp, byte, SpvOpBitcast, value);
    SPV_GLOBAL(s, SpvOpVariable, holder, storage, value);
    kernel_empty(s);
}

/* An array of 2^size integers. */
static uint32_t array_large(struct spv *s, uint32_t size)
{
    return SPV_TYPE(s, SpvOpTypeArray, s->i32, spv_int64(s, UINT64_C(1) << size));
}

static void variable_zeros(struct spv *s, uint32_t size)
{
    variable_read(s, array_large(s, size), 0);
}

static void variable_null(struct spv *s, uint32_t size)
{
    uint32_t type = array_large(s, size);
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassUniformConstant, type);
    uint32_t null = spv_value(s, SPV_GLOBALS, SpvOpConstantNull, type, NULL, 0);
    uint32_t constant = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassUniformConstant, s->i32);
    uint32_t variable = SPV_GLOBAL(s, SpvOpVariable, pointer, SpvStorageClassUniformConstant, null);
    spv_kernel(s, "k");
    uint32_t place = SPV_VALUE(s, SpvOpInBoundsAccessChain, constant, variable, s->item);
    spv_store(s, s->place, spv_load(s, place));
    spv_return(s, 0);
}

static void variable_local(struct spv *s, uint32_t size)
{
    uint32_t type = array_large(s, size);
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassWorkgroup, type);
    uint32_t element = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassWorkgroup, s->i32);
    uint32_t variable = SPV_GLOBAL(s, SpvOpVariable, pointer, SpvStorageClassWorkgroup);
    spv_kernel(s, "k");
    spv_store(s, SPV_VALUE(s, SpvOpInBoundsAccessChain, element, variable, s->item), s->x);
    spv_return(s, 0);
}

static void variable_private(struct spv *s, uint32_t size)
{
    uint32_t type = array_large(s, size);
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassFunction, type);
    spv_kernel(s, "k");
    uint32_t variable = SPV_VALUE(s, SpvOpVariable, pointer, SpvStorageClassFunction);
    uint32_t place = SPV_VALUE(s, SpvOpInBoundsAccessChain, s->private_i32, variable, s->item);
    spv_store(s, place, s->x);
    spv_store(s, s->place, spv_load(s, place));
    spv_return(s, 0);
}

static void variables_many(struct spv *s, uint32_t size)
{
    uint32_t storage = SpvStorageClassCrossWorkgroup;
    uint32_t *variables = calloc(size, sizeof(*variables));
    for (uint32_t i = 0; i < size; i++) {
        variables[i] = SPV_GLOBAL(s, SpvOpVariable, s->global_i32, storage, spv_int(s, i));
    }
    spv_kernel(s, "k");
    for (uint32_t i = 0; i < size; i++) {
        spv_store(s, s->place, spv_load(s, variables[i]));
    }
    spv_return(s, 0);
    free(variables);
}

/* ---- annotations ---- */

static void annotations(struct spv *s, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        spv_put_text(s, SPV_NAMES, SpvOpName, &s->gid, 1, "a name that is as good as any other");
        SPV(s, SPV_DECORATIONS, SpvOpDecorate, s->gid, SpvDecorationAlignment, 8);
    }
    uint32_t group = spv_id(s), *words = calloc((size_t)size + 1, sizeof(*words));
    SPV(s, SPV_DECORATIONS, SpvOpDecorate, group, SpvDecorationRestrict);
    SPV(s, SPV_DECORATIONS, SpvOpDecorationGroup, group);
    words[0] = group;
    for (uint32_t i = 0; i < size; i++) {
        words[1 + i] = spv_int(s, i);
    }
    spv_put(s, SPV_DECORATIONS, SpvOpGroupDecorate, words, size + 1);
    free(words);
    kernel_empty(s);
}

const struct family families_data[] = {
    {"chain", chain, 20000, NULL, NULL},
    {"vectors", vectors, 1000, NULL, NULL},
    {"atomics", atomics, 2000, NULL, NULL},
    {"accesses", accesses, 2000, NULL, NULL},
    {"variables_private", variables_private, 4000, NULL, "transform/memory/mem2reg.c"},
    {"variables_cases", variables_cases, 1000, NULL, "transform/memory/mem2reg.c"},
    {"arrays", arrays, 8000, NULL, NULL},
    {"pointers", pointers, 8000, NULL, NULL},
    {"pointer_to_itself", pointer_to_itself, 2, "a pointer to itself", NULL},
    {"structs_doubled", structs_doubled, 2000, NULL, NULL},
    {"structs_read", structs_read, 20, NULL, NULL},
    {"structs_joined", structs_joined, 400, NULL, NULL},
    {"structs_nested", structs_nested, 200, NULL, NULL},
    {"structs_empty", structs_empty, 24, NULL, NULL},
    {"constants_doubled", constants_doubled, 22, NULL, NULL},
    {"constants_doubled_too_large", constants_doubled, 40, "bytes: the initialised variables",
     NULL},
    {"constants_table", constants_table, 16000, NULL, NULL},
    {"variables_linked", variables_linked, 4000, NULL, NULL},
    {"expressions_deep", expressions_deep, 4000, "constants nest deeper", NULL},
    {"variable_zeros", variable_zeros, 30, "bytes: the variables of a module", NULL},
    {"variable_null", variable_null, 28, "bytes: the initialised variables", NULL},
    {"variable_local", variable_local, 40, "local variable %", NULL},
    {"variable_private", variable_private, 40, "private variable %", NULL},
    {"variables_many", variables_many, 4000, NULL, NULL},
    {"annotations", annotations, 8000, NULL, NULL},
};
const size_t families_data_count = sizeof(families_data) / sizeof(families_data[0]);
