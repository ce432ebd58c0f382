/* A random kernel as a tree: what the generator makes, the interpreter runs and the emitters print.
 *
 * A program is one kernel, the functions it calls, the memory it gets and the grid it runs on.
 * Integers have no sign, as in SPIR-V: operations have. Bool exists in registers and private
 * variables only. Everything lies in the program's arena and lives as long as it does.
 *
 * The tree can be reduced in place: a statement that is `deleted` and an expression that is
 * `replaced` are skipped by every walker (gen_expr_resolve).
 *
 * Programs are race-free by construction: what an item writes, no other item touches, but after a
 * barrier (local arrays) or by atomics whose order cannot be seen. */
#ifndef GEOID_TESTS_GENERATOR_PROGRAM_H
#define GEOID_TESTS_GENERATOR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GEN_MAX_LEAVES = 64, GEN_MAX_ARGS = 16, GEN_MAX_STEPS = 4 };

/* ---- types ---- */

enum gen_kind { GEN_VOID, GEN_BOOL, GEN_INT, GEN_FLOAT, GEN_VECTOR, GEN_ARRAY, GEN_STRUCT };

struct gen_type {
    enum gen_kind kind;
    uint32_t bits;  /* of a scalar */
    uint32_t count; /* of components, elements, members */
    const struct gen_type *element;
    const struct gen_type **members;
    uint32_t *offsets; /* of members, in bytes */
    uint32_t size, align, leaves;
    uint32_t index; /* in the program's list */
};

/* ---- expressions ---- */

enum gen_op {
#define OP(name, ...) GEN_##name,
#include "ops.def"
#undef OP
    GEN_OP_COUNT
};

enum gen_id {
    GEN_GLOBAL_ID,
    GEN_LOCAL_ID,
    GEN_GROUP_ID,
    GEN_LOCAL_SIZE,
    GEN_GLOBAL_SIZE,
    GEN_GROUP_COUNT,
    GEN_GLOBAL_OFFSET,
    GEN_GLOBAL_LINEAR,
    GEN_LOCAL_LINEAR,
    /* Of 32 bits; programs with sub-groups only */
    GEN_SUBGROUP_LOCAL_ID,
    GEN_SUBGROUP_ID,
    GEN_SUBGROUP_COUNT,
    GEN_SUBGROUP_SIZE,
    GEN_SUBGROUP_MAX_SIZE,
    /* Four words: the bits of items that are equal to, at least, above, at most, below the own one
     */
    GEN_SUBGROUP_EQ_MASK,
    GEN_SUBGROUP_GE_MASK,
    GEN_SUBGROUP_GT_MASK,
    GEN_SUBGROUP_LE_MASK,
    GEN_SUBGROUP_LT_MASK,
    GEN_ID_COUNT
};

struct gen_variable;
struct gen_expr;

struct gen_step {
    bool is_member;               /* of a struct; otherwise an element or component */
    uint32_t member;              /* is_member */
    const struct gen_expr *index; /* otherwise: any integer, in bounds */
};

/* How a place is reached. No matter what is said here, parameters may be generic pointers. */
enum gen_pointer_form {
    GEN_POINTER_DIRECT,
    GEN_POINTER_GENERIC, /* from a generic pointer to the variable */
    GEN_POINTER_LATE,    /* by a generic pointer to the place itself */
    GEN_POINTER_BACK,    /* the same, made one of the variable's storage class again */
};

/* An object in memory: a variable or the element of what a pointer leads to, then a path. */
struct gen_place {
    struct gen_variable *base;
    const struct gen_expr *element; /* base is a buffer: index of the element; NULL otherwise */
    uint32_t step_count;
    struct gen_step steps[GEN_MAX_STEPS];
    const struct gen_type *type;
    /* base is one of two variables of the same type, `other` when the condition holds */
    const struct gen_expr *condition;
    struct gen_variable *other;
    enum gen_pointer_form form; /* not of tables */
};

