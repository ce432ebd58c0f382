/* Memory of the reference interpreter: regions, checked addresses, typed loads and stores. */
#include "interpret_internal.h"

#include <string.h>

#define LEAF_LIMIT (1u << 20)

uint32_t interp_scalar_bytes(const struct geo_ir_type *type)
{
    bool is_number = type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT;
    return is_number ? type->width / 8 : type->kind == GEO_TYPE_BOOL ? 1 : 8;
}

const struct geo_ir_type *interp_scalar_of(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR ? type->element : type;
}

uint32_t interp_leaf_count(const struct geo_ir_type *type)
{
    bool is_row = type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY;
    bool has_parts = is_row || type->kind == GEO_TYPE_STRUCT;
    uint64_t leaves = is_row ? type->count * interp_leaf_count(type->element) : 0;
    for (uint64_t i = 0; has_parts && !is_row && i < type->count; i++) {
        leaves += interp_leaf_count(type->members[i]);
    }
    if (!has_parts) {
        leaves = type->kind != GEO_TYPE_VOID && type->kind != GEO_TYPE_FUNCTION;
    }
    return leaves > LEAF_LIMIT ? LEAF_LIMIT : (uint32_t)leaves;
}

const struct geo_ir_type *interp_member(const struct geo_ir_type *type, uint64_t index,
                                        uint32_t *leaf)
{
    if (index >= type->count) {
        return NULL;
    }
    if (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY) {
        *leaf += (uint32_t)index * interp_leaf_count(type->element);
        return type->element;
    }
    if (type->kind != GEO_TYPE_STRUCT) {
        return NULL;
    }
    for (uint64_t i = 0; i < index; i++) {
        *leaf += interp_leaf_count(type->members[i]);
    }
    return type->members[index];
}

uint64_t interp_region_add(struct interp *interp, void *bytes, size_t size, bool owned)
{
    if (!geo_array_reserve(&interp->regions, 1)) {
        abort();
    }
    if (!bytes) {
        bytes = malloc(size ? size : 1);
        if (!bytes) {
            abort();
        }
        memset(bytes, 0xAA, size);
    }
    interp->regions.items[interp->regions.count++] =
        (struct region){.bytes = bytes, .size = size, .owned = owned};
    return (uint64_t)interp->regions.count << 32;
}

uint8_t *interp_bytes(struct item *item, uint64_t address, uint64_t size, const char *what)
{
    uint64_t number = address >> 32, offset = address & UINT32_MAX;
    const struct interp *interp = item->interp;
    if (number == 0 || number > interp->regions.count) {
        interp_fail(item, "%s at wild address %#llx", what, (unsigned long long)address);
        return NULL;
    }
    const struct region *region = &interp->regions.items[number - 1];
    if (region->dead || region->function || size > region->size || offset > region->size - size) {
        interp_fail(item, "%s of %llu bytes at offset %llu of %s region of %zu bytes", what,
                    (unsigned long long)size, (unsigned long long)offset,
                    region->dead ? "dead" : "a", region->size);
        return NULL;
    }
    return region->bytes + offset;
}

/* Walks the leaves of a type that lies in memory at `bytes`. */
static uint64_t *leaves_move(const struct geo_ir_type *type, uint8_t *bytes, uint64_t *leaves,
                             bool store)
{
    switch (type->kind) {
    case GEO_TYPE_VOID:
    case GEO_TYPE_FUNCTION:
        return leaves;
    case GEO_TYPE_VECTOR:
    case GEO_TYPE_ARRAY:
        for (uint64_t i = 0; i < type->count; i++) {
            leaves = leaves_move(type->element, bytes + i * type->element->size, leaves, store);
        }
        return leaves;
    case GEO_TYPE_STRUCT:
        for (uint64_t i = 0; i < type->count; i++) {
            leaves = leaves_move(type->members[i], bytes + type->offsets[i], leaves, store);
        }
        return leaves;
    default:
        break;
    }
    uint32_t size = interp_scalar_bytes(type);
    if (store) {
        memcpy(bytes, leaves, size);
    } else {
        *leaves = 0;
        memcpy(leaves, bytes, size);
        *leaves &= type->kind == GEO_TYPE_BOOL ? 1 : UINT64_MAX;
    }
    return leaves + 1;
}

void interp_memory_load(struct item *item, const struct geo_ir_type *type, uint64_t address,
                        uint64_t *leaves)
{
    /* A vector of three is read as three elements: what follows it may not be ours. */
    uint64_t size = type->kind == GEO_TYPE_VECTOR ? type->count * type->element->size : type->size;
    uint8_t *bytes = interp_bytes(item, address, size, "load");
    if (bytes) {
        leaves_move(type, bytes, leaves, false);
    }
}

void interp_memory_store(struct item *item, const struct geo_ir_type *type, uint64_t address,
                         const uint64_t *leaves)
{
    uint64_t size = type->kind == GEO_TYPE_VECTOR ? type->count * type->element->size : type->size;
    uint8_t *bytes = interp_bytes(item, address, size, "store");
    if (bytes) {
        leaves_move(type, bytes, (uint64_t *)leaves, true);
    }
}

/* Input variables with a BuiltIn decoration read as the built-in's value. */
static void builtin_fill(struct item *item, const struct geo_ir_variable *variable,
                         uint64_t address)
{
    uint64_t leaves[16] = {0};
    uint32_t count = interp_leaf_count(variable->value.type->element);
    for (uint32_t i = 0; i < count && i < 3 && variable->builtin < (int)INTERP_BUILTINS; i++) {
        leaves[i] = item->builtins[variable->builtin][i];
    }
    interp_memory_store(item, variable->value.type->element, address, leaves);
}

uint64_t interp_variable_address(struct item *item, struct geo_ir_variable *variable)
{
    struct interp *interp = item->interp;
    const struct geo_ir_type *type = variable->value.type;
    bool own = variable->builtin >= 0 || type->storage == SpvStorageClassPrivate;
    if (!own && interp->shared[variable->value.index]) {
        return interp->shared[variable->value.index];
    }
    uint64_t address = interp_region_add(interp, NULL, type->element->size, true);
    if (!own) {
        interp->shared[variable->value.index] = address;
    }
    if (variable->builtin >= 0) {
        builtin_fill(item, variable, address);
    } else if (variable->initializer) {
        const uint64_t *leaves = interp_operand(item, variable->initializer);
        if (leaves) {
            interp_memory_store(item, type->element, address, leaves);
        }
    }
    return address;
}

uint64_t interp_function_address(struct item *item, struct geo_ir_function *function)
{
    struct interp *interp = item->interp;
    uint64_t *known = &interp->shared[function->value.index];
    if (!*known) {
        *known = interp_region_add(interp, NULL, 0, true);
        interp->regions.items[(*known >> 32) - 1].function = function;
    }
    return *known;
}
