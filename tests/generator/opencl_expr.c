/* Random kernels as OpenCL C: expressions and places. See opencl_c.h. */
#include "opencl_text.h"

#include <math.h>
#include <string.h>

void gen_print_type(struct gen_text *text, const struct gen_type *type, bool is_signed)
{
    const struct gen_type *scalar = gen_scalar_of(type);
    static const char *const ints[] = {"uchar", "ushort", "uint", "ulong"};
    uint32_t size = 0;
    switch (scalar->kind) {
    case GEN_VOID:
        gen_print(text, "void");
        break;
    case GEN_BOOL:
        gen_print(text, "bool");
        break;
    case GEN_STRUCT:
        gen_print(text, "struct s%u", scalar->index);
        break;
    case GEN_FLOAT:
        gen_print(text, "%s",
                  scalar->bits == 16   ? "half"
                  : scalar->bits == 32 ? "float"
                                       : "double");
        break;
    default:
        while (8u << size < scalar->bits) {
            size++;
        }
        gen_print(text, "%s", ints[size] + (is_signed ? 1 : 0));
        break;
    }
    if (type->kind == GEN_VECTOR) {
        gen_print(text, "%u", type->count);
    }
}

static const char *float_suffix(const struct gen_type *scalar)
{
    return scalar->bits == 16 ? "h" : scalar->bits == 32 ? "f" : "";
}

/* C has no literals for these. Which NaN it is is never seen. */
static void print_special(double value, struct gen_text *text)
{
    gen_print(text, "%s", isnan(value) ? "NAN" : value < 0 ? "-INFINITY" : "INFINITY");
}

static void print_scalar(struct gen_text *text, const struct gen_type *type, uint64_t bits)
{
    if (type->kind == GEN_BOOL) {
        gen_print(text, bits ? "true" : "false");
    } else if (type->kind == GEN_FLOAT) {
        double value = gen_float_value(type, bits);
        if (isfinite(value)) {
            gen_print(text, "%a%s", value, float_suffix(type));
        } else {
            print_special(value, text);
        }
    } else if (type->bits < 32) {
        gen_print(text, "(%s)%llu", type->bits == 8 ? "uchar" : "ushort", (unsigned long long)bits);
    } else {
        gen_print(text, "%llu%s", (unsigned long long)bits, type->bits == 64 ? "ul" : "u");
    }
}

void gen_print_const(struct gen_text *text, const struct gen_type *type, const uint64_t *leaves)
{
    if (type->kind != GEN_VECTOR) {
        print_scalar(text, type, leaves[0]);
        return;
    }
    gen_print(text, "(");
    gen_print_type(text, type, false);
    gen_print(text, ")(");
    for (uint32_t i = 0; i < type->count; i++) {
        gen_print(text, i ? ", " : "");
        print_scalar(text, type->element, leaves[i]);
    }
    gen_print(text, ")");
}

/* ---- places ---- */

void gen_print_place(struct gen_text *text, const struct gen_place *place)
{
    const struct gen_type *type = place->base->type;
    /* A component by a number that is only known later: through a pointer to the elements. */
    const struct gen_step *last = place->step_count ? &place->steps[place->step_count - 1] : NULL;
    const struct gen_type *walk = type;
    for (uint32_t i = 0; i + 1 < place->step_count; i++) {
        walk = place->steps[i].is_member ? walk->members[place->steps[i].member] : walk->element;
    }
    bool component = last && !last->is_member && walk->kind == GEN_VECTOR;
    if (component) {
        static const char *const spaces[] = {"private", "private", "private",
                                             "global",  "local",   "constant"};
        gen_print(text, "((%s ", spaces[place->base->role]);
        gen_print_type(text, walk->element, false);
        gen_print(text, " *)&");
    }
    if (place->condition) {
        bool object = !place->element;
        gen_print(text, object ? "(*(" : "(");
        gen_print_expr(text, place->condition);
        gen_print(text, " ? %sv%u : %sv%u)%s",
                  object && place->other->role == GEN_PRIVATE ? "&" : "", place->other->number,
                  object && place->base->role == GEN_PRIVATE ? "&" : "", place->base->number,
                  object ? ")" : "[");
        if (!object) {
            gen_print_expr(text, place->element);
            gen_print(text, "]");
        }
    } else if (place->element) {
        gen_print(text, "v%u[", place->base->number);
        gen_print_expr(text, place->element);
        gen_print(text, "]");
    } else {
        gen_print(text, place->base->role == GEN_POINTER ? "(*v%u)" : "v%u", place->base->number);
    }
    for (uint32_t i = 0; i < place->step_count; i++) {
        const struct gen_step *step = &place->steps[i];
        if (step->is_member) {
            gen_print(text, ".m%u", step->member);
            continue;
        }
        gen_print(text, component && step == last ? ")[" : "[");
        gen_print_expr(text, step->index);
        gen_print(text, "]");
    }
}

