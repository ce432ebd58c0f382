/* Tells which levels of code this machine runs. See level.h. */
#include "level.h"

#include "machine/identity.h"
#include "machine/machine.h"
#include "native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LEVELS_NAMED = 16 };

/* Prints that the level is skipped, unless an earlier call has. */
static void level_name_once(const struct geo_native_level *level)
{
    static const struct geo_native_level *named[LEVELS_NAMED];
    for (size_t i = 0; i < LEVELS_NAMED && named[i] != level; i++) {
        if (!named[i]) {
            named[i] = level;
            printf("levels: %s skipped: this processor lacks it\n", level->name);
            fflush(stdout);
            return;
        }
    }
}

bool level_runs(const char *name)
{
    const struct geo_native_level *level = name ? geo_native_target_level_find(name) : NULL;
    if (!level) {
        return true;
    }
    bool runs = level->target == GEO_MACHINE_TARGET && !(level->features & ~geo_machine_features());
    if (!runs) {
        level_name_once(level);
    }
    return runs;
}

void level_demand(void)
{
    if (!level_runs(getenv("GEOID_CPU"))) {
        _exit(LEVEL_SKIPPED); /* a constructor calls this, so exit handlers may lack their state */
    }
}
