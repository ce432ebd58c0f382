/* Describes variables of the source. See variable.h. */
#include "compiler/lower/debug/variable.h"

#include "compiler/analysis/interleave.h"
#include "compiler/analysis/shape.h"
#include "compiler/lower/debug/internal.h"
#include "compiler/lower/debug/location.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/type.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/state/place.h"
#include "compiler/lower/value/value.h"

#include <string.h>

/* Operations of DWARF, and LLVM's for a part of a variable. */
enum {
    OP_DEREF = 0x06,
    OP_PLUS_CONSTANT = 0x23,
    OP_STACK_VALUE = 0x9f,
    OP_FRAGMENT = 0x1000,
};

/* Arguments beyond this number are described as other variables. */
#define ARGUMENT_LIMIT 0xffffu
#define SLOT_ALIGN     64u
/* Further slots of a function are left out. */
#define SLOTS_LIMIT (UINT64_C(1) << 24)

/* ---- the variables of a function ---- */

static uint32_t inlined_at(const struct geo_lower_function *f, const struct geo_ir_record *record)
{
    const struct geo_ir_location *at = geo_ir_location(f->module, record->location);
    return at ? at->inlined_at : 0;
}

static struct geo_debug_slot *slot_find(struct geo_lower_function *f,
                                        const struct geo_ir_record *record)
{
    struct geo_debug_slot *slot = geo_ptrmap_find(&f->lower->debug->slots, record->variable);
    uint32_t call = inlined_at(f, record);
    while (slot && slot->inlined_at != call) {
        slot = slot->next_of_variable;
    }
    return slot;
}

/* Returns whether the location of a record is in the function that declares the variable. */
static bool is_placed(const struct geo_lower_function *f, const struct geo_ir_record *record)
{
    const struct geo_ir_location *at = geo_ir_location(f->module, record->location);
    const struct geo_ir_scope *function = geo_debug_scope_find(record->variable->scope);
    return at && function && function == geo_debug_scope_find(at->scope);
}

static struct geo_debug_slot *slot_get(struct geo_lower_function *f,
                                       const struct geo_ir_record *record)
{
    struct geo_lower_debug *debug = f->lower->debug;
    struct geo_debug_slot *slot = slot_find(f, record);
    uint64_t bytes = geo_debug_type_bits(record->variable->type) / 8;
    if (slot || !bytes || !is_placed(f, record)) {
        return slot;
    }
    slot = geo_arena_new(f->arena, struct geo_debug_slot);
    if (!slot) {
        return NULL;
    }
    bool own =
        !inlined_at(f, record) && geo_debug_scope_find(record->variable->scope) == debug->scope;
    *slot = (struct geo_debug_slot){
        .variable = record->variable,
        .inlined_at = inlined_at(f, record),
        .location = record->location,
        .bytes = bytes,
        .own = own,
        .memory = record->place == GEO_PLACE_MEMORY ? record->value : NULL,
        .uniform = f->lanes == 1 || (own && f->function->is_kernel && record->variable->argument),
        .next_of_variable = geo_ptrmap_find(&debug->slots, record->variable),
        .next = debug->first_slot,
    };
    if (!geo_ptrmap_set(&debug->slots, record->variable, slot)) {
        return NULL;
    }
    debug->first_slot = slot;
    return slot;
}

static bool is_private(const struct geo_ir_value *value)
{
    return value && value->kind == GEO_VALUE_INST &&
           ((const struct geo_ir_inst *)value)->op == SpvOpVariable;
}

/* Returns whether a record says that all of the variable is in one private variable. */
static bool is_whole_memory(const struct geo_ir_record *record)
{
    return record->place == GEO_PLACE_MEMORY && is_private(record->value) && !record->steps &&
           !record->fragment_size;
}

