/* The SPIR-V reader: the table of ids with the definition of each, and its look-ups. */
#ifndef GEO_COMPILER_SPIRV_ID_H
#define GEO_COMPILER_SPIRV_ID_H

#include "compiler/spirv/state.h"

/* Kinds of objects that an id names. ID_NONE: not defined yet. */
enum spirv_id_kind {
    ID_NONE,
    ID_TYPE,
    ID_VALUE,
    ID_BLOCK,
    ID_STRING,
    ID_EXT_OPENCL,
    ID_EXT_DEBUG,   /* a debug instruction set that is read (debug.h) */
    ID_EXT_IGNORED, /* a non-semantic instruction set, or a result of its instructions */
    ID_DEBUG,       /* the result of a debug instruction */
    ID_GROUP,       /* decoration group or aliasing scope: used by annotations only */
    ID_MISPLACED,   /* a variable of Function storage outside of functions: cannot be used */
};

/* The entry of one id in the reader's table. */
struct spirv_id {
    enum spirv_id_kind kind;
    union {
        const struct geo_ir_type *type;
        struct geo_ir_value *value;
        struct geo_ir_block *block;
        const char *string;
        struct debug_item *debug; /* NULL: dropped */
        uint32_t debug_set;       /* enum geo_debug_set */
    };
    const char *name;
    struct spirv_decoration *decorations; /* decoration.h */
    uint32_t phi_at, phi_value; /* of a block: the last phi that names it, and the value there */
};

/* Returns the entry of an id; NULL with an error if the id is out of bounds. */
struct spirv_id *spirv_id(struct spirv_reader *reader, uint32_t id);
/* Returns the entry of a new result id; NULL with an error if it is out of bounds or already
 * defined. */
struct spirv_id *spirv_define(struct spirv_reader *reader, uint32_t id);
/* Returns a type that is already defined; NULL with an error. */
const struct geo_ir_type *spirv_type(struct spirv_reader *reader, uint32_t id);
/* The next two return a value, and a constant, that is already defined; NULL with an error. */
struct geo_ir_value *spirv_value(struct spirv_reader *reader, uint32_t id);
struct geo_ir_value *spirv_constant(struct spirv_reader *reader, uint32_t id);
/* Returns the storage class of a word. The classes of SPV_INTEL_usm_storage_classes become global
 * memory, since device and host memory are the same here. */
SpvStorageClass spirv_storage(uint32_t word);
/* Defines an id as `value`, and gives the value its name and decorations. `value` NULL: reports
 * that memory ran out. */
bool spirv_define_value(struct spirv_reader *reader, uint32_t id, struct geo_ir_value *value);

#endif
