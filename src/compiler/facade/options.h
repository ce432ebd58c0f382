/* Build options of zeModuleCreate: the one place that knows them. The driver hands the text through
 * (compiler/compiler.h); what is not known is named in the build log from here, and nowhere else. */
#ifndef GEO_COMPILER_FACADE_OPTIONS_H
#define GEO_COMPILER_FACADE_OPTIONS_H

#include "base/strbuf.h"
#include "compiler/compiler.h"
#include "compiler/ir/ir.h"

struct geo_build_options {
    bool optimize; /* false: -ze-opt-disable, -ze-opt-level=0 */
    bool correctly_rounded_divide_sqrt;
    uint32_t fast_math; /* GEO_VALUE_FAST_* of all arithmetic, GEO_VALUE_RELAXED */
    bool large_buffers; /* -ze-opt-greater-than-4GB-buffer-required */
};

/* Of everything that is built as one module, unit 0: what one of its sources asks for in precision,
 * for a debugger or for large buffers holds for all, what gives precision away needs the word of
 * all. Options of modules that it is linked with do not count.
 *
 * Known options without effect here are accepted (MOD-9, pitfall 58). The log names the others,
 * each text once; not for a link, where the build has done so. It never fails: text is untrusted. */
void geo_build_options_read(const struct geo_compiler_request *request,
                            struct geo_build_options *options, struct geo_strbuf *log);

#endif