static void record_add(struct geo_lower_function *f, const struct geo_ir_record *record)
{
    struct geo_debug_slot *slot = slot_get(f, record);
    if (!slot) {
        return;
    }
    if (!is_whole_memory(record) || slot->memory != record->value) {
        slot->memory = NULL;
    }
    slot->uniform &= f->lanes == 1 || (record->place == GEO_PLACE_VALUE && record->value &&
                                       record->value->kind == GEO_VALUE_PARAMETER);
}

void geo_debug_variables_find(struct geo_lower_function *f)
{
    struct geo_lower_debug *debug = f->lower->debug;
    debug->first_slot = NULL;
    debug->slot_bytes = 0;
    debug->base = NULL;
    geo_ir_for_each_block(block, f->function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            geo_ir_for_each_record(record, inst)
            {
                record_add(f, record);
            }
        }
    }
    for (struct geo_debug_slot *slot = debug->first_slot; slot && !debug->optimized;
         slot = slot->next) {
        uint64_t bytes;
        if (slot->memory) {
            continue;
        }
        slot->placed = !__builtin_mul_overflow(slot->bytes, slot->uniform ? 1 : f->lanes, &bytes) &&
                       bytes <= SLOTS_LIMIT && debug->slot_bytes <= SLOTS_LIMIT &&
                       geo_place(&debug->slot_bytes, bytes, SLOT_ALIGN, &slot->offset);
    }
}

void geo_debug_variables_renew(struct geo_lower_function *f)
{
    for (struct geo_debug_slot *slot = f->lower->debug->first_slot; slot; slot = slot->next) {
        slot->metadata = NULL;
    }
}

uint64_t geo_debug_variables_bytes(struct geo_lower_function *f)
{
    return f->lower->debug ? f->lower->debug->slot_bytes : 0;
}

/* ---- metadata of a variable ---- */

/* Chooses how the lanes of a variable lie in memory. */
static enum geo_debug_form form_of(const struct geo_lower_function *f,
                                   const struct geo_debug_slot *slot)
{
    if (f->lanes == 1 || slot->uniform) {
        return GEO_DEBUG_ONE;
    }
    if (!slot->memory) {
        return GEO_DEBUG_LANES;
    }
    return slot->memory->flags & GEO_VALUE_INTERLEAVED                      ? GEO_DEBUG_INTERLEAVED
           : geo_private_stride(slot->memory->type->element) == slot->bytes ? GEO_DEBUG_LANES
                                                                            : GEO_DEBUG_PADDED;
}

static LLVMMetadataRef type_of(struct geo_lower_function *f, const struct geo_debug_slot *slot,
                               enum geo_debug_form form)
{
    struct geo_lower_debug *debug = f->lower->debug;
    LLVMMetadataRef type = geo_debug_type(debug, slot->variable->type);
    if (!type || form == GEO_DEBUG_ONE) {
        return type;
    }
    const struct geo_ir_type *element = slot->memory ? slot->memory->type->element : NULL;
    uint64_t unit = form == GEO_DEBUG_INTERLEAVED ? geo_interleave_element(element)
                    : form == GEO_DEBUG_PADDED    ? geo_private_stride(element)
                                                  : slot->bytes;
    return geo_debug_lanes(debug, type, form, f->lanes, slot->bytes, unit);
}

static LLVMMetadataRef variable_make(struct geo_lower_function *f,
                                     const struct geo_debug_slot *slot,
                                     struct geo_debug_group *group, LLVMMetadataRef type)
{
    struct geo_lower_debug *debug = f->lower->debug;
    const struct geo_ir_debug_variable *variable = slot->variable;
    bool argument = variable->argument && variable->argument <= ARGUMENT_LIMIT;
    LLVMMetadataRef scope =
        argument && slot->own ? group->function : geo_debug_scope(debug, group, variable->scope);
    LLVMMetadataRef file = geo_debug_file(debug, variable->file);
    const char *name = variable->name ? variable->name : "";
    LLVMDIFlags flags =
        variable->flags & GEO_DEBUG_IS_ARTIFICIAL ? LLVMDIFlagArtificial : LLVMDIFlagZero;
    return argument
               ? LLVMDIBuilderCreateParameterVariable(debug->builder, scope, name, strlen(name),
                                                      variable->argument, file, variable->line,
                                                      type, slot->own, flags)
               : LLVMDIBuilderCreateAutoVariable(debug->builder, scope, name, strlen(name), file,
                                                 variable->line, type, slot->own, flags, 0);
}

