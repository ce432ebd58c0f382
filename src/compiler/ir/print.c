/* Prints the model as text, one instruction a line, similar to spirv-dis. For GEOID_DUMP, tests and
 * debuggers.
 *
 * Debug information follows an instruction behind "  ; ": its place in the source, then the calls
 * that were inlined around it. Each debug record is a line of its own that begins with "    ; ". */
#include "compiler/ir/print.h"

#include "compiler/ir/debug.h"
#include "compiler/ir/grammar.h"

#include <inttypes.h>
#include <stdio.h>

/* Deeper levels of a nested type are printed as "...": hostile types stay short. */
#define MAX_DEPTH 4

static const char *storage_name(SpvStorageClass storage)
{
    switch (storage) {
    case SpvStorageClassUniformConstant:
        return "constant";
    case SpvStorageClassInput:
        return "input";
    case SpvStorageClassWorkgroup:
        return "local";
    case SpvStorageClassCrossWorkgroup:
        return "global";
    case SpvStorageClassPrivate:
        return "module";
    case SpvStorageClassFunction:
        return "private";
    case SpvStorageClassGeneric:
        return "generic";
    default:
        return "storage?";
    }
}

static void print_type(const struct geo_ir_type *type, struct geo_strbuf *out, int depth)
{
    if (depth > MAX_DEPTH) {
        geo_strbuf_printf(out, "...");
        return;
    }
    switch (type->kind) {
    case GEO_TYPE_VOID:
        geo_strbuf_printf(out, "void");
        break;
    case GEO_TYPE_BOOL:
        geo_strbuf_printf(out, "bool");
        break;
    case GEO_TYPE_INT:
        geo_strbuf_printf(out, geo_ir_is_bfloat(type) ? "bf%u" : "i%u", geo_ir_int_bits(type));
        break;
    case GEO_TYPE_FLOAT:
        geo_strbuf_printf(out, "f%u", type->width);
        break;
    case GEO_TYPE_VECTOR:
        geo_strbuf_printf(out, "<%" PRIu64 " x ", type->count);
        print_type(type->element, out, depth + 1);
        geo_strbuf_printf(out, ">");
        break;
    case GEO_TYPE_ARRAY:
        geo_strbuf_printf(out, "[%" PRIu64 " x ", type->count);
        print_type(type->element, out, depth + 1);
        geo_strbuf_printf(out, "]");
        break;
    case GEO_TYPE_STRUCT:
        geo_strbuf_printf(out, "%s{", type->packed ? "packed" : "");
        for (uint64_t i = 0; i < type->count && i < 8; i++) {
            geo_strbuf_printf(out, "%s", i ? ", " : "");
            print_type(type->members[i], out, depth + 1);
        }
        geo_strbuf_printf(out, "%s}", type->count > 8 ? ", ..." : "");
        break;
    case GEO_TYPE_POINTER:
        if (type->element) {
            print_type(type->element, out, depth + 1);
        }
        geo_strbuf_printf(out, " %s*", storage_name(type->storage));
        break;
    case GEO_TYPE_FUNCTION:
        geo_strbuf_printf(out, "function");
        break;
    case GEO_TYPE_OPAQUE:
        geo_strbuf_printf(out, "%s", geo_op_name(type->opaque));
        if (type->opaque == SpvOpTypeImage) {
            geo_strbuf_printf(out, "(%u%s%s)", type->image.dim, type->image.arrayed ? "[]" : "",
                              type->image.depth ? " depth" : "");
        }
        break;
    }
}

static void print_constant(const struct geo_ir_constant *constant, struct geo_strbuf *out)
{
    const struct geo_ir_type *type = constant->value.type;
    if (constant->op != SpvOpNop) {
        geo_strbuf_printf(out, "(%s)", geo_op_name(constant->op));
    } else if (constant->is_null) {
        geo_strbuf_printf(out, "null");
    } else if (constant->members) {
        geo_strbuf_printf(out, "{...}");
    } else if (type->kind == GEO_TYPE_FLOAT) {
        geo_strbuf_printf(out, "0x%" PRIx64, constant->bits);
    } else {
        geo_strbuf_printf(out, "%" PRIu64, constant->bits);
    }
}

static void print_value(const struct geo_ir_value *value, struct geo_strbuf *out)
{
    switch (value->kind) {
    case GEO_VALUE_CONSTANT:
        print_constant((const struct geo_ir_constant *)value, out);
        break;
    case GEO_VALUE_UNDEF:
        geo_strbuf_printf(out, "undef");
        break;
    case GEO_VALUE_VARIABLE:
        geo_strbuf_printf(out, "@%u", value->index);
        break;
    case GEO_VALUE_FUNCTION: {
        const struct geo_ir_function *function = (const struct geo_ir_function *)value;
        const char *name = function->is_kernel ? function->entry_name : function->linkage_name;
        geo_strbuf_printf(out, "@%s", name ? name : value->name ? value->name : "function");
        break;
    }
    default:
        geo_strbuf_printf(out, "%%%u", value->index);
        break;
    }
}

/* ---- debug information ---- */

