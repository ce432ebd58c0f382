/* Implements the state of a function being lowered; see function.h. */
#include "compiler/lower/state/function.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>

void geo_state_function_init(struct geo_lower_function *f, struct geo_lower *lower,
                             const struct geo_ir_function *function, uint32_t lanes,
                             struct geo_arena *arena)
{
    GEO_ASSERT(lanes && (lanes & (lanes - 1)) == 0 && lanes <= GEO_LOWER_LANES_LIMIT);
    GEO_ASSERT(lanes == 1 || lower->machine->vectors);
    *f = (struct geo_lower_function){
        .lower = lower,
        .module = lower->module,
        .function = function,
        .options = lower->options,
        .lanes = lanes,
        .llvm = {.context = lower->context, .module = lower->llvm_module},
        .log = lower->log,
        .arena = arena,
    };
}

void geo_state_module_scope(struct geo_lower_function *f, struct geo_lower *lower,
                            struct geo_arena *arena)
{
    geo_arena_init(arena, GEO_LOWER_ARENA_LIMIT);
    geo_state_function_init(f, lower, NULL, 1, arena);
    f->llvm.builder = LLVMCreateBuilderInContext(lower->context);
}

void geo_state_module_scope_finish(struct geo_lower_function *f)
{
    GEO_ASSERT(!f->function && f->lanes >= 1 && f->lanes <= GEO_LOWER_LANES_LIMIT);
    f->lower->no_memory |= f->no_memory;
    LLVMDisposeBuilder(f->llvm.builder);
    geo_arena_finish(f->arena);
}

void geo_state_error(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                     const char *format, ...)
{
    if (f->failed) {
        return;
    }
    f->failed = true;
    if (inst) {
        geo_strbuf_printf(f->log, "%s %%%u at word %u: ", geo_op_name(inst->op), inst->value.id,
                          inst->word_offset);
    }
    va_list args;
    va_start(args, format);
    geo_strbuf_vprintf(f->log, format, args);
    va_end(args);
    geo_strbuf_add(f->log, "\n", 1);
}

void geo_state_no_memory(struct geo_lower_function *f)
{
    f->failed = true;
    f->no_memory = true;
}

const char *geo_state_label(const struct geo_ir_value *value, char *buffer, size_t size)
{
    if (value->name && value->name[0]) {
        snprintf(buffer, size, "\"%.200s\" (%%%u)", value->name, value->id);
    } else {
        snprintf(buffer, size, "%%%u", value->id);
    }
    return buffer;
}