/* ---- expressions ---- */

static void print_id(struct gen_text *text, const struct gen_expr *expr)
{
    static const char *const names[] = {
        "get_global_id",          "get_local_id",           "get_group_id",
        "get_local_size",         "get_global_size",        "get_num_groups",
        "get_global_offset",      "get_global_linear_id",   "get_local_linear_id",
        "get_sub_group_local_id", "get_sub_group_id",       "get_num_sub_groups",
        "get_sub_group_size",     "get_max_sub_group_size", "get_sub_group_eq_mask",
        "get_sub_group_ge_mask",  "get_sub_group_gt_mask",  "get_sub_group_le_mask",
        "get_sub_group_lt_mask"};
    bool linear = expr->number >= GEN_GLOBAL_LINEAR;
    gen_print(text, "%s(", names[expr->number]);
    gen_print(text, linear ? ")" : "%u)", expr->number2);
}

/* Without generic pointers: what each of the two is known to be. */
static void print_space(struct gen_text *text, const struct gen_expr *expr)
{
    const struct gen_place *places[] = {expr->other_place, expr->place};
    gen_print(text, "(");
    gen_print_expr(text, expr->args[0]);
    for (uint32_t i = 0; i < 2; i++) {
        gen_print(text, i ? " : " : " ? ");
        if (expr->number == GEN_BEHIND) {
            gen_print_place(text, places[i]);
        } else {
            gen_print(text, "%uu",
                      gen_space_answer((enum gen_question)expr->number, places[i]->base->role));
        }
    }
    gen_print(text, ")");
}

static void print_select(struct gen_text *text, const struct gen_expr *expr)
{
    static const char *const names[] = {"char", "short", "int", "long"};
    const struct gen_type *type = expr->type;
    if (type->kind != GEN_VECTOR) {
        gen_print(text, "(");
        gen_print_type(text, type, false);
        gen_print(text, ")(");
        gen_print_expr(text, expr->args[0]);
        gen_print(text, " ? ");
        gen_print_expr(text, expr->args[1]);
        gen_print(text, " : ");
        gen_print_expr(text, expr->args[2]);
        gen_print(text, ")");
        return;
    }
    uint32_t size = 0;
    while (8u << size < type->element->bits) {
        size++;
    }
    gen_print(text, "select(");
    gen_print_expr(text, expr->args[2]);
    gen_print(text, ", ");
    gen_print_expr(text, expr->args[1]);
    gen_print(text, ", convert_%s%u(", names[size], type->count);
    gen_print_expr(text, expr->args[0]);
    gen_print(text, "))");
}

/* ({ type tN = value; ... }): what is needed several times is computed once. Returns N. */
static uint32_t open_temporary(struct gen_text *text, const struct gen_expr *value)
{
    uint32_t number = text->temporaries++;
    gen_print(text, "({ ");
    gen_print_type(text, value->type, false);
    gen_print(text, " t%u = ", number);
    gen_print_expr(text, value);
    gen_print(text, "; ");
    return number;
}

static void close_temporary(struct gen_text *text)
{
    gen_print(text, "; })");
}

static void print_canon(struct gen_text *text, const struct gen_expr *expr)
{
    uint32_t t = open_temporary(text, expr->args[0]);
    if (expr->type->kind == GEN_VECTOR) {
        gen_print(text, "select((");
        gen_print_type(text, expr->type, false);
        gen_print(text, ")0, t%u, isequal(t%u, t%u))", t, t, t);
    } else {
        gen_print(text, "isequal(t%u, t%u) ? t%u : 0", t, t, t);
    }
    close_temporary(text);
}

