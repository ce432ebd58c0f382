/* Lowers instructions of the extended set OpenCL.std that are emitted in place. */
#ifndef GEO_COMPILER_LOWER_EXT_OPENCL_H
#define GEO_COMPILER_LOWER_EXT_OPENCL_H

#include "compiler/lower/state/function.h"

bool geo_ext_opencl(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
