/* Links modules that were built separately (zeModuleDynamicLink, MOD-6 to MOD-9).
 *
 * Unit 0 is the module that code is generated for; units 1... are the modules that it is linked
 * with. Unit 0 gets copies of the functions that it imports and of everything they reach. Variables
 * behind those functions are not copied: they stay in the loaded code of the other units, so that
 * each exists once.
 *
 *     unit 0                        unit 1
 *     kernel -> f (import) ......... f -> g (private), counter (private)
 *     kernel -> copy of f -> copy of g, counter (EXTERNAL, unit 1, "geoid.shared.0")
 *
 * The driver decides which unit exports what another imports, since it knows all units. */
#ifndef GEO_COMPILER_LINK_UNITS_H
#define GEO_COMPILER_LINK_UNITS_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Resolves the import `name` of one unit to the export of that name of another unit. */
struct geo_unit_link {
    uint32_t importer, exporter;
    const char *name;
};

/* The units of one link, and the links between them. The caller owns everything. */
struct geo_units {
    struct geo_ir_module **modules; /* `count` modules; [0] is changed, the others are only read */
    uint32_t count;
    const struct geo_unit_link *links;
    uint32_t link_count;
    const char *function; /* export of unit 1 that unit 0 copies and exports; NULL: none */
};

/* Gives each variable its serial, which is equal in all builds of a module. Called before anything
 * adds variables to the module. */
void geo_units_number(struct geo_ir_module *module);

/* Resolves the imports of unit 0, and of the copies in it, along the links. An import without a
 * link stays. Returns MODULE_BUILD_FAILURE with a log when types do not fit or a link leads to no
 * export, or OUT_OF_HOST_MEMORY. */
ze_result_t geo_units_link(const struct geo_units *units, struct geo_strbuf *log);

#endif
