/* Build flags of zeModuleCreate that change what the compiler does. */
#ifndef GEO_COMPILER_FACADE_OPTIONS_H
#define GEO_COMPILER_FACADE_OPTIONS_H

#include "base/strbuf.h"

struct geo_build_options {
    bool optimize; /* false: -ze-opt-disable, -ze-opt-level=0 */
    bool debug;    /* -g */
    bool correctly_rounded_divide_sqrt;
    bool mad_enable;
};

/* NULL text: the defaults (specification: optimisation level 2). Flags for other hardware are
 * accepted and ignored (MOD-9, pitfall 58); flags nobody knows are named in the log and ignored. */
void geo_build_options_parse(const char *text, struct geo_build_options *options,
                             struct geo_strbuf *log);

#endif
