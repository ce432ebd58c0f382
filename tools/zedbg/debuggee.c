/* Keeps what is debugged. See debuggee.h. */
#include "debuggee.h"

#include "error.h"
#include "memory.h"

#include <stdlib.h>

/* A larger image is not read: its size comes from another process. */
#define IMAGE_LIMIT (UINT64_C(1) << 30)

struct debuggee debuggee;

static zet_device_handle_t *devices;
static size_t device_count;

/* ---- devices ---- */

static bool is_debuggable(ze_device_handle_t device)
{
    zet_device_debug_properties_t properties = {.stype =
                                                    ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES};
    return zetDeviceGetDebugProperties((zet_device_handle_t)device, &properties) ==
               ZE_RESULT_SUCCESS &&
           properties.flags & ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH;
}

static void devices_add(ze_driver_handle_t driver)
{
    uint32_t count = 0;
    if (zeDeviceGet(driver, &count, NULL) != ZE_RESULT_SUCCESS || count == 0) {
        return;
    }
    ze_device_handle_t *found = memory_alloc(count, sizeof(*found));
    if (zeDeviceGet(driver, &count, found) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            if (is_debuggable(found[i])) {
                devices = memory_grow(devices, device_count, sizeof(*devices));
                devices[device_count++] = (zet_device_handle_t)found[i];
            }
        }
    }
    free(found);
}

bool debuggee_devices(void)
{
    uint32_t count = 0;
    if (device_count) {
        return true;
    }
    ze_result_t result = zeInit(0);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeDriverGet(&count, NULL);
    }
    if (result != ZE_RESULT_SUCCESS) {
        return error_set("Level Zero cannot be used: %s", session_error(result));
    }
    ze_driver_handle_t *drivers = memory_alloc(count, sizeof(*drivers));
    if (zeDriverGet(&count, drivers) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            devices_add(drivers[i]);
        }
    }
    free(drivers);
    return device_count > 0 || error_set("no device can be debugged: `zeinfo --list` shows those "
                                         "that exist");
}

/* ---- the process ---- */

static bool read_any(void *context, uint64_t address, void *bytes, size_t size)
{
    return debuggee_read(context, address, bytes, size);
}

static struct image *image_at(void *context, uint64_t address)
{
    (void)context;
    struct module *module = debuggee_module(address);
    return module ? &module->image : NULL;
}

bool debuggee_attach(pid_t pid, bool owned, ze_result_t *result)
{
    struct session *sessions = memory_alloc(device_count, sizeof(*sessions));
    size_t count = 0;
    int first = 0;
    ze_result_t why = ZE_RESULT_ERROR_NOT_AVAILABLE;
    for (size_t i = 0; i < device_count; i++) {
        if (session_open(&sessions[count], devices[i], (uint32_t)pid, first, result)) {
            first += (int)sessions[count].thread_count;
            count++;
        } else {
            why = *result;
        }
    }
    if (count == 0) {
        *result = why;
        free(sessions);
        return false;
    }
    debuggee =
        (struct debuggee){.pid = pid, .owned = owned, .sessions = sessions, .session_count = count};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < sessions[i].thread_count; j++) {
            struct thread *thread = &sessions[i].threads[j];
            thread->session = &sessions[i];
            thread->reader = (struct thread_reader){
                .context = thread,
                .read_memory = read_any,
                .read_register = thread_read_register,
                .image = image_at,
            };
        }
    }
    *result = ZE_RESULT_SUCCESS;
    return true;
}

static void changes_free(void)
{
    while (debuggee.changes) {
        struct code_change *next = debuggee.changes->next;
        free(debuggee.changes);
        debuggee.changes = next;
    }
}

void debuggee_forget(void)
{
    for (size_t i = 0; i < debuggee.session_count; i++) {
        session_close(&debuggee.sessions[i]);
    }
    free(debuggee.sessions);
    changes_free();
    while (debuggee.modules) {
        struct module *next = debuggee.modules->next;
        module_close(debuggee.modules);
        debuggee.modules = next;
    }
    debuggee = (struct debuggee){0};
}

/* ---- modules ---- */

