/* The grammar table and look-up. See grammar.h. */
#include "compiler/ir/grammar.h"

#include "compiler/ir/ir.h"

#include <stddef.h>
#include <stdio.h>

static const struct geo_grammar table[] = {
#include "spirv_grammar.inc"
};

const struct geo_grammar *geo_grammar_find(uint32_t op)
{
    size_t low = 0;
    size_t high = sizeof(table) / sizeof(table[0]);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle].op < op) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < sizeof(table) / sizeof(table[0]) && table[low].op == op ? &table[low] : NULL;
}

const char *geo_ir_op_name(SpvOp op)
{
    switch ((unsigned)op) {
    case GEO_OP_BUILTIN:
        return "Builtin";
    case GEO_OP_PTR_ADD:
        return "PtrAdd";
    default: {
        const struct geo_grammar *entry = geo_grammar_find(op);
        return entry ? entry->name : "Op<unknown>";
    }
    }
}
