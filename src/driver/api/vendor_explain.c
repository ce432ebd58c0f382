/* Opens the parts that a driver needs and describes them. See vendor_explain.h. */
#include "driver/api/vendor_explain.h"

#include "cache/cache.h"
#include "driver/compile/compiler_library.h"
#include "driver/core/check.h"
#include "driver/core/driver.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends a line. Path and detail are untrusted texts. */
static void line_add(struct geo_strbuf *text, const char *name, const char *outcome,
                     const char *path, const char *detail)
{
    geo_strbuf_printf(text, "%s\t%s\t", name, outcome);
    geo_strbuf_add_shown(text, path, strlen(path));
    geo_strbuf_add(text, "\t", 1);
    geo_strbuf_add_shown(text, detail, strlen(detail));
    geo_strbuf_add(text, "\n", 1);
}

static void kernels_add(struct geo_strbuf *text, const struct geo_driver *driver)
{
    if (geo_inventory_check_runs(driver) != ZE_RESULT_SUCCESS) {
        line_add(text, "kernels", "off", "-", "the devices of this driver can only be managed");
    } else if (driver->device_count == 0 || !driver->devices[0].info->executes) {
        line_add(text, "kernels", "off", "-", "launches of this driver complete without running");
    } else {
        line_add(text, "kernels", "ok", "-", "kernels run");
    }
}

/* Adds the reason in a log of the compiler's library, on one line and without "error: ". */
static void failure_add(struct geo_strbuf *text, const char *log)
{
    static const char prefix[] = "error: ";
    struct geo_strbuf line;
    geo_strbuf_init(&line, 0);
    log += strncmp(log, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
    for (const char *at = log; *at; at++) {
        const bool is_end = at[0] == '\n' && at[1] == '\0';
        geo_strbuf_add(&line, *at == '\n' ? "; " : at, is_end ? 0 : *at == '\n' ? 2 : 1);
    }
    line_add(text, "compiler", "failed", "-", geo_strbuf_text(&line));
    text->truncated |= line.truncated;
    geo_strbuf_finish(&line);
}

static void compiler_add(struct geo_strbuf *text)
{
    struct geo_strbuf log;
    Dl_info info;
    geo_strbuf_init(&log, 0);
    const struct geo_compiler_ops *ops = geo_compiler_library_open(&log);
    if (ops) {
        const bool known = dladdr(ops, &info) != 0 && info.dli_fname;
        line_add(text, "compiler", "ok", known ? info.dli_fname : "-", ops->identity);
    } else {
        failure_add(text, geo_strbuf_text(&log));
    }
    text->truncated |= log.truncated;
    geo_strbuf_finish(&log);
}

static void cache_add(struct geo_strbuf *text)
{
    static const char *const outcomes[] = {
        [GEO_CACHE_OFF] = "off", [GEO_CACHE_USABLE] = "ok", [GEO_CACHE_FAILED] = "failed"};
    struct geo_cache_status *status = malloc(sizeof(*status));
    if (!status) {
        text->truncated = true;
        return;
    }
    geo_cache_status(status);
    if (status->state == GEO_CACHE_USABLE) {
        snprintf(status->reason, sizeof(status->reason), "%llu of %llu bytes",
                 (unsigned long long)status->bytes, (unsigned long long)status->limit);
    }
    line_add(text, "cache", outcomes[status->state], *status->path ? status->path : "-",
             status->reason);
    free(status);
}

ze_result_t geo_vendor_explain(ze_driver_handle_t hDriver, char *buffer, size_t *size)
{
    struct geo_driver *driver;
    struct geo_strbuf text;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK_POINTER(size);
    geo_strbuf_init(&text, 0);
    kernels_add(&text, driver);
    compiler_add(&text);
    cache_add(&text);
    const ze_result_t result =
        text.truncated
            ? geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory to explain the driver")
            : geo_blob_copy(geo_strbuf_text(&text), text.length + 1, size, buffer);
    geo_strbuf_finish(&text);
    return result;
}
