/* How much of debug information the passes keep. Every pass of the table (transform/passes.h) runs
 * on both corpora of debug_corpus.h. The test counts instructions with a source location, and
 * places where variables are known, before and after. A pass that loses more than its floor allows
 * fails.
 * GEOID_DEBUG_LOST=1 prints what each pass loses. test_debug.c tests what single passes do. */
#include "debug_corpus.h"
#include "support.h"

#include "base/array.h"
#include "base/ptrmap.h"
#include "compiler/analysis/dominators.h"
#include "compiler/transform/pass/settle.h"
#include "compiler/transform/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- counting ---- */

/* The variables of a module before the first pass. */
struct variables {
    const struct geo_ir_debug_variable **items;
    size_t count, capacity;
};

struct counts {
    uint64_t instructions, located; /* instructions, and those with a location */
    uint64_t places, known; /* pairs of an instruction and a variable in scope; it is known there */
    /* Variables of all functions and inlined calls that have code, and those of them that are known
       somewhere. A variable counts once for each call. */
    uint64_t expected, variables;
};

/* A variable of one inlined call. */
struct tracked {
    const struct geo_ir_debug_variable *variable;
    uint32_t inlined_at;
};

/* Whether debug records tell a variable's value at one position of the code. NEVER: no record so
 * far. LOST: the value is not known any more. */
struct state {
    enum { NEVER, KNOWN, LOST } kind;
    const struct geo_ir_value *value;
};

struct tracker {
    struct geo_ir_function *function;
    struct tracked *variables;
    uint32_t count, capacity;
    bool *seen;            /* by variable: known somewhere */
    struct tracked *calls; /* functions and inlined calls with code, as variable NULL */
    const struct geo_ir_scope **scopes; /* by call: its function */
    uint32_t call_count;
    struct state *in, *now; /* by block and variable; by variable */
    struct geo_cfg cfg;
};

static uint32_t inlined_at(const struct geo_ir_module *module, uint32_t location)
{
    const struct geo_ir_location *at = geo_ir_location(module, location);
    return at ? at->inlined_at : 0;
}

static uint32_t variable_number(struct tracker *t, const struct geo_ir_record *record)
{
    uint32_t call = inlined_at(t->function->module, record->location);
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->variables[i].variable == record->variable && t->variables[i].inlined_at == call) {
            return i;
        }
    }
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 64;
        struct tracked *grown = realloc(t->variables, t->capacity * sizeof(*t->variables));
        assert_non_null(grown);
        t->variables = grown;
    }
    t->variables[t->count] = (struct tracked){record->variable, call};
    return t->count++;
}

/* A fragment that is lost leaves the others; one that is known counts as the variable. */
static void record_apply(struct tracker *t, const struct geo_ir_record *record)
{
    struct state *state = &t->now[variable_number(t, record)];
    if (record->place != GEO_PLACE_UNKNOWN) {
        *state = (struct state){KNOWN, record->value};
    } else if (record->fragment_size == 0) {
        *state = (struct state){LOST, NULL};
    }
}

static bool state_meet(struct state *to, const struct state *from)
{
    if (from->kind == NEVER || to->kind == LOST ||
        (to->kind == from->kind && to->value == from->value)) {
        return false;
    }
    *to = to->kind == NEVER ? *from : (struct state){LOST, NULL};
    return true;
}

static bool scope_contains(const struct geo_ir_scope *outer, const struct geo_ir_scope *inner)
{
    for (uint32_t i = 0; inner && i < 100; inner = inner->parent, i++) {
        if (inner == outer) {
            return true;
        }
    }
    return false;
}

static const struct geo_ir_scope *function_of(const struct geo_ir_scope *scope)
{
    while (scope && scope->kind != GEO_SCOPE_FUNCTION) {
        scope = scope->parent;
    }
    return scope;
}

