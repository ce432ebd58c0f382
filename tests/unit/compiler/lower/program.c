/* Unit tests of lowering: whole kernels built and run; see program.h. */
#include "program.h"

#include "level.h"
#include "pointer_align.h"

#include "backend/cpu/elf_image.h"
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"
#include "compiler/validate/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

struct program {
    struct geo_codegen_target *target;
    void *object;
    size_t object_bytes;
    struct geo_native_view view;
    struct geo_elf_object elf;
    struct geo_elf_image image;
    bool placed;
    char *lowered, *final;
    struct pointer_aligns aligns;
    struct geo_strbuf log;
};

static void must(const struct program *program, bool good, const char *what)
{
    if (!good) {
        print_error("%s: %s\n", what, geo_strbuf_text(&program->log));
        fail();
    }
}

static void *file_read(const char *name, size_t *bytes)
{
    char path[1024];
    bool placed = strchr(name, '/') != NULL;
    snprintf(path, sizeof(path), "%s%s%s.spv", placed ? "" : KERNELS, placed ? "" : "/", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        print_error("cannot open %s\n", path);
    }
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(file);
    rewind(file);
    void *words = malloc(*bytes);
    assert_non_null(words);
    assert_int_equal(fread(words, 1, *bytes, file), *bytes);
    fclose(file);
    return words;
}

static char *module_text(LLVMModuleRef module)
{
    char *text = LLVMPrintModuleToString(module);
    char *copy = strdup(text);
    LLVMDisposeMessage(text);
    return copy;
}

static void lower_and_emit(struct program *program, struct geo_ir_module *module,
                           const struct program_options *options)
{
    LLVMContextRef context = LLVMContextCreate();
    struct geo_lower_result lowered;
    struct geo_lower_options lower = {
        .lanes = options->lanes,
        .optimize = options->optimize,
        .target = geo_codegen_target_facts(program->target),
    };
    lower.target.lanes_from_memory = options->lanes_from_memory;
    ze_result_t result = geo_lower_module(module, &lower, context, &lowered, &program->log);
    must(program, result == ZE_RESULT_SUCCESS, "lowering");
    program->lowered = module_text(lowered.module);
    result = geo_codegen_emit(program->target, module, &lowered, &(struct geo_codegen_notes){0},
                              options->optimize ? GEO_CODEGEN_FULL : GEO_CODEGEN_PLAIN,
                              &program->object, &program->object_bytes, &program->log);
    if (result != ZE_RESULT_SUCCESS && getenv("GEOID_TEST_SHOW_IR")) {
        print_error("%s\n", program->lowered);
    }
    must(program, result == ZE_RESULT_SUCCESS, "emission");
    program->final = module_text(lowered.module);
    LLVMDisposeModule(lowered.module);
    LLVMContextDispose(context);
}

static void place(struct program *program, const char *cpu)
{
    const char *reason = NULL;
    bool memory;
    assert_int_equal(
        geo_native_parse(program->object, program->object_bytes, &program->view, &reason),
        ZE_RESULT_SUCCESS);
    if (!level_runs(cpu)) {
        return;
    }
    must(program,
         geo_elf_object_parse(program->object, program->object_bytes, &program->elf, &program->log,
                              &memory),
         "reading the object");
    must(program,
         geo_elf_image_load(&program->elf, &program->image, &program->log) == ZE_RESULT_SUCCESS,
         "placing the object");
    program->placed = true;
}

struct program *program_build_model(struct geo_ir_module *module,
                                    const struct program_options *options)
{
    struct program *program = calloc(1, sizeof(*program));
    assert_non_null(program);
    geo_strbuf_init(&program->log, 0);
    must(program,
         geo_codegen_target_create(options->cpu, &program->target, &program->log) ==
             ZE_RESULT_SUCCESS,
         "the target");
    geo_codegen_target_trust(program->target, options->trusted);
    must(program,
         geo_transform_canonicalize(module, options->optimize, &program->log) == ZE_RESULT_SUCCESS,
         "canonical form");
    must(program, geo_validate(module, "canonical form", &program->log) == ZE_RESULT_SUCCESS,
         "the model");
    pointer_aligns_find(module, &program->aligns);
    lower_and_emit(program, module, options);
    place(program, options->cpu);
    return program;
}

