/* Computes the offsets of a module's Workgroup variables in local memory. Variables that functions
 * share come first, each kernel's own behind them. This file emits no code. */
#include "compiler/lower/global/local_memory.h"

#include "base/assert.h"
#include "compiler/lower/state/function.h"
#include "compiler/lower/state/place.h"

static bool is_local(const struct geo_ir_variable *variable)
{
    return variable->value.type->storage == SpvStorageClassWorkgroup;
}

/* The users of each Workgroup variable, by index in module->variables. */
struct local_users {
    struct geo_lower *lower;
    const struct geo_ir_function **owners; /* the last function seen that uses it; NULL: unused */
    bool *shared; /* used by a function that is not a kernel, or by several kernels */
};

static void note_use(struct local_users *users, const struct geo_ir_value *value,
                     const struct geo_ir_function *function, size_t *indices)
{
    if (value->kind != GEO_VALUE_VARIABLE || !is_local((const struct geo_ir_variable *)value)) {
        return;
    }
    size_t index = indices[value->index];
    GEO_ASSERT(&users->lower->module->variables.items[index]->value == value);
    if (!function->is_kernel || (users->owners[index] && users->owners[index] != function)) {
        users->shared[index] = true;
    }
    users->owners[index] = function;
}

static void find_users(struct local_users *users, size_t *indices)
{
    /* an address in a constant expression may be used anywhere */
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

static uint64_t local_align(const struct geo_lower *lower, const struct geo_ir_variable *variable)
{
    uint64_t limit = lower->machine->local_align;
    uint64_t align = variable->value.type->element->align;
    align = variable->value.align > align ? variable->value.align : align;
    uint64_t line = variable->value.type->element->size >= 64 ? 64 : 16;
    align = align > line ? align : line;
    return align < limit ? align : limit;
}

static bool place_variable(struct geo_lower *lower, size_t index, uint64_t *total)
{
    const struct geo_ir_variable *variable = lower->module->variables.items[index];
    uint64_t bytes = variable->value.type->element->size;
    if (geo_place(total, bytes ? bytes : 1, local_align(lower, variable),
                  &lower->local_offsets[index])) {
        return true;
    }
    char label[256];
    geo_strbuf_printf(lower->log,
                      "error: local variable %s has %llu bytes: all local variables of a kernel "
                      "together may have %llu\n",
                      geo_state_label(&variable->value, label, sizeof(label)),
                      (unsigned long long)bytes, (unsigned long long)GEO_PLACE_LIMIT);
    return false;
}

/* Places the shared variables, or the others. Shared ones must be placed first, because each
 * kernel's own variables start behind them. */
static bool place_variables(struct geo_lower *lower, const struct local_users *users, bool shared)
{
    for (size_t i = 0; i < lower->module->variables.count; i++) {
        if (!is_local(lower->module->variables.items[i]) || !users->owners[i] ||
            users->shared[i] != shared) {
            continue;
        }
        uint64_t *total = shared ? &lower->shared_local_bytes
                                 : &lower->local_bytes[users->owners[i]->value.index];
        *total = !shared && *total < lower->shared_local_bytes ? lower->shared_local_bytes : *total;
        if (!place_variable(lower, i, total)) {
            return false;
        }
    }
    return true;
}

bool geo_global_local_memory_place(struct geo_lower *lower)
{
    size_t count = lower->module->variables.count;
    struct local_users users = {
        .lower = lower,
        .owners = geo_arena_array(&lower->arena, count + 1, sizeof(*users.owners)),
        .shared = geo_arena_new_array(&lower->arena, bool, count + 1),
    };
    size_t *indices = geo_arena_new_array(&lower->arena, size_t, lower->module->next_index + 1);
    lower->local_offsets = geo_arena_new_array(&lower->arena, uint64_t, count + 1);
    lower->local_bytes =
        geo_arena_new_array(&lower->arena, uint64_t, lower->module->next_index + 1);
    if (!users.owners || !users.shared || !indices || !lower->local_offsets ||
        !lower->local_bytes) {
        lower->no_memory = true;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        indices[lower->module->variables.items[i]->value.index] = i;
    }
    find_users(&users, indices);
    lower->variable_owners = users.owners;
    lower->variable_shared = users.shared;
    lower->variable_indices = indices;
    return place_variables(lower, &users, true) && place_variables(lower, &users, false);
}

uint64_t geo_global_local_memory_bytes(const struct geo_lower *lower,
                                       const struct geo_ir_function *kernel)
{
    GEO_ASSERT(kernel->is_kernel && kernel->value.index < lower->module->next_index);
    uint64_t own = lower->local_bytes[kernel->value.index];
    return geo_place_round_up(own > lower->shared_local_bytes ? own : lower->shared_local_bytes,
                              lower->machine->local_align);
}