/* What SPACE asks of a generic pointer. Private memory has no fence. */
enum gen_question {
    GEN_IS_LOCAL, /* 1 if the cast to it succeeds, 0 if it gives null */
    GEN_IS_GLOBAL,
    GEN_IS_PRIVATE,
    GEN_MEMORY_SEMANTICS,
    GEN_BEHIND, /* the value there */
    GEN_QUESTION_COUNT
};

struct gen_expr {
    enum gen_op op;
    const struct gen_type *type;
    uint32_t number;   /* component; enum gen_id; see ops.def */
    uint32_t number2;  /* dimension */
    uint32_t rounding; /* of a conversion: SpvFPRoundingMode + 1, 0 for none; to integers also
                          saturated, and what they cannot hold needs no IN_RANGE */
    uint32_t arg_count;
    struct gen_expr **args;
    const struct gen_place *place;       /* LOAD, SPACE */
    const struct gen_place *other_place; /* SPACE */
    const uint64_t *bits;                /* CONST: leaves, zero-extended */
    const uint8_t *lanes; /* SHUFFLE: component of args[0], args[1] for each of the result */
    struct gen_expr *replaced;
};

/* ---- variables ---- */

enum gen_role {
    GEN_PRIVATE,   /* declared in the function */
    GEN_PARAMETER, /* by value; written only when is_changed */
    GEN_POINTER,   /* parameter: address of a private object of the caller */
    GEN_BUFFER,    /* parameter: global memory, indexed */
    GEN_SHARED,    /* local memory, indexed: parameter, or (not is_parameter) a module's variable */
    GEN_TABLE,     /* constant memory of the module, read only */
};

/* What may be done with a buffer, and by whom. */
enum gen_use {
    GEN_USE_INPUT,  /* read by all */
    GEN_USE_OWN,    /* each item reads and writes its own places */
    GEN_USE_GROUP,  /* each group has one place per slot, used by one of its items */
    GEN_USE_ATOMIC, /* atomics by all, one operation */
    GEN_USE_PHASES, /* shared by a group (local or global): see the phases of the generator */
};

struct gen_variable {
    enum gen_role role;
    const struct gen_type *type; /* of the object; of an element for buffers */
    uint32_t number;             /* names it: unique in the program */
    uint32_t slot;               /* in its function, dense */
    bool is_parameter;
    bool in_memory;          /* something takes its address: never an SSA value */
    bool uniform;            /* the same for all items of a group, where it can be read */
    bool counter;            /* of a loop: only the loop writes it */
    bool is_byref;           /* PARAMETER with a struct type: ByVal, as of kernels always */
    bool is_changed;         /* and the function writes to its copy */
    bool is_generic;         /* parameter of a function: a generic pointer */
    const uint64_t *initial; /* PRIVATE: leaves; of a kernel's PARAMETER: its argument */
    /* Buffers */
    enum gen_use use;
    uint32_t length;   /* elements; SHARED: of one group */
    uint64_t shift;    /* elements before the first of these, which nobody touches */
    uint32_t per_item; /* OWN, GROUP, PHASES: slots of an item (of a group) */
    uint32_t pattern;  /* how slots lie (generate_memory.c) */
    uint32_t pattern_a, pattern_b;
    enum gen_op atomic;         /* ATOMIC */
    uint64_t fill;              /* seeds its contents */
    const uint8_t *bytes;       /* TABLE: its contents */
    struct gen_variable *alias; /* parameter of a function: the kernel's buffer it stands for */
};

struct gen_variables {
    struct gen_variable **items;
    uint32_t count, capacity;
};

/* ---- statements ---- */

enum gen_stmt_kind {
    GEN_ASSIGN,   /* place = value */
    GEN_IF,       /* value, body, other */
    GEN_LOOP,     /* for (counter = 0; counter < value; counter++) body; post_test: do ... while */
    GEN_SWITCH,   /* value, cases */
    GEN_BREAK,    /* target */
    GEN_CONTINUE, /* target */
    GEN_RETURN,   /* value, or NULL */
    GEN_CALL,     /* place (or NULL) = function(arguments) */
    GEN_BARRIER,
    GEN_VSTORE,   /* value, a vector, into a buffer of its scalars: place->element counts vectors */
    GEN_ATOMIC,   /* place (or NULL) = old value of target_place, which becomes op(old, value) */
    GEN_SUBGROUP, /* place = operation of the items that are here together (value, subgroup) */
};

