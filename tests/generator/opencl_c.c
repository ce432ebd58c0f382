/* Types, functions and statements as text; expressions: opencl_expr.c. See opencl_c.h.
 *
 * Integers are unsigned everywhere; signed operations reinterpret their operands. Each integer
 * operation is cast back to its type, because C widens narrow ones. */
#include "opencl_c.h"

#include "opencl_text.h"
#include "spirv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gen_print(struct gen_text *text, const char *format, ...)
{
    va_list args, copy;
    va_start(args, format);
    va_copy(copy, args);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (text->length + (size_t)length + 1 > text->capacity) {
        text->capacity = (text->length + (size_t)length + 1) * 2;
        char *items = realloc(text->items, text->capacity);
        if (!items) {
            fprintf(stderr, "generator: out of memory\n");
            exit(1);
        }
        text->items = items;
    }
    vsnprintf(text->items + text->length, (size_t)length + 1, format, args);
    text->length += (size_t)length;
    va_end(args);
}

static void indent(struct gen_text *text, uint32_t depth)
{
    gen_print(text, "%*s", (int)depth * 4, "");
}

/* ---- types and variables ---- */

static void print_declaration(struct gen_text *text, const struct gen_type *type, const char *name)
{
    char inner[96];
    if (type->kind == GEN_ARRAY) {
        snprintf(inner, sizeof(inner), "%.80s[%u]", name, type->count);
        print_declaration(text, type->element, inner);
        return;
    }
    gen_print_type(text, type, false);
    gen_print(text, " %s", name);
}

static void print_structs(struct gen_text *text, const struct gen_program *program)
{
    char name[32];
    for (uint32_t i = 0; i < program->types.count; i++) {
        const struct gen_type *type = program->types.items[i];
        if (type->kind != GEN_STRUCT) {
            continue;
        }
        gen_print(text, "struct s%u {\n", type->index);
        for (uint32_t m = 0; m < type->count; m++) {
            snprintf(name, sizeof(name), "m%u", m);
            gen_print(text, "    ");
            print_declaration(text, type->members[m], name);
            gen_print(text, ";\n");
        }
        gen_print(text, "};\n");
    }
}

static const uint64_t *print_initial(struct gen_text *text, const struct gen_type *type,
                                     const uint64_t *leaves)
{
    if (type->kind != GEN_STRUCT && type->kind != GEN_ARRAY) {
        gen_print_const(text, type, leaves);
        return leaves + type->leaves;
    }
    gen_print(text, "{");
    for (uint32_t i = 0; i < type->count; i++) {
        const struct gen_type *member = type->kind == GEN_STRUCT ? type->members[i] : type->element;
        gen_print(text, i ? ", " : "");
        leaves = print_initial(text, member, leaves);
    }
    gen_print(text, "}");
    return leaves;
}

static void print_tables(struct gen_text *text, const struct gen_program *program)
{
    char name[32];
    for (uint32_t i = 0; i < program->tables.count; i++) {
        const struct gen_variable *table = program->tables.items[i];
        snprintf(name, sizeof(name), "v%u[%u]", table->number, table->length);
        gen_print(text, "constant ");
        print_declaration(text, table->type, name);
        gen_print(text, " = {");
        for (uint32_t e = 0; e < table->length; e++) {
            uint64_t leaves[GEN_MAX_LEAVES];
            gen_leaves_load(table->type, table->bytes + (size_t)e * table->type->size, leaves);
            gen_print(text, e ? ", " : "");
            print_initial(text, table->type, leaves);
        }
        gen_print(text, "};\n");
    }
}

static void print_parameters(struct gen_text *text, const struct gen_function *function)
{
    for (uint32_t i = 0; i < function->parameters.count; i++) {
        const struct gen_variable *parameter = function->parameters.items[i];
        static const char *const spaces[] = {
            [GEN_POINTER] = "private ", [GEN_BUFFER] = "global ", [GEN_SHARED] = "local "};
        bool pointer = parameter->role != GEN_PARAMETER;
        gen_print(text, "%s%s", i ? ", " : "", pointer ? spaces[parameter->role] : "");
        gen_print_type(text, parameter->type, false);
        gen_print(text, " %sv%u", pointer ? "*" : "", parameter->number);
    }
}

/* ---- statements ---- */

static void print_block(struct gen_text *text, const struct gen_block *block, uint32_t depth);

/* A jump by label, which also reaches loops around the innermost one or around a switch. */
static bool jumps_to(const struct gen_block *block, const struct gen_stmt *loop,
                     enum gen_stmt_kind kind)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct gen_stmt *stmt = block->items[i];
        if (stmt->deleted) {
            continue;
        }
        if ((stmt->kind == kind && stmt->target == loop) || jumps_to(&stmt->body, loop, kind) ||
            jumps_to(&stmt->other, loop, kind)) {
            return true;
        }
        for (uint32_t c = 0; c < stmt->case_count; c++) {
            if (jumps_to(&stmt->cases[c].body, loop, kind)) {
                return true;
            }
        }
    }
    return false;
}

