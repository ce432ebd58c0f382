/* State of the SPIR-V reader, and what all its files use: errors, lengths and strings. This header
 * and those below are private to spirv/.
 *
 *     reader.c                        header and word stream; hands out the instructions
 *     function.c                      functions and labels
 *     instruction.c                   instructions in blocks
 *     debug.c debug_code.c debug_fill.c debug_type.c debug_operand.c
 *                                     lines and debug instructions
 *     draft.c                         instructions in the form of an extension's draft
 *     type.c constant.c variable.c annotation.c capability.c
 *                                     one kind of instruction outside of functions each
 *     expression.c                    constants that are computed from others
 *     matrix.c                        types and lengths of cooperative matrices
 *     entry_point.c                   entry points and modes, applied at the end of the module
 *     quirks.c                        repairs of producers' errors
 *     reference.c                     ids that are used before they are defined
 *     id.c                            table of ids
 *     decoration.c                    meaning of decorations
 *     state.c
 *
 * A file uses only files that are listed below it. */
#ifndef GEO_COMPILER_SPIRV_STATE_H
#define GEO_COMPILER_SPIRV_STATE_H

#include "base/ptrmap.h"
#include "compiler/ir/debug.h"
#include "compiler/spirv/reader.h"

struct spirv_id;
struct spirv_entry_point;
struct spirv_mode;
struct spirv_fixup;

/* The state of one reading. It exists during geo_spirv_read. */
struct spirv_reader {
    struct geo_ir_module *module;
    struct geo_strbuf *log;
    const uint32_t *words; /* the whole module, in host byte order */
    size_t word_count;
    struct spirv_id *ids; /* id_bound entries */
    uint32_t id_bound;
    bool failed;
    bool out_of_memory;

    /* The current instruction. */
    size_t at; /* word offset */
    uint32_t op;
    uint32_t length;          /* words, including the first */
    const uint32_t *operands; /* the words after the first */

    struct spirv_entry_point *entry_points;
    struct spirv_mode *modes;
    struct spirv_fixup *calls; /* references to functions, resolved at the end of the module */
    bool has_memory_model;
    uint32_t members_fitted;             /* members of all rebuilt constants (expression.c) */
    bool predicated_io, bindless_images; /* capabilities that share opcodes (draft.c) */
    uint32_t subgroup_size;              /* first SubgroupSize that a kernel requires; 0: none */
    bool subgroup_sizes_differ;

    struct geo_ir_function *function; /* the function that is read; NULL outside */
    uint32_t parameters_read;
    struct geo_ir_block *block; /* the block that is read; NULL between blocks */
    struct spirv_fixup *fixups; /* references of this function */

    /* Debug information (debug.h). */
    struct {
        struct geo_arena arena;           /* items; initialised if tail is set */
        struct debug_item *items, **tail; /* those whose objects are still empty */
        struct geo_ptrmap functions;      /* id of a function -> its struct geo_ir_scope */
        struct geo_ptrmap files;          /* string of a name -> struct geo_ir_file */
        struct geo_ir_location here;      /* what OpLine, DebugLine and DebugScope said */
        bool has_line, has_scope;
        bool is_known;     /* `location` is the number of `here` */
        uint32_t location; /* number */
        uint32_t broken;   /* instructions that were dropped */
    } debug;
};

/* Logs the first error as "<OpName> at word <offset>: <text>"; later ones are dropped. Returns
 * false always, so that callers can return the call. */
bool spirv_error(struct spirv_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Records that memory ran out. Returns false always. */
bool spirv_out_of_memory(struct spirv_reader *reader);

/* Returns the number of operand words of the current instruction. */
static inline uint32_t spirv_operand_count(const struct spirv_reader *reader)
{
    return reader->length - 1;
}
/* Returns whether the instruction has at least `count` operand words; if not, reports an error. */
bool spirv_need(struct spirv_reader *reader, uint32_t count);
/* Returns a copy of the literal string in words[0 .. count), in an arena. *used: number of its
 * words. Returns NULL with an error if the string is not terminated. */
const char *spirv_string_in(struct spirv_reader *reader, struct geo_arena *arena,
                            const uint32_t *words, uint32_t count, uint32_t *used);
/* The same, in the module's arena. */
const char *spirv_string(struct spirv_reader *reader, const uint32_t *words, uint32_t count,
                         uint32_t *used);

#endif
