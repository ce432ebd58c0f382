/* Reads variables at module scope. See variable.h. */
#include "compiler/spirv/variable.h"

#include "compiler/spirv/decoration.h"
#include "compiler/spirv/expression.h"
#include "compiler/spirv/id.h"

#include <string.h>

static bool storage_ok(SpvStorageClass storage)
{
    switch (storage) {
    case SpvStorageClassUniformConstant:
    case SpvStorageClassInput:
    case SpvStorageClassWorkgroup:
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassPrivate:
    case SpvStorageClassGeneric:
        return true;
    default:
        return false;
    }
}

/* Returns how the host accesses a variable (GEO_HOST_ACCESS_NONE ...), or a larger number if the
 * operand is invalid. DPC++ still writes the draft SPV_INTEL_global_variable_decorations. It
 * numbers decoration and values differently from the two published extensions that replace it. */
static uint32_t host_access_of(const struct spirv_decoration *decoration)
{
    static const uint32_t draft[] = {GEO_HOST_ACCESS_READ, GEO_HOST_ACCESS_WRITE,
                                     GEO_HOST_ACCESS_READ_WRITE, GEO_HOST_ACCESS_NONE};
    uint32_t access = decoration->words[0];
    return decoration->kind == GEO_DECORATION_HOST_ACCESS_DRAFT && access < sizeof(draft) / 4
               ? draft[access]
               : access;
}

/* Reads the host access of a variable and its name for the host. A variable that the host writes is
 * not constant, even if its storage class says so. */
static bool host_access(struct spirv_reader *reader, const struct spirv_decoration *list,
                        struct geo_ir_variable *variable)
{
    const struct spirv_decoration *d = spirv_decoration_find(list, GEO_DECORATION_HOST_ACCESS);
    d = d ? d : spirv_decoration_find(list, GEO_DECORATION_HOST_ACCESS_DRAFT);
    if (!d) {
        return true;
    }
    uint32_t used = 0;
    const char *name = d->count > 1 && host_access_of(d) <= GEO_HOST_ACCESS_READ_WRITE
                           ? spirv_string(reader, d->words + 1, d->count - 1, &used)
                           : NULL;
    if (!name) {
        return spirv_error(reader, "malformed HostAccess decoration");
    }
    uint32_t access = host_access_of(d);
    if (access == GEO_HOST_ACCESS_NONE) {
        return true;
    }
    variable->is_constant &= access == GEO_HOST_ACCESS_READ;
    /* the host finds exported variables only */
    if (variable->linkage == GEO_LINKAGE_INTERNAL && name[0]) {
        variable->linkage = GEO_LINKAGE_EXPORT;
        variable->linkage_name = name;
    } else if (variable->linkage_name && name[0] && strcmp(name, variable->linkage_name) != 0) {
        variable->host_name = name;
    }
    return true;
}

/* Defines a variable of Function storage outside of functions. Some producers leave such variables
 * behind: annotations may name them, but no function can use them. */
static bool misplaced_variable(struct spirv_reader *reader)
{
    struct spirv_id *entry = spirv_define(reader, reader->operands[1]);
    if (entry) {
        entry->kind = ID_MISPLACED;
    }
    return entry != NULL;
}

/* Makes llvm.used and similar variables internal. Such a list serves the linker of the producer's
 * compiler, which exports it to keep it alive. It is not part of the program, every module may have
 * one, and LLVM reserves such names. */
static void producer_list_hide(struct geo_ir_variable *variable)
{
    bool exported =
        variable->linkage == GEO_LINKAGE_EXPORT || variable->linkage == GEO_LINKAGE_LINK_ONCE;
    if (exported && variable->linkage_name && strncmp(variable->linkage_name, "llvm.", 5) == 0) {
        variable->linkage = GEO_LINKAGE_INTERNAL;
        variable->linkage_name = NULL;
    }
}

bool spirv_read_variable(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 3)) {
        return false;
    }
    const uint32_t *operands = reader->operands;
    const struct geo_ir_type *type = spirv_type(reader, operands[0]);
    if (!type) {
        return false;
    }
    if (operands[2] == SpvStorageClassFunction) {
        return misplaced_variable(reader);
    }
    if (type->kind != GEO_TYPE_POINTER || !type->element || type->element->size == 0 ||
        !storage_ok(spirv_storage(operands[2])) || type->storage != spirv_storage(operands[2])) {
        return spirv_error(reader, "a variable of this type or storage class is not possible");
    }
    if (type->element->holds_image) {
        return spirv_error(reader, "images and samplers cannot be variables of a module");
    }
    struct geo_ir_variable *variable = geo_ir_variable_create(reader->module, type);
    if (!variable) {
        return spirv_out_of_memory(reader);
    }
    if (spirv_operand_count(reader) > 3) {
        struct geo_ir_value *initializer = spirv_value(reader, operands[3]);
        initializer = initializer ? spirv_constant_fit(reader, initializer, type->element) : NULL;
        if (!initializer) {
            return false;
        }
        if (initializer->type != type->element) {
            return spirv_error(reader, "the initialiser's type does not fit");
        }
        variable->initializer = initializer;
    }
    if (!spirv_define_value(reader, operands[1], &variable->value)) {
        return false;
    }
    const struct spirv_decoration *list = reader->ids[operands[1]].decorations;
    const struct spirv_decoration *builtin = spirv_decoration_find(list, SpvDecorationBuiltIn);
    if (builtin && builtin->count) {
        variable->builtin = (int32_t)builtin->words[0];
    }
    variable->is_constant = spirv_decoration_find(list, SpvDecorationConstant) != NULL ||
                            type->storage == SpvStorageClassUniformConstant;
    if (!spirv_linkage(reader, list, &variable->linkage, &variable->linkage_name) ||
        !host_access(reader, list, variable)) {
        return false;
    }
    producer_list_hide(variable);
    return true;
}
