/* The program zeinfo, --check: loader, drivers, devices, and the parts that drivers need. See
 * check.h. */
#include "check.h"
#include "describe.h"
#include "query.h"
#include "zeinfo.h"

#include <geoid/driver.h>
#include <level_zero/ze_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- drivers ---- */

/* Returns what a driver says of its parts, which the caller frees; NULL if it says nothing. */
static char *explanation_get(ze_driver_handle_t driver)
{
    void *address = NULL;
    size_t size = 0;
    if (zeDriverGetExtensionFunctionAddress(driver, "geoidDriverExplain", &address) !=
            ZE_RESULT_SUCCESS ||
        !address) {
        return NULL;
    }
    geoid_pfnDriverExplain_t explain = (geoid_pfnDriverExplain_t)address;
    if (explain(driver, NULL, &size) != ZE_RESULT_SUCCESS) {
        return NULL;
    }
    size += 4096; /* it may have grown meanwhile */
    char *text = malloc(size);
    if (text && explain(driver, text, &size) != ZE_RESULT_SUCCESS) {
        free(text);
        return NULL;
    }
    return text;
}

void check_drivers_open(struct check_drivers *drivers)
{
    uint32_t count;
    ze_result_t result;
    void **handles = drivers_all(&count, &result);
    struct check_driver *items = calloc((size_t)count + 1, sizeof(*items));
    if (!items) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        count = 0;
    }
    *drivers = (struct check_drivers){items, 0, (int)result};
    for (; drivers->count < count; drivers->count++) {
        struct check_driver *driver = &items[drivers->count];
        driver->handle = handles[drivers->count];
        driver->explanation = explanation_get((ze_driver_handle_t)driver->handle);
        driver->path = strdup(why_driver_path((ze_driver_handle_t)driver->handle));
        if (!driver->path) {
            free(driver->explanation);
            break;
        }
    }
    free(handles);
}

void check_drivers_close(struct check_drivers *drivers)
{
    for (size_t i = 0; i < drivers->count; i++) {
        free(drivers->items[i].explanation);
        free(drivers->items[i].path);
    }
    free(drivers->items);
}

/* Copies a field and returns what follows it. */
static const char *field_copy(const char *text, char *field, size_t size)
{
    const size_t length = strcspn(text, "\t\n");
    snprintf(field, size, "%.*s", (int)length, text);
    return text + length + (text[length] == '\t');
}

