/* Runs corpus launches through Level Zero, as any program would: public headers and the loader
 * only. */
#ifndef GEOID_TESTS_CORPUS_DEVICE_ZE_H
#define GEOID_TESTS_CORPUS_DEVICE_ZE_H

#include <level_zero/ze_api.h>

#include "corpus.h"

struct corpus_ze {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list; /* immediate, synchronous */
    ze_result_t (*set_offset)(ze_kernel_handle_t, uint32_t, uint32_t,
                              uint32_t); /* NULL without the extension */
};

/* All of them return false with the reason in `text`. */
bool corpus_ze_open(struct corpus_ze *ze, char *text, size_t text_bytes);
bool corpus_ze_build(struct corpus_ze *ze, const char *path, const char *flags,
                     ze_module_handle_t *module, char *text, size_t text_bytes);

/* Runs one launch in place: inputs from run->memory, outputs into it. Writes outside a buffer are
 * found and fail. */
bool corpus_ze_run(struct corpus_ze *ze, ze_module_handle_t module, struct corpus_run *run,
                   char *text, size_t text_bytes);

/* Whether this launch can be asked for (global offsets need an extension). */
bool corpus_ze_can(const struct corpus_ze *ze, const struct corpus_shape *shape);

bool corpus_ze_close(struct corpus_ze *ze, char *text, size_t text_bytes);

#endif
