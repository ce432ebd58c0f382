/* Register sets and registers of parked threads. See registers.h. */
#include "backend/cpu/debug/registers.h"

#include "base/assert.h"
#include "machine/registers.h"

#include <pthread.h>
#include <string.h>

_Static_assert((int)GEO_MACHINE_GENERAL == (int)GEOID_REGSET_GENERAL &&
                   (int)GEO_MACHINE_VECTOR == (int)GEOID_REGSET_VECTOR &&
                   (int)GEO_MACHINE_MASK == (int)GEOID_REGSET_MASK &&
                   (int)GEO_MACHINE_STATUS == (int)GEOID_REGSET_STATUS,
               "the machine's sets have the numbers of the public header");

static zet_debug_regset_properties_t sets[GEO_MACHINE_REGISTER_SETS + 1];
static uint32_t set_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_add(uint32_t type, uint32_t count, uint32_t bytes, zet_debug_regset_flags_t flags)
{
    if (count != 0) {
        sets[set_count++] = (zet_debug_regset_properties_t){
            .type = type,
            .version = GEOID_REGSET_VERSION,
            .generalFlags = flags,
            .count = count,
            .bitSize = 8 * bytes,
            .byteSize = bytes,
        };
    }
}

static void sets_fill(void)
{
    for (uint32_t type = 1; type <= GEO_MACHINE_REGISTER_SETS; type++) {
        uint32_t bytes;
        const uint32_t count =
            geo_machine_registers_count((enum geo_machine_register_set)type, &bytes);
        set_add(type, count, bytes,
                ZET_DEBUG_REGSET_FLAG_READABLE | ZET_DEBUG_REGSET_FLAG_WRITEABLE);
    }
    set_add(GEOID_REGSET_LAUNCH, GEOID_LAUNCH_REGISTER_COUNT, sizeof(uint64_t),
            ZET_DEBUG_REGSET_FLAG_READABLE);
}

const zet_debug_regset_properties_t *geo_cpu_debug_registers_sets(uint32_t *count)
{
    pthread_once(&once, sets_fill);
    *count = set_count;
    return sets;
}

const zet_debug_regset_properties_t *geo_cpu_debug_registers_find(uint32_t type)
{
    uint32_t count;
    const zet_debug_regset_properties_t *set = geo_cpu_debug_registers_sets(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (set[i].type == type) {
            return &set[i];
        }
    }
    return NULL;
}

/* ---- the launch ---- */

static void launch_describe(const struct geo_cpu_debug_cell *cell, struct geo_cpu_debug_launch *out)
{
    GEO_ASSERT(geo_cpu_debug_cell_state(cell) == GEO_CPU_DEBUG_PARKED);
    geo_cpu_debug_state_desc.describe(cell->whole, cell->first, out);
    if (!out->worker) {
        out->worker = &cell->worker->abi;
    }
}

uint64_t geo_cpu_debug_registers_local(const struct geo_cpu_debug_cell *cell, uint64_t *bytes)
{
    struct geo_cpu_debug_launch launch;
    launch_describe(cell, &launch);
    *bytes = launch.launch->frame_offset;
    return (uint64_t)(uintptr_t)launch.worker->scratch;
}

static void launch_read(const struct geo_cpu_debug_cell *cell,
                        uint64_t values[GEOID_LAUNCH_REGISTER_COUNT])
{
    struct geo_cpu_debug_launch described;
    launch_describe(cell, &described);
    const struct geo_launch *launch = described.launch;
    values[GEOID_LAUNCH_LANES] = described.lanes;
    values[GEOID_LAUNCH_FLAGS] = described.linear ? GEOID_LAUNCH_FLAG_LINEAR : 0;
    values[GEOID_LAUNCH_FIRST_GROUP] = cell->first;
    values[GEOID_LAUNCH_GROUP_COUNT] = cell->count;
    for (uint32_t i = 0; i < 3; i++) {
        values[GEOID_LAUNCH_GROUPS_X + i] = launch->group_count[i];
        values[GEOID_LAUNCH_LOCAL_SIZE_X + i] = launch->local_size[i];
        values[GEOID_LAUNCH_GLOBAL_OFFSET_X + i] = launch->global_offset[i];
        values[GEOID_LAUNCH_GLOBAL_SIZE_X + i] = launch->global_size[i];
    }
    values[GEOID_LAUNCH_LOCAL_MEMORY] =
        geo_cpu_debug_registers_local(cell, &values[GEOID_LAUNCH_LOCAL_MEMORY_BYTES]);
    values[GEOID_LAUNCH_ARGUMENTS] = (uint64_t)(uintptr_t)launch->arguments;
    values[GEOID_LAUNCH_KERNEL_NAME] = (uint64_t)(uintptr_t)described.name;
    values[GEOID_LAUNCH_KERNEL_ENTRY] = described.entry;
    values[GEOID_LAUNCH_STOP_REASON] = cell->reason;
    values[GEOID_LAUNCH_STOP_SIGNAL] = cell->sent ? 0 : (uint64_t)cell->signal;
    values[GEOID_LAUNCH_STOP_ADDRESS] = cell->address;
    values[GEOID_LAUNCH_SYSTEM_THREAD] = (uint64_t)atomic_load(&cell->thread);
}

/* ---- registers ---- */

void geo_cpu_debug_registers_read(const struct geo_cpu_debug_cell *cell,
                                  const zet_debug_regset_properties_t *set, uint32_t start,
                                  uint32_t count, uint8_t *values)
{
    GEO_ASSERT(start <= set->count && count <= set->count - start);
    if (set->type == GEOID_REGSET_LAUNCH) {
        uint64_t launch[GEOID_LAUNCH_REGISTER_COUNT];
        launch_read(cell, launch);
        memcpy(values, &launch[start], count * sizeof(launch[0]));
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        geo_machine_registers_read(cell->context, (enum geo_machine_register_set)set->type,
                                   start + i, values + (size_t)i * set->byteSize);
    }
}

bool geo_cpu_debug_registers_write(struct geo_cpu_debug_cell *cell,
                                   const zet_debug_regset_properties_t *set, uint32_t start,
                                   uint32_t count, const uint8_t *values)
{
    GEO_ASSERT(set->type != GEOID_REGSET_LAUNCH);
    GEO_ASSERT(start <= set->count && count <= set->count - start);
    const enum geo_machine_register_set type = (enum geo_machine_register_set)set->type;
    bool changed = false;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t before[GEO_MACHINE_REGISTER_BYTES], after[GEO_MACHINE_REGISTER_BYTES];
        geo_machine_registers_read(cell->context, type, start + i, before);
        geo_machine_registers_write(cell->context, type, start + i,
                                    values + (size_t)i * set->byteSize);
        geo_machine_registers_read(cell->context, type, start + i, after);
        changed = changed || memcmp(before, after, set->byteSize) != 0;
    }
    return changed;
}
