/* Names of shared variables and descriptors in native binaries. See symbol.h. */
#include "compiler/link/symbol.h"

#include <stdio.h>
#include <string.h>

bool geo_symbol_stays(const struct geo_ir_variable *variable)
{
    SpvStorageClass storage = variable->value.type->storage;
    return variable->linkage != GEO_LINKAGE_IMPORT && variable->builtin < 0 &&
           (storage == SpvStorageClassCrossWorkgroup ||
            storage == SpvStorageClassUniformConstant) &&
           (!variable->is_constant || variable->linkage_name);
}

const char *geo_symbol_shared(struct geo_ir_module *module, const struct geo_ir_variable *variable)
{
    char text[32];
    const char *name = variable->linkage_name;
    if (!name) {
        snprintf(text, sizeof(text), "geoid.shared.%u", variable->serial);
        name = text;
    }
    return geo_arena_string(&module->arena, name, strlen(name));
}

void geo_symbol_external(const struct geo_ir_variable *variable, char *text, size_t size)
{
    /* Long names are truncated; the variable's index keeps them distinct. */
    snprintf(text, size, "geoid.unit.%u.%u.%.200s", variable->unit, variable->value.index,
             variable->linkage_name);
}

void geo_symbol_descriptor(const struct geo_ir_function *function, char *text, size_t size)
{
    snprintf(text, size, "geoid.function.%u.%.200s", function->value.index,
             function->linkage_name ? function->linkage_name : "");
}
