/* Calls of image.cl's functions in the place of instructions on images: shared by images.c and
 * image_blocks.c. */
#ifndef GEO_COMPILER_BUILTINS_IMAGE_CALL_H
#define GEO_COMPILER_BUILTINS_IMAGE_CALL_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

#define GEO_IMAGE_MAX_ARGUMENTS 9u

/* A call being put together: the function, the surface, whatever is added. */
struct geo_image_call {
    struct geo_ir_function *function;
    const struct geo_ir_type *type;
    struct geo_ir_value *operands[GEO_IMAGE_MAX_ARGUMENTS];
    uint32_t count;
};

/* Of geo_image_<name> with the surface of `image`, an image or a sampled one. False: memory ran
 * out. */
bool geo_image_call_begin(struct geo_image_call *call, struct geo_builtins_functions *functions,
                          struct geo_writer *writer, const char *name, struct geo_ir_value *image);
void geo_image_call_add(struct geo_image_call *call, struct geo_ir_value *argument);
struct geo_ir_value *geo_image_call_end(struct geo_image_call *call, struct geo_writer *writer);

/* What an image or a sampled image is. */
const struct geo_ir_image *geo_image_of(const struct geo_ir_value *value);
/* Coordinates, without an array's layer. */
uint32_t geo_image_dims(const struct geo_ir_image *image);
/* The instruction that made a value, if it is one of these. */
struct geo_ir_inst *geo_image_made_by(struct geo_ir_value *value, uint32_t op);
/* What stands for an image or a sampler, or the other way, by the type that is wanted. */
struct geo_ir_value *geo_image_handle(struct geo_writer *writer, const struct geo_ir_type *type,
                                      struct geo_ir_value *value);

#endif
