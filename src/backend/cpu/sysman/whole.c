/* Everything that a device has only once: description of the machine, state, memory error
 * correction, processes, and events.
 *
 * A CPU is not a PCI device, and only a reboot resets it. Names come from the firmware's tables
 * (/sys/class/dmi/id). Only root may read serial numbers. */
#include "backend/cpu/sysman/whole.h"

#include "backend/cpu/sysman/edac.h"
#include "backend/cpu/sysman/finding.h"
#include "backend/cpu/sysman/memory.h"
#include "backend/cpu/sysman/throttle.h"
#include "backend/host/census.h"
#include "machine/arm64_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN   "unknown"
#define PERIOD_NS 100000000u /* interval of the checks for events */

/* ---- description ---- */

/* Returns whether a text is a placeholder that vendors leave in their tables. */
static bool says_nothing(const char *text)
{
    static const char *const fillers[] = {
        "",     "Default string",      "To Be Filled By O.E.M.", "To be filled by O.E.M.",
        "None", "Not Specified",       "Not Applicable",         "System Serial Number",
        "0",    "System manufacturer",
    };
    for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++) {
        if (strcmp(text, fillers[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Copies a text. Returns NULL when memory ran out. */
static const char *text_keep(struct geo_sysman *sysman, const char *text)
{
    return says_nothing(text) ? UNKNOWN : geo_arena_string(&sysman->texts, text, strlen(text));
}

static const char *table_text(struct geo_sysman *sysman, const char *name)
{
    char text[ZES_STRING_PROPERTY_SIZE] = "";
    geo_tree_text_known(&sysman->tree, geo_tree_path("/sys/class/dmi/id/%s", name).text, text,
                        sizeof(text));
    return text_keep(sysman, text);
}

/* Reads the value of a line such as "model name : CPU" of the first processor that has it,
 * without blanks around it. The text is empty when no processor has it. */
static void processor_line(struct geo_sysman *sysman, const char *name,
                           char text[ZES_STRING_PROPERTY_SIZE])
{
    struct geo_tree_lines lines;
    size_t length = strlen(name);
    text[0] = '\0';
    if (geo_tree_lines_open(&lines, &sysman->tree, "/proc/cpuinfo", NULL) != ZE_RESULT_SUCCESS) {
        return;
    }
    for (char *line; text[0] == '\0' && (line = geo_tree_lines_next(&lines)) != NULL;) {
        char *colon = strchr(line, ':');
        if (colon && strncmp(line, name, length) == 0 && strspn(line + length, " \t:") != 0) {
            colon += 1 + strspn(colon + 1, " ");
            snprintf(text, ZES_STRING_PROPERTY_SIZE, "%.*s", ZES_STRING_PROPERTY_SIZE - 1, colon);
        }
    }
    geo_tree_lines_close(&lines);
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' '; end--) {
        text[end - 1] = '\0';
    }
}

/* Reads a number that identifies the vendor or model of an arm64 processor. Returns 0 without such
 * a line. */
static unsigned processor_number(struct geo_sysman *sysman, const char *name)
{
    char text[ZES_STRING_PROPERTY_SIZE];
    processor_line(sysman, name, text);
    unsigned long number = strtoul(text, NULL, 0);
    return number > UINT16_MAX ? 0 : (unsigned)number;
}

static const char *vendor_text(struct geo_sysman *sysman)
{
    char text[ZES_STRING_PROPERTY_SIZE];
    processor_line(sysman, "vendor_id", text);
    const struct geo_arm64_maker *maker =
        geo_arm64_maker(processor_number(sysman, "CPU implementer"));
    return text_keep(sysman, text[0] == '\0' && maker ? maker->name : text);
}

/* Returns the model name. arm64 has numbers instead of names, which are translated to the device's
 * name. */
static const char *model_text(struct geo_sysman *sysman)
{
    char text[ZES_STRING_PROPERTY_SIZE];
    const unsigned maker = processor_number(sysman, "CPU implementer");
    processor_line(sysman, "model name", text);
    if (text[0] == '\0' && maker != 0) {
        geo_arm64_name(text, sizeof(text), maker, processor_number(sysman, "CPU part"));
    }
    return text_keep(sysman, text);
}

static const struct geo_sysman_device_ops device_ops;

/* Formats a version built by GEO_DRIVER_VERSION. */
static const char *version_text(struct geo_sysman *sysman, uint32_t version)
{
    char text[32];
    snprintf(text, sizeof(text), "%u.%u.%u", version >> 24, version >> 16 & 0xff, version & 0xffff);
    return text_keep(sysman, text);
}

bool geo_cpu_sysman_describe(struct geo_sysman *sysman, uint32_t driver_version)
{
    struct geo_sysman_device *device = &sysman->description;
    *device = (struct geo_sysman_device){
        .serial = table_text(sysman, "product_serial"),
        .board = table_text(sysman, "board_serial"),
        .brand = table_text(sysman, "sys_vendor"),
        .model = model_text(sysman),
        .vendor = vendor_text(sysman),
        .driver_version = version_text(sysman, driver_version),
        .ecc_available = geo_edac_controllers(&sysman->tree) != 0,
        .ecc_default =
            ZES_DEVICE_ECC_STATE_UNAVAILABLE, /* the setting is stored in the firmware and unknown */
        .events = ZES_EVENT_TYPE_FLAG_MEM_HEALTH,
        .ops = &device_ops,
    };
    if (geo_throttle_counted(sysman)) {
        device->events |= ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED;
    }
    return device->serial && device->board && device->brand && device->model && device->vendor &&
           device->driver_version;
}

/* ---- state ---- */

static ze_result_t device_state(struct geo_sysman *sysman, struct geo_sysman_device_state *state,
                                struct geo_strbuf *why)
{
    (void)sysman;
    (void)why;
    *state = (struct geo_sysman_device_state){
        .repaired = ZES_REPAIR_STATUS_UNSUPPORTED,
        .flags = ZES_DEVICE_STATE_EXT_FLAG_NORMAL,
    };
    return ZE_RESULT_SUCCESS;
}

static ze_result_t device_ecc_state(struct geo_sysman *sysman, zes_device_ecc_properties_t *state,
                                    struct geo_strbuf *why)
{
    if (geo_edac_controllers(&sysman->tree) == 0) {
        return geo_finding_unsupported(why, "no memory controller tells of errors");
    }
    zes_device_ecc_state_t now = geo_edac_corrects(&sysman->tree) ? ZES_DEVICE_ECC_STATE_ENABLED
                                                                  : ZES_DEVICE_ECC_STATE_DISABLED;
    state->currentState = now;
    state->pendingState = now;
    state->pendingAction = ZES_DEVICE_ACTION_NONE;
    return ZE_RESULT_SUCCESS;
}

/* ---- processes ---- */

static void process_fill(zes_process_state_t *process, const struct geo_census_user *user)
{
    bool computes = (user->engines & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) != 0;
    bool copies = (user->engines & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY) != 0;
    process->processId = user->pid;
    process->memSize = user->memory_bytes;
    process->sharedSize = user->shared_bytes;
    process->engines = (computes ? (uint32_t)ZES_ENGINE_TYPE_FLAG_COMPUTE : 0) |
                       (copies ? (uint32_t)ZES_ENGINE_TYPE_FLAG_DMA : 0);
}

/* Lists the processes that use the device. Sets *count to their number; fills at most as many
 * entries as *count said before. No smaller fixed limit applies, so a user with many processes
 * cannot hide those of others. */
static ze_result_t device_processes(struct geo_sysman *sysman, uint32_t *count,
                                    zes_process_state_t *processes, struct geo_strbuf *why)
{
    const uint32_t room = *count;
    struct geo_census_user *users = calloc(room ? room : 1, sizeof(*users));
    (void)why;
    if (!users) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *count = geo_census_read_list(sysman->tree.root, sysman->whole.device->info.uuid, users, room);
    for (uint32_t i = 0; i < room && i < *count; i++) {
        process_fill(&processes[i], &users[i]);
    }
    free(users);
    return ZE_RESULT_SUCCESS;
}

/* ---- events ---- */

/* Returns the events since the last check, by comparing the watched counts. A child of fork does
 * not inherit its parent's watches. */
static zes_event_type_flags_t changes_take(struct geo_sysman *sysman)
{
    zes_event_type_flags_t happened = 0, watched = atomic_load(&sysman->watched);
    if (atomic_load(&sysman->watcher) != geo_fork_generation()) {
        return 0;
    }
    uint64_t count;
    if ((watched & ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED) &&
        geo_throttle_count(sysman, &sysman->whole.cpus, &count) &&
        atomic_exchange(&sysman->throttles, count) < count) {
        happened |= ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED;
    }
    if (watched & ZES_EVENT_TYPE_FLAG_MEM_HEALTH) {
        zes_mem_health_t health = geo_cpu_sysman_health(&sysman->tree);
        if (atomic_exchange(&sysman->health, (uint32_t)health) != (uint32_t)health) {
            happened |= ZES_EVENT_TYPE_FLAG_MEM_HEALTH;
        }
    }
    return happened;
}

/* Starts watching events. The system does not notify about these, so they are polled. */
static ze_result_t device_watch(struct geo_sysman *sysman, zes_event_type_flags_t events,
                                struct geo_sysman_watch *watch, struct geo_strbuf *why)
{
    (void)why;
    atomic_store(&sysman->watched, events & sysman->description.events);
    atomic_store(&sysman->watcher, geo_fork_generation());
    (void)changes_take(sysman);
    *watch = (struct geo_sysman_watch){
        .fd = -1,
        .period_ns = atomic_load(&sysman->watched) ? PERIOD_NS : 0,
    };
    return ZE_RESULT_SUCCESS;
}

static void device_unwatch(struct geo_sysman *sysman)
{
    atomic_store(&sysman->watched, 0);
}

static const struct geo_sysman_device_ops device_ops = {
    .state = device_state,
    .processes = device_processes,
    .ecc_state = device_ecc_state,
    .watch = device_watch,
    .take_events = changes_take,
    .unwatch = device_unwatch,
};
