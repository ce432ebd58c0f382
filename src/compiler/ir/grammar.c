/* Look-up in the generated tables of SPIR-V's opcodes. See grammar.h. */
#include "compiler/ir/grammar.h"

#include "compiler/ir/ir.h"

#include <string.h>

/* A capability and its name. */
struct capability {
    uint32_t number;
    const char *name;
};

#include "spirv_grammar.inc"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const struct geo_grammar *geo_grammar_find(uint32_t op)
{
    return op < COUNT(spirv_rows) && spirv_rows[op] ? &spirv_table[spirv_rows[op] - 1] : NULL;
}

const struct geo_grammar *geo_grammar_find_opencl(uint32_t number)
{
    return number < COUNT(opencl_rows) && opencl_rows[number]
               ? &opencl_table[opencl_rows[number] - 1]
               : NULL;
}

enum geo_opencl_row geo_grammar_opencl_row(uint32_t number)
{
    const struct geo_grammar *entry = geo_grammar_find_opencl(number);
    return entry ? (enum geo_opencl_row)entry->row : GEO_OPENCL_ROW_NONE;
}

const struct geo_grammar *geo_grammar_find_debug(enum geo_debug_set set, uint32_t number)
{
    if (set == GEO_DEBUG_OPENCL_100) {
        return number < COUNT(opencl_debug_rows) && opencl_debug_rows[number]
                   ? &opencl_debug_table[opencl_debug_rows[number] - 1]
                   : NULL;
    }
    bool younger = number >= GEO_SPV_DEBUG_MODULE; /* the instructions of numbers.def */
    return number < COUNT(shader_debug_rows) && shader_debug_rows[number] &&
                   (!younger || set == GEO_DEBUG_SHADER_200)
               ? &shader_debug_table[shader_debug_rows[number] - 1]
               : NULL;
}

static const struct geo_grammar *table_find_name(const struct geo_grammar *table, size_t count,
                                                 const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

const struct geo_grammar *geo_grammar_find_name(const char *name)
{
    return table_find_name(spirv_table, COUNT(spirv_table), name);
}

const struct geo_grammar *geo_grammar_find_opencl_name(const char *name)
{
    return table_find_name(opencl_table, COUNT(opencl_table), name);
}

const char *geo_grammar_capability(uint32_t number)
{
    for (size_t i = 0; i < COUNT(capability_table); i++) {
        if (capability_table[i].number == number) {
            return capability_table[i].name;
        }
    }
    return NULL;
}

/* Finds SPIR-V's opcodes and the GEO_OP_* ones. */
static const struct geo_grammar *op_find(uint32_t op)
{
    return op >= GEO_OP_FIRST && op - GEO_OP_FIRST < COUNT(ours_table)
               ? &ours_table[op - GEO_OP_FIRST]
               : geo_grammar_find(op);
}

bool geo_op_is(SpvOp op, uint32_t traits)
{
    const struct geo_grammar *entry = op_find((uint32_t)op);
    return entry && entry->traits & traits;
}

enum geo_row geo_op_row(SpvOp op)
{
    const struct geo_grammar *entry = op_find((uint32_t)op);
    return entry ? (enum geo_row)entry->row : GEO_ROW_NONE;
}

const char *geo_op_name(SpvOp op)
{
    const struct geo_grammar *entry = op_find((uint32_t)op);
    return entry ? entry->name : "Op<unknown>";
}
