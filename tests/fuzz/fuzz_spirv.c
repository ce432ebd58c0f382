/* libFuzzer target: SPIR-V through the reader, the validator and the built-ins. No crash, no leak,
 * and a log on refusal. */
#include "compiler/builtins/builtins.h"
#include "compiler/ir/validate.h"
#include "compiler/spirv/reader.h"

#include <stdlib.h>

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
    if (good && geo_builtins_resolve(module, &log) == ZE_RESULT_SUCCESS &&
        !geo_ir_validate(module, "built-ins", &log)) {
        abort(); /* we broke a valid module */
    }
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    return 0;
}
