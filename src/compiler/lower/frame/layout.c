/* Offsets: arguments in the block, local memory and private variables in scratch, saved values in
 * the chunk's record. Nothing here emits code.
 *
 * A private variable has one copy per lane, lane after lane (geo_private_stride apart); components
 * of several lanes next to each other would be better for arrays that are indexed alike, and is
 * for later. */
#include "compiler/lower/frame/frame.h"

static bool place(uint64_t *total, uint64_t bytes, uint64_t align, uint64_t *offset)
{
    uint64_t start;
    if (__builtin_add_overflow(*total, align - 1, &start)) {
        return false;
    }
    start &= ~(align - 1);
    *offset = start;
    return !__builtin_add_overflow(start, bytes, total) && *total < UINT64_C(1) << 47;
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + GEO_ABI_SCRATCH_ALIGN - 1) & ~(uint64_t)(GEO_ABI_SCRATCH_ALIGN - 1);
}

/* ---- arguments ---- */

bool geo_lower_layout_arguments(const struct geo_ir_function *function, uint32_t *offsets,
                                uint32_t *bytes)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct geo_ir_type *type = function->parameters[i]->type;
        bool by_value = type->kind == GEO_TYPE_POINTER && type->storage == SpvStorageClassFunction;
        const struct geo_ir_type *held = by_value ? type->element : type;
        bool address =
            !by_value && (type->kind == GEO_TYPE_POINTER || type->kind == GEO_TYPE_OPAQUE);
        uint64_t size = address ? 8 : held->size;
        uint64_t align = address ? 8 : held->align;
        uint64_t offset;
        if (!place(&total, size ? size : 1, align ? align : 1, &offset) || total > UINT32_MAX / 2) {
            return false;
        }
        offsets[i] = (uint32_t)offset;
    }
    *bytes = (uint32_t)((total + 15) & ~(uint64_t)15);
    return true;
}

/* ---- local memory ---- */

static bool is_local(const struct geo_ir_variable *variable)
{
    return variable->value.type->storage == SpvStorageClassWorkgroup;
}

/* Owner of each Workgroup variable: a function, or `shared`. */
struct local_users {
    struct geo_lower *lower;
    const struct geo_ir_function **owners; /* by index in module->variables; NULL: unused */
    bool *shared;
};

static void note_use(struct local_users *users, const struct geo_ir_value *value,
                     const struct geo_ir_function *function, size_t *indices)
{
    if (value->kind != GEO_VALUE_VARIABLE || !is_local((const struct geo_ir_variable *)value)) {
        return;
    }
    size_t index = indices[value->index];
    if (!function->is_kernel || (users->owners[index] && users->owners[index] != function)) {
        users->shared[index] = true;
    }
    users->owners[index] = function;
}

static void find_users(struct local_users *users, size_t *indices)
{
    /* An address in a constant expression may be used anywhere. */
    const struct geo_ir_module *module = users->lower->module;
    for (size_t i = 0; i < module->constants.count; i++) {
        const struct geo_ir_constant *constant = geo_ir_as_constant(module->constants.items[i]);
        for (uint32_t k = 0; constant && k < constant->operand_count; k++) {
            const struct geo_ir_value *operand = constant->operands[k];
            if (operand->kind == GEO_VALUE_VARIABLE) {
                users->owners[indices[operand->index]] = module->first_function;
                users->shared[indices[operand->index]] = true;
            }
        }
    }
    geo_ir_for_each_function(function, users->lower->module) {
        geo_ir_for_each_block(block, function) {
            for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                for (uint32_t i = 0; i < inst->operand_count; i++) {
                    note_use(users, inst->operands[i], function, indices);
                }
            }
        }
    }
}

static uint64_t local_align(const struct geo_ir_variable *variable)
{
    uint64_t align = variable->value.type->element->align;
    align = variable->value.align > align ? variable->value.align : align;
    uint64_t line = variable->value.type->element->size >= 64 ? 64 : 16;
    align = align > line ? align : line;
    return align < GEO_ABI_SCRATCH_ALIGN ? align : GEO_ABI_SCRATCH_ALIGN;
}

static bool place_variables(struct geo_lower *lower, const struct local_users *users, bool shared,
                            const struct geo_ir_function *owner, uint64_t *total)
{
    for (size_t i = 0; i < lower->module->variables.count; i++) {
        const struct geo_ir_variable *variable = lower->module->variables.items[i];
        if (!is_local(variable) || !users->owners[i] || users->shared[i] != shared ||
            (!shared && users->owners[i] != owner)) {
            continue;
        }
        uint64_t bytes = variable->value.type->element->size;
        if (!place(total, bytes ? bytes : 1, local_align(variable), &lower->local_offsets[i])) {
            return false;
        }
    }
    return true;
}

bool geo_lower_layout_local(struct geo_lower *lower)
{
    size_t count = lower->module->variables.count;
    struct local_users users = {
        .lower = lower,
        .owners = geo_arena_array(&lower->arena, count + 1, sizeof(*users.owners)),
        .shared = geo_arena_new_array(&lower->arena, bool, count + 1),
    };
    size_t *indices = geo_arena_new_array(&lower->arena, size_t, lower->module->next_index + 1);
    lower->local_offsets = geo_arena_new_array(&lower->arena, uint64_t, count + 1);
    if (!users.owners || !users.shared || !indices || !lower->local_offsets) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        indices[lower->module->variables.items[i]->value.index] = i;
    }
    find_users(&users, indices);
    lower->variable_owners = users.owners;
    lower->variable_shared = users.shared;
    lower->variable_indices = indices;
    if (!place_variables(lower, &users, true, NULL, &lower->shared_local_bytes)) {
        return false;
    }
    geo_ir_for_each_function(kernel, lower->module) {
        uint64_t total = lower->shared_local_bytes;
        if (kernel->is_kernel && !place_variables(lower, &users, false, kernel, &total)) {
            return false;
        }
    }
    return true;
}

