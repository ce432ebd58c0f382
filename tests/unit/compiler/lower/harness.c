/* Unit tests of lowering: the harness of single instructions; see harness.h. */
#include "harness.h"

#include "level.h"

#include "compiler/analysis/dense.h"
#include "compiler/analysis/loops.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/dispatch/dispatch.h"
#include "compiler/lower/emit/type.h"
#include "compiler/lower/global/initializer.h"
#include "compiler/lower/global/variable.h"
#include "compiler/lower/value/value.h"
#include "support.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- what the frame of lowering has to give ---- */

/* Takes the place of geo_global_variable_address (-Wl,--wrap), because the harness has no module
 * that lists its variables. */
LLVMValueRef __wrap_geo_global_variable_address(struct geo_lower_function *f,
                                                const struct geo_ir_value *value);
LLVMValueRef __wrap_geo_global_variable_address(struct geo_lower_function *f,
                                                const struct geo_ir_value *value)
{
    char name[32];
    snprintf(name, sizeof(name), "var%u", value->index);
    LLVMValueRef global = LLVMGetNamedGlobal(f->llvm.module, name);
    if (!global) {
        const struct geo_ir_variable *variable = (const struct geo_ir_variable *)value;
        LLVMValueRef initial =
            variable->initializer
                ? geo_global_initializer_constant(f, variable->initializer)
                : LLVMConstNull(LLVMArrayType2(LLVMInt8TypeInContext(f->llvm.context),
                                               value->type->element->size));
        global = LLVMAddGlobal(f->llvm.module, LLVMTypeOf(initial), name);
        LLVMSetInitializer(global, initial);
        LLVMSetLinkage(global, LLVMInternalLinkage);
        LLVMSetAlignment(global, 64);
    }
    return global;
}

/* ---- types ---- */

bool harness_type_is_float(const char *type)
{
    return type[0] == 'f';
}

uint32_t harness_type_bits(const char *type)
{
    return type[0] == 'b' ? 8 : (uint32_t)atoi(type + 1);
}

uint32_t harness_type_bytes(const char *type)
{
    return harness_type_bits(type) / 8;
}

const struct geo_ir_type *harness_type(struct harness *h, const char *name)
{
    const struct geo_ir_type *scalar = name[0] == 'b' ? geo_ir_type_bool(h->module)
                                       : name[0] == 'f'
                                           ? geo_ir_type_float(h->module, harness_type_bits(name))
                                           : geo_ir_type_int(h->module, harness_type_bits(name));
    const char *x = strchr(name, 'x');
    return x ? geo_ir_type_vector(h->module, scalar, (uint64_t)atoi(x + 1)) : scalar;
}

uint64_t harness_read(const char *type, const void *array, uint64_t index)
{
    uint64_t bits = 0;
    uint32_t bytes = harness_type_bytes(type);
    memcpy(&bits, (const char *)array + index * bytes, bytes);
    return bits;
}

void harness_write(const char *type, void *array, uint64_t index, uint64_t bits)
{
    uint32_t bytes = harness_type_bytes(type);
    memcpy((char *)array + index * bytes, &bits, bytes);
}

/* ---- a batch ---- */

void harness_begin(struct harness *h, const char *cpu, uint32_t lanes, bool optimize)
{
    memset(h, 0, sizeof(*h));
    geo_strbuf_init(&h->log, 0);
    h->cpu = cpu;
    h->module = geo_ir_module_create((size_t)512 << 20);
    assert_non_null(h->module);
    assert_int_equal(geo_codegen_target_create(cpu, &h->target, &h->log), ZE_RESULT_SUCCESS);
    h->context = LLVMContextCreate();
    h->llvm_module = LLVMModuleCreateWithNameInContext("harness", h->context);
    h->options = (struct geo_lower_options){
        .lanes = lanes,
        .optimize = optimize,
        .target = geo_codegen_target_facts(h->target),
    };
    h->lower.machine = h->options.target.machine;
    h->optimize = optimize;
}

