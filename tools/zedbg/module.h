/* A module that the debugged process has loaded. */
#ifndef ZEDBG_MODULE_H
#define ZEDBG_MODULE_H

#include "image.h"

struct session;

struct module {
    struct module *next;
    int number;              /* from 1 on, in the order of loading */
    uint64_t begin;          /* of its image in the process, which identifies it */
    uint64_t load;           /* the lowest address of its code */
    struct session *session; /* of the device that it is for */
    struct image image;
};

/* Opens a module from a copy of its image, and owns `bytes` from then on. Returns NULL on failure. */
struct module *module_open(uint8_t *bytes, size_t size, uint64_t load);
/* Accepts NULL. */
void module_close(struct module *module);

#endif