/* Adds the function, or the inlined call of one, that a location belongs to. */
static void call_add(struct tracker *t, const struct geo_ir_location *at)
{
    const struct geo_ir_scope *function = function_of(at->scope);
    for (uint32_t i = 0; i < t->call_count; i++) {
        if (t->calls[i].inlined_at == at->inlined_at && t->scopes[i] == function) {
            return;
        }
    }
    t->calls[t->call_count].inlined_at = at->inlined_at;
    t->scopes[t->call_count++] = function;
}

static void inst_count(struct tracker *t, const struct geo_ir_inst *inst, struct counts *counts,
                       struct geo_ptrmap *seen)
{
    const struct geo_ir_location *at = geo_ir_location(t->function->module, inst->location);
    counts->instructions++;
    counts->located += at && at->line != 0;
    if (at) {
        call_add(t, at);
    }
    for (uint32_t i = 0; i < t->count; i++) {
        bool known = t->now[i].kind == KNOWN;
        t->seen[i] |= known;
        if (known && !geo_ptrmap_find(seen, t->variables[i].variable)) {
            assert_true(geo_ptrmap_set(seen, t->variables[i].variable, seen));
        }
        if (at && at->inlined_at == t->variables[i].inlined_at &&
            scope_contains(t->variables[i].variable->scope, at->scope) && t->now[i].kind != NEVER) {
            counts->places++;
            counts->known += known;
        }
    }
}

/* Runs the records of a block; with `counts`, it also counts its instructions. */
static void block_run(struct tracker *t, const struct geo_ir_block *block, struct counts *counts,
                      struct geo_ptrmap *seen)
{
    memcpy(t->now, t->in + (size_t)block->index * t->count, t->count * sizeof(*t->now));
    for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        geo_ir_for_each_record(record, inst)
        {
            record_apply(t, record);
        }
        if (counts) {
            inst_count(t, inst, counts, seen);
        }
    }
}

static void function_count(struct geo_ir_function *function, const struct variables *variables,
                           struct counts *counts, struct geo_ptrmap *seen)
{
    struct tracker t = {.function = function};
    struct geo_arena arena;
    geo_arena_init(&arena, 0);
    geo_ir_function_number(function);
    assert_true(geo_cfg_build(function, &arena, &t.cfg));
    geo_ir_for_each_block(block, function) {
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            geo_ir_for_each_record(record, inst)
            {
                (void)variable_number(&t, record);
            }
        }
    }
    t.in = geo_arena_new_array(&arena, struct state, (size_t)t.count * function->block_count + 1);
    t.now = geo_arena_new_array(&arena, struct state, t.count + 1);
    t.seen = geo_arena_new_array(&arena, bool, t.count + 1);
    t.calls = geo_arena_new_array(&arena, struct tracked, function->value_count + 1);
    t.scopes = geo_arena_new_array(&arena, const struct geo_ir_scope *, function->value_count + 1);
    assert_true(t.in && t.now && t.seen && t.calls && t.scopes);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < t.cfg.reachable_count; b++) {
            const struct geo_ir_block *block = t.cfg.order[b];
            block_run(&t, block, NULL, NULL);
            for (uint32_t s = 0; s < t.cfg.succs[block->index].count; s++) {
                uint32_t to = t.cfg.succs[block->index].blocks[s]->index;
                for (uint32_t i = 0; i < t.count; i++) {
                    changed |= state_meet(&t.in[(size_t)to * t.count + i], &t.now[i]);
                }
            }
        }
    }
    for (uint32_t b = 0; b < t.cfg.reachable_count; b++) {
        block_run(&t, t.cfg.order[b], counts, seen);
    }
    for (uint32_t i = 0; i < t.count; i++) {
        counts->variables += t.seen[i];
    }
    for (uint32_t i = 0; i < t.call_count; i++) {
        for (size_t v = 0; v < variables->count; v++) {
            counts->expected += function_of(variables->items[v]->scope) == t.scopes[i];
        }
    }
    free(t.variables);
    geo_arena_finish(&arena);
}

