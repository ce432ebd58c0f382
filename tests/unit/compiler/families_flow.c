/* Hostile modules of control flow: branches, loops, switches, phis, barriers, calls. */
#include "families.h"

#include <stdlib.h>

static uint32_t *ids_make(struct spv *s, uint32_t count)
{
    uint32_t *ids = calloc(count ? count : 1, sizeof(*ids));
    for (uint32_t i = 0; ids && i < count; i++) {
        ids[i] = spv_id(s);
    }
    return ids ? ids : (abort(), NULL);
}

static uint32_t phi2(struct spv *s, uint32_t a, uint32_t from_a, uint32_t b, uint32_t from_b)
{
    return SPV_VALUE(s, SpvOpPhi, s->i32, a, from_a, b, from_b);
}

/* if (c) store; joined by a phi, one behind the other. */
static void ifs(struct spv *s, uint32_t size, int varying)
{
    spv_kernel(s, "k");
    uint32_t value = s->x, before = spv_id(s);
    spv_branch(s, before);
    spv_label(s, before);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t yes = spv_id(s), join = spv_id(s);
        spv_branch_if(s, spv_condition(s, i, varying), yes, join);
        spv_label(s, yes);
        uint32_t more = spv_add(s, value, s->item);
        spv_store(s, s->place, more);
        spv_branch(s, join);
        spv_label(s, join);
        value = phi2(s, value, before, more, yes);
        before = join;
    }
    spv_store(s, s->place, value);
    spv_return(s, 0);
}

static void ifs_varying(struct spv *s, uint32_t size)
{
    ifs(s, size, 1);
}

static void ifs_uniform(struct spv *s, uint32_t size)
{
    ifs(s, size, 0);
}

/* if (c) { if (c) { ... } } */
static void ifs_nested(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t *joins = ids_make(s, size);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t yes = spv_id(s);
        spv_branch_if(s, spv_condition(s, i, 1), yes, joins[i]);
        spv_label(s, yes);
        spv_store(s, s->place, s->x);
    }
    for (uint32_t i = size; i-- > 0;) {
        spv_branch(s, joins[i]);
        spv_label(s, joins[i]);
    }
    spv_return(s, 0);
    free(joins);
}

/* if (c) goto done; again and again. */
static void exits_early(struct spv *s, uint32_t size)
{
    uint32_t done = spv_id(s);
    spv_kernel(s, "k");
    for (uint32_t i = 0; i < size; i++) {
        uint32_t next = spv_id(s);
        spv_branch_if(s, spv_condition(s, i, 1), done, next);
        spv_label(s, next);
        spv_store(s, s->place, s->x);
    }
    spv_branch(s, done);
    spv_label(s, done);
    spv_return(s, 0);
}

/* A loop that counts up, behind `before`; its exit is begun. */
static uint32_t loop(struct spv *s, uint32_t before, uint32_t number, uint32_t head, uint32_t done)
{
    uint32_t next = spv_id(s), body = spv_id(s);
    spv_branch(s, head);
    spv_label(s, head);
    uint32_t i = SPV_VALUE(s, SpvOpPhi, s->i32, s->x, before, next, body);
    spv_branch_if(s, SPV_VALUE(s, SpvOpULessThan, s->boolean, i, s->item), body, done);
    spv_label(s, body);
    spv_store(s, s->place, i);
    SPV(s, SPV_CODE, SpvOpIAdd, s->i32, next, i, spv_int(s, number));
    spv_branch(s, head);
    spv_label(s, done);
    return i;
}

static void loops(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t before = spv_id(s);
    spv_branch(s, before);
    spv_label(s, before);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t done = spv_id(s);
        uint32_t last = loop(s, before, i + 1, spv_id(s), done);
        spv_store(s, s->place, last);
        before = done;
    }
    spv_return(s, 0);
}

/* Loops whose exits all lead to one block, with a phi of what each counted to. */
static void loops_to_one(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t done = spv_id(s), here = spv_id(s);
    uint32_t *pairs = calloc(2 * (size_t)size, sizeof(*pairs));
    spv_branch(s, here);
    spv_label(s, here);
    for (uint32_t i = 0; pairs && i < size; i++) {
        uint32_t head = spv_id(s), body = spv_id(s), out = spv_id(s), next = spv_id(s);
        spv_branch(s, head);
        spv_label(s, head);
        uint32_t count = SPV_VALUE(s, SpvOpPhi, s->i32, s->x, here, next, body);
        spv_branch_if(s, spv_condition(s, i, 1), body, out);
        spv_label(s, body);
        SPV(s, SPV_CODE, SpvOpIAdd, s->i32, next, count, s->item);
        spv_branch_if(s, SPV_VALUE(s, SpvOpULessThan, s->boolean, next, s->x), done, head);
        pairs[2 * i] = next;
        pairs[2 * i + 1] = body;
        spv_label(s, out);
        here = out;
    }
    uint32_t end = spv_id(s);
    spv_branch(s, end);
    spv_label(s, done);
    uint32_t value = spv_value(s, SPV_CODE, SpvOpPhi, s->i32, pairs, 2 * size);
    spv_store(s, s->place, value);
    spv_branch(s, end);
    spv_label(s, end);
    spv_return(s, 0);
    free(pairs);
}