struct geo_ir_module *program_model_changed(const char *name,
                                            void (*change)(uint32_t *words, size_t count))
{
    size_t bytes;
    void *words = file_read(name, &bytes);
    if (change) {
        change(words, bytes / sizeof(uint32_t));
    }
    struct geo_strbuf log;
    struct geo_ir_module *module = NULL;
    geo_strbuf_init(&log, 0);
    if (geo_spirv_read(words, bytes, &module, &log) != ZE_RESULT_SUCCESS) {
        print_error("%s\n", geo_strbuf_text(&log));
        fail();
    }
    geo_strbuf_finish(&log);
    free(words);
    return module;
}

struct geo_ir_module *program_model(const char *name)
{
    return program_model_changed(name, NULL);
}

struct program *program_build(const char *name, const struct program_options *options)
{
    struct geo_ir_module *module = program_model(name);
    struct program *program = program_build_model(module, options);
    geo_ir_module_destroy(module);
    return program;
}

void program_destroy(struct program *program)
{
    if (program->placed) {
        geo_elf_image_unload(&program->image);
        geo_elf_object_finish(&program->elf);
    }
    geo_codegen_target_destroy(program->target);
    geo_strbuf_finish(&program->log);
    pointer_aligns_finish(&program->aligns);
    free(program->object);
    free(program->lowered);
    free(program->final);
    free(program);
}

const char *program_lowered(const struct program *program)
{
    return program->lowered;
}

const char *program_final(const struct program *program)
{
    return program->final;
}

const void *program_object(const struct program *program, size_t *bytes)
{
    *bytes = program->object_bytes;
    return program->object;
}

const char *program_log(const struct program *program)
{
    return geo_strbuf_text(&program->log);
}

bool program_runs(const struct program *program)
{
    return program->placed;
}

const struct geo_native_kernel *program_kernel(const struct program *program, const char *kernel)
{
    for (uint32_t i = 0; i < program->view.header->kernel_count; i++) {
        const struct geo_native_kernel *found = &program->view.kernels[i];
        if (strcmp(geo_native_string(&program->view, found->name), kernel) == 0) {
            return found;
        }
    }
    print_error("no kernel %s\n", kernel);
    fail();
    return NULL;
}

const struct geo_native_cpu_kernel *program_record(const struct program *program,
                                                   const char *kernel)
{
    const struct geo_native_view *view = &program->view;
    uint32_t index = (uint32_t)(program_kernel(program, kernel) - view->kernels);
    return (const void *)geo_native_payload_entry(view, &view->payloads[0], index);
}

const struct geo_native_argument *program_argument_of(const struct program *program,
                                                      const struct geo_native_kernel *kernel,
                                                      uint32_t index)
{
    assert_true(index < kernel->argument_count);
    return &program->view.arguments[kernel->first_argument + index];
}

/* ---- running ---- */

void *program_memory(size_t count, size_t bytes)
{
    size_t all = (count * bytes + PROGRAM_ALIGN - 1) / PROGRAM_ALIGN * PROGRAM_ALIGN;
    void *memory = aligned_alloc(PROGRAM_ALIGN, all);
    assert_non_null(memory);
    memset(memory, 0, all);
    return memory;
}

/* Memory whose end is the end of a page that is followed by one nobody may touch. */
struct guarded {
    uint8_t *start, *data;
    size_t mapped;
};

