/* Keeps the gates. See gate.h. */
#include "gate.h"

#include "memory.h"

#include <stdlib.h>

static bool closed;
static uint64_t *gates; /* addresses of those that are closed */
static size_t count;

static bool gate_visit(void *context, const char *name, uint64_t address, bool is_kernel)
{
    bool *good = context;
    (void)name;
    if (is_kernel) {
        if (debuggee_code_stop(address)) {
            gates = memory_grow(gates, count, sizeof(*gates));
            gates[count++] = address;
        } else {
            *good = false;
        }
    }
    return true;
}

bool gates_add(const struct module *module)
{
    bool good = true;
    if (closed) {
        image_functions(&module->image, gate_visit, &good);
    }
    return good;
}

bool gates_close(void)
{
    bool good = true;
    if (closed) {
        return true;
    }
    closed = true;
    for (const struct module *module = debuggee.modules; module; module = module->next) {
        good &= gates_add(module);
    }
    return good;
}

static void gates_free(void)
{
    free(gates);
    gates = NULL;
    count = 0;
}

bool gates_open(void)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good &= debuggee_code_restore(gates[i]);
    }
    gates_free();
    closed = false;
    return good;
}

void gates_forget(const struct module *module)
{
    size_t kept = 0;
    for (size_t i = 0; module && i < count; i++) {
        if (!image_has_code(&module->image, gates[i])) {
            gates[kept++] = gates[i];
        }
    }
    if (kept == 0) { /* memory_grow() starts again */
        gates_free();
    }
    count = kept;
    closed = module && closed;
}
