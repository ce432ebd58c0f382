/* What the passes keep of debug information. Every pass of the table (transform/passes.h) runs on a
 * corpus. The test counts instructions with a source location, and places where variables are
 * known, before and after. A pass that loses more than its floor allows fails.
 *
 * There are two corpora: kernels that compilers translated with debug information, and modules that
 * the test gives debug information, one line and one variable for each instruction. The second has
 * what OpenCL C never becomes: odd integers, matrices, large values. GEOID_DEBUG_LOST=1 prints what
 * each pass loses. */
#include "support.h"

#include "base/array.h"
#include "base/ptrmap.h"
#include "compiler/analysis/dominators.h"
#include "compiler/ir/debug.h"
#include "compiler/ir/grammar.h"
#include "compiler/ir/print.h"
#include "compiler/spirv/reader.h"
#include "compiler/transform/pass/settle.h"
#include "compiler/transform/passes.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MODULES_MAX 128u
#define PASSES_MAX  64u

/* ---- the corpora ---- */

/* The variables of a module before the first pass. */
struct variables {
    const struct geo_ir_debug_variable **items;
    size_t count, capacity;
};

struct corpus {
    const char *name;
    struct {
        char name[64];
        struct geo_ir_module *module;
        struct variables variables;
    } items[MODULES_MAX];
    uint32_t count;
};

static struct geo_ir_module *file_module(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    struct geo_strbuf log;
    struct geo_ir_module *module = NULL;
    geo_strbuf_init(&log, 0);
    if (geo_spirv_read(bytes, size, &module, &log) != ZE_RESULT_SUCCESS) {
        fail_msg("%s: %s", path, geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    free(bytes);
    return module;
}

static bool has_records(struct geo_ir_module *module)
{
    return module->debug && module->debug->lists.count > 1;
}

/* Adds the modules of a folder that have (`real`), or do not have, debug information. */
static void corpus_add(struct corpus *corpus, const char *path, bool real)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char file[1024];
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".spv") != 0) {
            continue;
        }
        snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        struct geo_ir_module *module = file_module(file);
        if (has_records(module) != real) {
            geo_ir_module_destroy(module);
            continue;
        }
        assert_true(corpus->count < MODULES_MAX);
        snprintf(corpus->items[corpus->count].name, sizeof(corpus->items[0].name), "%.60s",
                 entry->d_name);
        corpus->items[corpus->count++].module = module;
    }
    closedir(folder);
}

static void corpus_finish(struct corpus *corpus)
{
    for (uint32_t i = 0; i < corpus->count; i++) {
        geo_ir_module_destroy(corpus->items[i].module);
        geo_array_finish(&corpus->items[i].variables);
    }
    corpus->count = 0;
}

static void *debug_alloc(struct geo_ir_module *module, size_t bytes)
{
    void *made = geo_arena_alloc(&geo_ir_debug_get(module)->store->arena, bytes);
    assert_non_null(made);
    return made;
}

/* Gives each instruction of a function a line, and a variable whose value is its result. */
static void function_debugify(struct geo_ir_function *function, const struct geo_ir_file *file)
{
    struct geo_ir_module *module = function->module;
    struct geo_ir_scope *scope = debug_alloc(module, sizeof(*scope));
    uint32_t line = 0;
    scope->kind = GEO_SCOPE_FUNCTION;
    scope->file = file;
    scope->name = "f";
    function->scope = scope;
    geo_ir_for_each_block(block, function) {
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            struct geo_ir_location at = {.file = file, .line = ++line, .scope = scope};
            inst->location = geo_ir_location_number(module, &at);
            struct geo_ir_inst *behind = inst->next;
            while (behind && behind->op == SpvOpPhi) {
                behind = behind->next;
            }
            if (inst->value.type->kind == GEO_TYPE_VOID || !behind) {
                continue;
            }
            struct geo_ir_debug_variable *variable = debug_alloc(module, sizeof(*variable));
            char *name = debug_alloc(module, 16);
            snprintf(name, 16, "v%u", line);
            variable->name = name;
            variable->scope = scope;
            variable->line = line;
            geo_ir_record_add(
                behind, &(struct geo_ir_record){
                            .variable = variable,
                            .location = inst->location,
                            .place = inst->op == SpvOpVariable ? GEO_PLACE_MEMORY : GEO_PLACE_VALUE,
                            .value = &inst->value,
                        });
        }
    }
}

static void debugify(struct geo_ir_module *module)
{
    struct geo_ir_file *file = debug_alloc(module, sizeof(*file));
    file->name = "made";
    geo_ir_for_each_function(function, module) {
        if (function->first_block) {
            function_debugify(function, file);
        }
    }
}

