/* Types and functions that the files of the interpreter share. A module is translated once
 * (decode.c, constant.c) into code whose values are words: one word for each scalar leaf of an LLVM
 * type, two for i128. */
#ifndef GEO_TESTS_SIMT_INTERNAL_H
#define GEO_TESTS_SIMT_INTERNAL_H

#include "simt.h"

#include "base/ptrmap.h"

#include <llvm-c/Target.h>

/* The odd value of poison and undef, cut to the type's width. */
#define SIMT_POISON UINT64_C(0xdecafbad5eed5a5a)

/* Address spaces of nvptx64. */
enum simt_space {
    SPACE_GENERIC = 0,
    SPACE_GLOBAL = 1,
    SPACE_SHARED = 3,
    SPACE_CONST = 4,
    SPACE_LOCAL = 5,
    SPACE_PARAM = 101,
};

/* Generic addresses say in their upper byte where they point. A pointer of the shared or local
 * space is the offset in that memory alone. Object i of the global space (buffers, variables)
 * begins in the 4 GiB that start at (i + 1) << 32. */
#define SIMT_WINDOW_SHIFT 56
#define WINDOW_GLOBAL     0
#define WINDOW_SHARED     1
#define WINDOW_LOCAL      2
#define WINDOW_CODE       3
/* First offset of the local memory that is given out, so that a null pointer of it is invalid. */
#define SIMT_LOCAL_FIRST 64

/* One scalar leaf of a type. */
struct leaf {
    uint32_t bits;   /* 1 to 128 */
    uint32_t offset; /* in memory */
    bool is_float;
};

/* The leaves of a type. */
struct layout {
    uint32_t count, words; /* words: a leaf of more than 64 bits has two */
    uint64_t bytes;
    struct leaf *leaves;
};

/* Operations of the code, besides LLVM's opcodes (which are below 256). */
enum operation {
    OP_MOVE = 256, /* copies words: freeze, bitcast of one leaf, extractvalue, ... */
    OP_INTRINSIC,
    OP_SPECIAL, /* reads a special register */
    OP_SPACE,   /* says whether a generic address is in a space */
    OP_BARRIER,
    OP_SHUFFLE,
    OP_VOTE,
    OP_COPY, /* memcpy, memmove */
    OP_SET,
};

/* Intrinsics that compute scalars; intrinsic.c has their table. */
struct intrinsic;

/* A reference to the words of an operand: a position in the frame if 0 or more, otherwise ~r is a
 * position among the module's constants. */
typedef int32_t reference;

struct move {
    reference from;
    uint32_t to, words;
};

/* An edge of the control flow graph, with the moves of the phis at its end. */
struct edge {
    uint32_t target; /* index of an instruction */
    uint32_t move_count;
    struct move *moves;
};

struct instruction {
    uint32_t op;        /* LLVMOpcode or enum operation */
    uint32_t detail;    /* predicate, atomic operation, space, ... */
    uint32_t bits;      /* of a leaf of the result, or of the operands for comparisons */
    uint32_t from_bits; /* of a leaf of the first operand, for casts */
    uint32_t count;     /* leaves */
    uint32_t result;    /* position in the frame */
    uint32_t words;     /* of the result */
    uint32_t align;
    uint32_t operand_count, edge_count;
    reference *operands;
    struct edge *edges;
    const struct layout *layout; /* loads, stores, allocas: the type in memory */
    int64_t *numbers;            /* scales of an address, cases of a switch, places of a shuffle */
    int64_t constant;            /* constant part of an address; bytes of an alloca */
    const struct intrinsic *intrinsic;
    struct function *callee;
    bool is_float, aligned, volatile_access;
    LLVMValueRef value; /* for messages */
};

struct function {
    const char *name;
    LLVMValueRef value;
    uint32_t index;      /* number in the module, for its address */
    uint32_t word_count; /* of a frame */
    uint32_t parameter_count;
    const struct layout **parameters;
    uint32_t *parameter_at;
    /* of a parameter passed by value in memory, bytes to copy; otherwise 0 */
    uint64_t *by_value;
    uint32_t *by_value_align;
    struct instruction *code;
    uint32_t count;
    bool decoded;
};

/* An object of the global space. */
struct object {
    uint8_t *memory;
    uint64_t first, bytes; /* offset of its first byte from the object's 4 GiB */
    bool own, constant;
};

struct simt {
    LLVMModuleRef module;
    LLVMTargetDataRef target;
    struct geo_ptrmap layouts, functions, globals; /* by LLVM type or value */
    struct function **function_list;
    size_t function_count, function_capacity;
    uint64_t *constants;
    size_t constant_count, constant_capacity;
    struct object *objects;
    size_t object_count, object_capacity, variable_count;
    uint64_t shared_bytes; /* of the module's variables */
    uint64_t shared_align;
    uint64_t steps;
    void **blocks; /* everything that decoding allocates */
    size_t block_count, block_capacity;
    char *text;
    bool failed;
};

/* ---- decoding ---- */