void harness_end(struct harness *h)
{
    if (h->library) {
        dlclose(h->library);
    }
    LLVMDisposeModule(h->llvm_module);
    LLVMContextDispose(h->context);
    geo_codegen_target_destroy(h->target);
    geo_ir_module_destroy(h->module);
    geo_strbuf_finish(&h->log);
}

static void link_object(const char *object, const char *library)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        execlp(GEO_TEST_CC, GEO_TEST_CC, "-shared", "-nostdlib", "-Wl,-z,defs", "-o", library,
               object, (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    /* An undefined symbol ends here: code must not call anything. */
    assert_int_equal(WEXITSTATUS(status), 0);
}

bool harness_load(struct harness *h)
{
    char folder[] = "/tmp/geoid-lower-XXXXXX", object[64], library[64];
    assert_non_null(mkdtemp(folder));
    snprintf(object, sizeof(object), "%s/a.o", folder);
    snprintf(library, sizeof(library), "%s/a.so", folder);
    struct geo_lower_result lowered = {.module = h->llvm_module};
    void *bytes = NULL;
    size_t size = 0;
    const char *keep = getenv("GEOID_TEST_KEEP_IR");
    if (keep) {
        static uint32_t batch;
        char path[256];
        snprintf(path, sizeof(path), "%s/%u.ll", keep, batch++);
        LLVMPrintModuleToFile(h->llvm_module, path, NULL);
    }
    ze_result_t result = geo_codegen_emit(
        h->target, h->module, &lowered, &(struct geo_codegen_notes){0},
        h->optimize ? GEO_CODEGEN_FULL : GEO_CODEGEN_PLAIN, &bytes, &size, &h->log);
    if (result != ZE_RESULT_SUCCESS) {
        print_error("%s\n", geo_strbuf_text(&h->log));
    }
    assert_int_equal(result, ZE_RESULT_SUCCESS);
    FILE *file = fopen(object, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
    link_object(object, library);
    bool runs = level_runs(h->cpu);
    if (runs) {
        h->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (!h->library) {
            print_error("%s\n", dlerror());
        }
        assert_non_null(h->library);
    }
    unlink(object);
    unlink(library);
    rmdir(folder);
    return runs;
}

/* ---- building functions ---- */

void harness_function_begin(struct harness *h, struct harness_function *fn)
{
    memset(fn, 0, sizeof(*fn));
    const struct geo_ir_type *byte = geo_ir_type_int(h->module, 8);
    const struct geo_ir_type *pointer =
        geo_ir_type_pointer(h->module, byte, SpvStorageClassCrossWorkgroup);
    const struct geo_ir_type *parameters[HARNESS_INPUTS + 1];
    for (uint32_t i = 0; i <= HARNESS_INPUTS; i++) {
        parameters[i] = pointer;
    }
    fn->h = h;
    fn->function = geo_ir_function_create(
        h->module, geo_ir_type_function(h->module, geo_ir_type_void(h->module), HARNESS_INPUTS + 1,
                                        parameters));
    assert_non_null(fn->function);
    fn->block = geo_ir_block_create(fn->function, NULL);
    for (uint32_t i = 0; i < HARNESS_INPUTS; i++) {
        fn->inputs[i] = fn->function->parameters[i];
    }
    fn->output = fn->function->parameters[HARNESS_INPUTS];
    uint32_t literals[2] = {SpvBuiltInGlobalInvocationId, 0};
    fn->id = &harness_add(fn, GEO_OP_BUILTIN, geo_ir_type_int(h->module, 64), NULL, 0, literals, 2)
                  ->value;
    fn->number = h->count++;
}

struct geo_ir_inst *harness_add(struct harness_function *fn, unsigned op,
                                const struct geo_ir_type *type,
                                struct geo_ir_value *const *operands, uint32_t operand_count,
                                const uint32_t *literals, uint32_t literal_count)
{
    struct geo_ir_inst *inst =
        geo_ir_inst_create(fn->h->module, (SpvOp)op, type, operand_count, literal_count, 0);
    assert_non_null(inst);
    for (uint32_t i = 0; i < operand_count; i++) {
        inst->operands[i] = operands[i];
    }
    for (uint32_t i = 0; i < literal_count; i++) {
        inst->literals[i] = literals[i];
    }
    geo_ir_inst_append(fn->block, inst);
    return inst;
}

struct geo_ir_value *harness_element(struct harness_function *fn, uint32_t i,
                                     const struct geo_ir_type *type, struct geo_ir_value *index,
                                     SpvStorageClass storage)
{
    struct geo_ir_module *module = fn->h->module;
    const struct geo_ir_type *pointer = geo_ir_type_pointer(module, type, storage);
    struct geo_ir_value *base = i == HARNESS_INPUTS ? fn->output : fn->inputs[i];
    base = &harness_add(fn, SpvOpBitcast, pointer, &base, 1, NULL, 0)->value;
    if (!index) {
        return base;
    }
    struct geo_ir_value *operands[2] = {base, index};
    return &harness_add(fn, SpvOpInBoundsPtrAccessChain, pointer, operands, 2, NULL, 0)->value;
}

struct geo_ir_value *harness_load_input(struct harness_function *fn, uint32_t i,
                                        const struct geo_ir_type *type, enum harness_input how)
{
    struct geo_ir_value *pointer = harness_element(
        fn, i, type, how == HARNESS_VARYING ? fn->id : NULL, SpvStorageClassCrossWorkgroup);
    return &harness_add(fn, SpvOpLoad, type, &pointer, 1, NULL, 0)->value;
}

void harness_store_output(struct harness_function *fn, struct geo_ir_value *value)
{
    struct geo_ir_value *operands[2] = {
        harness_element(fn, HARNESS_INPUTS, value->type, fn->id, SpvStorageClassCrossWorkgroup),
        value};
    harness_add(fn, SpvOpStore, geo_ir_type_void(fn->h->module), operands, 2, NULL, 0);
}

struct geo_ir_value *harness_constant(struct harness_function *fn, const struct geo_ir_type *type,
                                      uint64_t bits)
{
    struct geo_ir_value *value = geo_ir_const_int(fn->h->module, type, bits);
    assert_non_null(value);
    return value;
}

/* ---- the frame ---- */

static LLVMValueRef function_shell(struct harness *h, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof(name), "f%u", number);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(h->context, 0);
    LLVMTypeRef word = LLVMInt64TypeInContext(h->context);
    LLVMTypeRef parameters[HARNESS_INPUTS + 3];
    for (uint32_t i = 0; i <= HARNESS_INPUTS; i++) {
        parameters[i] = pointer;
    }
    parameters[HARNESS_INPUTS + 1] = parameters[HARNESS_INPUTS + 2] = word;
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(h->context), parameters, HARNESS_INPUTS + 3, false);
    return LLVMAddFunction(h->llvm_module, name, type);
}

