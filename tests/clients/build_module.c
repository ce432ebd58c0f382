/* Builds SPIR-V modules that it is told of, one program per line of input: a worker of corpus.py.
 *
 *     in:   PATH[<tab>PATH...]      several files: built together (ZE_experimental_module_program)
 *     out:  RESULT<tab>MICROSECONDS OF PROCESSOR TIME<tab>KERNELS<tab>REASON
 *
 * Sees public headers only. RESULT is "built", "imports" (built, but something is left unresolved:
 * REASON names the first import), "kernel" (a kernel of it cannot be created) or the result code of
 * zeModuleCreate in hexadecimal; REASON is the log's first line of an error. A crash, an endless
 * build or too much memory end this process; the supervisor sees that and starts another. */
#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_FILES  256
#define LINE_BYTES (1u << 20)

struct worker {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
};

static bool worker_open(struct worker *worker)
{
    ze_context_desc_t desc = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
    uint32_t one = 1;
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&one, &worker->driver) != ZE_RESULT_SUCCESS ||
        one == 0) {
        return false;
    }
    one = 1;
    return zeDeviceGet(worker->driver, &one, &worker->device) == ZE_RESULT_SUCCESS && one == 1 &&
           zeContextCreate(worker->driver, &desc, &worker->context) == ZE_RESULT_SUCCESS;
}

/* ---- input ---- */

struct program {
    uint32_t count;
    const uint8_t *bytes[MAX_FILES];
    size_t sizes[MAX_FILES];
};

static uint8_t *file_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file);
        data = end > 0 ? malloc((size_t)end) : NULL;
        rewind(file);
        if (data && fread(data, 1, (size_t)end, file) != (size_t)end) {
            free(data);
            data = NULL;
        }
        *bytes = end > 0 ? (size_t)end : 0;
    }
    if (file) {
        fclose(file);
    }
    return data;
}

static bool program_read(struct program *program, char *line)
{
    char *rest = line;
    program->count = 0;
    for (char *path; (path = strsep(&rest, "\t")) != NULL;) {
        if (program->count == MAX_FILES) {
            return false;
        }
        uint8_t *data = file_read(path, &program->sizes[program->count]);
        if (!data) {
            return false;
        }
        program->bytes[program->count++] = data;
    }
    return program->count > 0;
}

static void program_free(struct program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        free((void *)(uintptr_t)program->bytes[i]);
    }
    program->count = 0;
}

/* ---- output ---- */

/* Processor time: what a busy machine takes away does not count. */
static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* One line of text: the log's first line that begins with `prefix`, else its first. */
static void log_line(ze_module_build_log_handle_t log, const char *prefix, char *out, size_t bytes)
{
    size_t size = 0;
    out[0] = '\0';
    zeModuleBuildLogGetString(log, &size, NULL);
    char *text = malloc(size + 1);
    if (!text) {
        return;
    }
    text[0] = text[size] = '\0';
    zeModuleBuildLogGetString(log, &size, text);
    const char *line = text;
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, prefix, strlen(prefix)) == 0) {
            line = at;
            break;
        }
    }
    snprintf(out, bytes, "%.*s", (int)strcspn(line, "\n"), line);
    for (char *c = out; *c; c++) {
        *c = *c == '\t' ? ' ' : *c;
    }
    free(text);
}

struct answer {
    char result[16];
    uint64_t microseconds;
    uint32_t kernels;
    char reason[1024];
};

/* Whether something is imported that nobody defines. */
static bool module_unlinked(ze_module_handle_t module, struct answer *answer)
{
    ze_module_properties_t properties = {ZE_STRUCTURE_TYPE_MODULE_PROPERTIES, NULL, 0};
    ze_module_build_log_handle_t log = NULL;
    zeModuleGetProperties(module, &properties);
    if (!(properties.flags & ZE_MODULE_PROPERTY_FLAG_IMPORTS)) {
        return false;
    }
    bool unlinked = zeModuleDynamicLink(1, &module, &log) != ZE_RESULT_SUCCESS;
    if (log) {
        if (unlinked) {
            log_line(log, "imported", answer->reason, sizeof(answer->reason));
        }
        zeModuleBuildLogDestroy(log);
    }
    return unlinked;
}

static void kernels_create(ze_module_handle_t module, struct answer *answer)
{
    const char **names = NULL;
    zeModuleGetKernelNames(module, &answer->kernels, NULL);
    names = calloc(answer->kernels + 1u, sizeof(*names));
    if (!names || zeModuleGetKernelNames(module, &answer->kernels, names) != ZE_RESULT_SUCCESS) {
        answer->kernels = 0;
    }
    for (uint32_t i = 0; i < answer->kernels; i++) {
        ze_kernel_desc_t desc = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, names[i]};
        ze_kernel_handle_t kernel;
        ze_result_t result = zeKernelCreate(module, &desc, &kernel);
        if (result == ZE_RESULT_SUCCESS) {
            zeKernelDestroy(kernel);
        } else {
            snprintf(answer->result, sizeof(answer->result), "kernel");
            snprintf(answer->reason, sizeof(answer->reason), "zeKernelCreate: 0x%x",
                     (unsigned)result);
        }
    }
    free(names);
}

static void program_build(const struct worker *worker, struct program *program,
                          struct answer *answer)
{
    ze_module_program_exp_desc_t all = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC,
                                        .count = program->count,
                                        .inputSizes = program->sizes,
                                        .pInputModules = program->bytes};
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .pNext = program->count > 1 ? &all : NULL,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = program->sizes[0],
                             .pInputModule = program->bytes[0]};
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    uint64_t begin = now_us();
    ze_result_t result = zeModuleCreate(worker->context, worker->device, &desc, &module, &log);
    answer->microseconds = now_us() - begin;
    if (result != ZE_RESULT_SUCCESS) {
        snprintf(answer->result, sizeof(answer->result), "0x%x", (unsigned)result);
        if (log) {
            log_line(log, "error", answer->reason, sizeof(answer->reason));
        }
    } else if (module_unlinked(module, answer)) {
        snprintf(answer->result, sizeof(answer->result), "imports");
    } else {
        snprintf(answer->result, sizeof(answer->result), "built");
        kernels_create(module, answer);
    }
    if (log) {
        zeModuleBuildLogDestroy(log);
    }
    if (module) {
        zeModuleDestroy(module);
    }
}

int main(void)
{
    static struct worker worker;
    static struct program program;
    char *line = malloc(LINE_BYTES);
    if (!line || !worker_open(&worker)) {
        fprintf(stderr, "build_module: no Level Zero device\n");
        return 1;
    }
    while (fgets(line, LINE_BYTES, stdin)) {
        static struct answer answer;
        memset(&answer, 0, sizeof(answer));
        line[strcspn(line, "\n")] = '\0';
        if (program_read(&program, line)) {
            program_build(&worker, &program, &answer);
        } else {
            snprintf(answer.result, sizeof(answer.result), "unreadable");
        }
        program_free(&program);
        printf("%s\t%llu\t%u\t%s\n", answer.result, (unsigned long long)answer.microseconds,
               answer.kernels, answer.reason);
        fflush(stdout);
    }
    zeContextDestroy(worker.context);
    free(line);
    return 0;
}
