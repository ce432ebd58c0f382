/* Redirects the accesses of a split variable to its parts. See sroa.h.
 *
 * A load becomes a value that is assembled from the parts; a store is divided. Pointers into a part
 * in memory are based on the variable of that part. */
#include "compiler/transform/memory/sroa.h"

/* The rewriting of one variable's accesses. */
struct rewrite {
    struct sroa *sroa;
    struct geo_pass *pass;
    const struct sroa_variable *variable;
    struct geo_ir_inst *at; /* the instruction that is replaced; new ones are inserted before it */
    uint32_t path[256];
    uint32_t depth;
};

static const struct sroa_part *part_find(const struct sroa_variable *variable, uint64_t offset)
{
    uint32_t low = 0, high = variable->part_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (variable->parts[middle].offset <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &variable->parts[low];
}

/* ---- variables of the parts ---- */

/* Returns the alignment of the variable's byte at an offset. */
static uint32_t offset_align(const struct sroa_variable *variable, uint64_t offset)
{
    uint32_t align = sroa_align(variable);
    uint64_t low = offset & (~offset + 1);
    return offset && low < align ? (uint32_t)low : align;
}

static struct geo_ir_inst *part_variable(struct rewrite *r, const struct geo_ir_type *type,
                                         uint64_t offset)
{
    const struct geo_ir_type *pointer =
        geo_ir_type_pointer(r->pass->module, type, SpvStorageClassFunction);
    struct geo_ir_inst *made =
        geo_make(r->pass, r->variable->inst, SpvOpVariable, pointer, 0, 1, 0);
    if (!made) {
        return NULL;
    }
    made->literals[0] = SpvStorageClassFunction;
    made->value.id = r->variable->inst->value.id;
    made->value.name = r->variable->inst->value.name;
    made->value.align = offset_align(r->variable, offset);
    return made;
}

static bool part_variables(struct rewrite *r, struct sroa_part *part)
{
    uint64_t count = part->step ? (part->end - part->offset) / part->step : 1;
    part->variables = geo_arena_new_array(&r->pass->arena, struct geo_ir_inst *, count);
    if (!part->variables) {
        return geo_pass_no_memory(r->pass);
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t offset = part->step ? part->offset + i * part->step : part->base;
        part->variables[i] = part_variable(r, part->type, offset);
        if (!part->variables[i]) {
            return false;
        }
    }
    return true;
}

/* ---- plain accesses ---- */

static struct geo_ir_value *load_from(struct rewrite *r, struct geo_ir_value *pointer,
                                      uint32_t align)
{
    struct geo_ir_inst *load = geo_make(r->pass, r->at, SpvOpLoad, pointer->type->element, 1, 0, 0);
    if (!load) {
        return NULL;
    }
    load->operands[0] = pointer;
    load->memory_align = align;
    return &load->value;
}

static bool store_to(struct rewrite *r, struct geo_ir_value *pointer, struct geo_ir_value *value,
                     uint32_t align)
{
    struct geo_ir_inst *store =
        value ? geo_make(r->pass, r->at, SpvOpStore, r->pass->type_void, 2, 0, 0) : NULL;
    if (!store) {
        return false;
    }
    store->operands[0] = pointer;
    store->operands[1] = value;
    store->memory_align = align;
    return true;
}

/* Returns a pointer into a part in memory. It is computed in Function storage and cast to generic
 * if `type` demands it. */
static struct geo_ir_value *memory_pointer(struct rewrite *r, const struct sroa_part *part,
                                           uint64_t offset, const struct geo_ir_type *type)
{
    struct geo_ir_value *pointer = &part->variables[0]->value;
    const struct geo_ir_type *plain =
        type->storage == SpvStorageClassFunction
            ? type
            : geo_ir_type_pointer(r->pass->module, type->element, SpvStorageClassFunction);
    if (!plain) {
        geo_pass_no_memory(r->pass);
        return NULL;
    }
    if (offset != part->base) {
        pointer = geo_make_binary(r->pass, r->at, (SpvOp)GEO_OP_PTR_ADD, plain, pointer,
                                  geo_pass_int(r->pass, r->pass->type_i64, offset - part->base));
    } else if (pointer->type != plain) {
        pointer = geo_make_unary(r->pass, r->at, SpvOpBitcast, plain, pointer);
    }
    return plain == type ? pointer
                         : geo_make_unary(r->pass, r->at, SpvOpPtrCastToGeneric, type, pointer);
}

static struct geo_ir_value *memory_leaf(struct rewrite *r, const struct sroa_part *part,
                                        uint64_t offset, const struct geo_ir_type *type,
                                        uint32_t *align)
{
    const struct geo_ir_type *pointer =
        geo_ir_type_pointer(r->pass->module, type, SpvStorageClassFunction);
    if (!pointer) {
        geo_pass_no_memory(r->pass);
        return NULL;
    }
    *align = offset_align(r->variable, offset);
    *align = *align < type->align ? *align : type->align;
    return memory_pointer(r, part, offset, pointer);
}

/* ---- one scalar ---- */

/* Reads `count` small integers as one scalar, by way of a vector. */
static struct geo_ir_value *row_read(struct rewrite *r, const struct sroa_part *part,
                                     uint64_t first, uint64_t count, const struct geo_ir_type *type)
{
    const struct geo_ir_type *vector = geo_ir_type_vector(r->pass->module, part->type, count);
    const struct geo_ir_type *whole = geo_ir_type_int(r->pass->module, (uint32_t)type->size * 8);
    struct geo_ir_value *parts[8];
    for (uint64_t i = 0; i < count; i++) {
        parts[i] = load_from(r, &part->variables[first + i]->value, 0);
        if (!parts[i]) {
            return NULL;
        }
    }
    struct geo_ir_inst *made =
        geo_make(r->pass, r->at, SpvOpCompositeConstruct, vector, (uint32_t)count, 0, 0);
    if (!made || !whole) {
        return NULL;
    }
    for (uint64_t i = 0; i < count; i++) {
        made->operands[i] = parts[i];
    }
    struct geo_ir_value *value = geo_make_unary(r->pass, r->at, SpvOpBitcast, whole, &made->value);
    return value ? geo_make_reinterpret(r->pass, r->at, value, type) : NULL;
}

static bool row_write(struct rewrite *r, const struct sroa_part *part, uint64_t first,
                      uint64_t count, struct geo_ir_value *value)
{
    const struct geo_ir_type *vector = geo_ir_type_vector(r->pass->module, part->type, count);
    const struct geo_ir_type *whole =
        geo_ir_type_int(r->pass->module, (uint32_t)value->type->size * 8);
    value = whole ? geo_make_reinterpret(r->pass, r->at, value, whole) : NULL;
    value = geo_make_unary(r->pass, r->at, SpvOpBitcast, vector, value);
    for (uint32_t i = 0; value && i < count; i++) {
        if (!store_to(r, &part->variables[first + i]->value,
                      geo_make_extract(r->pass, r->at, part->type, value, &i, 1), 0)) {
            return false;
        }
    }
    return value != NULL;
}

static struct geo_ir_value *leaf_read(struct rewrite *r, uint64_t offset,
                                      const struct geo_ir_type *type)
{
    const struct sroa_part *part = part_find(r->variable, offset);
    if (part->step == 0) {
        uint32_t align;
        struct geo_ir_value *pointer = memory_leaf(r, part, offset, type, &align);
        return pointer ? load_from(r, pointer, align) : NULL;
    }
    uint64_t index = (offset - part->offset) / part->step;
    if (type->size > part->step) {
        return row_read(r, part, index, type->size / part->step, type);
    }
    struct geo_ir_value *value = load_from(r, &part->variables[index]->value, 0);
    return value ? geo_make_reinterpret(r->pass, r->at, value, type) : NULL;
}

static bool leaf_write(struct rewrite *r, uint64_t offset, struct geo_ir_value *value)
{
    const struct sroa_part *part = part_find(r->variable, offset);
    if (part->step == 0) {
        uint32_t align;
        struct geo_ir_value *pointer = memory_leaf(r, part, offset, value->type, &align);
        return pointer && store_to(r, pointer, value, align);
    }
    uint64_t index = (offset - part->offset) / part->step;
    if (value->type->size > part->step) {
        return row_write(r, part, index, value->type->size / part->step, value);
    }
    return store_to(r, &part->variables[index]->value,
                    geo_make_reinterpret(r->pass, r->at, value, part->type), 0);
}

/* ---- whole values; recursion is bounded by the nesting of types: at most 255 ---- */

static const struct geo_ir_type *member_of(const struct geo_ir_type *type, uint64_t index,
                                           uint64_t *offset)
{
    bool is_struct = type->kind == GEO_TYPE_STRUCT;
    *offset += is_struct ? type->offsets[index] : index * type->element->size;
    return is_struct ? type->members[index] : type->element;
}

static struct geo_ir_value *value_read(struct rewrite *r, uint64_t offset,
                                       const struct geo_ir_type *type)
{
    if (sroa_is_scalar(type)) {
        return leaf_read(r, offset, type);
    }
    struct geo_ir_value **parts =
        geo_arena_new_array(&r->pass->arena, struct geo_ir_value *, type->count);
    if (!parts) {
        geo_pass_no_memory(r->pass);
        return NULL;
    }
    for (uint64_t i = 0; i < type->count; i++) {
        uint64_t at = offset;
        const struct geo_ir_type *member = member_of(type, i, &at);
        parts[i] = value_read(r, at, member);
        if (!parts[i]) {
            return NULL;
        }
    }
    struct geo_ir_inst *made =
        geo_make(r->pass, r->at, SpvOpCompositeConstruct, type, (uint32_t)type->count, 0, 0);
    if (!made) {
        return NULL;
    }
    for (uint64_t i = 0; i < type->count; i++) {
        made->operands[i] = parts[i];
    }
    return &made->value;
}

static bool value_write(struct rewrite *r, uint64_t offset, const struct geo_ir_type *type,
                        struct geo_ir_value *value)
{
    if (sroa_is_scalar(type)) {
        value = geo_make_extract(r->pass, r->at, type, value, r->path, r->depth);
        return value && leaf_write(r, offset, value);
    }
    for (uint64_t i = 0; i < type->count; i++) {
        uint64_t at = offset;
        const struct geo_ir_type *member = member_of(type, i, &at);
        r->path[r->depth++] = (uint32_t)i;
        if (!value_write(r, at, member, value)) {
            return false;
        }
        r->depth--;
    }
    return true;
}

/* Returns whether an access lies within a single part that stays in memory because it has too many
 * scalars to be split. */
static bool in_memory(const struct sroa_variable *variable, const struct sroa_access *access)
{
    const struct sroa_part *part = part_find(variable, access->offset);
    return part->step == 0 && access->end <= part->end;
}

/* Rewrites a chain to start at the object that its first non-constant index selects from. */
static bool chain_rewrite(struct rewrite *r, const struct sroa_access *access)
{
    struct geo_ir_inst *inst = access->inst;
    const struct geo_ir_type *type =
        geo_ir_type_pointer(r->pass->module, access->type, inst->operands[0]->type->storage);
    if (!type) {
        return geo_pass_no_memory(r->pass);
    }
    inst->operands[0] =
        memory_pointer(r, part_find(r->variable, access->offset), access->offset, type);
    uint32_t kept = 1;
    for (uint32_t i = access->value_operand; i < inst->operand_count; i++) {
        inst->operands[kept++] = inst->operands[i];
    }
    inst->operand_count = kept;
    bool in_bounds = geo_op_is(inst->op, GEO_IS_IN_BOUNDS_CHAIN);
    inst->op = in_bounds ? SpvOpInBoundsAccessChain : SpvOpAccessChain;
    return inst->operands[0] != NULL;
}

static bool access_rewrite(struct rewrite *r, const struct sroa_access *access)
{
    struct geo_ir_inst *inst = r->at = access->inst;
    if (access->kind == SROA_POINTER) {
        return chain_rewrite(r, access);
    }
    if ((inst->op == SpvOpLoad || inst->op == SpvOpStore) && in_memory(r->variable, access)) {
        inst->operands[0] = memory_pointer(r, part_find(r->variable, access->offset),
                                           access->offset, inst->operands[0]->type);
        return inst->operands[0] != NULL;
    }
    if (access->kind == SROA_LOAD) {
        inst->value.forward = value_read(r, access->offset, access->type);
        if (!inst->value.forward) {
            return false;
        }
    } else if (!value_write(r, access->offset, access->type,
                            inst->operands[access->value_operand])) {
        return false;
    }
    geo_ir_inst_remove(inst);
    return true;
}

/* ---- debug records ---- */

/* More parts of a source variable are not followed. */
#define MAX_FRAGMENTS 256u

/* Adds a record behind *last: the bytes [offset, end) of the variable are in the memory of one
 * part, which begins `inside` bytes earlier. */
static void fragment_add(const struct declared *d, struct geo_ir_record **last, uint64_t offset,
                         uint64_t end, struct geo_ir_inst *part, uint64_t inside)
{
    struct geo_ir_record record = *d->template;
    uint64_t bits = (end - offset) * 8;
    record.value = &part->value;
    record.fragment_offset += offset * 8;
    record.fragment_size = bits;
    struct geo_ir_debug_step step = {.kind = GEO_STEP_ADD_CONSTANT, .number = inside};
    if (inside && !geo_ir_record_steps(part->block->function->module, &record, 0, &step, 1)) {
        geo_ir_record_lose(&record);
    }
    geo_ir_record_add_behind(part->block->function->module->debug, *last, &record);
    *last = (*last)->next ? (*last)->next : *last;
}

/* Replaces a record about the memory of the variable by one for each part. The variable as a whole
 * is lost first: bytes that nothing accesses are nowhere. */
static void record_split(const struct sroa_variable *variable, const struct declared *d)
{
    uint64_t fragments = 0;
    struct geo_ir_record *last = d->record;
    for (uint32_t i = 0; i < variable->part_count; i++) {
        const struct sroa_part *part = &variable->parts[i];
        fragments += part->step ? (part->end - part->offset) / part->step : 1;
    }
    geo_ir_record_lose(d->record);
    if (d->template->place != GEO_PLACE_MEMORY || d->template->steps || fragments > MAX_FRAGMENTS) {
        return;
    }
    for (uint32_t i = 0; i < variable->part_count; i++) {
        const struct sroa_part *part = &variable->parts[i];
        if (part->step == 0) {
            fragment_add(d, &last, part->offset, part->end, part->variables[0],
                         part->offset - part->base);
        }
        for (uint64_t at = part->offset; part->step && at < part->end; at += part->step) {
            fragment_add(d, &last, at, at + part->step,
                         part->variables[(at - part->offset) / part->step], 0);
        }
    }
}

bool sroa_rewrite(struct sroa *sroa, struct sroa_variable *variable)
{
    struct rewrite r = {.sroa = sroa, .pass = sroa->pass, .variable = variable};
    for (uint32_t i = 0; i < variable->part_count; i++) {
        if (!part_variables(&r, &variable->parts[i])) {
            return false;
        }
    }
    for (const struct declared *d = declared_first(&sroa->declared, variable->inst); d;
         d = d->next) {
        record_split(variable, d);
    }
    for (size_t i = 0; i < variable->accesses.count; i++) {
        if (!access_rewrite(&r, &variable->accesses.items[i])) {
            return false;
        }
    }
    return true;
}