static void shapes_compute(struct harness *h, struct geo_ir_function *function,
                           struct geo_arena *arena, struct geo_shapes *shapes)
{
    struct geo_cfg *cfg = geo_arena_new(arena, struct geo_cfg);
    struct geo_dominators *tree = geo_arena_new(arena, struct geo_dominators);
    struct geo_loops *loops = geo_arena_new(arena, struct geo_loops);
    struct geo_shape_options options = {.lanes = h->options.lanes, .ids_fit_31_bits = true};
    assert_true(geo_cfg_build(function, arena, cfg));
    assert_true(geo_dominators_compute(cfg, arena, tree));
    assert_true(geo_loops_compute(tree, arena, loops));
    assert_true(geo_shapes_compute(loops, &options, arena, shapes));
}

static LLVMValueRef mask_make(struct geo_lower_function *f)
{
    LLVMValueRef bits = LLVMGetParam(f->llvm.function, HARNESS_INPUTS + 2);
    LLVMTypeRef narrow = LLVMIntTypeInContext(f->llvm.context, f->lanes);
    bits = LLVMBuildTruncOrBitCast(f->llvm.builder, bits, narrow, "");
    return LLVMBuildBitCast(f->llvm.builder, bits, geo_type_mask(f), "mask");
}

/* Builders as a kernel has them: allocas stand in a block of their own. */
static void entry_make(struct geo_lower_function *f)
{
    LLVMBasicBlockRef entry =
        LLVMAppendBasicBlockInContext(f->llvm.context, f->llvm.function, "entry");
    LLVMBasicBlockRef start =
        LLVMAppendBasicBlockInContext(f->llvm.context, f->llvm.function, "start");
    f->llvm.builder = LLVMCreateBuilderInContext(f->llvm.context);
    f->llvm.allocas = LLVMCreateBuilderInContext(f->llvm.context);
    LLVMPositionBuilderAtEnd(f->llvm.allocas, entry);
    LLVMPositionBuilderBefore(f->llvm.allocas, LLVMBuildBr(f->llvm.allocas, start));
    LLVMPositionBuilderAtEnd(f->llvm.builder, start);
}