struct module *debuggee_module_load(struct session *session,
                                    const zet_debug_event_info_module_t *info)
{
    const uint64_t size = info->moduleEnd - info->moduleBegin;
    struct module **last = &debuggee.modules;
    if (info->moduleEnd < info->moduleBegin || size > IMAGE_LIMIT) {
        error_set("a module's image has %llu bytes", (unsigned long long)size);
        return NULL;
    }
    uint8_t *bytes = memory_alloc(size, 1);
    if (!session_read(session, NULL, ZET_DEBUG_MEMORY_SPACE_TYPE_ELF, info->moduleBegin, bytes,
                      size)) {
        free(bytes);
        return NULL;
    }
    struct module *module = module_open(bytes, size, info->load);
    if (!module) {
        return NULL;
    }
    module->number = ++debuggee.module_number;
    module->begin = info->moduleBegin;
    module->session = session;
    while (*last) {
        last = &(*last)->next;
    }
    *last = module;
    return module;
}

void debuggee_module_unload(const zet_debug_event_info_module_t *info)
{
    for (struct module **link = &debuggee.modules; *link; link = &(*link)->next) {
        struct module *module = *link;
        if (module->begin != info->moduleBegin) {
            continue;
        }
        for (struct code_change **at = &debuggee.changes; *at;) {
            struct code_change *change = *at;
            if (image_has_code(&module->image, change->address)) {
                *at = change->next;
                free(change);
            } else {
                at = &change->next;
            }
        }
        *link = module->next;
        module_close(module);
        return;
    }
}

struct module *debuggee_module(uint64_t address)
{
    struct module *module = debuggee.modules;
    while (module && !image_has_code(&module->image, address)) {
        module = module->next;
    }
    return module;
}

/* ---- threads ---- */

struct thread *debuggee_thread(int number)
{
    for (struct thread *thread = debuggee_next(NULL); thread; thread = debuggee_next(thread)) {
        if (thread->number == number) {
            return thread;
        }
    }
    return NULL;
}

struct thread *debuggee_next(const struct thread *thread)
{
    for (size_t i = 0; i < debuggee.session_count; i++) {
        struct session *session = &debuggee.sessions[i];
        if (thread && session != thread->session) {
            continue;
        }
        const size_t index = thread ? (size_t)(thread - session->threads) + 1 : 0;
        if (index < session->thread_count) {
            return &session->threads[index];
        }
        thread = NULL; /* the first one of the next session */
    }
    return NULL;
}

/* ---- code ---- */

struct code_change *debuggee_change(uint64_t address)
{
    struct code_change *change = debuggee.changes;
    while (change && change->address != address) {
        change = change->next;
    }
    return change;
}

bool debuggee_change_off(const struct code_change *change)
{
    return session_write(change->session, NULL, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT,
                         change->address, &change->original, sizeof(change->original));
}

bool debuggee_change_on(const struct code_change *change)
{
    return session_write(change->session, NULL, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT,
                         change->address, machine_break, sizeof(machine_break));
}

bool debuggee_code_stop(uint64_t address)
{
    struct code_change *change = debuggee_change(address);
    const struct module *module = debuggee_module(address);
    if (change) {
        change->users++;
        return true;
    }
    if (!module) {
        return error_set("no code of a module is at 0x%llx", (unsigned long long)address);
    }
    struct code_change made = {.session = module->session, .address = address, .users = 1};
    if (!session_read(made.session, NULL, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address,
                      &made.original, sizeof(made.original)) ||
        !debuggee_change_on(&made)) {
        return false;
    }
    change = memory_alloc(1, sizeof(*change));
    *change = made;
    change->next = debuggee.changes;
    debuggee.changes = change;
    return true;
}

bool debuggee_code_restore(uint64_t address)
{
    for (struct code_change **link = &debuggee.changes; *link; link = &(*link)->next) {
        struct code_change *change = *link;
        if (change->address == address) {
            if (--change->users > 0) {
                return true;
            }
            const bool good = debuggee_change_off(change);
            *link = change->next;
            free(change);
            return good;
        }
    }
    return true; /* its module was unloaded */
}

bool debuggee_read(const struct thread *thread, uint64_t address, void *bytes, size_t size)
{
    if (debuggee.session_count == 0) {
        return error_set("memory cannot be read: no process is debugged");
    }
    struct session *session = thread ? thread->session : &debuggee.sessions[0];
    if (!session_read(session, thread, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address, bytes, size)) {
        return false;
    }
    for (const struct code_change *change = debuggee.changes; change; change = change->next) {
        if (change->address >= address && change->address - address < size) {
            ((uint8_t *)bytes)[change->address - address] = change->original;
        }
    }
    return true;
}
