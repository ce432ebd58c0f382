/* libFuzzer target: SPIR-V through the reader, the validator and the transforms. No crash, no leak,
 * and a log on refusal. */
#include "compiler/ir/validate.h"
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct geo_strbuf log;
    struct geo_ir_module *module;
    geo_strbuf_init(&log, 1u << 16);
    bool good = geo_spirv_read(data, size, NULL, &module, &log) == ZE_RESULT_SUCCESS &&
                geo_ir_validate(module, "reading", &log);
    if (!good && log.length == 0) {
        abort(); /* a refusal without a reason */
    }
    /* Each transform is followed by the validator, which says "after <pass>" when we broke a valid
     * module. */
    if (good && geo_transform_canonicalize(module, true, &log) != ZE_RESULT_SUCCESS &&
        (log.length == 0 || strstr(geo_strbuf_text(&log), "error: after "))) {
        abort();
    }
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    return 0;
}
