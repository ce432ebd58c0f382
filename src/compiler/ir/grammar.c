/* The grammar table and look-up. See grammar.h. */
#include "compiler/ir/grammar.h"

#include "compiler/ir/ir.h"

#include <stddef.h>
#include <string.h>

#include "spirv_grammar.inc"

static const struct geo_grammar *table_find(const struct geo_grammar *table, size_t count,
                                            uint32_t op)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle].op < op) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && table[low].op == op ? &table[low] : NULL;
}

const struct geo_grammar *geo_grammar_find(uint32_t op)
{
    return table_find(spirv_table, sizeof(spirv_table) / sizeof(spirv_table[0]), op);
}

const struct geo_grammar *geo_grammar_find_opencl(uint32_t number)
{
    return table_find(opencl_table, sizeof(opencl_table) / sizeof(opencl_table[0]), number);
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
    return table_find_name(spirv_table, sizeof(spirv_table) / sizeof(spirv_table[0]), name);
}

const struct geo_grammar *geo_grammar_find_opencl_name(const char *name)
{
    return table_find_name(opencl_table, sizeof(opencl_table) / sizeof(opencl_table[0]), name);
}

const char *geo_ir_op_name(SpvOp op)
{
    switch ((unsigned)op) {
    case GEO_OP_BUILTIN:
        return "Builtin";
    case GEO_OP_PTR_ADD:
        return "PtrAdd";
    case GEO_OP_LOCAL_IMUL:
        return "LocalIMul";
    case GEO_OP_LOCAL_FMUL:
        return "LocalFMul";
    case GEO_OP_ASSERT_FAIL:
        return "AssertFail";
    default: {
        const struct geo_grammar *entry = geo_grammar_find(op);
        return entry ? entry->name : "Op<unknown>";
    }
    }
}
