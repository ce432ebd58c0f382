/* Reads the memory controllers and their error counts. See edac.h. */
#include "backend/cpu/sysman/edac.h"

#include <string.h>

#define FOLDER      "/sys/devices/system/edac/mc"
#define CONTROLLERS 64u /* larger controller numbers are ignored */
#define MODULES     32u /* per controller */

/* Returns a bit mask of the controllers. Their numbers are those of nodes or slots, some of which
 * have no memory, so there are gaps. */
static uint64_t controllers_find(const struct geo_tree *tree)
{
    return geo_tree_numbers(tree, FOLDER, "mc");
}

/* Removes and returns the lowest number of a set. */
static uint32_t controller_take(uint64_t *set)
{
    uint32_t lowest = (uint32_t)__builtin_ctzll(*set);
    *set &= *set - 1;
    return lowest;
}

uint32_t geo_edac_controllers(const struct geo_tree *tree)
{
    return (uint32_t)__builtin_popcountll(controllers_find(tree));
}

ze_result_t geo_edac_count(const struct geo_tree *tree, enum geo_edac_count what, uint64_t *count,
                           struct geo_strbuf *why)
{
    const char *name = what == GEO_EDAC_CORRECTED ? "ce_count" : "ue_count";
    uint64_t sum = 0, controllers = controllers_find(tree);
    const bool none = controllers == 0;
    while (controllers != 0) {
        int64_t more;
        struct geo_tree_path path =
            geo_tree_path(FOLDER "/mc%u/%s", controller_take(&controllers), name);
        ze_result_t result = geo_tree_number(tree, path.text, &more, why);
        if (result == ZE_RESULT_SUCCESS && more < 0) {
            if (why) {
                geo_strbuf_printf(why, "file %s contains a negative error count", path.text);
            }
            result = ZE_RESULT_ERROR_UNKNOWN;
        }
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
        sum += (uint64_t)more;
    }
    if (none) {
        if (why) {
            geo_strbuf_printf(why, "%s contains no memory controller any more", FOLDER);
        }
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    *count = sum;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_edac_clear(const struct geo_tree *tree, struct geo_strbuf *why)
{
    uint64_t controllers = controllers_find(tree);
    ze_result_t result = ZE_RESULT_SUCCESS;
    while (controllers != 0 && result == ZE_RESULT_SUCCESS) {
        uint32_t controller = controller_take(&controllers);
        result = geo_tree_write_number(
            tree, geo_tree_path(FOLDER "/mc%u/reset_counters", controller).text, 1, why);
    }
    return result;
}

static bool module_text(const struct geo_tree *tree, uint32_t controller, uint32_t module,
                        const char *name, char *text, size_t size)
{
    static const char *const kinds[] = {"dimm", "rank"};
    for (int i = 0; i < 2; i++) {
        struct geo_tree_path path =
            geo_tree_path(FOLDER "/mc%u/%s%u/%s", controller, kinds[i], module, name);
        if (geo_tree_text_known(tree, path.text, text, size)) {
            return true;
        }
    }
    return false;
}

bool geo_edac_corrects(const struct geo_tree *tree)
{
    char mode[64];
    uint64_t controllers = controllers_find(tree);
    const bool some = controllers != 0;
    while (controllers != 0) {
        uint32_t controller = controller_take(&controllers);
        for (uint32_t k = 0; k < MODULES; k++) {
            if (module_text(tree, controller, k, "dimm_edac_mode", mode, sizeof(mode)) &&
                strcmp(mode, "None") == 0) {
                return false;
            }
        }
    }
    return some;
}

bool geo_edac_memory_type(const struct geo_tree *tree, char *text, size_t size)
{
    uint64_t controllers = controllers_find(tree);
    while (controllers != 0) {
        uint32_t controller = controller_take(&controllers);
        for (uint32_t k = 0; k < MODULES; k++) {
            if (module_text(tree, controller, k, "dimm_mem_type", text, size)) {
                return true;
            }
        }
    }
    return false;
}
