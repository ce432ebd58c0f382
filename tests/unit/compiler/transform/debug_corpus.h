/* Modules with debug information, for tests of what passes keep of it. There are two corpora:
 * kernels that compilers translated with debug information, and modules that this code gives debug
 * information, one line and one variable for each instruction. The second has what OpenCL C never
 * becomes: odd integers, matrices, large values. */
#ifndef GEO_TESTS_DEBUG_CORPUS_H
#define GEO_TESTS_DEBUG_CORPUS_H

#include "compiler/ir/debug.h"
#include "compiler/ir/ir.h"

#define DEBUG_MODULES 128u

struct debug_corpus {
    const char *name; /* "compiled" or "made" */
    struct {
        char name[64];
        struct geo_ir_module *module;
    } items[DEBUG_MODULES];
    uint32_t count;
};

/* Reads the modules of a corpus: those that compilers translated (`real`), or the others. Fails the
 * test if it cannot. */
void debug_corpus_open(struct debug_corpus *corpus, bool real);
void debug_corpus_finish(struct debug_corpus *corpus);

#endif
