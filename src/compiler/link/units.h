/* Linking of modules that were built on their own (zeModuleDynamicLink, MOD-6 to MOD-9).
 *
 * Unit 0 is the module that code is made for, units 1... are those it is linked with. Unit 0 gets
 * copies of the functions it imports and of all they reach; the variables behind those stay where
 * the other units' loaded code holds them, so that there is one of each:
 *
 *     unit 0                        unit 1
 *     kernel -> f (import) ......... f -> g (private), counter (private)
 *     kernel -> copy of f -> copy of g, counter (EXTERNAL, unit 1, "geoid.shared.0")
 *
 * Who exports what a unit imports is decided outside, by the driver: it has seen all of them. */
#ifndef GEO_COMPILER_LINK_UNITS_H
#define GEO_COMPILER_LINK_UNITS_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* "The import `name` of one unit is the export of that name of another." */
struct geo_unit_link {
    uint32_t importer, exporter;
    const char *name;
};

struct geo_units {
    struct geo_ir_module **modules; /* [count]; [0] is changed, the others are read */
    uint32_t count;
    const struct geo_unit_link *links;
    uint32_t link_count;
    const char *function; /* unit 0 gets this export of unit 1, and exports it; NULL: nothing */
};

/* Numbers the variables as read, so that all builds of a module call them alike. Before anything
 * adds variables to the module. */
void geo_units_number(struct geo_ir_module *module);

/* Resolves the imports of unit 0 and of what is copied into it along the links; an import without a
 * link stays one. MODULE_BUILD_FAILURE with a log when types do not fit or a link leads to nothing,
 * OUT_OF_HOST_MEMORY. */
ze_result_t geo_units_link(const struct geo_units *units, struct geo_strbuf *log);

#endif