/* Two blocks that lead to each other, both entered from before. */
static void loops_irreducible(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    for (uint32_t i = 0; i < size; i++) {
        uint32_t a = spv_id(s), b = spv_id(s), done = spv_id(s);
        spv_branch_if(s, spv_condition(s, i, 1), a, b);
        spv_label(s, a);
        spv_store(s, s->place, s->x);
        spv_branch(s, b);
        spv_label(s, b);
        spv_branch_if(s, spv_condition(s, i + 1, 0), a, done);
        spv_label(s, done);
    }
    spv_return(s, 0);
}

/* A switch; each case is two blocks and leads to a phi. */
static void cases(struct spv *s, uint32_t size, int varying)
{
    spv_kernel(s, "k");
    uint32_t *blocks = ids_make(s, size), *ends = ids_make(s, size), done = spv_id(s);
    uint32_t *words = calloc(2 * (size_t)size + 2, sizeof(*words));
    uint32_t here = spv_id(s);
    spv_branch(s, here);
    spv_label(s, here);
    words[0] = varying ? s->item : s->x;
    words[1] = done;
    for (uint32_t i = 0; i < size; i++) {
        words[2 + 2 * i] = i;
        words[3 + 2 * i] = blocks[i];
    }
    spv_put(s, SPV_CODE, SpvOpSwitch, words, 2 * size + 2);
    words[0] = s->x;
    words[1] = here;
    for (uint32_t i = 0; i < size; i++) {
        spv_label(s, blocks[i]);
        words[2 + 2 * i] = spv_add(s, s->x, spv_int(s, i));
        words[3 + 2 * i] = ends[i];
        spv_branch(s, ends[i]);
        spv_label(s, ends[i]);
        spv_store(s, s->place, words[2 + 2 * i]);
        spv_branch(s, done);
    }
    spv_label(s, done);
    spv_store(s, s->place, spv_value(s, SPV_CODE, SpvOpPhi, s->i32, words, 2 * size + 2));
    spv_return(s, 0);
    free(blocks);
    free(ends);
    free(words);
}

static void cases_varying(struct spv *s, uint32_t size)
{
    cases(s, size, 1);
}

static void cases_uniform(struct spv *s, uint32_t size)
{
    cases(s, size, 0);
}

/* Branches on constants, all to one block with a phi. */
static void branches_known(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t yes = spv_value(s, SPV_GLOBALS, SpvOpConstantTrue, s->boolean, NULL, 0);
    uint32_t *pairs = calloc(2 * (size_t)size + 2, sizeof(*pairs)), done = spv_id(s);
    uint32_t here = spv_id(s);
    spv_branch(s, here);
    spv_label(s, here);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t next = spv_id(s);
        pairs[2 * i] = spv_int(s, i);
        pairs[2 * i + 1] = here;
        spv_store(s, s->place, pairs[2 * i]);
        spv_branch_if(s, yes, next, done);
        spv_label(s, next);
        here = next;
    }
    pairs[2 * size] = s->x;
    pairs[2 * size + 1] = here;
    spv_branch(s, done);
    spv_label(s, done);
    spv_store(s, s->place, spv_value(s, SPV_CODE, SpvOpPhi, s->i32, pairs, 2 * size + 2));
    spv_return(s, 0);
    free(pairs);
}

/* Many phis in the head of one loop, each fed by the one before. */
static void phis(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t before = spv_id(s), head = spv_id(s), body = spv_id(s), done = spv_id(s);
    uint32_t *values = ids_make(s, size);
    spv_branch(s, before);
    spv_label(s, before);
    spv_branch(s, head);
    spv_label(s, head);
    for (uint32_t i = 0; i < size; i++) {
        SPV(s, SPV_CODE, SpvOpPhi, s->i32, values[i], i % 2 ? s->item : s->x, before,
            i ? values[i - 1] : s->x, body);
    }
    spv_branch_if(s, SPV_VALUE(s, SpvOpULessThan, s->boolean, values[size - 1], s->x), body, done);
    spv_label(s, body);
    spv_store(s, s->place, values[0]);
    spv_branch(s, head);
    spv_label(s, done);
    spv_return(s, 0);
    free(values);
}