static bool lower_block(struct geo_lower_function *f, const struct harness_function *fn)
{
    geo_ir_for_each_inst(inst, fn->block) {
        if ((unsigned)inst->op == GEO_OP_BUILTIN) {
            LLVMValueRef base = LLVMGetParam(f->llvm.function, HARNESS_INPUTS + 1);
            geo_value_set(f, inst, 0, base);
        } else if (inst->op == SpvOpReturn) {
            LLVMBuildRetVoid(f->llvm.builder);
        } else if (!geo_dispatch_instruction(f, inst) || f->failed) {
            return false;
        }
    }
    return true;
}

uint32_t harness_function_end(struct harness_function *fn, bool masked, char *error)
{
    struct harness *h = fn->h;
    struct geo_arena arena;
    struct geo_shapes shapes = {0};
    harness_add(fn, SpvOpReturn, geo_ir_type_void(h->module), NULL, 0, NULL, 0);
    geo_ir_function_number(fn->function);
    if (geo_validate(h->module, "harness", &h->log) != ZE_RESULT_SUCCESS && !error) {
        print_error("%s\n", geo_strbuf_text(&h->log));
        fail();
    }
    geo_arena_init(&arena, 0);
    shapes_compute(h, fn->function, &arena, &shapes);
    struct geo_lower_function f = {
        .lower = &h->lower,
        .module = h->module,
        .function = fn->function,
        .options = &h->options,
        .body = {.shapes = &shapes},
        .llvm = {.context = h->context,
                 .module = h->llvm_module,
                 .function = function_shell(h, fn->number)},
        .lanes = h->options.lanes,
        .values =
            geo_arena_new_array(&arena, struct geo_lower_value, fn->function->value_count + 1),
        .log = &h->log,
        .arena = &arena,
    };
    entry_make(&f);
    struct geo_lower_frame frame = {.contract = {.worker = LLVMGetParam(f.llvm.function, 0),
                                                 .launch = LLVMGetParam(f.llvm.function, 1)}};
    f.frame = &frame;
    for (uint32_t i = 0; i <= HARNESS_INPUTS; i++) {
        geo_value_set_value(&f, fn->function->parameters[i], 0, LLVMGetParam(f.llvm.function, i));
    }
    struct geo_dense dense;
    assert_true(geo_dense_find(fn->function, &arena, false, &dense));
    f.dense = f.lanes > 1 ? dense.marks : NULL;
    f.body.mask = masked && f.lanes > 1 ? mask_make(&f) : NULL;
    bool lowered = lower_block(&f, fn);
    if (!lowered && !error) {
        print_error("%s\n", geo_strbuf_text(&h->log));
    }
    assert_true(lowered == !error);
    if (error) {
        snprintf(error, 256, "%s", geo_strbuf_text(&h->log));
        LLVMDeleteFunction(f.llvm.function);
    }
    LLVMDisposeBuilder(f.llvm.builder);
    LLVMDisposeBuilder(f.llvm.allocas);
    geo_arena_finish(&arena);
    /* The next function's validation should not walk this one again. */
    geo_ir_function_remove(fn->function);
    return fn->number;
}

char *harness_text(struct harness *h, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof(name), "f%u", number);
    return LLVMPrintValueToString(LLVMGetNamedFunction(h->llvm_module, name));
}

