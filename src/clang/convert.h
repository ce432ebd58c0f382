/* Replacements for conversions that clang's SPIR-V back end translates wrongly. */
#ifndef GEO_CLANG_CONVERT_H
#define GEO_CLANG_CONVERT_H

#include "base/strbuf.h"

/* Appends OpenCL C that is read before a program. It redefines the functions `convert_<type>` to
 * integers that the program names; program NULL: all of them.
 *
 * clang 22 translates a conversion between integers of one signedness as if it differed. It writes
 * OpUConvert for convert_int(char), OpSConvert for convert_uint(uchar), and OpSatConvertUToS for
 * convert_char_sat(int). The replacements convert such operands by other means, and pass all others
 * to clang's functions. */
void geo_clang_convert(struct geo_strbuf *out, const char *program);

#endif
