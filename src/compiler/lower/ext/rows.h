/* Enumerations of the OpenCL.std instructions that each emitter handles, from builtins/opencl.def.
 *
 * An emitter has a switch over its enumeration without a default. So the compiler reports cases
 * without a row and rows without a case. */
#ifndef GEO_COMPILER_LOWER_EXT_ROWS_H
#define GEO_COMPILER_LOWER_EXT_ROWS_H

#include <spirv/unified1/OpenCL.std.h>

/* Values FLOAT_Ceil and so on. */
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

/* Values INTEGER_SAbs and so on. */
enum geo_ext_integer {
#define PART(name, emitter)    PART_##emitter(name)
#define PART_64(name, emitter) PART_##emitter(name)
#define PART_float(name)
#define PART_integer(name) INTEGER_##name = OpenCLstd_##name,
#include "compiler/builtins/opencl.def"
#undef PART_integer
#undef PART_bits
};

/* Values BITS_Select and so on. */
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
