/* SPIR-V through the reader, the validator and the transforms, without LLVM. No crash, no leak, and
 * a log on refusal. */
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"
#include "compiler/validate/validate.h"

#include "seeds_spirv.h"
#include "spirv_edit.h"

#include <string.h>

enum { READING, VALIDATION, TRANSFORMS, CANONICAL };

/* Each transform is followed by the validator, whose log begins with "error: after <pass>" when we
 * broke a valid module. (Names that the log tells come from the input.) */
static unsigned module_transform(struct geo_ir_module *module, struct geo_strbuf *log)
{
    static const char broken[] = "error: after ";
    if (geo_transform_canonicalize(module, true, log) == ZE_RESULT_SUCCESS) {
        return CANONICAL;
    }
    if (log->length == 0 || strncmp(geo_strbuf_text(log), broken, sizeof(broken) - 1) == 0) {
        fuzz_found(FUZZ_WRONG, "a transform: %s", geo_strbuf_text(log));
    }
    return TRANSFORMS;
}

static unsigned module_run(const uint8_t *data, size_t size)
{
    struct geo_strbuf log;
    struct geo_ir_module *module;
    unsigned end = READING;
    geo_strbuf_init(&log, 1u << 16);
    bool good = geo_spirv_read(data, size, &module, &log) == ZE_RESULT_SUCCESS;
    if (good) {
        end = VALIDATION;
        good = geo_validate(module, "reading", &log) == ZE_RESULT_SUCCESS;
    }
    if (good) {
        end = module_transform(module, &log);
    } else if (log.length == 0) {
        fuzz_found(FUZZ_WRONG, "a refusal without a reason");
    }
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    return end;
}

const struct fuzz_target fuzz_target = {
    .name = "spirv",
    .ends = {"reading", "validation", "transforms", "canonical"},
    .block = 20000,
    .max_bytes = SPIRV_BYTES_MAX,
    .prepare = spirv_seeds_generate,
    .take = spirv_seeds_take,
    .seed = spirv_seeds_pick,
    .mutate = spirv_mutate,
    .run = module_run,
};