/* Lists the variables of a module. */
static void variables_find(struct geo_ir_module *module, struct variables *variables)
{
    struct geo_ptrmap seen = {0};
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                geo_ir_for_each_record(record, inst)
                {
                    if (geo_ptrmap_find(&seen, record->variable)) {
                        continue;
                    }
                    assert_true(geo_ptrmap_set(&seen, record->variable, &seen));
                    assert_true(geo_array_reserve(variables, 1));
                    variables->items[variables->count++] = record->variable;
                }
            }
        }
    }
    geo_ptrmap_finish(&seen);
}

/* Counts in the functions of a module that come from its source, and not from the library of
 * built-in functions. `seen` gets the variables that are known somewhere. */
static void module_count(struct geo_ir_module *module, const struct variables *variables,
                         struct counts *counts, struct geo_ptrmap *seen)
{
    geo_ir_for_each_function(function, module) {
        if (function->first_block && function->scope) {
            function_count(function, variables, counts, seen);
        }
    }
}

/* ---- what records promise ---- */

/* Fails unless each record is behind the phis, and its value is defined wherever it stands. */
static void records_check(struct geo_ir_function *function, const char *what)
{
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    geo_arena_init(&arena, 0);
    geo_ir_function_number(function);
    assert_true(geo_cfg_build(function, &arena, &cfg));
    assert_true(geo_dominators_compute(&cfg, &arena, &tree));
    geo_ir_for_each_block(block, function) {
        if (block->records) {
            fail_msg("%s: records are left behind the end of a block", what);
        }
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            assert_true(inst->op != SpvOpPhi || !inst->records);
            geo_ir_for_each_record(record, inst)
            {
                struct geo_ir_inst *value = record->value ? geo_ir_as_inst(record->value) : NULL;
                assert_true((record->place == GEO_PLACE_UNKNOWN) == (record->value == NULL));
                if (record->value && !geo_pass_debug_alive(record->value, function)) {
                    fail_msg("%s: the value of %s was removed", what, record->variable->name);
                }
                if (value &&
                    !(value->block == block ? value->value.index < inst->value.index
                                            : geo_block_dominates(&tree, value->block, block))) {
                    fail_msg("%s: the value of %s is not defined", what, record->variable->name);
                }
            }
        }
    }
    geo_arena_finish(&arena);
}

/* ---- the floors ---- */

/* The least that a pass must keep, in thousandths of what was there before: the share of
 * instructions with a location, the share of variables that are known somewhere, and the share of
 * places where variables in scope are known. `end` is the whole pipeline. */
struct floor {
    const char *pass;
    uint32_t compiled[3], made[3];
};

static const struct floor floors[] = {
#include "debug_floors.def"
};

static const struct floor *floor_find(const char *pass)
{
    for (size_t i = 0; i < sizeof(floors) / sizeof(floors[0]); i++) {
        if (strcmp(floors[i].pass, pass) == 0) {
            return &floors[i];
        }
    }
    fail_msg("pass \"%s\" has no floor in debug_floors.def", pass);
    return NULL;
}

static uint32_t share(uint64_t part, uint64_t whole)
{
    return whole ? (uint32_t)(part * 1000000 / whole) : 1000000;
}

static uint32_t kept(uint32_t now, uint32_t before)
{
    return before ? (uint32_t)((uint64_t)now * 1000 / before) : 1000;
}

/* The rows that did not reach their floor are printed, and counted. */
static uint32_t floor_check(const struct debug_corpus *corpus, const char *pass,
                            const struct counts *before, const struct counts *after, bool real)
{
    const struct floor *floor = floor_find(pass);
    const uint32_t *limits = real ? floor->compiled : floor->made;
    uint32_t values[3] = {
        kept(share(after->located, after->instructions),
             share(before->located, before->instructions)),
        kept(share(after->variables, after->expected), share(before->variables, before->expected)),
        kept(share(after->known, after->places), share(before->known, before->places)),
    };
    bool low = values[0] < limits[0] || values[1] < limits[1] || values[2] < limits[2];
    if (low || getenv("GEOID_DEBUG_LOST")) {
        print_message("%-9s %-20s locations %4u (%u), variables %4u (%u), places %4u (%u)%s\n",
                      corpus->name, pass, values[0], limits[0], values[1], limits[1], values[2],
                      limits[2], low ? "  TOO FEW" : "");
    }
    return low;
}

