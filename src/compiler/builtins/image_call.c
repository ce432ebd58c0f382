/* Writes calls of image.cl's functions. See image_call.h. */
#include "compiler/builtins/image_call.h"

#include "base/assert.h"
#include "compiler/ir/access.h"
#include "compiler/ir/grammar.h"

#include <stdio.h>

/* ---- properties of images ---- */

const struct geo_ir_image *geo_image_call_of(const struct geo_ir_value *value)
{
    const struct geo_ir_type *type = value->type;
    return type->opaque == SpvOpTypeSampledImage ? &type->element->image : &type->image;
}

uint32_t geo_image_call_dims(const struct geo_ir_image *image)
{
    return image->dim == SpvDim2D ? 2 : image->dim == SpvDim3D ? 3 : 1;
}

struct geo_ir_inst *geo_image_call_made_by(struct geo_ir_value *value, uint32_t op)
{
    struct geo_ir_inst *inst = geo_ir_as_inst(geo_ir_value_end(value));
    return inst && (uint32_t)inst->op == op ? inst : NULL;
}

struct geo_ir_value *geo_image_call_handle(struct geo_writer *writer,
                                           const struct geo_ir_type *type,
                                           struct geo_ir_value *value)
{
    return geo_write_1(writer, (SpvOp)GEO_OP_HANDLE, type, value);
}

/* Returns the address of an image's surface, in the type that the functions expect. */
static struct geo_ir_value *surface(struct geo_writer *writer, const struct geo_ir_type *type,
                                    struct geo_ir_value *image)
{
    struct geo_ir_inst *sampled = geo_image_call_made_by(image, SpvOpSampledImage);
    image = sampled ? sampled->operands[0] : image;
    struct geo_ir_inst *bindless =
        geo_image_call_made_by(image, GEO_SPV_CONVERT_HANDLE_TO_SAMPLED_IMAGE_INTEL);
    return bindless ? geo_write_1(writer, SpvOpConvertUToPtr, type, bindless->operands[0])
                    : geo_image_call_handle(writer, type, image);
}

/* ---- calls ---- */

/* Marks the function's loads of surfaces and tables as invariant, because these do not change while
 * a kernel runs. */
static void loads_mark(struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpLoad &&
                inst->operands[0]->type->storage == SpvStorageClassUniformConstant) {
                inst->memory_flags |= GEO_ACCESS_INVARIANT;
            }
        }
    }
}

bool geo_image_call_begin(struct geo_image_call *call, struct geo_builtins_functions *functions,
                          struct geo_writer *writer, const char *name, struct geo_ir_value *image)
{
    char text[64];
    snprintf(text, sizeof(text), "geo_image_%s", name);
    call->function = geo_builtins_function(functions, text, &writer->out_of_memory);
    if (!call->function) {
        writer->out_of_memory = true; /* the library has all of these functions */
        return false;
    }
    if (!(call->function->control & SpvFunctionControlInlineMask)) {
        call->function->control = SpvFunctionControlInlineMask;
        loads_mark(call->function);
    }
    call->type = call->function->value.type->element;
    call->operands[0] = &call->function->value;
    call->operands[1] = surface(writer, call->function->parameters[0]->type, image);
    call->count = 2;
    return true;
}

void geo_image_call_add(struct geo_image_call *call, struct geo_ir_value *argument)
{
    GEO_ASSERT(call->count < GEO_IMAGE_MAX_ARGUMENTS); /* image.cl's functions have fewer */
    call->operands[call->count++] = argument;
}

struct geo_ir_value *geo_image_call_end(struct geo_image_call *call, struct geo_writer *writer)
{
    return geo_write_op(writer, SpvOpFunctionCall, call->type, call->count, call->operands, 0,
                        NULL);
}