static struct guarded guarded_create(size_t bytes)
{
    const size_t page = 4096;
    size_t used = (bytes + 127) / 128 * 128 + GEO_ABI_SCRATCH_TAIL;
    size_t pages = (used + page - 1) / page * page;
    struct guarded g = {.mapped = pages + 2 * page};
    g.start = mmap(NULL, g.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(g.start, MAP_FAILED);
    assert_int_equal(mprotect(g.start, page, PROT_NONE), 0);
    assert_int_equal(mprotect(g.start + page + pages, page, PROT_NONE), 0);
    g.data = g.start + page + pages - used;
    memset(g.data, 0xCD, used);
    return g;
}

/* Fails where the memory behind an argument is less aligned than the kernel takes it to be. */
static void check_align(const struct program *program, const struct geo_native_kernel *native,
                        uint32_t index, const void *value)
{
    const char *name = geo_native_string(&program->view, native->name);
    uint32_t bytes = pointer_align_of(&program->aligns, name, index);
    uintptr_t address = 0;
    if (bytes > 1) {
        memcpy(&address, value, sizeof(address));
    }
    if (address % bytes) {
        fail_msg("%s, argument %u: the memory at %p is not aligned to %u bytes", name, index,
                 (void *)address, bytes);
    }
}

static uint64_t fill_block(const struct program *program, const struct geo_native_kernel *native,
                           uint64_t variable_bytes, const struct program_argument *arguments,
                           uint32_t count, uint8_t *block)
{
    uint64_t local = 0;
    assert_int_equal(native->argument_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_native_argument *argument =
            &program->view.arguments[native->first_argument + i];
        if (argument->kind == GEO_ARGUMENT_LOCAL) {
            assert_null(arguments[i].value);
            uint64_t offset = variable_bytes + local;
            memcpy(block + argument->offset, &offset, sizeof(offset));
            local += (arguments[i].size + GEO_ABI_SCRATCH_ALIGN - 1) / GEO_ABI_SCRATCH_ALIGN *
                     GEO_ABI_SCRATCH_ALIGN;
        } else {
            assert_int_equal(argument->size, arguments[i].size);
            check_align(program, native, i, arguments[i].value);
            memcpy(block + argument->offset, arguments[i].value, arguments[i].size);
        }
    }
    return local;
}

/* Groups that no program asked for, where the kernel runs in any: most end with the grid. */
static void regroup(const struct geo_native_cpu_kernel *record, struct geo_launch *run)
{
    const uint32_t odd[3] = {record->lanes + 3, 2, 2};
    for (uint32_t i = 0; i < 3 && record->flags & GEO_KERNEL_ANY_GROUPS; i++) {
        run->local_size[i] = odd[i];
        run->group_count[i] = (uint32_t)((run->global_size[i] + odd[i] - 1) / odd[i]);
    }
}

/* clang's check of function types looks for one in front of the code. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
void program_run(const struct program *program, const char *kernel,
                 const struct program_launch *launch, const struct program_argument *arguments,
                 uint32_t argument_count)
{
    const struct geo_native_kernel *native = program_kernel(program, kernel);
    const struct geo_native_cpu_kernel *record = program_record(program, kernel);
    const struct geo_scratch_needs needs = {
        .lanes = record->lanes,
        .linear = (record->flags & GEO_KERNEL_LINEAR) != 0,
        .local_bytes = record->local_bytes,
        .frame_bytes = record->frame_bytes,
        .chunk_bytes = record->chunk_bytes,
    };
    _Alignas(16) uint8_t block[4096] = {0};
    assert_true(native->argument_bytes <= sizeof(block));
    uint64_t local =
        fill_block(program, native, record->local_bytes, arguments, argument_count, block);
    struct geo_scratch_layout layout = {0};
    assert_true(geo_abi_scratch(&needs, launch->local, local, &layout));
    struct guarded scratch = guarded_create(layout.total_bytes);
    struct geo_launch run = {
        .work_dim = 3,
        .arguments = block,
        .frame_offset = layout.frame_offset,
        .chunk_offset = layout.chunk_offset,
    };
    memcpy(run.group_count, launch->groups, sizeof(run.group_count));
    memcpy(run.local_size, launch->local, sizeof(run.local_size));
    memcpy(run.global_offset, launch->offset, sizeof(run.global_offset));
    if (!launch->ids_may_wrap &&
        geo_abi_ids_fit(run.group_count, run.local_size, run.global_offset)) {
        run.flags = GEO_LAUNCH_IDS_FIT_31_BITS;
    }
    for (uint32_t i = 0; i < 3; i++) {
        run.global_size[i] = (uint64_t)run.group_count[i] * run.local_size[i];
    }
    regroup(record, &run);
    struct geo_worker worker = {
        .scratch = scratch.data, .scratch_bytes = layout.total_bytes, .pending = launch->pending};
    void *symbol = geo_elf_image_symbol_find(
        &program->elf, &program->image, geo_native_string(&program->view, record->symbol), true);
    geo_kernel_fn entry;
    assert_non_null(symbol);
    memcpy(&entry, &symbol, sizeof(entry));
    uint64_t total = (uint64_t)run.group_count[0] * run.group_count[1] * run.group_count[2];
    for (uint64_t first = 0, count = 1; first < total; first += count, count += 2) {
        count = count < total - first ? count : total - first;
        entry(&run, &worker, first, count);
    }
    if (launch->pending && !launch->keeps) {
        entry(&run, &worker, 0, 0);
    }
    munmap(scratch.start, scratch.mapped);
}