static void print_in_range(struct gen_text *text, const struct gen_expr *expr)
{
    double low, high;
    uint32_t t = open_temporary(text, expr->args[0]);
    const char *suffix = float_suffix(gen_scalar_of(expr->type));
    gen_integer_range(expr->number, expr->number2, &low, &high);
    if (expr->type->kind == GEN_VECTOR) {
        gen_print(text, "select((");
        gen_print_type(text, expr->type, false);
        gen_print(text, ")0, t%u, t%u >= %a%s && t%u < %a%s)", t, t, low, suffix, t, high, suffix);
    } else {
        gen_print(text, "t%u >= %a%s && t%u < %a%s ? t%u : 0", t, low, suffix, t, high, suffix, t);
    }
    close_temporary(text);
}

static void print_extract_dynamic(struct gen_text *text, const struct gen_expr *expr)
{
    uint32_t t = open_temporary(text, expr->args[0]);
    gen_print(text, "((private ");
    gen_print_type(text, expr->type, false);
    gen_print(text, " *)&t%u)[", t);
    gen_print_expr(text, expr->args[1]);
    gen_print(text, "]");
    close_temporary(text);
}

static void print_insert(struct gen_text *text, const struct gen_expr *expr)
{
    uint32_t t = open_temporary(text, expr->args[0]);
    if (expr->op == GEN_INSERT) {
        gen_print(text, "t%u.s%x", t, expr->number);
    } else {
        gen_print(text, "((private ");
        gen_print_type(text, expr->type->element, false);
        gen_print(text, " *)&t%u)[", t);
        gen_print_expr(text, expr->args[2]);
        gen_print(text, "]");
    }
    gen_print(text, " = ");
    gen_print_expr(text, expr->args[1]);
    gen_print(text, "; t%u", t);
    close_temporary(text);
}

static void print_shuffle(struct gen_text *text, const struct gen_expr *expr)
{
    uint32_t count = expr->args[0]->type->count, t[2];
    for (uint32_t i = 0; i < 2; i++) {
        t[i] = open_temporary(text, expr->args[i]);
    }
    gen_print(text, "(");
    gen_print_type(text, expr->type, false);
    gen_print(text, ")(");
    for (uint32_t i = 0; i < expr->type->count; i++) {
        gen_print(text, "%st%u.s%x", i ? ", " : "", t[expr->lanes[i] < count ? 0 : 1],
                  expr->lanes[i] % count);
    }
    gen_print(text, ")");
    close_temporary(text);
    close_temporary(text);
}

static void print_construct(struct gen_text *text, const struct gen_expr *expr)
{
    uint32_t t[16] = {0}, opened = 0;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (i > 0 && expr->args[i] == expr->args[i - 1]) {
            t[i] = t[i - 1];
        } else {
            t[i] = open_temporary(text, expr->args[i]);
            opened++;
        }
    }
    gen_print(text, "(");
    gen_print_type(text, expr->type, false);
    gen_print(text, ")(");
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        gen_print(text, "%st%u", i ? ", " : "", t[i]);
    }
    gen_print(text, ")");
    while (opened-- > 0) {
        close_temporary(text);
    }
}

static void print_vector(struct gen_text *text, const struct gen_expr *expr)
{
    switch (expr->op) {
    case GEN_EXTRACT:
        gen_print(text, "(");
        gen_print_expr(text, expr->args[0]);
        gen_print(text, ").s%x", expr->number);
        break;
    case GEN_EXTRACT_DYN:
        print_extract_dynamic(text, expr);
        break;
    case GEN_INSERT:
    case GEN_INSERT_DYN:
        print_insert(text, expr);
        break;
    case GEN_CONSTRUCT:
        print_construct(text, expr);
        break;
    case GEN_SHUFFLE:
        print_shuffle(text, expr);
        break;
    default:
        gen_print(text, expr->op == GEN_ANY ? "any(" : "all(");
        gen_print_expr(text, expr->args[0]);
        gen_print(text, ")");
        break;
    }
}

