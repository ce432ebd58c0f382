/* Helpers for replacing image instructions by calls of image.cl's functions. images.c and
 * image_blocks.c use them. */
#ifndef GEO_COMPILER_BUILTINS_IMAGE_CALL_H
#define GEO_COMPILER_BUILTINS_IMAGE_CALL_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

#define GEO_IMAGE_MAX_ARGUMENTS 9u

/* A call under construction: the function, the surface and further arguments. */
struct geo_image_call {
    struct geo_ir_function *function;
    const struct geo_ir_type *type;
    struct geo_ir_value *operands[GEO_IMAGE_MAX_ARGUMENTS];
    uint32_t count;
};

/* Starts a call of geo_image_<name> with the surface of `image`, which is an image or a sampled
 * image. Returns false when memory runs out. */
bool geo_image_call_begin(struct geo_image_call *call, struct geo_builtins_functions *functions,
                          struct geo_writer *writer, const char *name, struct geo_ir_value *image);
/* Adds an argument. */
void geo_image_call_add(struct geo_image_call *call, struct geo_ir_value *argument);
/* Writes the call and returns its result, or NULL when memory runs out. */
struct geo_ir_value *geo_image_call_end(struct geo_image_call *call, struct geo_writer *writer);

/* Returns the properties of an image or of a sampled image. */
const struct geo_ir_image *geo_image_call_of(const struct geo_ir_value *value);
/* Returns the number of coordinates, without the layer of an array. */
uint32_t geo_image_call_dims(const struct geo_ir_image *image);
/* Returns the instruction that computed a value if it has this opcode, otherwise NULL. */
struct geo_ir_inst *geo_image_call_made_by(struct geo_ir_value *value, uint32_t op);
/* Converts an image or sampler to its handle, or a handle to an image or sampler, depending on
 * `type`. */
struct geo_ir_value *geo_image_call_handle(struct geo_writer *writer,
                                           const struct geo_ir_type *type,
                                           struct geo_ir_value *value);

#endif
