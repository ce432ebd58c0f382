/* Life of a pass: scratch memory, failures, constants. See pass.h. */
#include "compiler/transform/pass/pass.h"

#include <stdarg.h>
#include <stdio.h>

bool geo_pass_begin(struct geo_pass *pass, struct geo_ir_module *module, struct geo_strbuf *log)
{
    *pass = (struct geo_pass){.module = module, .log = log, .optimize = true};
    geo_arena_init(&pass->arena, 0);
    pass->type_void = geo_ir_type_void(module);
    pass->type_bool = geo_ir_type_bool(module);
    pass->type_i8 = geo_ir_type_int(module, 8);
    pass->type_i32 = geo_ir_type_int(module, 32);
    pass->type_i64 = geo_ir_type_int(module, 64);
    return (pass->type_void && pass->type_bool && pass->type_i8 && pass->type_i32 &&
            pass->type_i64) ||
           geo_pass_no_memory(pass);
}

ze_result_t geo_pass_end(struct geo_pass *pass)
{
    geo_arena_finish(&pass->arena);
    return pass->result;
}

ze_result_t geo_pass_each(struct geo_ir_module *module, struct geo_strbuf *log,
                          bool (*visit)(struct geo_pass *pass, struct geo_ir_inst *inst),
                          bool (*rest)(struct geo_pass *pass, struct geo_ir_function *function))
{
    struct geo_pass pass;
    if (!geo_pass_begin(&pass, module, log)) {
        return geo_pass_end(&pass);
    }
    geo_ir_for_each_function(function, module) {
        bool good = true;
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                good = good && visit(&pass, inst);
            }
        }
        if (!good || (rest && !rest(&pass, function))) {
            break;
        }
        geo_ir_function_resolve(function);
    }
    return geo_pass_end(&pass);
}

bool geo_pass_no_memory(struct geo_pass *pass)
{
    if (pass->result == ZE_RESULT_SUCCESS) {
        if (pass->module->arena.limit_met && pass->log) {
            geo_strbuf_printf(pass->log, "error: the module becomes too large: the limit "
                                         "follows from its size before the build\n");
        }
        pass->result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    return false;
}

bool geo_pass_fail(struct geo_pass *pass, const char *format, ...)
{
    if (pass->result == ZE_RESULT_SUCCESS) {
        va_list args;
        va_start(args, format);
        geo_strbuf_printf(pass->log, "error: ");
        geo_strbuf_vprintf(pass->log, format, args);
        geo_strbuf_printf(pass->log, "\n");
        va_end(args);
        pass->result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    return false;
}

const char *geo_pass_function_label(const struct geo_ir_function *function, char *buffer,
                                    size_t size)
{
    const char *name = function->is_kernel      ? function->entry_name
                       : function->linkage_name ? function->linkage_name
                                                : function->value.name;
    const char *what = function->is_kernel ? "kernel" : "function";
    if (name) {
        snprintf(buffer, size, "%s \"%.200s\"", what, name);
    } else {
        snprintf(buffer, size, "%s %%%u", what, function->value.id);
    }
    return buffer;
}

static struct geo_ir_value *made(struct geo_pass *pass, struct geo_ir_value *value)
{
    if (!value) {
        geo_pass_no_memory(pass);
    }
    return value;
}

struct geo_ir_value *geo_pass_int(struct geo_pass *pass, const struct geo_ir_type *type,
                                  uint64_t bits)
{
    return made(pass, geo_ir_const_int(pass->module, type, bits));
}

struct geo_ir_value *geo_pass_undef(struct geo_pass *pass, const struct geo_ir_type *type)
{
    return made(pass, geo_ir_const_undef(pass->module, type));
}

SpvOp geo_pass_compare_inverse(SpvOp op)
{
    static const SpvOp pairs[][2] = {
        {SpvOpIEqual, SpvOpINotEqual},
        {SpvOpUGreaterThan, SpvOpULessThanEqual},
        {SpvOpSGreaterThan, SpvOpSLessThanEqual},
        {SpvOpULessThan, SpvOpUGreaterThanEqual},
        {SpvOpSLessThan, SpvOpSGreaterThanEqual},
        {SpvOpFOrdEqual, SpvOpFUnordNotEqual},
        {SpvOpFOrdNotEqual, SpvOpFUnordEqual},
        {SpvOpFOrdLessThan, SpvOpFUnordGreaterThanEqual},
        {SpvOpFOrdGreaterThan, SpvOpFUnordLessThanEqual},
        {SpvOpFOrdLessThanEqual, SpvOpFUnordGreaterThan},
        {SpvOpFOrdGreaterThanEqual, SpvOpFUnordLessThan},
        {SpvOpLogicalEqual, SpvOpLogicalNotEqual},
        {SpvOpPtrEqual, SpvOpPtrNotEqual},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (pairs[i][0] == op) {
            return pairs[i][1];
        }
        if (pairs[i][1] == op) {
            return pairs[i][0];
        }
    }
    return SpvOpNop;
}
