/* Build options of OpenCL. */
#ifndef GEO_OPENCL_OPTIONS_H
#define GEO_OPENCL_OPTIONS_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* The words of an option string, each for who reads it. */
struct geo_ocl_options {
    struct {
        char **items; /* owned */
        size_t count, capacity;
    } words, clang;           /* all words; those for clang */
    struct geo_strbuf module; /* build flags of zeModuleCreate, separated by spaces */
    bool optimizes;
    bool makes_library;
    bool has_standard;   /* -cl-std was given */
    const char *unknown; /* the first word that nobody takes; NULL: none */
};

/* Reads options; NULL counts as "". Returns false if memory ran out. */
bool geo_ocl_options_read(struct geo_ocl_options *options, const char *text);
void geo_ocl_options_finish(struct geo_ocl_options *options);
/* Appends an argument of clang. Returns false if memory ran out. */
bool geo_ocl_options_clang(struct geo_ocl_options *options, const char *word);

#endif