/* What is said here without a jump into the loop. */
static void print_part_before_entry(struct gen_text *text, const struct gen_stmt *stmt,
                                    uint32_t depth)
{
    indent(text, depth + 1);
    gen_print(text, "if (v%u != 0 || !entry_%u) {\n", stmt->counter->number, stmt->number);
    print_block(text, &stmt->other, depth + 2);
    indent(text, depth + 1);
    gen_print(text, "}\n");
}

static void print_loop(struct gen_text *text, const struct gen_stmt *stmt, uint32_t depth)
{
    uint32_t counter = stmt->counter->number;
    if (stmt->post_test) {
        gen_print(text, "v%u = 0;\n", counter);
        indent(text, depth);
        if (stmt->entry) {
            gen_print(text, "bool entry_%u = ", stmt->number);
            gen_print_expr(text, stmt->entry);
            gen_print(text, ";\n");
            indent(text, depth);
        }
        gen_print(text, "do {\n");
    } else {
        gen_print(text, "for (v%u = 0; v%u < ", counter, counter);
        gen_print_expr(text, stmt->value);
        gen_print(text, "; v%u++) {\n", counter);
    }
    if (stmt->entry) {
        print_part_before_entry(text, stmt, depth);
    }
    print_block(text, &stmt->body, depth + 1);
    if (jumps_to(&stmt->body, stmt, GEN_CONTINUE) || jumps_to(&stmt->other, stmt, GEN_CONTINUE)) {
        indent(text, depth + 1);
        gen_print(text, "continue_%u:;\n", stmt->number);
    }
    indent(text, depth);
    gen_print(text, "}");
    if (stmt->post_test) {
        gen_print(text, " while (++v%u < ", counter);
        gen_print_expr(text, stmt->value);
        gen_print(text, ");");
    }
    gen_print(text, "\n");
    if (jumps_to(&stmt->body, stmt, GEN_BREAK) || jumps_to(&stmt->other, stmt, GEN_BREAK)) {
        indent(text, depth);
        gen_print(text, "break_%u:;\n", stmt->number);
    }
}

static void print_switch(struct gen_text *text, const struct gen_stmt *stmt, uint32_t depth)
{
    gen_print(text, "switch (");
    gen_print_expr(text, stmt->value);
    gen_print(text, ") {\n");
    for (uint32_t i = 0; i < stmt->case_count; i++) {
        const struct gen_case *one = &stmt->cases[i];
        indent(text, depth);
        if (one->is_default) {
            gen_print(text, "default:\n");
        } else {
            gen_print(text, "case 0x%llxu%s:\n", (unsigned long long)one->value,
                      stmt->value->type->bits == 64 ? "l" : "");
        }
        print_block(text, &one->body, depth + 1);
        indent(text, depth + 1);
        gen_print(text, one->falls_through ? "/* falls through */\n" : "break;\n");
    }
    indent(text, depth);
    gen_print(text, "}\n");
}

static void print_call(struct gen_text *text, const struct gen_stmt *stmt)
{
    if (stmt->place) {
        gen_print_place(text, stmt->place);
        gen_print(text, " = ");
    }
    gen_print(text, "f%u(", stmt->function->number);
    for (uint32_t i = 0; i < stmt->function->parameters.count; i++) {
        const struct gen_argument *argument = &stmt->arguments[i];
        gen_print(text, i ? ", " : "");
        if (argument->value) {
            gen_print_expr(text, argument->value);
        } else if (argument->address) {
            gen_print(text, "&");
            gen_print_place(text, argument->address);
        } else {
            gen_print(text, "v%u", argument->variable->number);
        }
    }
    gen_print(text, ");\n");
}

static void print_atomic(struct gen_text *text, const struct gen_stmt *stmt)
{
    const char *name;
    switch (stmt->atomic) {
    case GEN_ADD:
        name = "add";
        break;
    case GEN_SUB:
        name = "sub";
        break;
    case GEN_AND:
        name = "and";
        break;
    case GEN_OR:
        name = "or";
        break;
    case GEN_XOR:
        name = "xor";
        break;
    case GEN_UMIN:
    case GEN_SMIN:
        name = "min";
        break;
    default:
        name = "max";
        break;
    }
    /* A loop of compare-exchange is printed as what it comes to. */
    name = stmt->atomic_form == GEN_ATOMIC_SWAP ? "xchg" : name;
    const struct gen_type *type = stmt->atomic_place->type;
    bool is_signed = stmt->atomic == GEN_SMIN || stmt->atomic == GEN_SMAX;
    const char *c_type =
        type->bits == 32 ? (is_signed ? "int" : "uint") : (is_signed ? "long" : "ulong");
    const char *space = stmt->atomic_place->base->role == GEN_SHARED ? "local" : "global";
    if (stmt->place) {
        gen_print_place(text, stmt->place);
        gen_print(text, " = (%s)", type->bits == 32 ? "uint" : "ulong");
    }
    gen_print(text, "%s_%s((volatile %s %s *)&", type->bits == 32 ? "atomic" : "atom", name, space,
              c_type);
    gen_print_place(text, stmt->atomic_place);
    gen_print(text, ", (%s)(", c_type);
    gen_print_expr(text, stmt->value);
    gen_print(text, "));\n");
}

