/* Debug instructions while a module is read: private to the files debug*.c.
 *
 * An instruction outside of functions becomes an item with an empty object. When the first function
 * begins, all ids are known, and the objects are filled. So types may refer to each other in any
 * order, and nothing is recursive. debug.c uses debug_code.c, which uses debug_fill.c, debug_type.c
 * and debug_operand.c in this order. */
#ifndef GEO_COMPILER_SPIRV_DEBUG_ITEM_H
#define GEO_COMPILER_SPIRV_DEBUG_ITEM_H

#include "compiler/ir/debug.h"
#include "compiler/ir/grammar.h"
#include "compiler/spirv/debug.h"

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/OpenCLDebugInfo100.h>

/* The numbers that all sets share are named by the newest header. */
#define DEBUG(name) NonSemanticShaderDebugInfo100Debug##name

enum debug_kind {
    DEBUG_NOTHING, /* DebugInfoNone, and instructions without a use for us */
    DEBUG_FILE,
    DEBUG_SCOPE,
    DEBUG_TYPE,
    DEBUG_MEMBER,
    DEBUG_TEMPLATE, /* DebugTypeTemplate: stands for its target */
    DEBUG_ARGUMENT, /* an argument of a template */
    DEBUG_VARIABLE,
    DEBUG_OPERATION,
    DEBUG_EXPRESSION,
    DEBUG_INLINED, /* the place of an inlined call */
    DEBUG_RANGE,
};

/* Steps as records have them, and whether the result is a value in itself. */
struct debug_expression {
    struct geo_ir_debug_step steps[GEO_LIMIT_DEBUG_STEPS];
    uint32_t count;
    bool unknown; /* has an operation that is not understood */
    uint64_t fragment_offset, fragment_size;
};

/* A debug instruction. */
struct debug_item {
    struct debug_item *next; /* in the order of the module */
    enum debug_kind kind;
    enum geo_debug_set set;
    const struct geo_grammar *grammar;
    const uint32_t *operands; /* the words behind the instruction's number */
    uint32_t count;
    size_t at; /* word offset in the module */
    bool filled, broken;
    union {
        struct geo_ir_file *file;
        struct geo_ir_scope *scope;
        struct geo_ir_debug_type *type;
        struct geo_ir_debug_member *member;
        struct geo_ir_template *argument;
        struct geo_ir_debug_variable *variable;
        struct geo_ir_range *range;
        struct debug_expression *expression;
        uint32_t location;
        struct debug_item *target; /* of a template */
        void *object;
    };
    struct geo_ir_scope *as_scope; /* of a type: itself as a scope */
    /* of an inlined variable: where its function was inlined */
    uint32_t inlined_at;
};

/* The operands of an item, read one by one. `bad` is set by the first one that is wrong. */
struct debug_cursor {
    struct spirv_reader *reader;
    struct debug_item *item;
    uint32_t at;
    bool bad;
};

/* Returns whether an item is still to be filled, and marks it as filled. */
static inline bool debug_item_begin(struct debug_item *item)
{
    bool begins = !item->filled && !item->broken;
    item->filled = true;
    return begins;
}

/* In debug_operand.c. Logs the first broken debug instruction of a module, and marks the item. */
void debug_broken(struct spirv_reader *reader, struct debug_item *item, const char *reason);
/* Return the next operand as a number, as text, or as what a debug instruction or constant defines.
 * Missing operands and DebugInfoNone give 0 or NULL. */
uint64_t debug_number(struct debug_cursor *cursor);
const char *debug_text(struct debug_cursor *cursor);
/* A file is a DebugSource or, as the Khronos translator writes it, the string of its name. */
const struct geo_ir_file *debug_file(struct debug_cursor *cursor);
const struct geo_ir_scope *debug_scope(struct debug_cursor *cursor);
const struct geo_ir_debug_type *debug_type(struct debug_cursor *cursor);
struct debug_item *debug_any(struct debug_cursor *cursor);
/* Returns a number that the next operand gives. *known: whether it is a constant. */
uint64_t debug_constant(struct debug_cursor *cursor, bool *known);
static inline bool debug_more(const struct debug_cursor *cursor)
{
    return !cursor->bad && cursor->at < cursor->item->count;
}
/* Returns the item of a debug instruction's result; NULL: the id is something else. */
struct debug_item *debug_item_of(const struct spirv_reader *reader, uint32_t id);
/* Allocates memory of the module's debug information; NULL marks it as overflowed. */
void *debug_alloc(struct spirv_reader *reader, size_t bytes);

/* Returns the file of a name; NULL: no memory. */
const struct geo_ir_file *debug_file_of(struct spirv_reader *reader, const char *name);

/* In debug_type.c: types, members and ranges. */
void debug_type_fill(struct debug_cursor *cursor);
/* In debug_fill.c: any item. */
void debug_item_fill(struct spirv_reader *reader, struct debug_item *item);
/* In debug_code.c: instructions inside of functions. */
void debug_code(struct spirv_reader *reader, struct debug_item *item);

#endif
