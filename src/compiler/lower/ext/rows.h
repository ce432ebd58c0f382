/* Enumerations of the OpenCL.std instructions that each emitter of parts handles: the lowering
 * column of ir/opencl_std.def.
 *
 * An emitter has a switch over its enumeration without a default. So the compiler reports cases
 * without a row and rows without a case. */
#ifndef GEO_COMPILER_LOWER_EXT_ROWS_H
#define GEO_COMPILER_LOWER_EXT_ROWS_H

#include <spirv/unified1/OpenCL.std.h>

/* A row becomes EMITTER_<emitter>(name), which is an enumerator or nothing. */
#define LOWERING_LIBRARY          EMITTER_none
#define LOWERING_GEOMETRIC        EMITTER_none
#define LOWERING_WHOLE(emitter)   EMITTER_none
#define LOWERING_PART(emitter)    EMITTER_##emitter
#define LOWERING_PART_64(emitter) EMITTER_##emitter
#define EMITTER_none(name)
#define EMITTER_fma(name)

/* Values FLOAT_Ceil and so on. */
enum geo_ext_float {
#define EMITTER_float(name) FLOAT_##name = OpenCLstd_##name,
#define EMITTER_integer(name)
#define EMITTER_bits(name)
#define ROW(name, types, shape, rounding, lowering, ...) LOWERING_##lowering(name)
#include "compiler/ir/opencl_std.def"
#undef EMITTER_float
#undef EMITTER_integer
};

/* Values INTEGER_SAbs and so on. */
enum geo_ext_integer {
#define EMITTER_float(name)
#define EMITTER_integer(name)                            INTEGER_##name = OpenCLstd_##name,
#define ROW(name, types, shape, rounding, lowering, ...) LOWERING_##lowering(name)
#include "compiler/ir/opencl_std.def"
#undef EMITTER_integer
#undef EMITTER_bits
};

/* Values BITS_Select and so on. */
enum geo_ext_bits {
#define EMITTER_integer(name)
#define EMITTER_bits(name)                               BITS_##name = OpenCLstd_##name,
#define ROW(name, types, shape, rounding, lowering, ...) LOWERING_##lowering(name)
#include "compiler/ir/opencl_std.def"
#undef EMITTER_float
#undef EMITTER_integer
#undef EMITTER_bits
};

#undef LOWERING_LIBRARY
#undef LOWERING_GEOMETRIC
#undef LOWERING_WHOLE
#undef LOWERING_PART
#undef LOWERING_PART_64
#undef EMITTER_none
#undef EMITTER_fma

#endif