/* Names the variables that were known before a pass and are known nowhere after it. */
static void lost_print(const char *module, const char *pass, const struct geo_ptrmap *before,
                       const struct geo_ptrmap *after)
{
    for (size_t i = 0; i < before->map.capacity; i++) {
        const struct geo_ir_debug_variable *variable = before->map.entries[i].key;
        if (variable && !geo_ptrmap_find(after, variable)) {
            print_message("  %s: %s loses %s (line %u)\n", module, pass, variable->name,
                          variable->line);
        }
    }
}

static void counts_add(struct counts *to, const struct counts *from)
{
    to->instructions += from->instructions;
    to->located += from->located;
    to->places += from->places;
    to->known += from->known;
    to->expected += from->expected;
    to->variables += from->variables;
}

/* Runs one pass on one module. Returns false if the module cannot be compiled (an import without a
 * definition): it is left out from then on. */
static bool pass_count(const char *name, struct geo_ir_module *module,
                       const struct variables *variables, const struct geo_transform_pass *pass,
                       struct counts *before, struct counts *after)
{
    struct geo_strbuf log;
    struct geo_ptrmap had = {0}, has = {0};
    struct counts counts[2] = {{0}, {0}};
    geo_strbuf_init(&log, 0);
    module_count(module, variables, &counts[0], &had);
    bool good = geo_transform_pass_run(pass, module, true, &log) == ZE_RESULT_SUCCESS;
    if (good) {
        module_count(module, variables, &counts[1], &has);
        counts_add(before, &counts[0]);
        counts_add(after, &counts[1]);
        if (getenv("GEOID_DEBUG_LOST")) {
            lost_print(name, pass->name, &had, &has);
        }
        geo_ir_for_each_function(function, module) {
            if (function->first_block) {
                records_check(function, pass->name);
            }
        }
    }
    geo_ptrmap_finish(&had);
    geo_ptrmap_finish(&has);
    geo_strbuf_finish(&log);
    return good;
}

static void corpus_check(bool real)
{
    static struct debug_corpus corpus;
    static struct variables variables[DEBUG_MODULES];
    static bool out[DEBUG_MODULES];
    size_t passes;
    const struct geo_transform_pass *table = geo_transform_passes(&passes);
    uint32_t low = 0, left = 0;
    struct counts first = {0}, last = {0};
    debug_corpus_open(&corpus, real);
    assert_true(corpus.count >= (real ? 6u : 10u));
    memset(out, 0, sizeof(out));
    memset(variables, 0, sizeof(variables));
    for (uint32_t i = 0; i < corpus.count; i++) {
        variables_find(corpus.items[i].module, &variables[i]);
    }
    for (size_t p = 0; p < passes; p++) {
        struct counts before = {0}, after = {0};
        for (uint32_t i = 0; i < corpus.count; i++) {
            out[i] = out[i] || !pass_count(corpus.items[i].name, corpus.items[i].module,
                                           &variables[i], &table[p], &before, &after);
        }
        first = p == 0 ? before : first;
        last = after;
        low += floor_check(&corpus, table[p].name, &before, &after, real);
    }
    for (uint32_t i = 0; i < corpus.count; i++) {
        left += !out[i];
        geo_array_finish(&variables[i]);
    }
    low += floor_check(&corpus, "end", &first, &last, real);
    assert_true(left * 10 >= corpus.count * 8);
    debug_corpus_finish(&corpus);
    assert_int_equal(low, 0);
}

static void passes_keep_what_compilers_write(void **state)
{
    (void)state;
    corpus_check(true);
}

static void passes_keep_what_is_made(void **state)
{
    (void)state;
    corpus_check(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_keep_what_compilers_write),
        cmocka_unit_test(passes_keep_what_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
