/* Instructions that name and decorate ids, before those are defined; entry points and execution
 * modes stand among them (GEO_IS_ANNOTATION). */
#ifndef GEO_COMPILER_SPIRV_ANNOTATION_H
#define GEO_COMPILER_SPIRV_ANNOTATION_H

#include "compiler/spirv/state.h"

bool spirv_read_annotation(struct spirv_reader *reader);

#endif
