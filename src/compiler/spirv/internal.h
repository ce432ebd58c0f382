/* What the reader's files share: the state of one reading. Nothing outside spirv/ includes this.
 *
 *     reader.c      header, word stream, sections, dispatch
 *     decoration.c  names, decorations, entry points, execution modes
 *     type.c        types        constant.c  constants and module variables
 *     function.c    functions and blocks      instruction.c  what is in them
 *     reference.c   ids used ahead            entry_point.c  the end of the module
 *     capability.c  what we accept            quirks.c       what producers get wrong */
#ifndef GEO_COMPILER_SPIRV_INTERNAL_H
#define GEO_COMPILER_SPIRV_INTERNAL_H

#include "compiler/ir/grammar.h"
#include "compiler/spirv/reader.h"

#include <stdarg.h>

enum spirv_id_kind {
    ID_NONE,
    ID_TYPE,
    ID_VALUE,
    ID_BLOCK,
    ID_STRING,
    ID_EXT_OPENCL,
    ID_EXT_IGNORED, /* a debug or non-semantic instruction set, or a result of one */
    ID_GROUP, /* decoration group, aliasing scope and other things only referred to by annotations
               */
};

struct spirv_decoration {
    struct spirv_decoration *next;
    uint32_t kind;  /* SpvDecoration */
    int32_t member; /* of a struct; -1: the whole */
    uint32_t count; /* of words */
    const uint32_t *words;
};

/* Everything known of an id. */
struct spirv_id {
    enum spirv_id_kind kind;
    union {
        const struct geo_ir_type *type;
        struct geo_ir_value *value;
        struct geo_ir_block *block;
        const char *string;
    };
    const char *name;
    struct spirv_decoration *decorations;
};

struct spirv_entry_point {
    uint32_t function_id;
    const char *name;
    struct spirv_entry_point *next;
};

struct spirv_mode {
    uint32_t function_id;
    uint32_t mode; /* SpvExecutionMode */
    uint32_t count;
    const uint32_t *words;
    bool by_id; /* OpExecutionModeId: words are ids of constants */
    struct spirv_mode *next;
};

/* An operand whose id had no meaning yet when it was read. */
struct spirv_fixup {
    struct spirv_fixup *next;
    struct geo_ir_value **slot;
    uint32_t id;
    uint32_t word_offset;
};

struct spirv_reader {
    struct geo_ir_module *module;
    struct geo_strbuf *log;
    const struct geo_spirv_options *options;
    const uint32_t *words; /* the whole module, host order */
    size_t word_count;
    struct spirv_id *ids; /* [id_bound] */
    uint32_t id_bound;
    bool failed;
    bool out_of_memory;

    /* the current instruction */
    size_t at; /* word offset */
    uint32_t op;
    uint32_t length;          /* words, with the first */
    const uint32_t *operands; /* after the first word */

    struct spirv_entry_point *entry_points;
    struct spirv_mode *modes;
    struct spirv_fixup *calls; /* forward references to functions: resolved at the end */
    bool has_memory_model;

    struct geo_ir_function *function; /* being read; NULL outside */
    uint32_t parameters_read;
    struct geo_ir_block *block; /* being read; NULL between blocks */
    struct spirv_fixup *fixups; /* of this function */
    const struct geo_ir_line *line;
};

/* Records the first error as "<OpName> at word <offset>: <text>". Always false, so that callers
 * return it. */
bool spirv_error(struct spirv_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool spirv_out_of_memory(struct spirv_reader *reader);

/* Number of operand words of the current instruction; false with an error when fewer than `count`.
 */
static inline uint32_t spirv_operand_count(const struct spirv_reader *reader)
{
    return reader->length - 1;
}
bool spirv_need(struct spirv_reader *reader, uint32_t count);

/* The entry of an id, NULL with an error when it is out of bounds. */
struct spirv_id *spirv_id(struct spirv_reader *reader, uint32_t id);
/* The entry of a new result: in bounds and not yet defined. */
struct spirv_id *spirv_define(struct spirv_reader *reader, uint32_t id);
const struct geo_ir_type *spirv_type(struct spirv_reader *reader, uint32_t id);
/* A value already defined. */
struct geo_ir_value *spirv_value(struct spirv_reader *reader, uint32_t id);
struct geo_ir_value *spirv_constant(struct spirv_reader *reader, uint32_t id);
/* Makes `value` the meaning of id: name, decorations. */
bool spirv_define_value(struct spirv_reader *reader, uint32_t id, struct geo_ir_value *value);
/* A literal string in words[0 .. count): terminated within them. *used: its words. */
const char *spirv_string(struct spirv_reader *reader, const uint32_t *words, uint32_t count,
                         uint32_t *used);
const struct spirv_decoration *spirv_decoration_find(const struct spirv_id *entry, uint32_t kind);
/* Turns decorations into flags and alignment of a value. */
void spirv_decorate_value(const struct spirv_id *entry, struct geo_ir_value *value);
/* The block that a label names, made when it is first spoken of. */
struct geo_ir_block *spirv_block(struct spirv_reader *reader, uint32_t id);
/* *slot becomes the value of this id when the list is resolved: at the end of the function
 * (reader->fixups) or, of functions, of the module (reader->calls). */
bool spirv_fixup_add(struct spirv_reader *reader, struct spirv_fixup **list,
                     struct geo_ir_value **slot, uint32_t id);
bool spirv_fixups_resolve(struct spirv_reader *reader, struct spirv_fixup *list);
bool spirv_function_later(struct spirv_reader *reader, struct geo_ir_value **slot, uint32_t id);
bool spirv_functions_resolve(struct spirv_reader *reader);
/* Linkage of a function or variable; leaves *name alone without one. */
bool spirv_linkage(struct spirv_reader *reader, const struct spirv_id *entry,
                   enum geo_ir_linkage *linkage, const char **name);

/* Repairs an instruction that a producer wrote against the specification (quirks.c), before it goes
 * into its block. */
bool spirv_make_right(struct spirv_reader *reader, struct geo_ir_inst *inst);

/* One instruction of a section; false after an error. */
bool spirv_read_capability(struct spirv_reader *reader);
bool spirv_read_annotation(struct spirv_reader *reader);
bool spirv_read_type(struct spirv_reader *reader);
bool spirv_read_constant(struct spirv_reader *reader);
bool spirv_read_variable(struct spirv_reader *reader);    /* at module scope */
bool spirv_read_function(struct spirv_reader *reader);    /* anything inside, and OpFunction */
bool spirv_read_instruction(struct spirv_reader *reader); /* inside of a block */
/* After the last instruction: entry points, modes, calls. */
bool spirv_finish(struct spirv_reader *reader);

bool spirv_is_annotation(uint32_t op);
bool spirv_is_type(uint32_t op);
bool spirv_is_constant(uint32_t op);

#endif
