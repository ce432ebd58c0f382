/* Programs through the compiler's reader and the reference interpreter of its model (lanes 1), and
 * again after canonicalisation (lanes 2): finds what the front half of the compiler does wrong
 * without generating code. */
#include "check.h"

#include "base/strbuf.h"
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"
#include "compiler/validate/validate.h"
#include "interpret.h"
#include "spirv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OpenCL.std functions that the model's interpreter does not know. */
static bool is_unknown(const char *error)
{
    return strstr(error, "OpExtInst") != NULL || strstr(error, "extended") != NULL;
}

static uint64_t *put_argument(struct interp *interp, const struct gen_program *program,
                              const struct gen_variable *parameter, uint8_t *memory, uint8_t *value,
                              uint64_t *leaves)
{
    size_t bytes = gen_buffer_bytes(program, parameter);
    if (parameter->role == GEN_SHARED) {
        *leaves = interp_alloc(interp, bytes);
    } else if (parameter->role == GEN_BUFFER) {
        *leaves = interp_map(interp, memory, bytes);
    } else if (parameter->is_byref) {
        gen_leaves_store(parameter->type, parameter->initial, value);
        *leaves = interp_map(interp, value, parameter->type->size);
    } else {
        memcpy(leaves, parameter->initial, parameter->type->leaves * sizeof(*leaves));
        return leaves + parameter->type->leaves;
    }
    return leaves + 1;
}

static bool interpret(const struct gen_program *program, struct geo_ir_module *module,
                      uint8_t *const *memory, bool *skipped, char *text, size_t text_bytes)
{
    const struct gen_variables *parameters = &gen_kernel(program)->parameters;
    struct interp *interp = interp_create(module);
    uint64_t *arguments = calloc((size_t)GEN_MAX_LEAVES * 64, sizeof(*arguments)), *at = arguments;
    uint8_t *values = calloc(64, 2048);
    for (uint32_t i = 0; i < parameters->count; i++) {
        at = put_argument(interp, program, parameters->items[i], memory[i],
                          values + (size_t)i * 2048, at);
    }
    for (uint32_t i = 0; i < 3; i++) {
        interp_set_builtin(interp, SpvBuiltInGlobalOffset, i, program->offset[i]);
    }
    interp_set_step_limit(interp, 400000000);
    bool good = interp_launch(interp, interp_find(module, GEN_KERNEL_NAME), arguments,
                              program->groups, program->local);
    if (!good) {
        snprintf(text, text_bytes, "%s", interp_error(interp));
        *skipped = is_unknown(text);
    }
    interp_destroy(interp);
    free(values);
    free(arguments);
    return good || *skipped;
}

static bool model_run(const struct gen_program *program, uint32_t lanes, uint8_t *const *memory,
                      bool *skipped, char *text, size_t text_bytes)
{
    size_t words;
    uint32_t *spirv = gen_emit_spirv(program, &words);
    struct geo_strbuf log;
    struct geo_ir_module *module = NULL;
    bool good = false;
    geo_strbuf_init(&log, 0);
    if ((program->offset[0] | program->offset[1] | program->offset[2]) != 0) {
        *skipped = good = true; /* interp_launch has no offset */
    } else if ((program->collectives || program->forms) && lanes == 1) {
        *skipped = good = true; /* transforms make barriers and atomics, and copies of arguments */
    } else if (geo_spirv_read(spirv, words * sizeof(*spirv), &module, &log) != ZE_RESULT_SUCCESS ||
               geo_validate(module, "reader", &log) != ZE_RESULT_SUCCESS ||
               (lanes > 1 && geo_transform_canonicalize(module, true, &log) != ZE_RESULT_SUCCESS)) {
        snprintf(text, text_bytes, "%s", geo_strbuf_text(&log));
    } else {
        good = interpret(program, module, memory, skipped, text, text_bytes);
    }
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    free(spirv);
    return good;
}

int main(int argc, char **argv)
{
    static const struct gen_device model = {.name = "the model",
                                            .has_lanes = true,
                                            .has_collectives = true,
                                            .has_halves = true,
                                            .run = model_run};
    return gen_main(argc, argv, &model);
}