/* ---- counting ---- */

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

/* What is known about a variable at a position. */
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
        t->variables = realloc(t->variables, t->capacity * sizeof(*t->variables));
        assert_non_null(t->variables);
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

static void corpus_open(struct corpus *corpus, bool real)
{
    corpus->name = real ? "compiled" : "made";
    corpus_add(corpus, COMPILER_TESTS "/fixtures/producers", real);
    corpus_add(corpus, FIXTURES, real);
    for (uint32_t i = 0; i < corpus->count; i++) {
        if (!real) {
            debugify(corpus->items[i].module);
        }
        memset(&corpus->items[i].variables, 0, sizeof(corpus->items[i].variables));
        variables_find(corpus->items[i].module, &corpus->items[i].variables);
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
        assert_int_equal(block->records, 0);
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

/* What remains after a pass, in thousandths of what was before: the share of instructions with a
 * location, the share of variables that are known somewhere, and the share of places where
 * variables in scope are known. `end` is the whole pipeline. */
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
static uint32_t floor_check(const struct corpus *corpus, const char *pass,
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
    static struct corpus corpus;
    size_t passes;
    const struct geo_transform_pass *table = geo_transform_passes(&passes);
    uint32_t low = 0, left = 0;
    struct counts first = {0}, last = {0};
    corpus_open(&corpus, real);
    assert_true(corpus.count >= (real ? 6u : 10u));
    static bool out[MODULES_MAX];
    memset(out, 0, sizeof(out));
    assert_true(passes <= PASSES_MAX);
    for (size_t p = 0; p < passes; p++) {
        struct counts before = {0}, after = {0};
        for (uint32_t i = 0; i < corpus.count; i++) {
            out[i] = out[i] || !pass_count(corpus.items[i].name, corpus.items[i].module,
                                           &corpus.items[i].variables, &table[p], &before, &after);
        }
        first = p == 0 ? before : first;
        last = after;
        low += floor_check(&corpus, table[p].name, &before, &after, real);
    }
    for (uint32_t i = 0; i < corpus.count; i++) {
        left += !out[i];
    }
    low += floor_check(&corpus, "end", &first, &last, real);
    assert_true(left * 10 >= corpus.count * 8);
    corpus_finish(&corpus);
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

/* ---- single passes ---- */

#define X " = OpExtInst %void %dbg "
/* A kernel k(p, n), a function h(a) and the variables x and y of k, z of h. */
#define HEAD                                                                                       \
    "%dbg = OpExtInstImport \"OpenCL.DebugInfo.100\"\nOpEntryPoint Kernel %k \"k\"\n"              \
    "%f = OpString \"a.cl\"\n%sk = OpString \"k\"\n%sh = OpString \"h\"\n"                         \
    "%sx = OpString \"x\"\n%sy = OpString \"y\"\n%sz = OpString \"z\"\n"                           \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"       \
    "%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c7 = OpConstant %i32 7\n"                  \
    "%l7 = OpConstant %i64 7\n%c32 = OpConstant %i32 32\n%gi = OpTypePointer CrossWorkgroup "      \
    "%i32\n%pi = OpTypePointer Function %i32\n%s = OpTypeStruct %i32 %i32\n"                       \
    "%ps = OpTypePointer Function %s\n%fn = OpTypeFunction %void %gi %i32\n"                       \
    "%fh = OpTypeFunction %i32 %i32\n%none" X "DebugInfoNone\n%file" X "DebugSource %f\n"          \
    "%unit" X "DebugCompilationUnit 1 5 %file OpenCL_C\n"                                          \
    "%int" X "DebugTypeBasic %sx %c32 Signed\n%ty" X "DebugTypeFunction None %void\n"              \
    "%dk" X "DebugFunction %sk %ty %file 1 1 %unit %sk None 1 %k\n"                                \
    "%dh" X "DebugFunction %sh %ty %file 9 1 %unit %sh None 9 %h\n"                                \
    "%x" X "DebugLocalVariable %sx %int %file 2 1 %dk None\n"                                      \
    "%y" X "DebugLocalVariable %sy %int %file 3 1 %dk None\n"                                      \
    "%z" X "DebugLocalVariable %sz %int %file 9 5 %dh None 1\n%e0" X "DebugExpression\n"
#define KERNEL                                                                                     \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi\n"                               \
    "%n = OpFunctionParameter %i32\n%e = OpLabel\n"
#define HELPER                                                                                     \
    "%h = OpFunction %i32 None %fh\n%a = OpFunctionParameter %i32\n%eh = OpLabel\n"                \
    "%sch" X "DebugScope %dh\nOpLine %f 10 3\n%dz" X "DebugValue %z %a %e0\n"                      \
    "%b = OpIMul %i32 %a %a\nOpReturnValue %b\nOpFunctionEnd\n"

static const struct geo_transform_pass *pass_find(const char *name)
{
    size_t count;
    const struct geo_transform_pass *table = geo_transform_passes(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    fail_msg("no pass is named %s", name);
    return NULL;
}

/* Runs passes ("a;b") on a text. `expected` must be in the printed result. */
static void expect_after(const char *text, const char *names, const char *expected)
{
    struct geo_ir_module *module = support_assemble(text);
    struct geo_strbuf log, printed;
    char *list = strdup(names), *rest = NULL;
    geo_strbuf_init(&log, 0);
    geo_strbuf_init(&printed, 0);
    assert_non_null(list);
    for (const char *name = strtok_r(list, ";", &rest); name; name = strtok_r(NULL, ";", &rest)) {
        if (geo_transform_pass_run(pass_find(name), module, true, &log) != ZE_RESULT_SUCCESS) {
            fail_msg("%s", geo_strbuf_text(&log));
        }
    }
    free(list);
    geo_ir_print(module, &printed);
    if (!strstr(geo_strbuf_text(&printed), expected)) {
        fail_msg("\"%s\" is not in\n%s", expected, geo_strbuf_text(&printed));
    }
    geo_strbuf_finish(&log);
    geo_strbuf_finish(&printed);
    geo_ir_module_destroy(module);
}

/* Two calls on one line are two sets of variables. */
static void inlined_code_names_its_call(void **state)
{
    (void)state;
    static const char text[] = HEAD HELPER KERNEL
        "%sc" X "DebugScope %dk\nOpLine %f 4 2\n"
        "%r = OpFunctionCall %i32 %h %n\n%q = OpFunctionCall %i32 %h %r\nOpLine %f 5 2\n"
        "OpStore %p %q\nOpReturn\nOpFunctionEnd\n";
    expect_after(text, "inlining",
                 "    ; z is %1; a.cl:10:3 h < a.cl:4:2 k\n"
                 "    %2 = OpIMul i32 %1 %1  ; a.cl:10:3 h < a.cl:4:2 k\n"
                 "    ; z is %2; a.cl:10:3 h < a.cl:4:2 k\n"
                 "    %3 = OpIMul i32 %2 %2  ; a.cl:10:3 h < a.cl:4:2 k\n"
                 "    OpStore %0 %3  ; a.cl:5:2 k\n");
    struct geo_ir_module *module = support_assemble(text);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_pass_run(pass_find("inlining"), module, true, &log),
                     ZE_RESULT_SUCCESS);
    const struct geo_ir_inst *first = module->first_function->first_block->first;
    assert_int_equal(geo_ir_location(module, first->location)->depth, 1);
    assert_int_not_equal(inlined_at(module, first->location),
                         inlined_at(module, first->next->location));
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

/* An entry point without debug information that calls the kernel's function takes its place. */
static void an_entry_point_without_source_takes_that_of_its_body(void **state)
{
    (void)state;
    char text[] = HEAD HELPER KERNEL "%r = OpFunctionCall %i32 %h %n\nOpStore %p %r\nOpReturn\n"
                                     "OpFunctionEnd\n";
    /* no DebugFunction names the kernel: this one is about h, and the second one replaces it */
    strstr(text, "None 1 %k\n")[8] = 'h';
    expect_after(text, "inlining",
                 "    ; z is %1; a.cl:10:3 h\n    %2 = OpIMul i32 %1 %1  ; a.cl:10:3 h\n");
}

/* A value behind each store and phi; unknown where values meet that nothing needs. */
#define BRANCHES                                                                                   \
    HEAD "%h = OpFunction %i32 None %fh\n%a = OpFunctionParameter %i32\n%eh = OpLabel\n"           \
         "OpReturnValue %a\nOpFunctionEnd\n" KERNEL "%v = OpVariable %pi Function\n"               \
         "%w = OpVariable %pi Function\n%sc" X "DebugScope %dk\nOpLine %f 4 2\n"                   \
         "%d1" X "DebugDeclare %x %v %e0\n%d2" X "DebugDeclare %y %w %e0\n"                        \
         "OpStore %v %c7\nOpStore %w %n\n%t = OpSGreaterThan %bool %n %c0\n"                       \
         "OpBranchConditional %t %yes %done\n%yes = OpLabel\nOpStore %v %n\nOpStore %w %c1\n"      \
         "OpBranch %done\n%done = OpLabel\n%l = OpLoad %i32 %v\nOpStore %p %l\nOpReturn\n"         \
         "OpFunctionEnd\n"

static void stores_and_phis_give_a_variable_its_value(void **state)
{
    (void)state;
    expect_after(BRANCHES, "mem2reg",
                 "    ; x is unknown; a.cl:4:2 k\n    ; y is unknown; a.cl:4:2 k\n"
                 "    ; x is 7; a.cl:4:2 k\n    ; y is %1; a.cl:4:2 k\n    %2 = OpSGreaterThan");
    expect_after(BRANCHES, "mem2reg",
                 "    ; x is %1; a.cl:4:2 k\n    ; y is 1; a.cl:4:2 k\n"
                 "    OpBranch ->2\n  2:\n    %5 = OpPhi i32 7 %1 ->0 ->1\n"
                 "    ; x is %5; a.cl:4:2 k\n");
}

static void a_variable_is_unknown_where_values_meet(void **state)
{
    (void)state;
    expect_after(BRANCHES, "mem2reg",
                 "    ; x is %5; a.cl:4:2 k\n    ; y is unknown; a.cl:4:2 k\n    OpStore %0 %5");
}

static void parts_of_a_variable_are_fragments(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "%h = OpFunction %i32 None %fh\n%a = OpFunctionParameter %i32\n%eh = OpLabel\n"
             "OpReturnValue %a\nOpFunctionEnd\n" KERNEL "%v = OpVariable %ps Function\n"
             "%sc" X "DebugScope %dk\nOpLine %f 4 2\n%d1" X "DebugDeclare %x %v %e0\n"
             "%v0 = OpInBoundsAccessChain %pi %v %c0\n%v1 = OpInBoundsAccessChain %pi %v %c1\n"
             "OpStore %v0 %n\nOpStore %v1 %c7\n%l = OpLoad %i32 %v0\n%m = OpLoad %i32 %v1\n"
             "%t = OpIAdd %i32 %l %m\nOpStore %p %t\nOpReturn\nOpFunctionEnd\n";
    expect_after(text, "sroa",
                 "    ; x is unknown; a.cl:4:2 k\n    ; x bits 0+32 is at %2; a.cl:4:2 k\n"
                 "    ; x bits 32+32 is at %3; a.cl:4:2 k\n    OpStore %2 %1");
    expect_after(text, "sroa;mem2reg",
                 "    ; x bits 0+32 is %1; a.cl:4:2 k\n    ; x bits 32+32 is 7; a.cl:4:2 k\n"
                 "    %2 = OpIAdd i32 %1 7");
}

/* What replaces removed instructions. */
static void removed_values_are_expressed_by_their_operands(void **state)
{
    static const struct {
        const char *code, *expected;
    } cases[] = {
        {"%r = OpIAdd %i32 %n %c7\n", "; x is %1, add 7;"},
        {"%r = OpIAdd %i32 %c7 %n\n", "; x is %1, add 7;"},
        {"%r = OpISub %i32 %n %c7\n", "; x is %1, add -7;"},
        {"%r = OpSConvert %i64 %n\n", "; x is %1, sign extend 32;"},
        {"%r = OpUConvert %i64 %n\n", "; x is %1, zero extend 32;"},
        {"%r = OpInBoundsPtrAccessChain %gi %p %c7\n", "; x is %0, add 28;"},
        {"%r = OpCompositeConstruct %s %n %c7\n",
         "; x is unknown; a.cl:4:2 k\n    ; x bits 0+32 is %1; a.cl:4:2 k\n"
         "    ; x bits 32+32 is 7;"},
        {"%q = OpUndef %s\n%r = OpCompositeInsert %s %n %q 1\n",
         "; x is unknown; a.cl:4:2 k\n    ; x bits 32+32 is %1;"},
        {"%q = OpUConvert %i64 %n\n%r = OpIAdd %i64 %q %l7\n", "; x is %1, zero extend 32, add 7;"},
        {"%r = OpIMul %i32 %n %c7\n", "; x is unknown;"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[8192];
        snprintf(text, sizeof(text), "%s%s%s%s%s%s", HEAD HELPER KERNEL,
                 "%sc" X "DebugScope %dk\nOpLine %f 4 2\n", cases[i].code, "%d1" X,
                 "DebugValue %x %r %e0\n", "OpReturn\nOpFunctionEnd\n");
        expect_after(text, "simplify", cases[i].expected);
    }
}

/* A value that an empty block gives to a variable is not its value on the other path. */
static void empty_blocks_leave_variables_unknown(void **state)
{
    (void)state;
    expect_after(HEAD HELPER KERNEL
                 "%sc" X "DebugScope %dk\nOpLine %f 4 2\n%d0" X
                 "DebugValue %x %n %e0\n%t = OpSGreaterThan %bool %n %c0\n"
                 "OpBranchConditional %t %yes %no\n%yes = OpLabel\n%d1" X
                 "DebugValue %x %c7 %e0\nOpBranch %done\n%no = OpLabel\nOpStore %p %n\n"
                 "OpBranch %done\n%done = OpLabel\nOpStore %p %c1\nOpReturn\nOpFunctionEnd\n",
                 "simplify", "  2:\n    ; x is unknown; ?:0:0 k\n    OpStore %0 1");
}

/* The value of a record may be defined on one of several paths only. */
static void values_of_other_paths_are_unknown(void **state)
{
    (void)state;
    expect_after(HEAD HELPER KERNEL "%t = OpSGreaterThan %bool %n %c0\n"
                                    "OpBranchConditional %t %yes %done\n%yes = OpLabel\n"
                                    "%m = OpIAdd %i32 %n %n\nOpStore %p %m\nOpBranch %done\n"
                                    "%done = OpLabel\n%d1" X "DebugValue %x %m %e0\nOpReturn\n"
                                    "OpFunctionEnd\n",
                 "linking", "  2:\n    ; x is unknown;");
}

/* ---- records have no effect ---- */

/* Removes the debug information from the text of a module. */
static char *plain_text(struct geo_ir_module *module)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    geo_ir_print(module, &text);
    char *plain = calloc(1, strlen(geo_strbuf_text(&text)) + 1), *to = plain;
    assert_non_null(plain);
    for (const char *line = geo_strbuf_text(&text); *line;) {
        size_t length = strcspn(line, "\n");
        const char *note = strstr(line, "  ; ");
        size_t wanted = note && note < line + length ? (size_t)(note - line) : length;
        if (strncmp(line, "    ; ", 6) != 0) {
            memcpy(to, line, wanted);
            to += wanted;
            *to++ = '\n';
        }
        line += length + (line[length] != 0);
    }
    geo_strbuf_finish(&text);
    return plain;
}

/* Takes the debug information away. */
static void strip(struct geo_ir_module *module)
{
    geo_ir_for_each_function(function, module) {
        function->scope = NULL;
        geo_ir_for_each_block(block, function) {
            for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                inst->location = inst->records = 0;
            }
        }
    }
    for (size_t i = 0; i < module->variables.count; i++) {
        module->variables.items[i]->debug = NULL;
    }
    geo_ir_debug_destroy(module->debug);
    module->debug = NULL;
}

static void code_is_the_same_without_debug_information(void **state)
{
    (void)state;
    for (int real = 0; real < 2; real++) {
        for (int optimize = 0; optimize < 2; optimize++) {
            static struct corpus with, without;
            corpus_open(&with, real);
            corpus_open(&without, real);
            for (uint32_t i = 0; i < with.count; i++) {
                struct geo_strbuf log;
                geo_strbuf_init(&log, 0);
                strip(without.items[i].module);
                ze_result_t result =
                    geo_transform_canonicalize(with.items[i].module, optimize, &log);
                assert_int_equal(
                    geo_transform_canonicalize(without.items[i].module, optimize, &log), result);
                geo_strbuf_finish(&log);
                if (result != ZE_RESULT_SUCCESS) {
                    continue;
                }
                char *one = plain_text(with.items[i].module);
                char *other = plain_text(without.items[i].module);
                if (strcmp(one, other) != 0) {
                    fail_msg("%s: %s\nwithout:\n%s", with.items[i].name, one, other);
                }
                free(one);
                free(other);
            }
            corpus_finish(&with);
            corpus_finish(&without);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_keep_what_compilers_write),
        cmocka_unit_test(passes_keep_what_is_made),
        cmocka_unit_test(inlined_code_names_its_call),
        cmocka_unit_test(an_entry_point_without_source_takes_that_of_its_body),
        cmocka_unit_test(stores_and_phis_give_a_variable_its_value),
        cmocka_unit_test(a_variable_is_unknown_where_values_meet),
        cmocka_unit_test(parts_of_a_variable_are_fragments),
        cmocka_unit_test(removed_values_are_expressed_by_their_operands),
        cmocka_unit_test(empty_blocks_leave_variables_unknown),
        cmocka_unit_test(values_of_other_paths_are_unknown),
        cmocka_unit_test(code_is_the_same_without_debug_information),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
