/* A layer of the test that gives the program other modules, kernels and functions than it asks for
 * (redirect.c). The test finds its function by dlsym. */
#ifndef TESTS_LAYERS_INSTRUMENT_REDIRECT_H
#define TESTS_LAYERS_INSTRUMENT_REDIRECT_H

#include <level_zero/ze_ddi.h>

enum redirect_mode {
    REDIRECT_NOTHING,
    REDIRECT_MODULES,   /* zeModuleCreate creates the tool's module */
    REDIRECT_KERNELS,   /* zeKernelCreate creates a kernel of the tool's module */
    REDIRECT_FUNCTIONS, /* zeModuleGetFunctionPointer finds "twice" of the tool's module */
    REDIRECT_LAUNCHES,  /* all functions that launch take a kernel of the tool's module */
};

/* Sets the mode and the tool's module for all later calls. Returns the number of calls that were
 * redirected since the last call. */
typedef unsigned redirect_set_fn(enum redirect_mode mode, ze_module_handle_t tool);
ZE_DLLEXPORT redirect_set_fn redirect_set;

#endif