typedef void (*chunk_fn)(void *, void *, void *, void *, void *, uint64_t, uint64_t);

void harness_call(struct harness *h, uint32_t number, void *const *inputs, void *output,
                  uint64_t base, uint64_t mask)
{
    char name[32];
    snprintf(name, sizeof(name), "f%u", number);
    chunk_fn fn;
    *(void **)&fn = dlsym(h->library, name);
    assert_non_null(fn);
    fn(inputs[0], inputs[1], inputs[2], inputs[3], output, base, mask);
}

/* ---- component-wise cases ---- */

#define SAMPLES 1024u

struct samples {
    void *inputs[HARNESS_INPUTS];
    void *output;
};

/* Every pair of edge values while they last, then random picks. */
static void samples_fill(const struct harness_case *test, struct samples *samples)
{
    uint64_t random = 0x9e3779b97f4a7c15ull + test->op;
    uint32_t first = reference_edge_count(test->operands[0]);
    for (uint32_t n = 0; n < SAMPLES; n++) {
        for (uint32_t i = 0; i < test->operand_count; i++) {
            const char *type = test->operands[i];
            uint32_t edges = reference_edge_count(type), pick;
            if (i == 0) {
                pick = n % first;
            } else if (i == 1) {
                pick = n / first;
            } else {
                random = random * 6364136223846793005ull + 1;
                pick = (uint32_t)(random >> 33) % (edges + 8);
            }
            if (n >= SAMPLES * 3 / 4) {
                random = random * 6364136223846793005ull + 1;
                pick = (uint32_t)(random >> 33) % (2 * edges);
            }
            harness_write(type, samples->inputs[i], n, reference_value(type, pick, &random));
        }
    }
}

static void samples_make(struct samples *samples)
{
    for (uint32_t i = 0; i < HARNESS_INPUTS; i++) {
        samples->inputs[i] = calloc(SAMPLES + 64, 8);
    }
    samples->output = calloc(SAMPLES + 64, 8);
}

static void samples_free(struct samples *samples)
{
    for (uint32_t i = 0; i < HARNESS_INPUTS; i++) {
        free(samples->inputs[i]);
    }
    free(samples->output);
}

static bool is_nan_bits(const char *type, uint64_t bits)
{
    if (!harness_type_is_float(type)) {
        return false;
    }
    uint32_t width = harness_type_bits(type), mantissa = width == 16 ? 10 : width == 32 ? 23 : 52;
    uint64_t magnitude = bits & ((1ull << (width - 1)) - 1);
    return magnitude > (((1ull << (width - 1)) - 1) & ~((1ull << mantissa) - 1));
}

static bool results_agree(const struct harness_case *test, uint64_t got, uint64_t expected)
{
    if (got == expected ||
        (is_nan_bits(test->result, got) && is_nan_bits(test->result, expected))) {
        return true;
    }
    uint64_t distance = got > expected ? got - expected : expected - got;
    return distance <= test->ulps;
}

static uint32_t case_function(struct harness *h, const struct harness_case *test,
                              uint32_t uniform_operands, bool masked)
{
    struct harness_function fn;
    struct geo_ir_value *operands[HARNESS_INPUTS];
    harness_function_begin(h, &fn);
    for (uint32_t i = 0; i < test->operand_count; i++) {
        operands[i] =
            harness_load_input(&fn, i, harness_type(h, test->operands[i]),
                               uniform_operands >> i & 1 ? HARNESS_UNIFORM : HARNESS_VARYING);
    }
    uint32_t literals[2] = {GEO_EXT_OPENCL_STD, test->op};
    struct geo_ir_inst *inst =
        harness_add(&fn, test->ext ? SpvOpExtInst : test->op, harness_type(h, test->result),
                    operands, test->operand_count, literals, test->ext ? 2 : 0);
    inst->value.flags = test->flags;
    harness_store_output(&fn, &inst->value);
    return harness_function_end(&fn, masked, NULL);
}