/* Returns the metadata of a variable, which inlined calls of one width share. NULL: none. */
static LLVMMetadataRef slot_variable(struct geo_lower_function *f, struct geo_debug_slot *slot)
{
    struct geo_lower_debug *debug = f->lower->debug;
    struct geo_debug_group *group = slot->own ? &debug->own : &debug->inlined[debug->width];
    if (slot->metadata) {
        return slot->metadata;
    }
    enum geo_debug_form form = form_of(f, slot);
    bool argument = slot->own && slot->variable->argument; /* all copies share arguments */
    struct geo_ptrmap *map = argument ? &debug->arguments : &group->variables[form];
    slot->metadata = geo_ptrmap_find(map, slot->variable);
    if (!slot->metadata) {
        LLVMMetadataRef type = type_of(f, slot, form);
        slot->metadata = type ? variable_make(f, slot, group, type) : NULL;
        if (slot->metadata) {
            (void)geo_ptrmap_set(map, slot->variable, slot->metadata);
        }
    }
    return slot->metadata;
}

/* Returns the place of a declaration. LLVM takes the scope of a variable from it, and debuggers
 * look for arguments in the scope of the function. */
static LLVMMetadataRef slot_location(struct geo_lower_function *f,
                                     const struct geo_debug_slot *slot)
{
    bool argument = slot->own && slot->variable->argument;
    return argument ? f->lower->debug->outside : geo_debug_location_get(f, slot->location);
}

/* ---- variables in memory ---- */

static void declare(struct geo_lower_function *f, struct geo_debug_slot *slot, uint64_t offset)
{
    struct geo_lower_debug *debug = f->lower->debug;
    uint64_t steps[] = {OP_DEREF, OP_PLUS_CONSTANT, offset};
    LLVMMetadataRef variable = slot_variable(f, slot);
    bool argument = slot->own && slot->variable->argument; /* all copies share arguments */
    if (variable && !(argument && slot->declared)) {
        slot->declared = true;
        LLVMDIBuilderInsertDeclareRecordAtEnd(
            debug->builder, debug->base, variable,
            LLVMDIBuilderCreateExpression(debug->builder, steps, 3), slot_location(f, slot),
            LLVMGetInsertBlock(f->llvm.builder));
    }
}

void geo_debug_variables_at(struct geo_lower_function *f, LLVMValueRef memory,
                            const uint64_t *offsets, uint64_t slots)
{
    struct geo_lower_debug *debug = f->lower->debug;
    if (!debug) {
        return;
    }
    debug->memory = memory;
    debug->offsets = offsets;
    debug->slot_start = slots;
    if (debug->optimized || !debug->first_slot) {
        return;
    }
    if (!debug->base) {
        debug->base = geo_emit_alloca(f, geo_type_ptr(f), "debug.base");
    }
    LLVMSetVolatile(LLVMBuildStore(f->llvm.builder, memory, debug->base), 1);
    for (struct geo_debug_slot *slot = debug->first_slot; slot; slot = slot->next) {
        if (slot->memory) {
            declare(f, slot, offsets[slot->memory->index]);
        } else if (slot->placed) {
            declare(f, slot, slots + slot->offset);
        }
    }
}

/* ---- values in slots ---- */

/* Returns a part of a value as it is in memory. */
static LLVMValueRef in_memory(struct geo_lower_function *f, LLVMValueRef value)
{
    return geo_type_bits(value) == 1 ? geo_emit_zext(f, value, 8) : value;
}

