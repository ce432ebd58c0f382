/* Opens modules. See module.h. */
#include "module.h"

#include "line.h"
#include "memory.h"
#include "type.h"

#include <stdlib.h>

struct module *module_open(uint8_t *bytes, size_t size, uint64_t load)
{
    struct module *module = memory_alloc(1, sizeof(*module));
    module->load = load;
    if (!image_open(&module->image, bytes, size, load) || !lines_read(&module->image)) {
        module_close(module);
        return NULL;
    }
    return module;
}

void module_close(struct module *module)
{
    if (module) {
        lines_free(&module->image);
        types_free(&module->image);
        image_close(&module->image);
        free(module);
    }
}