enum gen_subgroup_op {
#define SUBGROUP(name, ...) GEN_SG_##name,
#include "subgroup.def"
#undef SUBGROUP
    GEN_SG_COUNT
};

/* What becomes of a value that would come from an item that is not there. */
enum gen_guard {
    GEN_GUARD_NONE,   /* there is none: the interpreter refuses it */
    GEN_GUARD_SIZE,   /* the own value instead; all items of the sub-group are here */
    GEN_GUARD_BALLOT, /* the own value instead; a ballot tells who is here */
};

enum gen_group_operation { GEN_REDUCE, GEN_INCLUSIVE, GEN_EXCLUSIVE, GEN_CLUSTERED };

struct gen_subgroup {
    enum gen_subgroup_op op; /* one of whole sub-groups may be one of the group: */
    bool of_group; /* all of its items; number is linear, and constant in 2 and 3 dimensions */
    bool wide;     /* then: 64 bits for each dimension */
    struct gen_expr *number;            /* 32 bits; NULL: the operation has none */
    struct gen_expr *second;            /* PAIR: the other value */
    enum gen_group_operation operation; /* REDUCE, COUNT */
    uint32_t cluster;                   /* CLUSTERED; ROTATE: 0 is none */
    enum gen_guard guard;
    struct gen_place *block; /* BLOCK: its first element; the statement's place: NULL for a write */
};

struct gen_stmt;

struct gen_block {
    struct gen_stmt **items;
    uint32_t count, capacity;
};

struct gen_case {
    bool is_default; /* the last one */
    uint64_t value;
    bool falls_through; /* into the next */
    struct gen_block body;
};

/* An argument of a call: exactly one is set. */
struct gen_argument {
    struct gen_expr *value;
    struct gen_place *address;     /* POINTER */
    struct gen_variable *variable; /* BUFFER, SHARED */
};

/* How an atomic is made. */
enum gen_atomic_form {
    GEN_ATOMIC_OP,
    GEN_ATOMIC_LOOP, /* compare-exchange, until nobody came in between */
    GEN_ATOMIC_SWAP, /* the value takes the place of the old one, whatever the operation */
};

struct gen_stmt {
    enum gen_stmt_kind kind;
    uint32_t number; /* names its labels */
    bool deleted, pinned;
    struct gen_place *place;
    struct gen_expr *value;
    struct gen_block body, other;
    struct gen_variable *counter;
    bool post_test, uniform;
    /* LOOP with post_test: its body is `other`, then `body`; when this holds, the first iteration
     * starts with `body`, by a jump into the loop. NULL: `body` alone */
    struct gen_expr *entry;
    bool keep_value; /* never reduced: see make_exit */
    uint32_t case_count;
    struct gen_case *cases;
    struct gen_stmt *target;
    struct gen_function *function;
    struct gen_argument *arguments;
    enum gen_op atomic;
    enum gen_atomic_form atomic_form;
    struct gen_place *atomic_place;
    bool atomic_ordered; /* acquire-release instead of relaxed */
    struct gen_subgroup *subgroup;
};

struct gen_function {
    uint32_t number;
    const struct gen_type *result; /* VOID */
    bool dont_inline, has_barrier, uses_shared, is_kernel;
    bool has_subgroup; /* operations of sub-groups, here or in a callee */
    bool needs_whole;  /* is called by whole sub-groups only */
    struct gen_variables parameters, locals;
    uint32_t slot_count;
    struct gen_block body;
    uint32_t cost; /* statements run by one call, at most */
};

/* Of floats of one width. */
struct gen_float_mode {
    uint32_t rounding; /* SpvFPRoundingMode */
    bool flush;        /* denormals are zeros */
};