/* Records the first error. Returns false. */
bool simt_fail(struct simt *simt, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Allocates zeroed memory that lives as long as the module. Never NULL. */
void *simt_new(struct simt *simt, size_t count, size_t bytes);
/* Returns the leaves of a type, or NULL after an error. */
const struct layout *simt_layout(struct simt *simt, LLVMTypeRef type);
/* Returns where the words of a constant are. */
reference simt_constant(struct simt *simt, LLVMValueRef value);
/* Stores the words of a constant. */
bool simt_constant_words(struct simt *simt, LLVMValueRef value, uint64_t *words);
/* Places all variables of the module and fills them. */
bool simt_globals_make(struct simt *simt);
struct function *simt_function(struct simt *simt, LLVMValueRef value);
bool simt_function_decode(struct simt *simt, struct function *function);
/* Describes the parts of an address computation: sets the constant part, and appends the others. */
bool simt_address_parts(struct simt *simt, LLVMValueRef value, int64_t *constant,
                        LLVMValueRef *indices, int64_t *scales, uint32_t *count, uint32_t limit);
/* Fills an instruction for a call of an intrinsic. */
bool simt_intrinsic_decode(struct simt *simt, const char *name, struct instruction *inst);

/* ---- numbers (scalar.c) ---- */

typedef unsigned __int128 wide;

static inline uint64_t bits_mask(uint32_t bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static inline int64_t bits_signed(uint64_t value, uint32_t bits)
{
    return bits >= 64 ? (int64_t)value : (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* Floats of 16, 32 and 64 bits. */
double float_value(uint64_t word, uint32_t bits);
uint64_t float_word(double value, uint32_t bits);
/* Arithmetic on one leaf. They return NULL, or the text of an error. */
const char *scalar_binary(uint32_t op, uint32_t bits, const uint64_t *a, const uint64_t *b,
                          uint64_t *result);
const char *scalar_float(uint32_t op, uint32_t bits, uint64_t a, uint64_t b, uint64_t *result);
const char *scalar_cast(uint32_t op, uint32_t from, uint32_t to, const uint64_t *a,
                        uint64_t *result);
bool scalar_icmp(uint32_t predicate, uint32_t bits, const uint64_t *a, const uint64_t *b);
bool scalar_fcmp(uint32_t predicate, uint32_t bits, uint64_t a, uint64_t b);
const char *scalar_rmw(uint32_t op, uint32_t bits, uint64_t old, uint64_t value, uint64_t *next);
/* Converts a float to an integer and saturates. */
uint64_t scalar_saturated(uint64_t word, uint32_t from, uint32_t to, bool is_signed);
/* Computes one leaf of an intrinsic. */
const char *scalar_intrinsic(const struct intrinsic *intrinsic, const struct instruction *inst,
                             const uint64_t *arguments, uint64_t *result);

/* ---- running ---- */

enum state { RUNNING, AT_BARRIER, AT_SUBGROUP, ENDED };

struct frame {
    const struct function *function;
    uint32_t next; /* instruction */
    size_t words;  /* start in the words of the item */
    size_t local;  /* end of local memory when the frame was entered */
};

struct item {
    struct group *group;
    uint32_t linear, id[3];
    enum state state;
    struct frame *frames;
    size_t frame_count, frame_capacity;
    uint64_t *words;
    size_t word_capacity;
    uint8_t *local, *valid; /* valid: by byte, part of an object */
    size_t local_bytes, local_capacity;
    const struct instruction *waits; /* instruction at which it waits */
    uint32_t lane_mask;              /* lanes with which it waits */
};

struct group {
    struct run *run;
    uint32_t id[3];
    struct item *items;
    uint32_t count, left; /* items; those that have not ended */
    uint8_t *shared;
};

struct run {
    struct simt *simt;
    const struct simt_launch *launch;
    const struct function *kernel;
    uint64_t random, steps, shared_bytes;
    struct item *current;
    char *text;
    bool failed;
};

bool run_fail(struct item *item, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the memory behind an address, or NULL after an error. */
uint8_t *memory_at(struct item *item, uint64_t address, uint32_t space, uint64_t bytes,
                   uint32_t align, bool write);
/* Converts an address between spaces by adding the start of its window, as the machine does. An
 * address that is not in the new space, such as null, becomes one that is in no object. */
uint64_t memory_cast(uint64_t address, uint32_t from, uint32_t to);
/* Takes local memory for an object. Returns its offset. */
uint64_t memory_local(struct item *item, uint64_t bytes, uint32_t align);
/* Executes one instruction of an item. Returns false after an error. */
bool step(struct item *item);
/* Enters a function. */
bool frame_enter(struct item *item, const struct function *function);
uint32_t run_random(struct run *run, uint32_t below);
/* Returns the words of an operand. */
static inline const uint64_t *operand_words(const struct item *item, const uint64_t *frame,
                                            reference operand)
{
    return operand >= 0 ? frame + operand : item->group->run->simt->constants + ~operand;
}
/* Lets the items that wait at sub-group operations go on, if they are complete. */
bool subgroup_release(struct group *group, uint32_t first);
/* Returns a special register. */
uint64_t special_value(const struct item *item, uint32_t number);

enum special {
    SPECIAL_TID,
    SPECIAL_NTID = SPECIAL_TID + 3,
    SPECIAL_CTAID = SPECIAL_NTID + 3,
    SPECIAL_NCTAID = SPECIAL_CTAID + 3,
    SPECIAL_LANE = SPECIAL_NCTAID + 3,
    SPECIAL_SIZE,
    SPECIAL_CLOCK,
    SPECIAL_ACTIVE,
};

/* `detail` of OP_SHUFFLE and OP_VOTE. */
enum shuffle { SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_SYNC };
enum vote { VOTE_ALL, VOTE_ANY, VOTE_EQUAL, VOTE_BALLOT };

#endif
