/* Build options of zeModuleCreate. The driver passes their text unchanged (compiler/compiler.h);
 * only this file interprets them, and names unknown options in the build log. */
#ifndef GEO_COMPILER_FACADE_OPTIONS_H
#define GEO_COMPILER_FACADE_OPTIONS_H

#include "base/strbuf.h"
#include "compiler/compiler.h"
#include "compiler/ir/ir.h"

/* The options of one build. */
struct geo_build_options {
    bool optimize; /* false: -ze-opt-disable, -ze-opt-level=0 */
    bool correctly_rounded_divide_sqrt;
    uint32_t fast_math;     /* GEO_VALUE_FAST_* of all arithmetic, and GEO_VALUE_RELAXED */
    bool large_buffers;     /* -ze-opt-greater-than-4GB-buffer-required */
    uint32_t profile_flags; /* -zet-profile-flags: zet_profile_flags_t */
};

/* Combines the options of all sources of unit 0. Precision, -ze-opt-disable, large buffers
 * and profile flags hold if one source asks for them; relaxed precision needs all sources. Profile
 * flags have no effect unless the request is instrumented. Options of modules that it is
 * linked with are ignored.
 *
 * Known options without an effect here are accepted (MOD-9, pitfall 58). The log names unknown
 * ones, each text once. A link does not log them, since the build of the module has. The function
 * never fails; the text is untrusted. */
void geo_facade_options_read(const struct geo_compiler_request *request,
                             struct geo_build_options *options, struct geo_strbuf *log);

#endif
