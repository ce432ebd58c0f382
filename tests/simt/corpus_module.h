/* Modules of the corpus, lowered for threads of a GPU. */
#ifndef GEO_TESTS_SIMT_CORPUS_MODULE_H
#define GEO_TESTS_SIMT_CORPUS_MODULE_H

#include "compiler/facade/build.h"

/* Reads and lowers the module of a file. `kernel` not NULL: of its kernels only this one. Returns
 * false with the reason in `text`. geo_facade_build_lowered_finish frees the result. */
bool corpus_module_lower(const char *path, const char *options, const char *kernel,
                         struct geo_facade_lowered *lowered, char *text, size_t text_bytes);
/* Runs LLVM's passes on it, as before the emission of PTX. */
bool corpus_module_optimize(struct geo_facade_lowered *lowered, char *text, size_t text_bytes);

#endif
