/* Replaces the calls of C's assert by one instruction (GEO_OP_ASSERT_FAIL).
 *
 *     void __devicelib_assert_fail(expression, file, line, function, gid0, gid1, gid2, lid0, ...)
 *     void __assert_fail(expression, file, line, function)      glibc's; the ids are added here
 *
 * DPC++'s libraries define the second by the first, and leave the first to the device. */
#include "compiler/builtins/imports_assert.h"

#include <string.h>

#define GIVEN 4u /* expression, file, line, function */
#define IDS   6u

static bool arguments_fit(const struct geo_ir_inst *call, uint32_t count)
{
    if (call->operand_count != count + 1 || call->value.type->kind != GEO_TYPE_VOID) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_line = i == 2, is_id = i >= GIVEN;
        enum geo_ir_type_kind wanted = is_line || is_id ? GEO_TYPE_INT : GEO_TYPE_POINTER;
        if (call->operands[i + 1]->type->kind != wanted) {
            return false;
        }
    }
    return true;
}

bool geo_builtins_imports_assert(struct geo_writer *writer, struct geo_ir_inst *call,
                                 const char *name)
{
    bool with_ids = strcmp(name, "__devicelib_assert_fail") == 0;
    uint32_t given = with_ids ? GIVEN + IDS : GIVEN;
    if ((!with_ids && strcmp(name, "__assert_fail") != 0) || !arguments_fit(call, given)) {
        return false;
    }
    struct geo_ir_value *operands[GIVEN + IDS];
    memcpy(operands, call->operands + 1, given * sizeof(operands[0]));
    for (uint32_t i = given; i < GIVEN + IDS; i++) {
        const uint32_t literals[] = {i < GIVEN + 3 ? SpvBuiltInGlobalInvocationId
                                                   : SpvBuiltInLocalInvocationId,
                                     (i - GIVEN) % 3};
        operands[i] = geo_write_op(writer, (SpvOp)GEO_OP_BUILTIN,
                                   geo_ir_type_int(writer->module, 64), 0, NULL, 2, literals);
    }
    if (!geo_write_op(writer, (SpvOp)GEO_OP_ASSERT_FAIL, call->value.type, GIVEN + IDS, operands, 0,
                      NULL)) {
        return false;
    }
    geo_write_replace(call, NULL);
    return true;
}
