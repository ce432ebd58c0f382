/* The instructions of OpenCL.std that each emitter makes, from builtins/opencl.def.
 *
 * An emitter's switch is over its enumeration and has no default: it does not compile with a case
 * that has no row, nor without one for a row. */
#ifndef GEO_COMPILER_LOWER_EXT_ROWS_H
#define GEO_COMPILER_LOWER_EXT_ROWS_H

#include <spirv/unified1/OpenCL.std.h>

/* FLOAT_Ceil ... */
enum geo_ext_float {
#define PART(name, emitter)    PART_##emitter(name)
#define PART_64(name, emitter) PART_##emitter(name)
#define PART_float(name)       FLOAT_##name = OpenCLstd_##name,
#define PART_integer(name)
#define PART_bits(name)
#define PART_fma(name)
#include "compiler/builtins/opencl.def"
#undef PART_float
#undef PART_integer
};

/* INTEGER_SAbs ... */
enum geo_ext_integer {
#define PART(name, emitter)    PART_##emitter(name)
#define PART_64(name, emitter) PART_##emitter(name)
#define PART_float(name)
#define PART_integer(name) INTEGER_##name = OpenCLstd_##name,
#include "compiler/builtins/opencl.def"
#undef PART_integer
#undef PART_bits
};

/* BITS_Select ... */
enum geo_ext_bits {
#define PART(name, emitter)    PART_##emitter(name)
#define PART_64(name, emitter) PART_##emitter(name)
#define PART_integer(name)
#define PART_bits(name) BITS_##name = OpenCLstd_##name,
#include "compiler/builtins/opencl.def"
#undef PART_float
#undef PART_integer
#undef PART_bits
#undef PART_fma
};

#endif