static void case_check(struct harness *h, const struct harness_case *test, uint32_t number,
                       uint32_t uniform_operands, bool masked, struct samples *samples)
{
    uint32_t lanes = h->options.lanes;
    uint64_t marker = 0x5555555555555555ull, random = number;
    uint32_t bytes = harness_type_bytes(test->result);
    marker &= bytes == 8 ? ~0ull : (1ull << (bytes * 8)) - 1;
    for (uint32_t n = 0; n < SAMPLES; n++) {
        harness_write(test->result, samples->output, n, marker);
    }
    for (uint32_t base = 0; base < SAMPLES; base += lanes) {
        void *inputs[HARNESS_INPUTS];
        for (uint32_t i = 0; i < HARNESS_INPUTS; i++) {
            inputs[i] = samples->inputs[i];
            if (i < test->operand_count && uniform_operands >> i & 1) {
                inputs[i] = (char *)inputs[i] + base * harness_type_bytes(test->operands[i]);
            }
        }
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        uint64_t mask = masked && lanes > 1 ? random >> 20 & ((1ull << lanes) - 1) : ~0ull;
        if (masked && lanes > 1 && mask == 0) {
            mask = 1ull << (lanes - 1);
        }
        harness_call(h, number, inputs, samples->output, base, mask);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint64_t operands[HARNESS_INPUTS] = {0};
            for (uint32_t i = 0; i < test->operand_count; i++) {
                uint32_t at = uniform_operands >> i & 1 ? base : base + lane;
                operands[i] = harness_read(test->operands[i], samples->inputs[i], at);
            }
            uint64_t got = harness_read(test->result, samples->output, base + lane);
            uint64_t expected = mask >> lane & 1 ? test->reference(test, operands) : marker;
            if (!results_agree(test, got, expected)) {
                print_error("%s %s(%s) W=%u uniform=%x masked=%d sample %u: %#llx %#llx %#llx "
                            "-> %#llx, expected %#llx\n",
                            test->name, test->result, test->operands[0], lanes, uniform_operands,
                            masked, base + lane, (unsigned long long)operands[0],
                            (unsigned long long)operands[1], (unsigned long long)operands[2],
                            (unsigned long long)got, (unsigned long long)expected);
                fail();
            }
        }
    }
}

/* With `all` every mixture of varying, uniform and masked operands, else the masked one. */
static void run_width(const char *cpu, bool optimize, uint32_t lanes, bool all_forms,
                      const struct harness_case *cases, uint32_t count)
{
    struct harness h;
    struct samples samples;
    harness_begin(&h, cpu, lanes, optimize);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t all = (1u << cases[i].operand_count) - 1;
        case_function(&h, &cases[i], 0, lanes > 1);
        if (lanes > 1 && all_forms) {
            case_function(&h, &cases[i], 0, false);
            case_function(&h, &cases[i], all, true);
            case_function(&h, &cases[i], all & 2, false);
        }
    }
    if (harness_load(&h)) {
        samples_make(&samples);
        uint32_t number = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t all = (1u << cases[i].operand_count) - 1;
            samples_fill(&cases[i], &samples);
            case_check(&h, &cases[i], number++, 0, lanes > 1, &samples);
            if (lanes > 1 && all_forms) {
                case_check(&h, &cases[i], number++, 0, false, &samples);
                case_check(&h, &cases[i], number++, all, true, &samples);
                case_check(&h, &cases[i], number++, all & 2, false, &samples);
            }
        }
        samples_free(&samples);
    }
    harness_end(&h);
}

void harness_run_everywhere(const struct harness_case *cases, uint32_t count)
{
    run_width("x86-64", false, 1, false, cases, count);
    run_width("x86-64-v3", true, 8, true, cases, count);
    run_width("x86-64-v4-fp16", true, 16, true, cases, count);
#ifndef GEOID_SANITIZED /* the sanitizer looks at the compiler, whose paths these three show */
    run_width("x86-64", false, 8, false, cases, count);
    run_width("x86-64-v2", true, 8, false, cases, count);
    run_width("x86-64-v3", true, 1, false, cases, count);
    run_width("x86-64-v4", true, 16, true, cases, count);
    run_width("x86-64-v4-fp16", true, 1, false, cases, count);
#endif
}
