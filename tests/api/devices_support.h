/* Several devices and their sub-devices in API tests: all that are listed. */
#ifndef TESTS_API_DEVICES_SUPPORT_H
#define TESTS_API_DEVICES_SUPPORT_H

#include "harness.h"

#define DEVICES 64u
#define WORDS   4096u
#define BYTES   (WORDS * sizeof(uint32_t))

static const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

/* All that are listed, each before its sub-devices. */
struct devices {
    ze_device_handle_t all[DEVICES];
    ze_device_properties_t p[DEVICES];
    uint32_t parent[DEVICES]; /* index; its own: it is listed by zeDeviceGet */
    uint32_t count;
};

static inline void devices_add(struct devices *devices, ze_device_handle_t device, uint32_t parent)
{
    ze_device_properties_t *p = &devices->p[devices->count];
    assert_true(devices->count < DEVICES);
    memset(p, 0, sizeof(*p));
    p->stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    assert_success(zeDeviceGetProperties(device, p));
    devices->parent[devices->count] = parent;
    devices->all[devices->count++] = device;
}

static inline void devices_find(struct api *api, struct devices *devices)
{
    ze_device_handle_t listed[DEVICES], subs[DEVICES];
    uint32_t count = DEVICES;
    memset(devices, 0, sizeof(*devices));
    assert_success(zeDeviceGet(api->driver, &count, listed));
    assert_true(count >= 2);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sub_count = DEVICES, parent = devices->count;
        devices_add(devices, listed[i], parent);
        assert_success(zeDeviceGetSubDevices(listed[i], &sub_count, subs));
        for (uint32_t k = 0; k < sub_count; k++) {
            devices_add(devices, subs[k], parent);
        }
    }
}

static inline uint32_t units_of(const ze_device_properties_t *p)
{
    return p->numSlices * p->numSubslicesPerSlice * p->numEUsPerSubslice;
}

static inline uint64_t memory_of(ze_device_handle_t device)
{
    ze_device_memory_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    uint32_t count = 1;
    assert_success(zeDeviceGetMemoryProperties(device, &count, &p));
    assert_int_equal(count, 1);
    return p.totalSize;
}

/* The harness works on api->device: that of another. */
static inline struct api api_of(const struct api *api, ze_device_handle_t device)
{
    struct api other = *api;
    other.device = device;
    return other;
}

#endif