bool check_part_find(const struct check_driver *driver, const char *name, struct check_part *part)
{
    const char *line = driver->explanation;
    while (line && *line) {
        char found[32];
        const char *rest = field_copy(line, found, sizeof(found));
        if (strcmp(found, name) == 0) {
            rest = field_copy(rest, part->outcome, sizeof(part->outcome));
            rest = field_copy(rest, part->path, sizeof(part->path));
            field_copy(rest, part->detail, sizeof(part->detail));
            return true;
        }
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return false;
}

/* ---- findings ---- */

static void loader_check(struct check_list *list)
{
    char version[WHY_VERSION_BYTES];
    const char *path = why_loader_path();
    if (!why_loader_version(version)) {
        snprintf(version, sizeof(version), "unknown");
    }
    check_add(list, "loader", CHECK_OK, NULL, "%s, version %s", path ? path : "unknown path",
              version);
}

/* Notes libraries that the loader did not take although somebody named them. */
static void libraries_check(struct check_list *list)
{
    struct why_attempt attempt;
    char *account = why_account();
    char *text = account;
    while (text && why_attempt_take(&text, &attempt)) {
        const bool absent = strcmp(attempt.outcome, "not loaded") == 0 &&
                            strcmp(attempt.origin, "established driver name") == 0;
        if (strcmp(attempt.outcome, "in use") != 0 && !absent) {
            check_add(list, "library", CHECK_NOTE,
                      "`zeinfo --why` prints all libraries, and who named them", "%s is %s: %s",
                      attempt.name, attempt.outcome, attempt.detail);
        }
    }
    free(account);
}

static const char *no_driver_remedy(void)
{
    return getenv("ZE_AFFINITY_MASK") ? "unset ZE_AFFINITY_MASK, or name devices that exist"
           : getenv("ZE_ENABLE_ALT_DRIVERS")
               ? "unset ZE_ENABLE_ALT_DRIVERS, or name libraries of drivers that exist"
               : "install Geoid's driver (package geoid-driver, or `make install`)";
}

static void devices_check(struct check_list *list, const struct check_driver *driver, size_t number)
{
    uint32_t count;
    ze_result_t result;
    ze_api_version_t version = 0;
    void **devices = driver_devices(driver->handle, &count, &result);
    (void)zeDriverGetApiVersion(driver->handle, &version);
    check_add(list, "driver", count ? CHECK_OK : CHECK_FAILED, count ? NULL : no_driver_remedy(),
              "%zu: %s, Level Zero %u.%u, %u device%s%s%s", number,
              *driver->path ? driver->path : "unknown library", ZE_MAJOR_VERSION((uint32_t)version),
              ZE_MINOR_VERSION((uint32_t)version), count, count == 1 ? "" : "s",
              result != ZE_RESULT_SUCCESS ? ": " : "",
              result != ZE_RESULT_SUCCESS ? describe_result(result) : "");
    for (uint32_t i = 0; i < count; i++) {
        char title[DEVICE_TITLE_BYTES];
        device_title((ze_device_handle_t)devices[i], title);
        check_add(list, "device", CHECK_OK, NULL, "%zu.%u: %s", number, i, title);
    }
    free(devices);
}

static enum check_outcome outcome_of(const struct check_part *part)
{
    return strcmp(part->outcome, "ok") == 0    ? CHECK_OK
           : strcmp(part->outcome, "off") == 0 ? CHECK_NOTE
                                               : CHECK_FAILED;
}

static void compiler_check(struct check_list *list, const struct check_driver *driver)
{
    struct check_part part;
    if (!check_part_find(driver, "compiler", &part)) {
        return;
    }
    const enum check_outcome outcome = outcome_of(&part);
    if (outcome == CHECK_OK) {
        check_add(list, "compiler", outcome, NULL, "%s: %s", part.path, part.detail);
    } else {
        check_add(list, "compiler", outcome,
                  "install the compiler of the same version beside the driver (package "
                  "geoid-compiler), or name its file in GEOID_COMPILER",
                  "%s", part.detail);
    }
}

static void cache_check(struct check_list *list, const struct check_driver *driver)
{
    struct check_part part;
    unsigned long long bytes = 0, limit = 0;
    if (!check_part_find(driver, "cache", &part)) {
        return;
    }
    const enum check_outcome outcome = outcome_of(&part);
    if (outcome == CHECK_OK && sscanf(part.detail, "%llu of %llu bytes", &bytes, &limit) == 2) {
        check_add(list, "cache", outcome, NULL, "%s: %.1f of %.0f MiB", part.path,
                  (double)bytes / 1048576, (double)limit / 1048576);
    } else if (outcome == CHECK_NOTE) {
        check_add(list, "cache", outcome,
                  "unset GEOID_CACHE_SIZE, so that modules are built once and not in each process",
                  "off: %s", part.detail);
    } else {
        check_add(list, "cache", outcome,
                  "name a folder of yours in GEOID_CACHE_DIR, with an absolute path; or set "
                  "GEOID_CACHE_SIZE=off",
                  "%s: %s", part.path, part.detail);
    }
}

static void drivers_probe(struct check_list *list)
{
    struct check_drivers drivers;
    check_at(list, "the initialisation of the drivers");
    check_drivers_open(&drivers);
    loader_check(list); /* it tells its version after the initialisation */
    if (drivers.count == 0) {
        const char *text = why_error_text();
        check_add(list, "driver", CHECK_FAILED, no_driver_remedy(), "no driver: %s%s%s",
                  describe_result(drivers.result), text ? ": " : "", text ? text : "");
    }
    for (size_t i = 0; i < drivers.count; i++) {
        check_at(list, "driver %zu", i);
        devices_check(list, &drivers.items[i], i);
    }
    libraries_check(list);
    /* Drivers of one library share compiler and cache. */
    for (size_t i = 0; i < drivers.count; i++) {
        if (i == 0 || strcmp(drivers.items[i].path, drivers.items[i - 1].path) != 0) {
            check_at(list, "the parts of driver %zu", i);
            compiler_check(list, &drivers.items[i]);
            cache_check(list, &drivers.items[i]);
        }
    }
    check_drivers_close(&drivers);
}

void check_drivers(struct check_list *list)
{
    check_probe(list, "driver", NULL, drivers_probe);
}
