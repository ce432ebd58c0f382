/* Instructions that name and decorate ids, before those are defined. */
#ifndef GEO_COMPILER_SPIRV_ANNOTATION_H
#define GEO_COMPILER_SPIRV_ANNOTATION_H

#include "compiler/spirv/state.h"

/* What may stand among them, entry points and execution modes included. */
bool spirv_is_annotation(uint32_t op);
bool spirv_read_annotation(struct spirv_reader *reader);

#endif