static void slot_store(struct geo_lower_function *f, LLVMValueRef value, uint64_t offset)
{
    LLVMValueRef address = geo_emit_offset_const(f, f->lower->debug->memory, (int64_t)offset);
    LLVMValueRef store = LLVMBuildStore(f->llvm.builder, value, address);
    LLVMSetVolatile(store, 1);
    LLVMSetAlignment(store, 1);
}

/* Stores one part of each active lane. */
static void slot_store_lanes(struct geo_lower_function *f, LLVMValueRef vector, uint64_t offset,
                             uint64_t stride)
{
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        uint64_t at = offset + lane * stride;
        LLVMValueRef index = geo_emit_const_i32(f, lane);
        LLVMValueRef value = LLVMBuildExtractElement(f->llvm.builder, vector, index, "");
        if (f->body.mask) {
            LLVMValueRef address = geo_emit_offset_const(f, f->lower->debug->memory, (int64_t)at);
            LLVMValueRef on = LLVMBuildExtractElement(f->llvm.builder, f->body.mask, index, "");
            LLVMValueRef old = LLVMBuildLoad2(f->llvm.builder, LLVMTypeOf(value), address, "");
            LLVMSetVolatile(old, 1);
            LLVMSetAlignment(old, 1);
            value = LLVMBuildSelect(f->llvm.builder, on, value, old, "");
        }
        slot_store(f, value, at);
    }
}

static void slot_set(struct geo_lower_function *f, const struct geo_debug_slot *slot,
                     const struct geo_ir_record *record)
{
    struct geo_ir_value *value = record->value;
    uint64_t start = f->lower->debug->slot_start + slot->offset;
    for (uint32_t part = 0; part < geo_part_count(value->type); part++) {
        uint64_t offset = record->fragment_offset / 8 + geo_part_offset(value->type, part);
        LLVMValueRef held = in_memory(f, slot->uniform ? geo_value_scalar(f, value, part)
                                                       : geo_value_vector(f, value, part));
        if (offset + geo_type_bits(held) / 8 > slot->bytes) {
            return;
        }
        if (slot->uniform) {
            slot_store(f, held, start + offset);
        } else {
            slot_store_lanes(f, held, start + offset, slot->bytes);
        }
    }
}

/* ---- values in registers ---- */

/* Says that a part of a variable has a value: `bits` bits from bit `offset` on, or all for 0. */
static void part_describe(struct geo_lower_function *f, struct geo_debug_slot *slot,
                          LLVMValueRef value, int64_t add, uint64_t offset, uint64_t bits)
{
    struct geo_lower_debug *debug = f->lower->debug;
    uint64_t steps[8];
    unsigned count = 0;
    if (add) {
        steps[count++] = OP_PLUS_CONSTANT;
        steps[count++] = (uint64_t)add;
        steps[count++] = OP_STACK_VALUE;
    }
    if (bits) {
        steps[count++] = OP_FRAGMENT;
        steps[count++] = offset;
        steps[count++] = bits;
    }
    LLVMDIBuilderInsertDbgValueRecordAtEnd(
        debug->builder, value, slot_variable(f, slot),
        LLVMDIBuilderCreateExpression(debug->builder, steps, count), slot_location(f, slot),
        LLVMGetInsertBlock(f->llvm.builder));
}

/* Describes a value that one lane has, or all lanes. Returns false if it cannot be described. */
static bool scalar_describe(struct geo_lower_function *f, struct geo_debug_slot *slot,
                            const struct geo_ir_record *record)
{
    struct geo_ir_value *value = record->value;
    uint32_t count = geo_part_count(value->type);
    uint64_t all = 8 * slot->bytes;
    for (uint32_t part = 0; part < count; part++) {
        LLVMValueRef held = geo_value_scalar(f, value, part);
        uint64_t bits = geo_type_bits(held);
        uint64_t offset = record->fragment_offset + 8 * geo_part_offset(value->type, part);
        bits = bits == 1 ? 8 : bits;
        if (offset + bits > all) {
            return false;
        }
        part_describe(f, slot, held, 0, offset, bits == all ? 0 : bits);
    }
    return count > 0;
}

