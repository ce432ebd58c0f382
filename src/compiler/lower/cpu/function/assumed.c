/* Emits assumed copies of a region: additional copies of its chunks for values of a number that
 * decides where lanes read and write.
 *
 *     for (distance = size / 2; distance > 0; distance /= 2)    switch (distance)
 *         low = 2 * id - (id & (distance - 1))                    1, 2, 4, 8: lanes in a pattern
 *         a[low], a[low + distance] ...                           multiple of 16: lanes in a row
 *         barrier                                                 else: gathers
 *
 * The group knows the number at the start of the region and selects the copy once for all chunks.
 * Candidates are powers of two below W, which occur in loops that halve or double, and multiples of
 * W. The pattern analysis says which of them remove gathers. The copies run whole chunks only. */
#include "compiler/lower/cpu/function/assumed.h"

#include "base/assert.h"
#include "compiler/analysis/address.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/function/hoist.h"
#include "compiler/lower/cpu/function/variant.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/value/value.h"

/* Largest number of instructions of a region with assumed copies. COPIES_LIMIT is enough for the
 * powers of two below the largest W, and multiples of W. */
#define INSTRUCTIONS_LIMIT 80u
#define COPIES_LIMIT       7u
/* Largest size in vectors of a memory window (memory/window.c). */
#define WINDOW_VECTORS 4u

/* The assumed copies of one region, in the arena of the function. */
struct geo_lower_assumed {
    struct geo_lower_groups *k;
    struct geo_lower_function *f;
    const struct geo_lower_region *region;
    bool *inside; /* by block index: belongs to the region */
    struct geo_assumption list[COPIES_LIMIT];
    uint32_t count;
};

/* ---- the gain of an assumption ---- */

static uint64_t access_bytes(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpStore ? inst->operands[1]->type->size : inst->value.type->size;
}

/* Returns whether the lanes' addresses are close enough together for a few vector accesses. */
static bool is_window(const struct geo_lower_function *f, struct geo_patterns *patterns,
                      const struct geo_ir_inst *inst)
{
    struct geo_pattern pattern;
    int64_t least = 0, most = 0;
    if (!geo_pattern_find(patterns, inst->operands[0], &pattern)) {
        return false;
    }
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        int64_t offset = pattern.offsets[lane];
        least = offset < least ? offset : least;
        most = offset > most ? offset : most;
    }
    uint64_t room = (uint64_t)WINDOW_VECTORS * f->lanes * access_bytes(inst);
    return (uint64_t)most - (uint64_t)least + access_bytes(inst) <= room;
}

static const struct geo_ir_block *block_at(const struct geo_lower_assumed *v, uint32_t i)
{
    return v->f->frame->code->loops.order[v->region->region->positions[i]];
}

/* Returns the number of gathers and scatters that the assumption removes. */
static uint32_t assumption_gain(const struct geo_lower_assumed *v,
                                const struct geo_assumption *assumption)
{
    struct geo_lower_function *f = v->f;
    struct geo_patterns patterns;
    uint32_t gain = 0;
    if (!geo_patterns_init(&patterns, f->function, f->body.shapes, assumption, f->arena)) {
        geo_state_no_memory(f);
        return 0;
    }
    for (uint32_t i = 0; i < v->region->region->count; i++) {
        for (const struct geo_ir_inst *inst = block_at(v, i)->first; inst; inst = inst->next) {
            gain += geo_address_is_access(inst) &&
                    geo_shape_of(f->body.shapes, inst->operands[0]).kind == GEO_SHAPE_VARYING &&
                    !(inst->memory_flags & SpvMemoryAccessVolatileMask) &&
                    is_window(f, &patterns, inst) && !is_window(f, f->body.patterns, inst);
        }
    }
    return gain;
}

/* Lists the useful assumptions about one value, and returns the number of gathers and scatters that
 * they remove. */
