/* Lowers shuffles of OpenCL.std. */
#ifndef GEO_COMPILER_LOWER_EXT_VECTOR_H
#define GEO_COMPILER_LOWER_EXT_VECTOR_H

#include "compiler/lower/state/function.h"

bool geo_ext_shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