/* The bits as a signed integer; C may have widened the expression. */
static void print_as_signed(struct gen_text *text, const struct gen_expr *expr)
{
    gen_print(text, "as_");
    gen_print_type(text, expr->type, true);
    gen_print(text, "((");
    gen_print_type(text, expr->type, false);
    gen_print(text, ")");
    gen_print_expr(text, expr);
    gen_print(text, ")");
}

static void print_convert(struct gen_text *text, const struct gen_expr *expr)
{
    bool from_signed = expr->op == GEN_SCONVERT || expr->op == GEN_S_TO_F;
    gen_print(text, "%s", expr->op == GEN_F_TO_S ? "as_" : "");
    if (expr->op == GEN_F_TO_S) {
        gen_print_type(text, expr->type, false);
        gen_print(text, "(");
    }
    gen_print(text, expr->op == GEN_BITCAST ? "as_" : "convert_");
    gen_print_type(text, expr->type, expr->op == GEN_F_TO_S);
    if (expr->rounding) {
        static const char *const modes[] = {"_rte", "_rtz", "_rtp", "_rtn"};
        bool saturates = gen_scalar_of(expr->type)->kind == GEN_INT;
        gen_print(text, "%s%s", saturates ? "_sat" : "", modes[expr->rounding - 1]);
    }
    gen_print(text, "(");
    if (from_signed) {
        print_as_signed(text, expr->args[0]);
    } else {
        gen_print_expr(text, expr->args[0]);
    }
    gen_print(text, ")");
    gen_print(text, expr->op == GEN_F_TO_S ? ")" : "");
}

static void print_operand(struct gen_text *text, const struct gen_expr *expr, enum gen_class kind)
{
    bool is_signed = kind == GEN_CLASS_SINT || kind == GEN_CLASS_SCOMPARE;
    if (is_signed) {
        print_as_signed(text, expr);
        return;
    }
    gen_print_expr(text, expr);
}

static void print_operation(struct gen_text *text, const struct gen_expr *expr)
{
    const struct gen_op_info *op = &gen_ops[expr->op];
    bool integer = op->op_class == GEN_CLASS_INT || op->op_class == GEN_CLASS_SINT;
    bool vector = expr->type->kind == GEN_VECTOR;
    /* Narrow products would overflow int. */
    bool widen =
        integer && !vector && expr->type->bits < 32 && op->spirv && op->op_class == GEN_CLASS_INT;
    if (integer) {
        gen_print(text, vector ? "as_" : "(");
        gen_print_type(text, expr->type, false);
        gen_print(text, vector ? "" : ")");
    }
    gen_print(text, "(");
    for (const char *at = op->c; *at; at++) {
        if (*at == '$') {
            gen_print(text, widen ? "(uint)" : "");
            print_operand(text, expr->args[*++at - '0'], op->op_class);
        } else {
            gen_print(text, "%c", *at);
        }
    }
    gen_print(text, ")");
}

void gen_print_expr(struct gen_text *text, const struct gen_expr *expr)
{
    expr = gen_expr_resolve(expr);
    switch (expr->op) {
    case GEN_CONST:
        gen_print_const(text, expr->type, expr->bits);
        break;
    case GEN_LOAD:
        gen_print_place(text, expr->place);
        break;
    case GEN_VLOAD:
        gen_print(text, "vload%u(", expr->type->count);
        gen_print_expr(text, expr->args[0]);
        gen_print(text, ", v%u)", expr->place->base->number);
        break;
    case GEN_SPACE:
        print_space(text, expr);
        break;
    case GEN_ID:
        print_id(text, expr);
        break;
    case GEN_SELECT:
        print_select(text, expr);
        break;
    case GEN_CANON:
        print_canon(text, expr);
        break;
    case GEN_IN_RANGE:
        print_in_range(text, expr);
        break;
    case GEN_CONSTRUCT:
    case GEN_EXTRACT:
    case GEN_EXTRACT_DYN:
    case GEN_INSERT:
    case GEN_INSERT_DYN:
    case GEN_SHUFFLE:
    case GEN_ANY:
    case GEN_ALL:
        print_vector(text, expr);
        break;
    default:
        if (gen_ops[expr->op].c) {
            print_operation(text, expr);
        } else {
            print_convert(text, expr);
        }
        break;
    }
}
