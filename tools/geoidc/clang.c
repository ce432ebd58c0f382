/* OpenCL C for geoidc. See clang.h. */
#include "clang.h"

#include "clang/clang.h"

#include <stdio.h>

enum geoidc_exit clang_compile(const struct geo_clang_source *wanted, struct file *spirv)
{
    static const enum geoidc_exit exits[] = {
        [GEO_CLANG_OK] = GEOIDC_OK,
        [GEO_CLANG_FAILED] = GEOIDC_FAILED,
        [GEO_CLANG_MISSING] = GEOIDC_MISSING,
        [GEO_CLANG_FILE] = GEOIDC_FILE,
        [GEO_CLANG_NO_MEMORY] = GEOIDC_MEMORY,
    };
    struct geo_clang_source source = *wanted;
    struct geo_strbuf log;
    char prefix[64];
    snprintf(prefix, sizeof(prefix), "%s: ", geoidc_name());
    source.option = "--clang";
    source.prefix = prefix;
    geo_strbuf_init(&log, 0);
    enum geoidc_exit status = exits[geo_clang_compile(&source, &log, &spirv->bytes, &spirv->count)];
    fputs(geo_strbuf_text(&log), stderr); /* clang names the places of errors */
    geo_strbuf_finish(&log);
    return status;
}