struct gen_program {
    struct gen_arena *arena;
    uint64_t seed;
    struct {
        struct gen_type **items;
        uint32_t count, capacity;
    } types;
    struct {
        struct gen_function **items; /* the kernel is the last */
        uint32_t count, capacity;
    } functions;
    struct gen_variables shared; /* local memory that belongs to the module */
    struct gen_variables tables;
    uint32_t variable_count, stmt_count;
    uint32_t groups[3], local[3];
    uint64_t offset[3];
    uint32_t subgroup_size; /* 8, 16, 32; 0: no operations of sub-groups */
    bool collectives;       /* operations of groups */
    bool halves;            /* floats of 16 bits */
    bool generics;          /* generic pointers */
    bool irreducible;       /* loops with two entries */
    bool spaces;            /* generic pointers to memory of several kinds */
    bool volatiles;         /* variables and parameters decorated Volatile */
    bool wraps;             /* indices of 32 bits that wrap, and sums that do not */
    bool returns;           /* items return before barriers, one by one */
    bool rows;              /* items side by side, also in memory, where values are exchanged */
    bool required_local;    /* the kernel asks for its group size */
    bool far;               /* some buffers begin some GiB behind their pointers */
    bool shapes;            /* groups of every shape, ids taken apart, patterns of shared memory */
    bool modes;             /* the kernel has modes for floats, conversions have their own */
    struct gen_float_mode float_modes[3]; /* of 16, 32, 64 bits */
    bool forms;  /* accesses, atomics, barriers and calls in all forms that SPIR-V has for them */
    bool meets;  /* barriers at the kernel's own level are the device's, if it has any */
    bool scopes; /* barriers order memory for the device, in several ways */
    /* How the SPIR-V looks */
    uint32_t version; /* minor */
    bool ssa, loop_merges, aligned_access, initializers, copy_memory, explicit_casts;
};

/* ---- making (program.c) ---- */

struct gen_program *gen_program_create(uint64_t seed);
void gen_program_destroy(struct gen_program *program);
void *gen_alloc(struct gen_program *program, size_t bytes); /* zeroed; ends the process when out */

const struct gen_type *gen_type_void(struct gen_program *program);
const struct gen_type *gen_type_bool(struct gen_program *program);
const struct gen_type *gen_type_int(struct gen_program *program, uint32_t bits);
const struct gen_type *gen_type_float(struct gen_program *program, uint32_t bits);
const struct gen_type *gen_type_vector(struct gen_program *program, const struct gen_type *element,
                                       uint32_t count);
const struct gen_type *gen_type_array(struct gen_program *program, const struct gen_type *element,
                                      uint32_t count);
const struct gen_type *gen_type_struct(struct gen_program *program,
                                       const struct gen_type *const *members, uint32_t count);

struct gen_expr *gen_expr_create(struct gen_program *program, enum gen_op op,
                                 const struct gen_type *type, uint32_t arg_count);
struct gen_stmt *gen_stmt_create(struct gen_program *program, enum gen_stmt_kind kind);
void gen_block_append(struct gen_program *program, struct gen_block *block, struct gen_stmt *stmt);
struct gen_variable *gen_variable_create(struct gen_program *program, enum gen_role role,
                                         const struct gen_type *type);
void gen_variables_append(struct gen_program *program, struct gen_variables *list,
                          struct gen_variable *variable);
struct gen_function *gen_function_create(struct gen_program *program);

/* ---- asking ---- */

static inline struct gen_function *gen_kernel(const struct gen_program *program)
{
    return program->functions.items[program->functions.count - 1];
}

static inline const struct gen_expr *gen_expr_resolve(const struct gen_expr *expr)
{
    while (expr->replaced) {
        expr = expr->replaced;
    }
    return expr;
}

static inline const struct gen_type *gen_scalar_of(const struct gen_type *type)
{
    return type->kind == GEN_VECTOR ? type->element : type;
}

static inline uint32_t gen_components(const struct gen_type *type)
{
    return type->kind == GEN_VECTOR ? type->count : 1;
}

