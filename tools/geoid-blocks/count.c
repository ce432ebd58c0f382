/* Counts modules. See count.h. */
#include "count.h"

#include "line.h"
#include "rewrite.h"

#include <geoid/profile.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_PREFIX "kernel." /* of the symbols of kernels */

/* A line of the report, about one block. */
struct row {
    char name[128]; /* function and offset in it */
    char line[64];
};

/* A module that is counted, or a reason why one is not. Kept until the process ends. */
struct record {
    struct record *next;
    const char *problem; /* static; NULL: it is counted */
    size_t count;
    struct row *rows;
    uint64_t *counters; /* written by kernels */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list */
static struct record *first, **last = &first;

/* ---- what the driver knows ---- */

typedef ze_result_t blob_fn(ze_module_handle_t module, size_t *size, uint8_t *bytes);

static ze_result_t binary_get(ze_module_handle_t module, size_t *size, uint8_t *bytes)
{
    return count_next.module.pfnGetNativeBinary(module, size, bytes);
}

static ze_result_t debug_get(ze_module_handle_t module, size_t *size, uint8_t *bytes)
{
    return count_next.zet_module.pfnGetDebugInfo(
        (zet_module_handle_t)module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, size, bytes);
}

/* Returns a copy of a blob, which the caller frees, or NULL. */
static uint8_t *blob_take(blob_fn *get, ze_module_handle_t module, size_t *size)
{
    *size = 0;
    if (get(module, size, NULL) != ZE_RESULT_SUCCESS || *size == 0) {
        return NULL;
    }
    uint8_t *bytes = malloc(*size);
    if (bytes && get(module, size, bytes) != ZE_RESULT_SUCCESS) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* Returns the general registers that a profile lists as free, a bit for each number. */
static uint32_t profile_registers(const zet_profile_properties_t *profile)
{
    const uint8_t *at = (const uint8_t *)(profile + 1);
    uint32_t found = 0;
    for (uint32_t i = 0; i < profile->numTokens; i++) {
        zet_profile_free_register_token_t token;
        memcpy(&token, at, sizeof(token));
        for (uint32_t k = 0; token.type == ZET_PROFILE_TOKEN_TYPE_FREE_REGISTER && k < token.count;
             k++) {
            zet_profile_register_sequence_t sequence;
            memcpy(&sequence, at + sizeof(token) + k * sizeof(sequence), sizeof(sequence));
            for (unsigned number = 0; number < 16; number++) {
                const uint32_t start = GEOID_PROFILE_X86_64_GENERAL(number);
                if (start >= sequence.start && start + 8 <= sequence.start + sequence.count) {
                    found |= 1u << number;
                }
            }
        }
        at += token.size;
    }
    return found;
}

static uint32_t kernel_registers(ze_module_handle_t module, const char *name)
{
    union {
        zet_profile_properties_t profile;
        uint8_t bytes[GEOID_PROFILE_BYTES];
    } room = {.profile = {.stype = ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES,
                          .numTokens = GEOID_PROFILE_TOKENS}};
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel;
    if (count_next.kernel.pfnCreate(module, &desc, &kernel) != ZE_RESULT_SUCCESS) {
        return 0;
    }
    const ze_result_t result =
        count_next.zet_kernel.pfnGetProfileInfo((zet_kernel_handle_t)kernel, &room.profile);
    count_next.kernel.pfnDestroy(kernel);
    return result == ZE_RESULT_SUCCESS ? profile_registers(&room.profile) : 0;
}

static bool is_kernel(const char *symbol)
{
    return strncmp(symbol, KERNEL_PREFIX, strlen(KERNEL_PREFIX)) == 0;
}

static const char *function_name(const char *symbol)
{
    return is_kernel(symbol) ? symbol + strlen(KERNEL_PREFIX) : symbol;
}

static void registers_ask(struct rewrite *rewrite, ze_module_handle_t module)
{
    for (size_t i = 0; i < rewrite->function_count; i++) {
        struct rewrite_function *function = &rewrite->functions[i];
        if (is_kernel(function->name)) {
            function->free_registers = kernel_registers(module, function_name(function->name));
        }
    }
}

/* ---- records ---- */

static void rows_fill(struct record *record, const struct rewrite *rewrite,
                      ze_module_handle_t module)
{
    size_t size;
    uint8_t *debug = blob_take(debug_get, module, &size);
    struct line_source *source = debug ? line_open(debug, size) : NULL;
    for (size_t i = 0; i < record->count; i++) {
        const struct rewrite_block *block = &rewrite->blocks[i];
        struct row *row = &record->rows[i];
        if (block->function == UINT32_MAX) {
            snprintf(row->name, sizeof(row->name), "+0x%x", block->offset);
            continue;
        }
        const struct rewrite_function *function = &rewrite->functions[block->function];
        const uint32_t offset = block->offset - function->offset;
        snprintf(row->name, sizeof(row->name), "%.100s+0x%x", function_name(function->name),
                 offset);
        const uint64_t end =
            i + 1 < record->count ? rewrite->blocks[i + 1].offset : rewrite->code.size;
        line_find(source, function->name, offset, end - block->offset, row->line,
                  sizeof(row->line));
    }
    line_close(source);
    free(debug);
}

static void record_add(struct record *record)
{
    pthread_mutex_lock(&lock);
    *last = record;
    last = &record->next;
    pthread_mutex_unlock(&lock);
}

/* Rewrites the binary of a module and creates a module from it. */
static const char *module_make(struct record *record, struct rewrite *rewrite,
                               ze_context_handle_t context, ze_device_handle_t device,
                               ze_module_handle_t module, ze_module_handle_t *made)
{
    registers_ask(rewrite, module);
    record->count = rewrite->block_count;
    record->rows = calloc(record->count + 1, sizeof(*record->rows));
    record->counters = calloc(record->count + 1, sizeof(*record->counters));
    if (!record->rows || !record->counters) {
        return "memory is short";
    }
    rows_fill(record, rewrite, module);
    const char *problem = rewrite_make(rewrite, record->counters);
    if (problem) {
        return problem;
    }
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = rewrite->made_size,
                                   .pInputModule = rewrite->made};
    return count_next.module.pfnCreate(context, device, &desc, made, NULL) == ZE_RESULT_SUCCESS
               ? NULL
               : "the driver refuses the changed binary: "
                 "is ZET_ENABLE_PROGRAM_INSTRUMENTATION set to 1?";
}

ze_module_handle_t count_module(ze_context_handle_t context, ze_device_handle_t device,
                                ze_module_handle_t module)
{
    struct record *record = calloc(1, sizeof(*record));
    struct rewrite rewrite = {0};
    ze_module_handle_t made = NULL;
    size_t size;
    if (!record) {
        return NULL;
    }
    uint8_t *binary = blob_take(binary_get, module, &size);
    record->problem =
        binary ? rewrite_begin(&rewrite, binary, size) : "the driver gives no binary of it";
    if (!record->problem) {
        record->problem = module_make(record, &rewrite, context, device, module, &made);
    }
    rewrite_finish(&rewrite);
    free(binary);
    record_add(record);
    return record->problem ? NULL : made;
}

/* ---- the report ---- */

static void record_print(FILE *file, const struct record *record, unsigned number)
{
    if (record->problem) {
        fprintf(file, "module %u is not counted: %s\n", number, record->problem);
        return;
    }
    fprintf(file, "module %u: %zu blocks\n%14s  %-36s%s\n", number, record->count, "count", "block",
            "source");
    for (size_t i = 0; i < record->count; i++) {
        const uint64_t count = __atomic_load_n(&record->counters[i], __ATOMIC_RELAXED);
        const struct row *row = &record->rows[i];
        fprintf(file, "%14llu  %-*s%s\n", (unsigned long long)count, row->line[0] ? 36 : 0,
                row->name, row->line);
    }
}

void count_report(void)
{
    const char *path = getenv("GEOID_BLOCKS_OUTPUT");
    FILE *file = path && *path ? fopen(path, "a") : stderr;
    unsigned number = 0;
    if (!file) {
        fprintf(stderr, "geoid-blocks: %s cannot be written\n", path);
        return;
    }
    pthread_mutex_lock(&lock);
    for (const struct record *record = first; record; record = record->next) {
        record_print(file, record, ++number);
    }
    pthread_mutex_unlock(&lock);
    if (file != stderr) {
        fclose(file);
    }
}