uint64_t geo_lower_layout_local_bytes(const struct geo_lower *lower,
                                      const struct geo_ir_function *kernel)
{
    uint64_t end = lower->shared_local_bytes;
    for (size_t i = 0; i < lower->module->variables.count; i++) {
        const struct geo_ir_variable *variable = lower->module->variables.items[i];
        if (is_local(variable) && lower->variable_owners[i] == kernel &&
            !lower->variable_shared[i]) {
            uint64_t after = lower->local_offsets[i] + variable->value.type->element->size;
            end = after > end ? after : end;
        }
    }
    return round_up(end);
}

/* ---- private variables and saved values ---- */

static bool place_private(struct geo_lower_function *f, struct geo_lower_layout *layout,
                          uint64_t *total)
{
    const struct geo_lower_code *code = f->frame->code;
    for (uint32_t i = 0; i < code->variable_count; i++) {
        const struct geo_ir_inst *variable = code->variables[i];
        const struct geo_ir_type *type = variable->value.type->element;
        uint64_t align = variable->value.align > type->align ? variable->value.align : type->align;
        uint64_t bytes;
        align = align > 64 ? align : 64;
        align = align < GEO_ABI_SCRATCH_ALIGN ? align : GEO_ABI_SCRATCH_ALIGN;
        if (__builtin_mul_overflow(geo_private_stride(type), f->lanes, &bytes) ||
            !place(total, bytes, align, &layout->variables[i])) {
            geo_lower_error(f, variable, "private variables are too large");
            return false;
        }
    }
    return true;
}

static uint64_t scalar_bytes(const struct geo_ir_type *type)
{
    switch (type->kind) {
    case GEO_TYPE_BOOL:
        return 1;
    case GEO_TYPE_INT:
    case GEO_TYPE_FLOAT:
        return type->width / 8;
    default:
        return 8;
    }
}

static bool place_value(struct geo_lower_function *f, const struct geo_ir_value *value,
                        struct geo_lower_saved *saved, uint64_t *total)
{
    uint32_t count = geo_lower_part_count(value->type);
    bool varying = geo_lower_shape(f, value).kind == GEO_SHAPE_VARYING;
    if (!geo_lower_reserve(f, value)) {
        return false;
    }
    *saved = (struct geo_lower_saved){value, geo_arena_new_array(f->arena, uint64_t, count + 1)};
    if (!saved->offsets) {
        geo_lower_no_memory(f);
        return false;
    }
    for (uint32_t part = 0; part < count; part++) {
        uint64_t bytes = scalar_bytes(geo_lower_part_type(value->type, part));
        bytes = varying ? bytes * f->lanes : bytes;
        if (!place(total, bytes, bytes, &saved->offsets[part])) {
            geo_lower_error(f, NULL, "error: values that live across barriers are too large");
            return false;
        }
    }
    return true;
}

/* What is live where the barrier resumes; vectors before scalars, so that there are no gaps. */
static bool place_barrier(struct geo_lower_function *f, uint32_t barrier,
                          struct geo_lower_save *save, uint64_t *total)
{
    const struct geo_lower_code *code = f->frame->code;
    const uint64_t *set = geo_live_in(&code->liveness, code->barriers.resume[barrier]);
    save->items = geo_arena_new_array(f->arena, struct geo_lower_saved, code->liveness.count + 1);
    if (!save->items) {
        geo_lower_no_memory(f);
        return false;
    }
    for (int scalars = 0; scalars < 2; scalars++) {
        for (uint32_t i = 0; i < code->liveness.count; i++) {
            const struct geo_ir_value *value = code->liveness.values[i];
            bool scalar = geo_lower_shape(f, value).kind != GEO_SHAPE_VARYING;
            if (!(set[i / 64] >> (i % 64) & 1) || scalar != scalars ||
                geo_lower_is_ambient(f, value)) {
                continue;
            }
            if (!place_value(f, value, &save->items[save->count++], total)) {
                return false;
            }
        }
    }
    return true;
}

static bool place_all_saved(struct geo_lower_function *f, struct geo_lower_layout *layout,
                            uint64_t *total)
{
    uint32_t count = f->frame->code->barriers.count;
    uint64_t start = *total;
    layout->save = geo_arena_new_array(f->arena, struct geo_lower_save, count);
    if (!layout->save) {
        geo_lower_no_memory(f);
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint64_t end = start;
        if (!place_barrier(f, k, &layout->save[k], &end)) {
            return false;
        }
        *total = end > *total ? end : *total;
    }
    return true;
}

bool geo_lower_layout_make(struct geo_lower_function *f, struct geo_lower_layout *out)
{
    const struct geo_lower_code *code = f->frame->code;
    uint64_t total = 0;
    *out = (struct geo_lower_layout){0};
    out->variables = geo_arena_new_array(f->arena, uint64_t, code->variable_count + 1);
    if (!out->variables) {
        geo_lower_no_memory(f);
        return false;
    }
    if (!place_private(f, out, &total)) {
        return false;
    }
    if (!code->barriers.count) {
        out->frame_bytes = round_up(total);
        return true;
    }
    if (!place_all_saved(f, out, &total)) {
        return false;
    }
    out->chunk_bytes = round_up(total);
    return true;
}
