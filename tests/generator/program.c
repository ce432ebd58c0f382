/* Making programs: the arena, types with their layout, nodes; contents of memory. See program.h. */
#include "program.h"

#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arena ---- */

struct gen_arena {
    struct gen_arena *next;
    size_t used, size;
    _Alignas(16) uint8_t bytes[];
};

void *gen_alloc(struct gen_program *program, size_t bytes)
{
    struct gen_arena *arena = program->arena;
    bytes = (bytes + 15) & ~(size_t)15;
    if (!arena || arena->size - arena->used < bytes) {
        size_t size = bytes > 65536 ? bytes : 65536;
        arena = calloc(1, sizeof(*arena) + size);
        if (!arena) {
            fprintf(stderr, "generator: out of memory\n");
            exit(1);
        }
        arena->size = size;
        arena->next = program->arena;
        program->arena = arena;
    }
    void *memory = arena->bytes + arena->used;
    arena->used += bytes;
    return memory;
}

struct gen_program *gen_program_create(uint64_t seed)
{
    struct gen_program *program = calloc(1, sizeof(*program));
    if (!program) {
        fprintf(stderr, "generator: out of memory\n");
        exit(1);
    }
    program->seed = seed;
    return program;
}

void gen_program_destroy(struct gen_program *program)
{
    while (program && program->arena) {
        struct gen_arena *next = program->arena->next;
        free(program->arena);
        program->arena = next;
    }
    free(program);
}

/* Appends to an array of pointers that lies in the arena. */
#define APPEND(program, list, item)                                                                \
    do {                                                                                           \
        if ((list)->count == (list)->capacity) {                                                   \
            uint32_t capacity_ = (list)->capacity ? (list)->capacity * 2 : 4;                      \
            void *items_ = gen_alloc(program, capacity_ * sizeof(void *));                         \
            if ((list)->count) {                                                                   \
                memcpy(items_, (list)->items, (list)->count * sizeof(void *));                     \
            }                                                                                      \
            (list)->items = items_;                                                                \
            (list)->capacity = capacity_;                                                          \
        }                                                                                          \
        (list)->items[(list)->count++] = (item);                                                   \
    } while (0)

/* ---- types ---- */

static const struct gen_type *type_find(const struct gen_program *program,
                                        const struct gen_type *wanted)
{
    for (uint32_t i = 0; i < program->types.count; i++) {
        const struct gen_type *type = program->types.items[i];
        if (type->kind == wanted->kind && type->bits == wanted->bits &&
            type->count == wanted->count && type->element == wanted->element &&
            wanted->kind != GEN_STRUCT) {
            return type;
        }
    }
    return NULL;
}

static const struct gen_type *type_make(struct gen_program *program, struct gen_type wanted)
{
    const struct gen_type *found = type_find(program, &wanted);
    if (found) {
        return found;
    }
    struct gen_type *type = gen_alloc(program, sizeof(*type));
    *type = wanted;
    type->index = program->types.count;
    APPEND(program, &program->types, type);
    return type;
}

const struct gen_type *gen_type_void(struct gen_program *program)
{
    return type_make(program, (struct gen_type){.kind = GEN_VOID});
}

const struct gen_type *gen_type_bool(struct gen_program *program)
{
    return type_make(
        program, (struct gen_type){
                     .kind = GEN_BOOL, .bits = 1, .count = 1, .size = 1, .align = 1, .leaves = 1});
}

static const struct gen_type *scalar_make(struct gen_program *program, enum gen_kind kind,
                                          uint32_t bits)
{
    return type_make(program, (struct gen_type){.kind = kind,
                                                .bits = bits,
                                                .count = 1,
                                                .size = bits / 8,
                                                .align = bits / 8,
                                                .leaves = 1});
}

const struct gen_type *gen_type_int(struct gen_program *program, uint32_t bits)
{
    return scalar_make(program, GEN_INT, bits);
}

const struct gen_type *gen_type_float(struct gen_program *program, uint32_t bits)
{
    return scalar_make(program, GEN_FLOAT, bits);
}

const struct gen_type *gen_type_vector(struct gen_program *program, const struct gen_type *element,
                                       uint32_t count)
{
    uint32_t size = element->size * (count == 3 ? 4 : count);
    if (count == 1) {
        return element;
    }
    return type_make(program, (struct gen_type){.kind = GEN_VECTOR,
                                                .count = count,
                                                .element = element,
                                                .size = size,
                                                .align = size,
                                                .leaves = count});
}

