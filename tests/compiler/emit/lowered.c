/* Prints a line for each SPIR-V file and setting: a hash of the LLVM IR that lowering makes, before
 * LLVM optimises it, and of the kernels' numbers. scripts/same_code compares the lines of two
 * builds.
 *
 * usage: lowered FOLDER FILE...
 * Each text goes to FOLDER/<file>.<setting>.ll. With "-" as FOLDER, no text is written. */
#include "compiler/codegen/codegen.h"
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a file is lowered. */
struct setting {
    const char *cpu;
    uint32_t lanes, tile;
    bool optimize, large_objects;
};

static const struct setting settings[] = {
    {"x86-64-v4", 0, 0, true, false},  {"x86-64-v4", 16, 0, true, false},
    {"x86-64-v3", 8, 0, true, false},  {"x86-64-v3", 1, 0, true, false},
    {"x86-64-v2", 4, 0, true, true},   {"x86-64-v4", 32, 4, true, false},
    {"x86-64-v2", 1, 0, false, false}, {"x86-64-v3", 0, 1, true, false},
    {"aarch64", 0, 0, true, false},    {"x86-64-v4", 8, 8, true, false},
};

/* ---- hashes ---- */

/* FNV-1a. */
static uint64_t hash_add(uint64_t hash, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t hash_kernel(uint64_t hash, const struct geo_lower_kernel *kernel)
{
    const uint64_t numbers[] = {kernel->lanes,          kernel->subgroup_size, kernel->flags,
                                kernel->argument_bytes, kernel->local_bytes,   kernel->frame_bytes,
                                kernel->chunk_bytes};
    hash = hash_add(hash, kernel->symbol, strlen(kernel->symbol));
    hash = hash_add(hash, numbers, sizeof(numbers));
    return hash_add(hash, kernel->argument_offsets,
                    kernel->function->parameter_count * sizeof(uint32_t));
}

/* ---- one file ---- */

static void *file_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    void *data = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        data = size > 0 ? malloc((size_t)size) : NULL;
        *bytes = data ? fread(data, 1, (size_t)size, file) : 0;
    }
    if (file) {
        fclose(file);
    }
    return data;
}

static void text_write(const char *folder, const char *path, size_t setting, const char *text)
{
    char name[4096];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof(name), "%s/%s.%zu.ll", folder, slash ? slash + 1 : path, setting);
    FILE *file = fopen(name, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        fprintf(stderr, "lowered: cannot write %s\n", name);
        exit(1);
    }
}

/* Lowers the module, and adds the text and the kernels to *hash. */
static ze_result_t lower(struct geo_ir_module *module, const struct geo_lower_options *options,
                         const char *folder, const char *path, size_t setting, uint64_t *hash,
                         struct geo_strbuf *log)
{
    struct geo_lower_result lowered;
    LLVMContextRef context = LLVMContextCreate();
    ze_result_t result = geo_lower_module(module, options, context, &lowered, log);
    if (result == ZE_RESULT_SUCCESS) {
        char *text = LLVMPrintModuleToString(lowered.module);
        *hash = hash_add(*hash, text, strlen(text));
        for (uint32_t i = 0; i < lowered.kernel_count; i++) {
            *hash = hash_kernel(*hash, &lowered.kernels[i]);
        }
        if (strcmp(folder, "-") != 0) {
            text_write(folder, path, setting, text);
        }
        LLVMDisposeMessage(text);
        LLVMDisposeModule(lowered.module);
    }
    LLVMContextDispose(context);
    return result;
}

/* Prints the line of a file and a setting. A refusal counts with its message. */
static void line_print(const char *folder, const char *path, const void *words, size_t bytes,
                       size_t number)
{
    const struct setting *setting = &settings[number];
    struct geo_codegen_target *target = NULL;
    struct geo_ir_module *module = NULL;
    struct geo_strbuf log;
    uint64_t hash = UINT64_C(14695981039346656037);
    geo_strbuf_init(&log, 0);
    ze_result_t result = geo_codegen_target_create(setting->cpu, &target, &log);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_spirv_read(words, bytes, &module, &log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_transform_canonicalize(module, setting->optimize, &log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        const struct geo_lower_options options = {.lanes = setting->lanes,
                                                  .tile = setting->tile,
                                                  .optimize = setting->optimize,
                                                  .large_objects = setting->large_objects,
                                                  .target = geo_codegen_target_facts(target)};
        result = lower(module, &options, folder, path, number, &hash, &log);
    }
    hash = hash_add(hash, geo_strbuf_text(&log), strlen(geo_strbuf_text(&log)));
    printf("%s %zu %#x %016llx\n", path, number, (unsigned)result, (unsigned long long)hash);
    geo_ir_module_destroy(module);
    geo_codegen_target_destroy(target);
    geo_strbuf_finish(&log);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: lowered FOLDER|- FILE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        size_t bytes = 0;
        void *words = file_read(argv[i], &bytes);
        if (!words) {
            fprintf(stderr, "lowered: cannot read %s\n", argv[i]);
            return 1;
        }
        for (size_t n = 0; n < sizeof(settings) / sizeof(settings[0]); n++) {
            line_print(argv[1], argv[i], words, bytes, n);
        }
        free(words);
    }
    return 0;
}
