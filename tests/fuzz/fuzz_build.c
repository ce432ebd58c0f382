/* SPIR-V through the whole compiler in this process, LLVM with it, at several widths and levels of
 * the CPU. No crash, no leak, a log on refusal, and no malformed code. What the loop runs builds
 * through the API, in children: fuzz_module.c. */
#include "compiler/compiler.h"

#include "seeds_spirv.h"
#include "spirv_edit.h"

#include <string.h>

enum { REFUSED, BUILT };

/* How a module is built follows from its bytes. */
static uint8_t parity_of(const uint8_t *data, size_t size)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum ^= data[i];
    }
    return sum;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void expect(bool good, const char *what, const struct geo_compiler_output *output)
{
    if (!good) {
        fuzz_found(FUZZ_WRONG, "%s: %s", what, output->log);
    }
}

static unsigned module_build(const uint8_t *data, size_t size)
{
    const struct geo_compiler_ops *compiler = geo_compiler_open(GEO_COMPILER_INTERFACE);
    static const uint32_t lanes[] = {1, 8, 16, 0};
    uint8_t parity = parity_of(data, size);
    const struct geo_compiler_source source = {
        .spirv = data,
        .bytes = size,
        .options = parity & 1 ? "" : "-ze-opt-disable",
    };
    const struct geo_compiler_request request = {
        .source_count = 1,
        .sources = &source,
        .lanes = lanes[parity >> 1 & 3],
        .target_cpu = parity & 8 ? "x86-64-v2" : "x86-64-v4",
    };
    struct geo_compiler_output output;
    bool built = compiler->build(&request, &output) == ZE_RESULT_SUCCESS;
    expect(built == (output.binary != NULL), "an object on success, and then only", &output);
    expect(built || output.log[0], "a refusal without a reason", &output);
    expect(!begins(output.log, "error: after ") || begins(output.log, "error: after reading:"),
           "a transform breaks it", &output);
    expect(!begins(output.log, "error: internal"), "malformed code", &output);
    compiler->release(&output);
    return built ? BUILT : REFUSED;
}

const struct fuzz_target fuzz_target = {
    .name = "build",
    .ends = {"refused", "built"},
    .block = 200,
    .max_bytes = SPIRV_BYTES_MAX,
    .take = spirv_seeds_take,
    .seed = spirv_seeds_pick,
    .mutate = spirv_mutate,
    .run = module_build,
};