/* Scalar type and byte offset of leaf `leaf` of a type. */
const struct gen_type *gen_type_leaf(const struct gen_type *type, uint32_t leaf, uint32_t *offset);
uint32_t gen_local_total(const struct gen_program *program);
uint32_t gen_group_total(const struct gen_program *program);
/* Items of the smallest sub-group: the last one of a group. */
uint32_t gen_smallest_subgroup(const struct gen_program *program);
/* What SPACE says of an object of this role, other than its value. */
uint32_t gen_space_answer(enum gen_question question, enum gen_role role);
/* A type, or true for its elements or members in any depth. */
bool gen_type_contains(const struct gen_type *type, enum gen_kind kind, uint32_t bits);

/* The kernel's buffers in order of its parameters start with these bytes; `bytes` has room for
 * length * type->size. */
uint64_t gen_buffer_bytes(const struct gen_program *program, const struct gen_variable *buffer);
void gen_buffer_fill(const struct gen_program *program, const struct gen_variable *buffer,
                     uint8_t *bytes);
/* Contents of a scalar or vector argument in its memory form. */
void gen_leaves_store(const struct gen_type *type, const uint64_t *leaves, uint8_t *bytes);
void gen_leaves_load(const struct gen_type *type, const uint8_t *bytes, uint64_t *leaves);

/* Is it a barrier at which all groups meet? Does the kernel have one, so that it wants to be
 * launched cooperatively? */
bool gen_is_meeting(const struct gen_program *program, const struct gen_stmt *stmt);
bool gen_meets(const struct gen_program *program);
/* Of floats of `bits` bits. */
static inline const struct gen_float_mode *gen_float_mode(const struct gen_program *program,
                                                          uint32_t bits)
{
    return &program->float_modes[bits == 16 ? 0 : bits == 32 ? 1 : 2];
}

/* ---- operations (ops.c) ---- */

enum gen_class {
    GEN_CLASS_OTHER,    /* handled one by one */
    GEN_CLASS_INT,      /* ints of one type -> the same */
    GEN_CLASS_SINT,     /* the same, operands and result signed in C */
    GEN_CLASS_FLOAT,    /* floats of one type -> the same */
    GEN_CLASS_BOOL,     /* bools -> bool */
    GEN_CLASS_COMPARE,  /* ints -> bool */
    GEN_CLASS_SCOMPARE, /* ints, signed in C -> bool */
    GEN_CLASS_FCOMPARE, /* floats -> bool */
    GEN_CLASS_CONVERT,  /* one operand of another scalar type, as many components */
};

struct gen_op_info {
    const char *name;
    enum gen_class op_class;
    uint32_t args;
    uint32_t spirv; /* opcode; 0: `ext` or none */
    uint32_t ext;   /* number in OpenCL.std */
    const char *c;  /* OpenCL C with $0, $1, $2 for operands; NULL: printed specially */
};
/* floats.c: a number of a type of 16, 32 or 64 bits, rounded to it once, as the processor rounds. */
uint64_t gen_float_bits(const struct gen_type *type, double value);
double gen_float_value(const struct gen_type *type, uint64_t bits);
/* IN_RANGE holds values x with low <= x < high. */
void gen_integer_range(uint32_t bits, bool is_signed, double *low, double *high);
extern const struct gen_op_info gen_ops[GEN_OP_COUNT];

enum gen_subgroup_form {
    GEN_FORM_ELECT,
    GEN_FORM_VOTE,
    GEN_FORM_ALL_EQUAL,
    GEN_FORM_BROADCAST,
    GEN_FORM_FIRST,
    GEN_FORM_BALLOT,
    GEN_FORM_INVERSE,
    GEN_FORM_EXTRACT,
    GEN_FORM_COUNT,
    GEN_FORM_LSB,
    GEN_FORM_MSB,
    GEN_FORM_SHUFFLE,
    GEN_FORM_PAIR,
    GEN_FORM_REDUCE,
    GEN_FORM_BLOCK,
};

struct gen_subgroup_info {
    enum gen_subgroup_form form;
    uint32_t spirv, capability;
    enum gen_op join; /* CONST: none */
    bool has_scope, whole, same, constant;
    const char *extension; /* of SPIR-V, or NULL */
    const char *c;
};
extern const struct gen_subgroup_info gen_subgroups[GEN_SG_COUNT];

#endif