static void barriers(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t value = spv_load(s, s->place);
    for (uint32_t i = 0; i < size; i++) {
        spv_store(s, s->place, value);
        spv_barrier(s);
        value = spv_load(s, s->place);
    }
    spv_store(s, s->place, value);
    spv_return(s, 0);
}

/* Some items return before them. */
static void barriers_passed(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t here = spv_id(s), done = spv_id(s);
    spv_branch_if(s, spv_condition(s, 1, 1), done, here);
    spv_label(s, here);
    for (uint32_t i = 0; i < size; i++) {
        spv_store(s, s->place, spv_int(s, i));
        spv_barrier(s);
    }
    spv_branch(s, done);
    spv_label(s, done);
    spv_return(s, 0);
}

/* Each under a condition that all items share, in a function with phis. */
static void barriers_branched(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t value = s->x, before = spv_id(s);
    spv_branch(s, before);
    spv_label(s, before);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t yes = spv_id(s), join = spv_id(s);
        spv_branch_if(s, spv_condition(s, i, 0), yes, join);
        spv_label(s, yes);
        spv_barrier(s);
        uint32_t more = spv_load(s, s->place);
        spv_branch(s, join);
        spv_label(s, join);
        value = phi2(s, value, before, more, yes);
        before = join;
    }
    spv_store(s, s->place, value);
    spv_return(s, 0);
}

/* Values that live across all of them. */
static void barriers_crossed(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t *values = calloc(size, sizeof(*values));
    for (uint32_t i = 0; i < size; i++) {
        values[i] = spv_load(s, s->place);
    }
    for (uint32_t i = 0; i < size; i++) {
        spv_barrier(s);
    }
    for (uint32_t i = 0; i < size; i++) {
        spv_store(s, s->place, values[i]);
    }
    spv_return(s, 0);
    free(values);
}

static void barrier_ends(struct spv *s, uint32_t size)
{
    spv_kernel(s, "k");
    uint32_t *blocks = ids_make(s, size), done = spv_id(s);
    uint32_t *words = calloc(2 * (size_t)size + 2, sizeof(*words));
    words[0] = s->x;
    words[1] = blocks[0];
    for (uint32_t i = 0; i < size; i++) {
        words[2 + 2 * i] = i;
        words[3 + 2 * i] = blocks[i];
    }
    spv_put(s, SPV_CODE, SpvOpSwitch, words, 2 * size + 2);
    for (uint32_t i = 0; i < size; i++) {
        spv_label(s, blocks[i]);
        spv_barrier(s);
        words[2 * i] = spv_int(s, i);
        words[2 * i + 1] = blocks[i];
        spv_branch(s, done);
    }
    spv_label(s, done);
    spv_store(s, s->place, spv_value(s, SPV_CODE, SpvOpPhi, s->i32, words, 2 * size));
    spv_return(s, 0);
    free(blocks);
    free(words);
}

/* ---- functions ---- */

static uint32_t call(struct spv *s, uint32_t function)
{
    return SPV_VALUE(s, SpvOpFunctionCall, s->i32, function, s->out, s->x);
}

/* Each calls the one before, twice if `doubling`, and the first has a barrier if asked for. */
static void calls(struct spv *s, uint32_t size, int doubling, int with_barrier)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t function = spv_function(s), value = s->x;
        if (with_barrier && !last) {
            spv_barrier(s);
        }
        for (int c = 0; last && c <= doubling; c++) {
            value = spv_add(s, value, call(s, last));
        }
        spv_return(s, value);
        last = function;
    }
    spv_kernel(s, "k");
    spv_store(s, s->place, call(s, last));
    spv_return(s, 0);
}

static void calls_deep(struct spv *s, uint32_t size)
{
    calls(s, size, 0, 0);
}

static void calls_doubling(struct spv *s, uint32_t size)
{
    calls(s, size, 1, 0);
}

static void calls_doubling_barrier(struct spv *s, uint32_t size)
{
    calls(s, size, 1, 1);
}