static uint32_t value_gain(const struct geo_lower_assumed *v, const struct geo_ir_value *value,
                           struct geo_assumption *list, uint32_t *count)
{
    uint32_t lanes = v->f->lanes, gain = 0;
    struct geo_assumption assumption = {
        .value = value, .zeros = (uint32_t)__builtin_ctz(lanes), .inside = v->inside};
    *count = 0;
    for (uint64_t number = lanes; number && *count < COPIES_LIMIT; number /= 2) {
        uint32_t more = assumption_gain(v, &assumption);
        if (more) {
            list[(*count)++] = assumption;
        }
        gain += more;
        assumption.zeros = 0;
        assumption.number = number / 2;
    }
    return gain;
}

static bool region_is_small(const struct geo_lower_function *f,
                            const struct geo_lower_region *region)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < region->region->count; i++) {
        const struct geo_ir_block *block =
            f->frame->code->loops.order[region->region->positions[i]];
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            count++;
        }
    }
    return count <= INSTRUCTIONS_LIMIT;
}

/* Finds the value whose assumptions remove the most gathers. Returns false if none does. */
static bool copies_find(struct geo_lower_assumed *v)
{
    struct geo_lower_function *f = v->f;
    struct geo_assumption list[COPIES_LIMIT];
    uint32_t most = 0, count;
    v->inside = geo_arena_new_array(f->arena, bool, f->function->block_count + 1);
    if (!v->inside) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t i = 0; i < v->region->region->count; i++) {
        v->inside[block_at(v, i)->index] = true;
    }
    for (uint32_t i = 0; i < v->region->read_count; i++) {
        const struct geo_ir_value *value = v->region->reads[i];
        uint32_t gain = value->type->kind == GEO_TYPE_INT ? value_gain(v, value, list, &count) : 0;
        if (gain > most) {
            most = gain;
            GEO_ASSERT(count > 0 && count <= COPIES_LIMIT);
            v->count = count;
            for (uint32_t n = 0; n < count; n++) {
                v->list[n] = list[n];
            }
        }
    }
    return most > 0 && !f->failed;
}

/* ---- emitting the copies ---- */

/* A value whose LLVM value the copy replaces, with the original one. */
struct held {
    const struct geo_ir_value *value;
    struct geo_lower_value before;
};

static uint32_t hold(struct geo_lower_function *f, const struct geo_ir_value *value,
                     struct held *list, uint32_t count)
{
    GEO_ASSERT(count < INSTRUCTIONS_LIMIT + 1);
    list[count] = (struct held){value, f->values[value->index]};
    f->values[value->index] = (struct geo_lower_value){0};
    return count + 1;
}

/* Saves and clears the assumed value and the hoisted values of the region. Returns their number. */
static uint32_t hold_all(const struct geo_lower_assumed *v, const struct geo_ir_value *value,
                         struct held *list)
{
    uint32_t count = hold(v->f, value, list, 0);
    for (uint32_t i = 0; i < v->region->region->count; i++) {
        for (const struct geo_ir_inst *inst = block_at(v, i)->first; inst; inst = inst->next) {
            if (v->f->frame->split.cut->hoisted[inst->value.index]) {
                count = hold(v->f, &inst->value, list, count);
            }
        }
    }
    return count;
}

/* Emits the chunks under one assumption, with the hoisted values computed again. */
static void copy_emit(struct geo_lower_assumed *v, const struct geo_assumption *assumption,
                      LLVMValueRef value)
{
    struct geo_lower_function *f = v->f;
    struct held *held = geo_arena_new_array(f->arena, struct held, INSTRUCTIONS_LIMIT + 1);
    struct geo_patterns patterns, *before = f->body.patterns;
    if (!held || !geo_patterns_init(&patterns, f->function, f->body.shapes, assumption, f->arena)) {
        geo_state_no_memory(f);
        return;
    }
    uint32_t count = hold_all(v, assumption->value, held);
    geo_value_set_value(f, assumption->value, 0,
                        assumption->zeros ? value : geo_emit_const_like(value, assumption->number));
    f->body.patterns = &patterns;
    f->body.mask = NULL;
    geo_function_hoist(f, v->region, false);
    v->k->whole = true;
    geo_variant_run(v->k, GEO_VARIANT_CHUNKS);
    v->k->whole = false;
    f->body.patterns = before;
    for (uint32_t i = 0; i < count; i++) {
        f->values[held[i].value->index] = held[i].before;
    }
}

