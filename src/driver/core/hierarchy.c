/* Selects the devices that the core API shows. See hierarchy.h. */
#include "driver/core/hierarchy.h"

#include "base/log.h"
#include "driver/core/affinity.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [GEO_HIERARCHY_COMPOSITE] = "COMPOSITE",
    [GEO_HIERARCHY_FLAT] = "FLAT",
    [GEO_HIERARCHY_COMBINED] = "COMBINED",
};

enum geo_hierarchy geo_hierarchy_parse(const char *text)
{
    for (uint32_t i = 0; text && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) == 0) {
            return (enum geo_hierarchy)i;
        }
    }
    if (text && *text) {
        geo_log(
            "driver", GEO_LOG_WARN,
            "ZE_FLAT_DEVICE_HIERARCHY is none of COMPOSITE, FLAT, COMBINED; taken as COMPOSITE");
    }
    return GEO_HIERARCHY_COMPOSITE;
}

/* ---- affinity mask ---- */

#define HIDDEN_BYTES 400u

/* Records why the mask leaves the driver without a device. */
static void hidden_note(struct geo_driver *driver, const char *mask,
                        const struct geo_strbuf *unnamed)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, HIDDEN_BYTES);
    geo_strbuf_printf(&text, "ZE_AFFINITY_MASK selects no device: %s (the mask is ",
                      geo_strbuf_text(unnamed));
    geo_strbuf_add_shown(&text, mask, strlen(mask));
    geo_strbuf_printf(&text, ")");
    size_t length;
    driver->hidden = geo_strbuf_take(&text, &length);
}

/* Marks the leaves that the mask selects, in their order: tiles, and root devices without tiles. */
static bool leaves_select(struct geo_driver *driver, enum geo_hierarchy mode, const char *mask,
                          bool *selected)
{
    struct geo_affinity_shape shape = {0};
    uint32_t *parts = calloc(driver->device_count, sizeof(*parts));
    if (!parts) {
        return false;
    }
    for (uint32_t i = 0; i < driver->device_count; i++) {
        const struct geo_device *device = &driver->devices[i];
        if (mode == GEO_HIERARCHY_COMPOSITE && device->card == device) {
            parts[shape.count++] = device->part_count;
        } else if (mode != GEO_HIERARCHY_COMPOSITE && device->part_count == 0) {
            shape.count++;
        }
    }
    shape.parts = parts;
    struct geo_strbuf unnamed;
    geo_strbuf_init(&unnamed, HIDDEN_BYTES);
    unnamed.shown = true;
    if (geo_affinity_select(mask, &shape, selected, &unnamed) == 0) {
        hidden_note(driver, mask, &unnamed);
    }
    geo_strbuf_finish(&unnamed);
    free(parts);
    return true;
}

/* ---- shown devices ---- */

static void show(struct geo_driver *driver, struct geo_device *device)
{
    GEO_ASSERT(driver->visible_count < driver->device_count);
    driver->visible[driver->visible_count++] = device;
}

static void show_top(struct geo_driver *driver, struct geo_device *device)
{
    GEO_ASSERT(driver->top_count < driver->device_count && !device->root);
    driver->tops[driver->top_count++] = device;
}

/* Reduces the root device to these tiles and numbers them from 0. */
static void root_join(struct geo_device *root, struct geo_device **subs, uint32_t count,
                      struct geo_backend_device **parts)
{
    const struct geo_backend_ops *ops = root->base.driver->ops;
    GEO_ASSERT(root->card == root && !root->subs);
    GEO_ASSERT(count >= 2 && count <= root->part_count);
    root->subs = subs;
    root->sub_count = count;
    for (uint32_t i = 0; i < count; i++) {
        GEO_ASSERT(subs[i]->card == root && !subs[i]->root);
        subs[i]->root = root;
        subs[i]->sub_id = i;
        parts[i] = subs[i]->backend_device;
    }
    /* backends that only manage devices have no `narrow` */
    if (count != root->part_count && ops->narrow) {
        ops->narrow(root->backend_device, parts, count);
    }
}

/* Shows a root device or its selected tiles. subs and scratch have room for all parts of the
 * root. */
static void root_show(struct geo_driver *driver, enum geo_hierarchy mode, struct geo_device *root,
                      const bool *selected, struct geo_device **subs,
                      struct geo_backend_device **scratch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < root->part_count; i++) {
        if (selected[i]) {
            subs[count++] = &root->parts[i];
        }
    }
    bool joined = count >= 2 && mode != GEO_HIERARCHY_FLAT;
    if (joined) {
        root_join(root, subs, count, scratch);
        show_top(driver, root);
    }
    if (joined && mode == GEO_HIERARCHY_COMPOSITE) {
        show(driver, root);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        show(driver, subs[i]);
        if (!joined) {
            show_top(driver, subs[i]);
        }
    }
}

/* Returns whether the shown devices are consistent: the devices without a shown root device are
 * exactly `tops`, and the sub-devices of each are numbered from 0. */
static bool shown_is_valid(const struct geo_driver *driver)
{
    for (uint32_t i = 0; i < driver->visible_count; i++) {
        if (driver->visible[i]->base.driver != driver) {
            return false;
        }
    }
    for (uint32_t i = 0; i < driver->top_count; i++) {
        const struct geo_device *top = driver->tops[i];
        for (uint32_t k = 0; k < top->sub_count; k++) {
            if (top->subs[k]->root != top || top->subs[k]->sub_id != k) {
                return false;
            }
        }
        if (top->root || top->sub_count == 1) {
            return false;
        }
    }
    return driver->top_count <= driver->device_count &&
           driver->visible_count <= driver->device_count &&
           (driver->top_count == 0) == (driver->visible_count == 0);
}

bool geo_hierarchy_apply(struct geo_driver *driver, enum geo_hierarchy mode, const char *mask)
{
    const uint32_t count = driver->device_count;
    GEO_ASSERT(count > 0 && !driver->visible && !driver->tops && !driver->subs);
    bool *selected = calloc(count, sizeof(bool));
    struct geo_backend_device **scratch = calloc(count, sizeof(*scratch));
    driver->visible = calloc(count, sizeof(struct geo_device *));
    driver->tops = calloc(count, sizeof(struct geo_device *));
    driver->subs = calloc(count, sizeof(struct geo_device *));
    bool done = selected && scratch && driver->visible && driver->tops && driver->subs &&
                leaves_select(driver, mode, mask, selected);
    for (uint32_t i = 0, leaf = 0; done && i < count; i++) {
        struct geo_device *device = &driver->devices[i];
        GEO_ASSERT(leaf < count && device->card == device);
        if (device->part_count != 0) { /* its parts are the leaves that follow */
            root_show(driver, mode, device, &selected[leaf], &driver->subs[i], scratch);
            leaf += device->part_count;
            i += device->part_count;
        } else if (selected[leaf++]) {
            show(driver, device);
            show_top(driver, device);
        }
    }
    GEO_ASSERT(!done || shown_is_valid(driver));
    free(scratch);
    free(selected);
    return done;
}
