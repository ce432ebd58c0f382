/* Implements corpus_module.h. */
#include "corpus_module.h"

#include "compiler/codegen/ptx/ptx.h"
#include "data.h"

#include <stdlib.h>
#include <string.h>

/* The GPU for which the modules are prepared. */
#define LEVEL "sm_90"

bool corpus_module_lower(const char *path, const char *options, const char *kernel,
                         struct geo_facade_lowered *lowered, char *text, size_t text_bytes)
{
    struct geo_compiler_source source = {.options = options};
    uint8_t *bytes = corpus_file_read(path, &source.bytes, text, text_bytes);
    if (!bytes) {
        return false;
    }
    source.spirv = bytes;
    const struct geo_compiler_request request = {.source_count = 1, .sources = &source};
    const struct geo_lower_target target = geo_codegen_ptx_facts();
    struct geo_order *order = geo_order_create(&request);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    ze_result_t result = order ? geo_facade_build_lower(order, &target, kernel, &log, lowered)
                               : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (result == ZE_RESULT_SUCCESS &&
        geo_codegen_ptx_prepare(lowered->result.module, LEVEL, &log) != ZE_RESULT_SUCCESS) {
        geo_facade_build_lowered_finish(lowered);
        result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    if (result != ZE_RESULT_SUCCESS) {
        snprintf(text, text_bytes, "refused: %s", geo_strbuf_text(&log));
        text[strcspn(text, "\n")] = '\0';
    }
    geo_order_unref(order);
    geo_strbuf_finish(&log);
    free(bytes);
    return result == ZE_RESULT_SUCCESS;
}

bool corpus_module_optimize(struct geo_facade_lowered *lowered, char *text, size_t text_bytes)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    bool good = geo_codegen_ptx_optimize(lowered->result.module, LEVEL, &log) == ZE_RESULT_SUCCESS;
    if (!good) {
        snprintf(text, text_bytes, "%s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    return good;
}
