/* libFuzzer target: SPIR-V through the reader, the validator and the transforms. No crash, no leak,
 * and a log on refusal. */
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"
#include "compiler/validate/validate.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct geo_strbuf log;
    struct geo_ir_module *module;
    geo_strbuf_init(&log, 1u << 16);
    bool good = geo_spirv_read(data, size, NULL, &module, &log) == ZE_RESULT_SUCCESS &&
                geo_validate(module, "reading", &log) == ZE_RESULT_SUCCESS;
    if (!good && log.length == 0) {
        abort(); /* a refusal without a reason */
    }
    /* Each transform is followed by the validator, whose log begins with "error: after <pass>" when
     * we broke a valid module. (Names that the log tells come from the input.) */
    static const char broken[] = "error: after ";
    if (good && geo_transform_canonicalize(module, true, &log) != ZE_RESULT_SUCCESS &&
        (log.length == 0 || strncmp(geo_strbuf_text(&log), broken, sizeof(broken) - 1) == 0)) {
        abort();
    }
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    return 0;
}
