/* The state of one reading, and what every file of the reader does with it: errors, lengths and
 * strings. Nothing outside spirv/ includes this or the headers below.
 *
 *     reader.c                        header, word stream, what stands where
 *     function.c                      functions and labels
 *     instruction.c                   what stands in blocks
 *     draft.c                         instructions as drafts of extensions had them
 *     type.c constant.c variable.c annotation.c capability.c
 *                                     one kind of instruction outside of functions each
 *     expression.c                    constants that are computed from others
 *     matrix.c                        types and lengths of cooperative matrices
 *     entry_point.c                   entry points, modes, and the end of the module
 *     quirks.c                        what producers get wrong
 *     reference.c                     ids that are used before they are defined
 *     id.c                            what ids mean
 *     decoration.c                    what decorations say
 *     state.c
 *
 * Each line uses lines below it only. */
#ifndef GEO_COMPILER_SPIRV_STATE_H
#define GEO_COMPILER_SPIRV_STATE_H

#include "compiler/spirv/reader.h"

struct spirv_id;
struct spirv_entry_point;
struct spirv_mode;
struct spirv_fixup;

struct spirv_reader {
    struct geo_ir_module *module;
    struct geo_strbuf *log;
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
    uint32_t members_fitted; /* of constants that were given another type (expression.h) */
    bool predicated_io, bindless_images; /* capabilities that share opcodes (draft.h) */
    uint32_t subgroup_size;              /* that kernels require, the first of them; 0: none does */
    bool subgroup_sizes_differ;

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

/* Number of operand words of the current instruction. */
static inline uint32_t spirv_operand_count(const struct spirv_reader *reader)
{
    return reader->length - 1;
}
/* False with an error when there are fewer than `count`. */
bool spirv_need(struct spirv_reader *reader, uint32_t count);
/* A literal string in words[0 .. count): terminated within them. *used: its words. */
const char *spirv_string(struct spirv_reader *reader, const uint32_t *words, uint32_t count,
                         uint32_t *used);

#endif
