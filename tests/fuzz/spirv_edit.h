/* A SPIR-V module as words that are changed in place: its instructions, which id is defined where,
 * and what could stand for what. Hostile or broken modules have an index too, as far as they can be
 * read. */
#ifndef GEO_TESTS_FUZZ_SPIRV_EDIT_H
#define GEO_TESTS_FUZZ_SPIRV_EDIT_H

#include "fuzz.h"

#include "compiler/ir/grammar.h"

enum {
    SPIRV_HEADER_WORDS = 5,
    SPIRV_INSTRUCTIONS_MAX = 1 << 15,
    SPIRV_IDS_MAX = 1 << 16,
    SPIRV_OPERANDS_MAX = 64,
};

struct spirv_instruction {
    uint32_t at; /* its first word */
    uint16_t op, words;
    uint32_t type, result; /* ids; 0: none */
    uint32_t function;     /* counted from 1; 0: outside of all */
};

struct spirv_edit {
    uint32_t *words;
    uint32_t count, room;
    struct spirv_instruction items[SPIRV_INSTRUCTIONS_MAX];
    uint32_t item_count, function_count;
    uint32_t bound;                /* of ids that have a place */
    uint32_t functions_at;         /* the first instruction of a function, or item_count */
    uint32_t place[SPIRV_IDS_MAX]; /* by id: the instruction that makes it, counted from 1 */
    struct fuzz_random *random;
};

/* Reads the words anew, after any change of lengths or places; false: this is no module. */
bool spirv_index(struct spirv_edit *edit);

struct spirv_operand {
    uint32_t at; /* word */
    char kind;   /* t, r: result type and result; i: id; l: literal; n: number of a type */
};
/* Of an instruction, at most SPIRV_OPERANDS_MAX; strings are left out. How many. */
uint32_t spirv_operands(const struct spirv_edit *edit, uint32_t item, struct spirv_operand *out);

/* The instruction that makes an id; NULL: none does. */
const struct spirv_instruction *spirv_definition(const struct spirv_edit *edit, uint32_t id);

/* What an id is: values of one type, types, labels, functions of one type have one class. */
enum { SPIRV_TYPE = 1, SPIRV_LABEL, SPIRV_FUNCTION, SPIRV_VALUE, SPIRV_OTHER };
struct spirv_class {
    uint32_t what, type;
};
struct spirv_class spirv_class_of(const struct spirv_edit *edit, uint32_t id);

/* Another id of that class, to be used by an instruction: seen from there, and mostly made before
 * it. 0: there is none. */
uint32_t spirv_pick(const struct spirv_edit *edit, struct spirv_class of, uint32_t user,
                    uint32_t not);

/* A random instruction of a function's body; item_count: there is none. */
uint32_t spirv_pick_in_function(const struct spirv_edit *edit);

/* Lengths change: the index is that of before, until spirv_index. False: no room. */
bool spirv_insert(struct spirv_edit *edit, uint32_t at, const uint32_t *words, uint32_t count);
void spirv_remove(struct spirv_edit *edit, uint32_t at, uint32_t count);

uint32_t spirv_new_id(struct spirv_edit *edit);
/* A constant of an integer or float type, with the index made anew; 0: no room, or no such type. */
uint32_t spirv_new_constant(struct spirv_edit *edit, uint32_t type, uint64_t value);
/* An id of an integer type of 32 bits; 0: the module has none. */
uint32_t spirv_word_type(const struct spirv_edit *edit);

/* All operands that are `from` from an instruction on. */
void spirv_replace_uses(struct spirv_edit *edit, uint32_t item, uint32_t from, uint32_t to);

/* One to a few changes of a module, such that many of those that come of it are valid
 * (mutate_spirv.c). */
size_t spirv_mutate(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes);
/* The single changes that move or make instructions (mutate_code.c). False: nothing changed. */
typedef bool spirv_change(struct spirv_edit *edit);
spirv_change spirv_delete, spirv_duplicate, spirv_swap, spirv_move, spirv_add_operation,
    spirv_add_call, spirv_add_barrier, spirv_add_edge, spirv_grow, spirv_split, spirv_cut_edge,
    spirv_add_mode;

/* Splits a module into one for each kernel, without what that one does not reach; `give` gets
 * each. False: `give` said so, or there was no memory (slice_spirv.c). */
bool spirv_slice(const uint8_t *bytes, size_t size,
                 bool (*give)(const uint8_t *bytes, size_t size));

#endif