/* Describes a value of all lanes. Only scalars and dense vectors lie in registers as the variable's
 * lanes do. */
static bool lanes_describe(struct geo_lower_function *f, struct geo_debug_slot *slot,
                           const struct geo_ir_record *record)
{
    struct geo_ir_value *value = record->value;
    uint64_t bits = 8 * slot->bytes;
    if (record->fragment_size) {
        return false;
    }
    if (geo_value_is_dense(f, value)) {
        LLVMValueRef dense = geo_value_dense(f, value);
        bool fits = (uint64_t)geo_type_lanes(dense) * geo_type_bits(dense) == bits * f->lanes;
        if (fits) {
            part_describe(f, slot, dense, 0, 0, 0);
        }
        return fits;
    }
    if (geo_part_count(value->type) != 1) {
        return false;
    }
    struct geo_shape shape = geo_value_shape(f, value);
    if (shape.kind == GEO_SHAPE_VARYING) {
        LLVMValueRef vector = geo_value_vector(f, value, 0);
        bool fits = geo_type_bits(vector) == bits;
        if (fits) {
            part_describe(f, slot, vector, 0, 0, 0);
        }
        return fits;
    }
    LLVMValueRef scalar = geo_value_scalar(f, value, 0);
    int64_t stride = shape.kind == GEO_SHAPE_STRIDED ? shape.stride : 0;
    if (geo_type_bits(scalar) != bits) {
        return false;
    }
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        int64_t add;
        if (__builtin_mul_overflow(stride, (int64_t)lane, &add)) {
            return false;
        }
        part_describe(f, slot, scalar, add, lane * bits, bits);
    }
    return true;
}

/* ---- records ---- */

static void memory_describe(struct geo_lower_function *f, struct geo_debug_slot *slot)
{
    struct geo_lower_debug *debug = f->lower->debug;
    uint64_t steps[] = {OP_PLUS_CONSTANT, debug->offsets[slot->memory->index], OP_DEREF};
    LLVMDIBuilderInsertDbgValueRecordAtEnd(debug->builder, debug->memory, slot_variable(f, slot),
                                           LLVMDIBuilderCreateExpression(debug->builder, steps, 3),
                                           slot_location(f, slot),
                                           LLVMGetInsertBlock(f->llvm.builder));
}

void geo_debug_variable_lost(struct geo_lower_function *f, const struct geo_ir_record *record)
{
    struct geo_lower_debug *debug = f->lower->debug;
    struct geo_debug_slot *slot = debug && debug->optimized ? slot_find(f, record) : NULL;
    if (slot && !slot->memory && slot_variable(f, slot)) {
        part_describe(f, slot, LLVMGetPoison(geo_type_i8(f)), 0, 0, 0);
    }
}

void geo_debug_variable_record(struct geo_lower_function *f, const struct geo_ir_record *record)
{
    struct geo_lower_debug *debug = f->lower->debug;
    struct geo_debug_slot *slot = debug ? slot_find(f, record) : NULL;
    if (!slot) {
        return;
    }
    if (!debug->optimized) {
        if (slot->placed && record->place == GEO_PLACE_VALUE && !record->steps) {
            slot_set(f, slot, record);
        }
        return;
    }
    if (!slot_variable(f, slot)) {
        return;
    }
    if (slot->memory) {
        memory_describe(f, slot);
        return;
    }
    bool one = f->lanes == 1 || slot->uniform;
    bool known = record->place == GEO_PLACE_VALUE && !record->steps &&
                 (one ? scalar_describe(f, slot, record) : lanes_describe(f, slot, record));
    if (!known) {
        geo_debug_variable_lost(f, record);
    }
}
