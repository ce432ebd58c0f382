/* Skips the program before main when GEOID_CPU names a level that this machine lacks. Part of every
 * program that geoid_add_test makes; see level.h. */
#include "level.h"

__attribute__((constructor)) static void level_demand_early(void)
{
    level_demand();
}
