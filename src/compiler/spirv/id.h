/* What is known of each id of a module, and how it comes to be known. */
#ifndef GEO_COMPILER_SPIRV_ID_H
#define GEO_COMPILER_SPIRV_ID_H

#include "compiler/spirv/state.h"

enum spirv_id_kind {
    ID_NONE,
    ID_TYPE,
    ID_VALUE,
    ID_BLOCK,
    ID_STRING,
    ID_EXT_OPENCL,
    ID_EXT_IGNORED, /* a debug or non-semantic instruction set, or a result of one */
    ID_GROUP,       /* decoration groups, aliasing scopes: only annotations speak of them */
    ID_MISPLACED,   /* a variable that no function can have */
};

struct spirv_id {
    enum spirv_id_kind kind;
    union {
        const struct geo_ir_type *type;
        struct geo_ir_value *value;
        struct geo_ir_block *block;
        const char *string;
    };
    const char *name;
    struct spirv_decoration *decorations; /* decoration.h */
    uint32_t phi_at, phi_value; /* of a block: the last phi that names it, and the value */
};

/* The entry of an id, NULL with an error when it is out of bounds. */
struct spirv_id *spirv_id(struct spirv_reader *reader, uint32_t id);
/* The entry of a new result: in bounds and not yet defined. */
struct spirv_id *spirv_define(struct spirv_reader *reader, uint32_t id);
const struct geo_ir_type *spirv_type(struct spirv_reader *reader, uint32_t id);
/* A value already defined. */
struct geo_ir_value *spirv_value(struct spirv_reader *reader, uint32_t id);
struct geo_ir_value *spirv_constant(struct spirv_reader *reader, uint32_t id);
/* The storage class that a word stands for: where USM lies (SPV_INTEL_usm_storage_classes) makes no
 * difference here, all of it is global memory. */
SpvStorageClass spirv_storage(uint32_t word);
/* Makes `value` the meaning of id: name, decorations. NULL: memory ran out making it. */
bool spirv_define_value(struct spirv_reader *reader, uint32_t id, struct geo_ir_value *value);

#endif