static void print_stmt(struct gen_text *text, const struct gen_stmt *stmt, uint32_t depth)
{
    indent(text, depth);
    switch (stmt->kind) {
    case GEN_ASSIGN:
        gen_print_place(text, stmt->place);
        gen_print(text, " = ");
        gen_print_expr(text, stmt->value);
        gen_print(text, ";\n");
        break;
    case GEN_IF:
        gen_print(text, "if (");
        gen_print_expr(text, stmt->value);
        gen_print(text, ") {\n");
        print_block(text, &stmt->body, depth + 1);
        indent(text, depth);
        if (stmt->other.count) {
            gen_print(text, "} else {\n");
            print_block(text, &stmt->other, depth + 1);
            indent(text, depth);
        }
        gen_print(text, "}\n");
        break;
    case GEN_LOOP:
        print_loop(text, stmt, depth);
        break;
    case GEN_SWITCH:
        print_switch(text, stmt, depth);
        break;
    case GEN_BREAK:
        gen_print(text, "goto break_%u;\n", stmt->target->number);
        break;
    case GEN_CONTINUE:
        gen_print(text, "goto continue_%u;\n", stmt->target->number);
        break;
    case GEN_RETURN:
        gen_print(text, "return");
        if (stmt->value) {
            gen_print(text, " ");
            gen_print_expr(text, stmt->value);
        }
        gen_print(text, ";\n");
        break;
    case GEN_CALL:
        print_call(text, stmt);
        break;
    case GEN_BARRIER:
        gen_print(text, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
        break;
    case GEN_VSTORE:
        gen_print(text, "vstore%u(", stmt->value->type->count);
        gen_print_expr(text, stmt->value);
        gen_print(text, ", ");
        gen_print_expr(text, stmt->place->element);
        gen_print(text, ", v%u);\n", stmt->place->base->number);
        break;
    case GEN_ATOMIC:
        print_atomic(text, stmt);
        break;
    case GEN_SUBGROUP:
        gen_print_subgroup(text, stmt);
        break;
    }
}

static void print_block(struct gen_text *text, const struct gen_block *block, uint32_t depth)
{
    for (uint32_t i = 0; i < block->count; i++) {
        if (!block->items[i]->deleted) {
            print_stmt(text, block->items[i], depth);
        }
    }
}

/* ---- the whole ---- */

static void print_function(struct gen_text *text, const struct gen_program *program,
                           const struct gen_function *function)
{
    char name[32];
    if (function->is_kernel && program->subgroup_size) {
        gen_print(text, "\n__attribute__((intel_reqd_sub_group_size(%u)))", program->subgroup_size);
    }
    if (function->is_kernel && program->required_local) {
        gen_print(text, "\n__attribute__((reqd_work_group_size(%u, %u, %u)))", program->local[0],
                  program->local[1], program->local[2]);
    }
    if (function->is_kernel) {
        gen_print(text, "\nkernel void %s(", GEN_KERNEL_NAME);
    } else {
        gen_print(text, "\n%s", function->dont_inline ? "__attribute__((noinline)) " : "");
        gen_print_type(text, function->result, false);
        gen_print(text, " f%u(", function->number);
    }
    print_parameters(text, function);
    gen_print(text, ")\n{\n");
    for (uint32_t i = 0; function->is_kernel && i < program->shared.count; i++) {
        const struct gen_variable *variable = program->shared.items[i];
        snprintf(name, sizeof(name), "v%u[%u]", variable->number, variable->length);
        gen_print(text, "    local ");
        print_declaration(text, variable->type, name);
        gen_print(text, ";\n");
    }
    for (uint32_t i = 0; i < function->locals.count; i++) {
        const struct gen_variable *local = function->locals.items[i];
        snprintf(name, sizeof(name), "v%u", local->number);
        gen_print(text, "    ");
        print_declaration(text, local->type, name);
        gen_print(text, " = ");
        print_initial(text, local->type, local->initial);
        gen_print(text, ";\n");
    }
    print_block(text, &function->body, 1);
    gen_print(text, "}\n");
}

char *gen_emit_opencl(const struct gen_program *program)
{
    struct gen_text text = {0};
    gen_print(&text,
              "/* seed %llu, groups %u x %u x %u of %u x %u x %u items, offset %llu %llu %llu */\n",
              (unsigned long long)program->seed, program->groups[0], program->groups[1],
              program->groups[2], program->local[0], program->local[1], program->local[2],
              (unsigned long long)program->offset[0], (unsigned long long)program->offset[1],
              (unsigned long long)program->offset[2]);
    gen_print(&text, "#pragma OPENCL FP_CONTRACT OFF\n"
                     "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                     "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n\n");
    if (program->halves) {
        gen_print(&text, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\n");
    }
    print_structs(&text, program);
    print_tables(&text, program);
    for (uint32_t i = 0; i < program->functions.count; i++) {
        print_function(&text, program, program->functions.items[i]);
    }
    return text.items;
}