static void copies_emit(struct geo_lower_assumed *v, LLVMValueRef items)
{
    struct geo_lower_function *f = v->f;
    LLVMValueRef value = geo_value_scalar(f, (struct geo_ir_value *)v->list[0].value, 0);
    LLVMValueRef rest = geo_emit_const_i64(f, f->lanes - 1);
    LLVMValueRef whole = geo_emit_icmp(f, LLVMIntEQ, LLVMBuildAnd(f->llvm.builder, items, rest, ""),
                                       geo_emit_const_i64(f, 0));
    LLVMBasicBlockRef chosen = geo_emit_block_last(f, "assumed");
    LLVMBasicBlockRef multiple = geo_emit_block_last(f, "assumed.multiple");
    LLVMBasicBlockRef any = geo_emit_block_last(f, "assumed.any");
    LLVMBasicBlockRef done = geo_emit_block_last(f, "assumed.done");
    LLVMBuildCondBr(f->llvm.builder, whole, chosen, any);
    LLVMPositionBuilderAtEnd(f->llvm.builder, chosen);
    LLVMValueRef branch = LLVMBuildSwitch(f->llvm.builder, value, multiple, v->count);
    LLVMPositionBuilderAtEnd(f->llvm.builder, multiple);
    LLVMValueRef low =
        LLVMBuildAnd(f->llvm.builder, value, geo_emit_const_like(value, f->lanes - 1), "");
    LLVMValueRef zero = geo_emit_icmp(f, LLVMIntEQ, low, geo_emit_zero_like(low));
    LLVMBasicBlockRef aligned = any;
    for (uint32_t i = 0; i < v->count && !f->failed; i++) {
        LLVMBasicBlockRef block = geo_emit_block_last(f, "assumed.copy");
        if (v->list[i].zeros) {
            aligned = block;
        } else {
            LLVMAddCase(branch, geo_emit_const_like(value, v->list[i].number), block);
        }
        LLVMPositionBuilderAtEnd(f->llvm.builder, block);
        copy_emit(v, &v->list[i], value);
        LLVMBuildBr(f->llvm.builder, done);
    }
    LLVMPositionBuilderAtEnd(f->llvm.builder, multiple);
    LLVMBuildCondBr(f->llvm.builder, zero, aligned, any);
    LLVMPositionBuilderAtEnd(f->llvm.builder, any);
    geo_variant_run(v->k, GEO_VARIANT_CHUNKS);
    LLVMBuildBr(f->llvm.builder, done);
    LLVMPositionBuilderAtEnd(f->llvm.builder, done);
}

bool geo_function_assumed_pays(struct geo_lower_groups *k)
{
    if (!region_is_small(k->f, k->f->frame->split.cut->current)) {
        return false;
    }
    struct geo_lower_assumed *assumed = geo_arena_new(k->f->arena, struct geo_lower_assumed);
    k->assumed = assumed;
    if (!assumed) {
        geo_state_no_memory(k->f);
        return false;
    }
    *assumed =
        (struct geo_lower_assumed){.k = k, .f = k->f, .region = k->f->frame->split.cut->current};
    return copies_find(assumed);
}

void geo_function_assumed_run(struct geo_lower_groups *k)
{
    copies_emit(k->assumed, k->row_items ? k->row_items : k->f->frame->ids.local_size[0]);
}
