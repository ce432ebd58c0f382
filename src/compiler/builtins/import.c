/* Parses the mangled names and arguments of built-in functions that a module imports. See
 * import.h. */
#include "compiler/builtins/import.h"

#include "compiler/validate/rules.h"

#include <stdlib.h>
#include <string.h>

bool geo_import_parse(const char *name, struct geo_import *import)
{
    const char *at = name;
    size_t length = strlen(name);
    if (strncmp(name, "_Z", 2) == 0) {
        char *end;
        unsigned long count = strtoul(name + 2, &end, 10);
        at = end;
        if (end == name + 2 || count == 0 || count > strlen(end)) {
            return false;
        }
        length = count;
    }
    if (length >= sizeof(import->base)) {
        return false;
    }
    memcpy(import->base, at, length);
    import->base[length] = '\0';
    import->parameters = at + length;
    const char *type = import->parameters;
    while (*type == 'P' || *type == 'V' || *type == 'K' || *type == 'U') {
        if (*type == 'U') { /* U3AS1: an address space */
            unsigned long skip = strtoul(type + 1, (char **)&type, 10);
            type += skip < strlen(type) ? skip : strlen(type);
        } else {
            type++;
        }
    }
    if (strncmp(type, "Dv", 2) == 0) {
        const char *underscore = strchr(type, '_');
        type = underscore ? underscore + 1 : type;
    }
    import->is_unsigned = *type && strchr("htjm", *type) != NULL;
    return true;
}

struct geo_ir_value *geo_import_argument(const struct geo_ir_inst *call, uint32_t i)
{
    return i + 1 < call->operand_count ? call->operands[i + 1] : NULL;
}

uint32_t geo_import_argument_count(const struct geo_ir_inst *call)
{
    return call->operand_count - 1;
}

bool geo_import_replace(struct geo_ir_inst *call, struct geo_ir_value *value)
{
    const char *reason;
    struct geo_ir_inst *inst = value ? geo_ir_as_inst(value) : NULL;
    if (!value || value->type != call->value.type) {
        return false;
    }
    if (inst && inst->block == call->block && !geo_rules_check(inst, &reason)) {
        geo_ir_inst_remove(inst);
        return false;
    }
    geo_write_replace(call, value);
    return true;
}
