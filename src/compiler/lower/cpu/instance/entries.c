/* Fills descriptors (cpu/instance/descriptor.h): chooses the widths and kinds of chunk, requests
 * their instances and builds the contents. cpu/module.c calls it after emitting kernels, and
 * again whenever its queue is empty. */
#include "compiler/lower/cpu/instance/entries.h"

#include "base/assert.h"
#include "compiler/lower/cpu/instance/descriptor.h"
#include "compiler/lower/cpu/instance/instance.h"

/* Returns whether a kind of chunk calls through pointers. */
static bool indirect_used(const struct geo_lower *lower)
{
    for (uint32_t i = 0; i < GEO_FUNCTION_WIDTHS; i++) {
        if (lower->frame->indirect_shapes[0][i] || lower->frame->indirect_shapes[1][i]) {
            return true;
        }
    }
    return false;
}

bool geo_entries_export(struct geo_lower *lower)
{
    struct geo_lower_function f;
    struct geo_arena arena;
    geo_state_module_scope(&f, lower, &arena);
    for (uint32_t i = 0; i < lower->code_count && !f.failed; i++) {
        /* A function with barriers cannot be called through pointers. That is an error only when it
         * is called. */
        if (lower->codes[i]->function->indirect && !lower->codes[i]->barriers.count) {
            geo_descriptor_address(&f, lower->codes[i]->function);
        }
    }
    geo_state_module_scope_finish(&f);
    return !f.failed;
}

/* Returns whether a function can be compiled for this kind of chunk. */
static bool can_run(const struct geo_lower_code *code, uint32_t lanes, bool linear)
{
    return (code->canonical || lanes == 1) && (!code->subgroups || linear);
}

/* Returns whether a descriptor needs an entry for this width and kind. It always has the entry for
 * W = 1, which callers of other widths use lane by lane. Functions that use sub-groups have none,
 * because their sub-group would be one item. */
static bool is_wanted(const struct geo_lower *lower, const struct geo_lower_code *code,
                      uint32_t width, bool linear)
{
    bool fallback = width == 0 && !linear;
    return (fallback || lower->frame->indirect_shapes[linear][width]) &&
           can_run(code, 1u << width, linear);
}

bool geo_entries_queue(struct geo_lower *lower)
{
    struct geo_lower_function f;
    struct geo_arena arena;
    if (!lower->frame->descriptors) {
        return true;
    }
    geo_state_module_scope(&f, lower, &arena);
    for (const struct geo_lower_descriptor *d = lower->frame->descriptors; d; d = d->next) {
        for (uint32_t shape = 0; shape < 2 * GEO_FUNCTION_WIDTHS && !f.failed; shape++) {
            uint32_t width = shape % GEO_FUNCTION_WIDTHS;
            bool linear = shape >= GEO_FUNCTION_WIDTHS;
            f.lanes = 1u << width;
            if (is_wanted(lower, d->code, width, linear)) {
                geo_instance_get(&f, d->code, f.lanes, linear);
            }
        }
    }
    geo_state_module_scope_finish(&f);
    return !f.failed;
}

static bool descriptor_fill(struct geo_lower *lower, const struct geo_lower_descriptor *d,
                            uint64_t *frame_bytes)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(lower->context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(lower->context, 0);
    LLVMValueRef entries[2 * GEO_FUNCTION_WIDTHS];
    LLVMTypeRef entry_type =
        LLVMStructTypeInContext(lower->context, (LLVMTypeRef[]){pointer, word}, 2, 0);
    for (uint32_t shape = 0; shape < 2 * GEO_FUNCTION_WIDTHS; shape++) {
        struct geo_lower_instance *instance = geo_instance_find(
            lower, d->code, 1u << shape % GEO_FUNCTION_WIDTHS, shape >= GEO_FUNCTION_WIDTHS);
        uint64_t bytes = 0;
        GEO_ASSERT(!instance || LLVMGetFirstBasicBlock(instance->function)); /* was emitted */
        if (instance) {
            if (!geo_instance_measure(instance)) {
                return false;
            }
            bytes = instance->total_bytes;
        }
        *frame_bytes = bytes > *frame_bytes ? bytes : *frame_bytes;
        LLVMValueRef members[] = {instance ? instance->function : LLVMConstNull(pointer),
                                  LLVMConstInt(word, bytes, 0)};
        entries[shape] = LLVMConstStructInContext(lower->context, members, 2, 0);
    }
    LLVMValueRef members[] = {LLVMConstInt(word, GEO_FUNCTION_MAGIC, 0), d->global,
                              geo_descriptor_object_mark(lower), LLVMConstNull(word),
                              LLVMConstArray2(entry_type, entries, 2 * GEO_FUNCTION_WIDTHS)};
    LLVMSetInitializer(d->global, LLVMConstStructInContext(lower->context, members, 5, 0));
    return true;
}

bool geo_entries_fill(struct geo_lower *lower, uint64_t *frame_bytes)
{
    for (const struct geo_lower_descriptor *d = lower->frame->descriptors; d; d = d->next) {
        if (!descriptor_fill(lower, d, frame_bytes)) {
            return false;
        }
    }
    *frame_bytes =
        indirect_used(lower) ? *frame_bytes + GEO_LOWER_STEP_BYTES + GEO_FUNCTION_RESERVE_BYTES : 0;
    return true;
}
