/* Checks printf calls at compile time: arguments and formats. See prints.h. */
#include "compiler/analysis/prints.h"

#include "compiler/ir/grammar.h"

#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

#define FORMAT_LIMIT 1024u /* longer formats are not checked */
#define STEP_LIMIT   64u   /* bound on the steps from a pointer back to its variable */

bool geo_print_is(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpExtInst && inst->literals[0] == GEO_EXT_OPENCL_STD &&
           inst->literals[1] == OpenCLstd_Printf;
}

bool geo_print_type(const struct geo_ir_type *type, struct geo_cl_type *out)
{
    bool vector = type->kind == GEO_TYPE_VECTOR;
    const struct geo_ir_type *scalar = vector ? type->element : type;
    *out = (struct geo_cl_type){.bytes = (uint8_t)scalar->size,
                                .components = vector ? (uint8_t)type->count : 1};
    switch (scalar->kind) {
    case GEO_TYPE_BOOL:
    case GEO_TYPE_INT:
        out->kind = GEO_CL_INTEGER;
        return true;
    case GEO_TYPE_FLOAT:
        out->kind = GEO_CL_FLOAT;
        return true;
    case GEO_TYPE_POINTER:
        out->kind = GEO_CL_POINTER;
        return !vector;
    default:
        return false;
    }
}

/* ---- formats ---- */

/* Returns the operand of a pointer step that does not change the address: a cast, or a chain with
 * zero indices. Returns NULL for other values. */
static struct geo_ir_value *step_back(struct geo_ir_value *pointer)
{
    struct geo_ir_inst *inst = geo_ir_as_inst(pointer);
    struct geo_ir_constant *constant = geo_ir_as_constant(pointer);
    SpvOp op = inst ? inst->op : constant ? constant->op : SpvOpNop;
    struct geo_ir_value **operands = inst ? inst->operands : constant ? constant->operands : NULL;
    uint32_t count = inst ? inst->operand_count : constant ? constant->operand_count : 0;
    if (!geo_op_is(op, GEO_IS_POINTER_STEP)) {
        return NULL;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint64_t bits;
        if (!geo_ir_constant_bits(operands[i], &bits) || bits != 0) {
            return NULL;
        }
    }
    return count ? operands[0] : NULL;
}

static const struct geo_ir_constant *initial_value(struct geo_ir_value *pointer)
{
    for (uint32_t i = 0; i < STEP_LIMIT && pointer; i++) {
        const struct geo_ir_variable *variable = geo_ir_as_variable(pointer);
        if (variable) {
            return variable->initializer ? geo_ir_as_constant(variable->initializer) : NULL;
        }
        pointer = step_back(pointer);
    }
    return NULL;
}

/* Reads the characters of a constant string. Returns false if the string is unknown or too long. */
static bool format_read(struct geo_ir_value *pointer, char text[FORMAT_LIMIT], size_t *length)
{
    const struct geo_ir_constant *value = initial_value(pointer);
    const struct geo_ir_type *type = value ? value->value.type : NULL;
    if (!type || type->kind != GEO_TYPE_ARRAY || type->element->kind != GEO_TYPE_INT ||
        type->element->width != 8 || !value->members) {
        return false;
    }
    for (uint64_t i = 0; i < type->count && i < FORMAT_LIMIT; i++) {
        uint64_t bits;
        if (!geo_ir_constant_bits(value->members[i], &bits)) {
            return false;
        }
        if (bits == 0) {
            *length = i;
            return true;
        }
        text[i] = (char)bits;
    }
    return false;
}

static const char *function_name(const struct geo_ir_function *function)
{
    return function->entry_name     ? function->entry_name
           : function->linkage_name ? function->linkage_name
           : function->value.name   ? function->value.name
                                    : "a function";
}

static void directive_note(const struct geo_ir_inst *inst, const char *text, size_t length,
                           uint32_t argument, struct geo_strbuf *log)
{
    bool missing = argument >= inst->operand_count;
    geo_strbuf_printf(log, "note: %s: printf prints \"%.*s\" literally: ",
                      function_name(inst->block->function), (int)length, text);
    if (missing) {
        geo_strbuf_printf(log, "argument %u is missing\n", argument);
    } else {
        geo_strbuf_printf(log, "it does not fit argument %u\n", argument);
    }
}

static void format_check(const struct geo_ir_inst *inst, const char *format, size_t length,
                         struct geo_strbuf *log)
{
    uint32_t argument = 1; /* operand 0 is the format */
    for (size_t at = 0; at < length;) {
        struct geo_cl_directive directive;
        struct geo_cl_type type;
        if (format[at] != '%') {
            at++;
            continue;
        }
        geo_cl_directive_parse(format + at, length - at, &directive);
        if (!directive.conversion) {
            geo_strbuf_printf(log, "note: %s: printf has an unknown directive \"%.*s\"\n",
                              function_name(inst->block->function),
                              (int)(directive.length + (at + directive.length < length)),
                              format + at);
        } else if (directive.conversion != '%') {
            bool fits = argument < inst->operand_count &&
                        geo_print_type(inst->operands[argument]->type, &type) &&
                        geo_cl_directive_fits(&directive, &type);
            if (!fits) {
                directive_note(inst, format + at, directive.length, argument, log);
            }
            argument++;
        }
        at += directive.length;
    }
}

void geo_print_check(const struct geo_ir_module *module, struct geo_strbuf *log)
{
    char format[FORMAT_LIMIT];
    size_t length;
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                if (geo_print_is(inst) && inst->operand_count &&
                    format_read(inst->operands[0], format, &length)) {
                    format_check(inst, format, length, log);
                }
            }
        }
    }
}
