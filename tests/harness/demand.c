/* Skips the program before main if GEOID_CPU names a level that this machine lacks. Part of every
 * program of geoid_add_test. See level.h. */
#include "level.h"

__attribute__((constructor)) static void level_demand_early(void)
{
    level_demand();
}