/* A switch whose cases call a function of several blocks, before they lead to a phi. */
static void calls_cut(struct spv *s, uint32_t size)
{
    uint32_t callee = spv_function(s), yes = spv_id(s), no = spv_id(s);
    spv_branch_if(s, spv_condition(s, 3, 1), yes, no);
    spv_label(s, yes);
    spv_store(s, s->out, s->x);
    spv_branch(s, no);
    spv_label(s, no);
    spv_return(s, s->x);
    spv_kernel(s, "k");
    uint32_t *blocks = ids_make(s, size), done = spv_id(s);
    uint32_t *words = calloc(2 * (size_t)size + 2, sizeof(*words));
    words[0] = s->x;
    words[1] = blocks[0];
    for (uint32_t i = 0; i < size; i++) {
        words[2 + 2 * i] = i;
        words[3 + 2 * i] = blocks[i];
    }
    spv_put(s, SPV_CODE, SpvOpSwitch, words, 2 * size + 2);
    for (uint32_t i = 0; i < size; i++) {
        spv_label(s, blocks[i]);
        words[2 * i] = call(s, callee);
        words[2 * i + 1] = blocks[i];
        spv_branch(s, done);
    }
    spv_label(s, done);
    spv_store(s, s->place, spv_value(s, SPV_CODE, SpvOpPhi, s->i32, words, 2 * size));
    spv_return(s, 0);
    free(blocks);
    free(words);
}

static void kernels(struct spv *s, uint32_t size)
{
    uint32_t array = SPV_TYPE(s, SpvOpTypeArray, s->i32, spv_int(s, 4));
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassWorkgroup, array);
    uint32_t element = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassWorkgroup, s->i32);
    for (uint32_t i = 0; i < size; i++) {
        char name[9] = "k";
        for (uint32_t c = 0; c < 7; c++) {
            name[1 + c] = (char)('a' + (i >> 4 * c) % 16);
        }
        uint32_t local = SPV_GLOBAL(s, SpvOpVariable, pointer, SpvStorageClassWorkgroup);
        spv_kernel(s, name);
        uint32_t place = SPV_VALUE(s, SpvOpInBoundsAccessChain, element, local, s->x);
        spv_store(s, place, s->item);
        spv_store(s, s->place, spv_load(s, place));
        spv_return(s, 0);
    }
}

static void functions_unused(struct spv *s, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        spv_function(s);
        spv_return(s, s->x);
    }
    spv_kernel(s, "k");
    spv_return(s, 0);
}

/* Exported, so they stay; and each is called by a kernel of its own. */
static void functions_exported(struct spv *s, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        char name[9] = "f";
        for (uint32_t c = 0; c < 7; c++) {
            name[1 + c] = (char)('a' + (i >> 4 * c) % 16);
        }
        uint32_t function = spv_function(s);
        spv_store(s, s->out, s->x);
        spv_return(s, s->x);
        /* LinkageAttributes name, Export: the string comes first. */
        uint32_t text[3] = {0};
        for (uint32_t c = 0; c < 8; c++) {
            text[c / 4] |= (uint32_t)name[c] << c % 4 * 8;
        }
        SPV(s, SPV_DECORATIONS, SpvOpDecorate, function, SpvDecorationLinkageAttributes, text[0],
            text[1], text[2], SpvLinkageTypeExport);
    }
    spv_kernel(s, "k");
    spv_return(s, 0);
}

const struct family families_flow[] = {
    {"ifs_varying", ifs_varying, 2000, NULL, NULL},
    {"ifs_uniform", ifs_uniform, 2000, NULL, NULL},
    {"ifs_nested", ifs_nested, 600, NULL, "analysis/linear.c, divergence.c"},
    {"exits_early", exits_early, 1000, NULL, "analysis/linear.c, divergence.c"},
    {"loops", loops, 2000, NULL, NULL},
    {"loops_to_one", loops_to_one, 500, NULL, "analysis/linear.c"},
    {"loops_irreducible", loops_irreducible, 2000, NULL, NULL},
    {"cases_varying", cases_varying, 1500, NULL, "analysis/linear.c"},
    {"cases_uniform", cases_uniform, 3000, NULL, NULL},
    {"branches_known", branches_known, 4000, NULL, NULL},
    {"phis", phis, 8000, NULL, NULL},
    {"barriers", barriers, 4000, NULL, NULL},
    {"barriers_branched", barriers_branched, 2000, NULL, NULL},
    {"barriers_crossed", barriers_crossed, 2000, NULL, "analysis/liveness.c"},
    {"barriers_passed", barriers_passed, 2000, NULL, NULL},
    {"barrier_ends", barrier_ends, 2000, NULL, NULL},
    {"calls_deep", calls_deep, 4000, NULL, NULL},
    {"calls_doubling", calls_doubling, 2000, NULL, NULL},
    {"calls_doubling_barrier", calls_doubling_barrier, 100, "becomes too large", NULL},
    {"calls_cut", calls_cut, 2000, NULL, NULL},
    {"kernels", kernels, 1000, NULL, NULL},
    {"functions_unused", functions_unused, 8000, NULL, NULL},
    {"functions_exported", functions_exported, 2000, NULL, NULL},
};
const size_t families_flow_count = sizeof(families_flow) / sizeof(families_flow[0]);
