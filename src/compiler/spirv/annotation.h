/* The SPIR-V reader: instructions that describe ids before those are defined (GEO_IS_ANNOTATION):
 * names, decorations, entry points and execution modes. */
#ifndef GEO_COMPILER_SPIRV_ANNOTATION_H
#define GEO_COMPILER_SPIRV_ANNOTATION_H

#include "compiler/spirv/state.h"

/* Reads an instruction with the trait GEO_IS_ANNOTATION. Returns false after an error. */
bool spirv_read_annotation(struct spirv_reader *reader);

#endif
