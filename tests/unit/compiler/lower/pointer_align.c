/* Unit tests of lowering: the alignment of pointer arguments; see pointer_align.h. */
#include "pointer_align.h"

#include "compiler/ir/grammar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns the value that an address is computed from, past steps and conversions. */
static const struct geo_ir_value *address_base(const struct geo_ir_value *value)
{
    while (value->kind == GEO_VALUE_INST) {
        const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
        bool leads_on = geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN) ||
                        inst->op == (SpvOp)GEO_OP_PTR_ADD || inst->op == SpvOpBitcast ||
                        inst->op == SpvOpCopyObject || inst->op == SpvOpPtrCastToGeneric ||
                        inst->op == SpvOpGenericCastToPtr;
        if (!leads_on) {
            return value;
        }
        value = inst->operands[0];
    }
    return value;
}

static void align_add(struct pointer_aligns *aligns, const struct geo_ir_function *kernel,
                      uint32_t argument, uint32_t bytes)
{
    struct pointer_align *last = aligns->count ? &aligns->items[aligns->count - 1] : NULL;
    struct pointer_align add = {.argument = argument, .bytes = bytes};
    snprintf(add.kernel, sizeof(add.kernel), "%s", kernel->entry_name);
    if (last && last->argument == argument && strcmp(last->kernel, add.kernel) == 0) {
        last->bytes = last->bytes > bytes ? last->bytes : bytes;
        return;
    }
    aligns->items = realloc(aligns->items, (aligns->count + 1) * sizeof(add));
    assert_non_null(aligns->items);
    aligns->items[aligns->count++] = add;
}

static void access_add(struct pointer_aligns *aligns, const struct geo_ir_function *kernel,
                       const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type =
        inst->op == SpvOpStore ? inst->operands[1]->type : inst->value.type;
    const struct geo_ir_value *base = address_base(inst->operands[0]);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        if (base == kernel->parameters[i] && !(base->flags & GEO_VALUE_BY_VAL)) {
            align_add(aligns, kernel, i, inst->memory_align ? inst->memory_align : type->align);
        }
    }
}

void pointer_aligns_find(const struct geo_ir_module *module, struct pointer_aligns *out)
{
    geo_ir_for_each_function(function, module) {
        if (!function->is_kernel) {
            continue;
        }
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                if (inst->op == SpvOpLoad || inst->op == SpvOpStore) {
                    access_add(out, function, inst);
                }
            }
        }
    }
}

void pointer_aligns_finish(struct pointer_aligns *aligns)
{
    free(aligns->items);
    *aligns = (struct pointer_aligns){0};
}

uint32_t pointer_align_of(const struct pointer_aligns *aligns, const char *kernel,
                          uint32_t argument)
{
    uint32_t bytes = 1;
    for (size_t i = 0; i < aligns->count; i++) {
        const struct pointer_align *item = &aligns->items[i];
        if (item->argument == argument && strcmp(item->kernel, kernel) == 0) {
            bytes = bytes > item->bytes ? bytes : item->bytes;
        }
    }
    return bytes;
}