static void print_location(const struct geo_ir_module *module, uint32_t number,
                           struct geo_strbuf *out)
{
    const struct geo_ir_location *at = geo_ir_location(module, number);
    for (const char *between = ""; at; between = " < ") {
        const struct geo_ir_scope *scope = at->scope;
        while (scope && scope->kind == GEO_SCOPE_BLOCK) {
            scope = scope->parent;
        }
        geo_strbuf_printf(out, "%s%s:%u:%u", between,
                          at->file && at->file->name ? at->file->name : "?", at->line, at->column);
        if (scope && scope->name) {
            geo_strbuf_printf(out, " %s", scope->name);
        }
        at = geo_ir_location(module, at->inlined_at);
    }
}

static void print_record(const struct geo_ir_module *module, const struct geo_ir_record *record,
                         struct geo_strbuf *out)
{
    static const char *const steps[] = {
        [GEO_STEP_DEREF] = "deref",
        [GEO_STEP_PLUS] = "plus",
        [GEO_STEP_MINUS] = "minus",
        [GEO_STEP_ADD_CONSTANT] = "add",
        [GEO_STEP_CONSTANT] = "constant",
        [GEO_STEP_SWAP] = "swap",
        [GEO_STEP_PART] = "part",
        [GEO_STEP_ZERO_EXTEND] = "zero extend",
        [GEO_STEP_SIGN_EXTEND] = "sign extend",
    };
    geo_strbuf_printf(out, "    ; %s", record->variable->name ? record->variable->name : "?");
    if (record->fragment_size) {
        geo_strbuf_printf(out, " bits %" PRIu64 "+%" PRIu64, record->fragment_offset,
                          record->fragment_size);
    }
    if (record->place == GEO_PLACE_UNKNOWN) {
        geo_strbuf_printf(out, " is unknown");
    } else {
        geo_strbuf_printf(out, record->place == GEO_PLACE_VALUE ? " is " : " is at ");
        print_value(record->value, out);
    }
    for (uint32_t i = 0; record->steps && i < record->steps->count; i++) {
        const struct geo_ir_debug_step *step = &record->steps->items[i];
        geo_strbuf_printf(out, ", %s", steps[step->kind]);
        if (step->number || step->kind == GEO_STEP_CONSTANT || step->kind == GEO_STEP_PART) {
            geo_strbuf_printf(out, " %" PRId64, (int64_t)step->number);
        }
    }
    geo_strbuf_printf(out, "; ");
    print_location(module, record->location, out);
    geo_strbuf_printf(out, "\n");
}

static void print_inst(const struct geo_ir_inst *inst, struct geo_strbuf *out)
{
    const struct geo_ir_module *module = inst->block->function->module;
    geo_ir_for_each_record(record, inst)
    {
        print_record(module, record, out);
    }
    geo_strbuf_printf(out, "    ");
    if (inst->value.type->kind != GEO_TYPE_VOID) {
        geo_strbuf_printf(out, "%%%u = ", inst->value.index);
    }
    geo_strbuf_printf(out, "%s", geo_op_name(inst->op));
    if (inst->op == SpvOpExtInst) {
        const struct geo_grammar *ext = geo_grammar_find_opencl(inst->literals[1]);
        geo_strbuf_printf(out, " %s", ext ? ext->name : "?");
    }
    if (inst->value.type->kind != GEO_TYPE_VOID) {
        geo_strbuf_printf(out, " ");
        print_type(inst->value.type, out, 0);
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        geo_strbuf_printf(out, " ");
        print_value(inst->operands[i], out);
    }
    for (uint32_t i = inst->op == SpvOpExtInst ? 2 : 0; i < inst->literal_count; i++) {
        geo_strbuf_printf(out, " #%u", inst->literals[i]);
    }
    for (uint32_t i = 0; i < inst->target_count; i++) {
        geo_strbuf_printf(out, " ->%u", inst->targets[i]->index);
    }
    if (inst->memory_align) {
        geo_strbuf_printf(out, " align %u", inst->memory_align);
    }
    if (inst->memory_flags & SpvMemoryAccessVolatileMask) {
        geo_strbuf_printf(out, " volatile");
    }
    if (inst->location) {
        geo_strbuf_printf(out, "  ; ");
        print_location(module, inst->location, out);
    }
    geo_strbuf_printf(out, "\n");
}

static void print_function(const struct geo_ir_function *function, struct geo_strbuf *out)
{
    geo_strbuf_printf(out, "%s ", function->is_kernel ? "kernel" : "function");
    print_value(&function->value, out);
    geo_strbuf_printf(out, "(");
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        geo_strbuf_printf(out, "%s", i ? ", " : "");
        print_type(function->parameters[i]->type, out, 0);
        geo_strbuf_printf(out, " %%%u", function->parameters[i]->index);
    }
    geo_strbuf_printf(out, ") -> ");
    print_type(function->value.type->element, out, 0);
    geo_strbuf_printf(out, "%s\n", function->first_block ? "" : " import");
    geo_ir_for_each_block(block, function) {
        geo_strbuf_printf(out, "  %u:\n", block->index);
        geo_ir_for_each_inst(inst, block) {
            print_inst(inst, out);
        }
    }
}

void geo_ir_print(const struct geo_ir_module *module, struct geo_strbuf *out)
{
    for (size_t i = 0; i < module->variables.count; i++) {
        const struct geo_ir_variable *variable = module->variables.items[i];
        geo_strbuf_printf(out, "@%u = ", variable->value.index);
        print_type(variable->value.type, out, 0);
        geo_strbuf_printf(out, " %s\n", variable->linkage_name ? variable->linkage_name : "");
    }
    geo_ir_for_each_function(function, module) {
        geo_ir_function_number(function);
        print_function(function, out);
    }
}