const struct gen_type *gen_type_array(struct gen_program *program, const struct gen_type *element,
                                      uint32_t count)
{
    return type_make(program, (struct gen_type){.kind = GEN_ARRAY,
                                                .count = count,
                                                .element = element,
                                                .size = element->size * count,
                                                .align = element->align,
                                                .leaves = element->leaves * count});
}

const struct gen_type *gen_type_struct(struct gen_program *program,
                                       const struct gen_type *const *members, uint32_t count)
{
    struct gen_type type = {.kind = GEN_STRUCT, .count = count, .align = 1};
    type.members = gen_alloc(program, count * sizeof(*members));
    type.offsets = gen_alloc(program, count * sizeof(*type.offsets));
    for (uint32_t i = 0; i < count; i++) {
        type.members[i] = members[i];
        type.offsets[i] =
            (type.size + members[i]->align - 1) / members[i]->align * members[i]->align;
        type.size = type.offsets[i] + members[i]->size;
        type.align = members[i]->align > type.align ? members[i]->align : type.align;
        type.leaves += members[i]->leaves;
    }
    type.size = (type.size + type.align - 1) / type.align * type.align;
    return type_make(program, type);
}

const struct gen_type *gen_type_leaf(const struct gen_type *type, uint32_t leaf, uint32_t *offset)
{
    *offset = 0;
    while (type->kind == GEN_VECTOR || type->kind == GEN_ARRAY || type->kind == GEN_STRUCT) {
        if (type->kind == GEN_STRUCT) {
            uint32_t member = 0;
            while (leaf >= type->members[member]->leaves) {
                leaf -= type->members[member++]->leaves;
            }
            *offset += type->offsets[member];
            type = type->members[member];
        } else {
            *offset += leaf / type->element->leaves * type->element->size;
            leaf %= type->element->leaves;
            type = type->element;
        }
    }
    return type;
}

bool gen_type_contains(const struct gen_type *type, enum gen_kind kind, uint32_t bits)
{
    if (type->kind == kind && (bits == 0 || type->bits == bits)) {
        return true;
    }
    if (type->kind == GEN_STRUCT) {
        for (uint32_t i = 0; i < type->count; i++) {
            if (gen_type_contains(type->members[i], kind, bits)) {
                return true;
            }
        }
        return false;
    }
    return type->element && gen_type_contains(type->element, kind, bits);
}

/* ---- nodes ---- */

struct gen_expr *gen_expr_create(struct gen_program *program, enum gen_op op,
                                 const struct gen_type *type, uint32_t arg_count)
{
    struct gen_expr *expr = gen_alloc(program, sizeof(*expr));
    expr->op = op;
    expr->type = type;
    expr->arg_count = arg_count;
    expr->args = arg_count ? gen_alloc(program, arg_count * sizeof(*expr->args)) : NULL;
    return expr;
}

struct gen_stmt *gen_stmt_create(struct gen_program *program, enum gen_stmt_kind kind)
{
    struct gen_stmt *stmt = gen_alloc(program, sizeof(*stmt));
    stmt->kind = kind;
    stmt->number = program->stmt_count++;
    return stmt;
}

void gen_block_append(struct gen_program *program, struct gen_block *block, struct gen_stmt *stmt)
{
    APPEND(program, block, stmt);
}

struct gen_variable *gen_variable_create(struct gen_program *program, enum gen_role role,
                                         const struct gen_type *type)
{
    struct gen_variable *variable = gen_alloc(program, sizeof(*variable));
    variable->role = role;
    variable->type = type;
    variable->number = program->variable_count++;
    variable->is_parameter = role != GEN_PRIVATE;
    return variable;
}

void gen_variables_append(struct gen_program *program, struct gen_variables *list,
                          struct gen_variable *variable)
{
    APPEND(program, list, variable);
}

struct gen_function *gen_function_create(struct gen_program *program)
{
    struct gen_function *function = gen_alloc(program, sizeof(*function));
    function->number = program->functions.count;
    APPEND(program, &program->functions, function);
    return function;
}

/* ---- grid and memory ---- */

uint32_t gen_local_total(const struct gen_program *program)
{
    return program->local[0] * program->local[1] * program->local[2];
}

uint32_t gen_group_total(const struct gen_program *program)
{
    return program->groups[0] * program->groups[1] * program->groups[2];
}

uint32_t gen_smallest_subgroup(const struct gen_program *program)
{
    uint32_t rest = gen_local_total(program) % program->subgroup_size;
    return rest ? rest : program->subgroup_size;
}

uint64_t gen_buffer_bytes(const struct gen_program *program, const struct gen_variable *buffer)
{
    (void)program;
    return (uint64_t)buffer->length * buffer->type->size;
}

void gen_leaves_store(const struct gen_type *type, const uint64_t *leaves, uint8_t *bytes)
{
    for (uint32_t i = 0; i < type->leaves; i++) {
        uint32_t offset;
        const struct gen_type *leaf = gen_type_leaf(type, i, &offset);
        memcpy(bytes + offset, &leaves[i], leaf->size);
    }
}

void gen_leaves_load(const struct gen_type *type, const uint8_t *bytes, uint64_t *leaves)
{
    for (uint32_t i = 0; i < type->leaves; i++) {
        uint32_t offset;
        const struct gen_type *leaf = gen_type_leaf(type, i, &offset);
        leaves[i] = 0;
        memcpy(&leaves[i], bytes + offset, leaf->size);
    }
}

/* Numbers that say something: small ones, edges, any bits. Floats: no NaN. */
static uint64_t leaf_value(struct gen_random *random, const struct gen_type *leaf)
{
    uint32_t choice = gen_below(random, 8);
    if (leaf->kind == GEN_FLOAT) {
        static const double edges[] = {0.0,    -0.0,  1.0,     -1.0,     0.5,   1e-40, 3e38,
                                       1e-310, -2.75, 1048576, 16777217, 1e300, -7e9,  0.1};
        double value = choice == 0  ? edges[gen_below(random, 14)]
                       : choice < 5 ? (double)((int)gen_below(random, 4001) - 2000) / 16.0
                                    : (double)(int64_t)gen_random(random) /
                                          (double)(1ull << gen_below(random, 60));
        return gen_float_bits(leaf, value);
    }
    uint64_t mask = leaf->bits == 64 ? UINT64_MAX : (1ull << leaf->bits) - 1;
    switch (choice) {
    case 0:
        return (1ull << (leaf->bits - 1)) - gen_below(random, 2); /* extremes of signed */
    case 1:
        return mask - gen_below(random, 3);
    case 2:
    case 3:
    case 4:
        return gen_below(random, 40) & mask;
    default:
        return gen_random(random) & mask;
    }
}

void gen_buffer_fill(const struct gen_program *program, const struct gen_variable *buffer,
                     uint8_t *bytes)
{
    struct gen_random random = {buffer->fill};
    memset(bytes, 0, gen_buffer_bytes(program, buffer));
    for (uint32_t i = 0; i < buffer->length; i++) {
        for (uint32_t l = 0; l < buffer->type->leaves; l++) {
            uint32_t offset;
            const struct gen_type *leaf = gen_type_leaf(buffer->type, l, &offset);
            uint64_t value = leaf_value(&random, leaf);
            memcpy(bytes + (size_t)i * buffer->type->size + offset, &value, leaf->size);
        }
    }
}

/* ---- barriers ---- */

bool gen_is_meeting(const struct gen_program *program, const struct gen_stmt *stmt)
{
    const struct gen_block *body = &gen_kernel(program)->body;
    for (uint32_t i = 0; program->meets && i < body->count; i++) {
        if (body->items[i] == stmt) {
            return stmt->kind == GEN_BARRIER && !stmt->deleted;
        }
    }
    return false;
}

bool gen_meets(const struct gen_program *program)
{
    const struct gen_block *body = &gen_kernel(program)->body;
    for (uint32_t i = 0; i < body->count; i++) {
        if (gen_is_meeting(program, body->items[i])) {
            return true;
        }
    }
    return false;
}

uint32_t gen_space_answer(enum gen_question question, enum gen_role role)
{
    bool local = role == GEN_SHARED, global = role == GEN_BUFFER;
    switch (question) {
    case GEN_IS_LOCAL:
        return local;
    case GEN_IS_GLOBAL:
        return global;
    case GEN_IS_PRIVATE:
        return !local && !global;
    default: /* WorkgroupMemory, CrossWorkgroupMemory */
        return local ? 0x100 : global ? 0x200 : 0;
    }
}
