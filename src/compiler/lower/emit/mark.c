/* Metadata of loads. See mark.h. */
#include "compiler/lower/emit/mark.h"

#include <string.h>

static void mark(struct geo_lower_function *f, LLVMValueRef load, const char *kind,
                 LLVMMetadataRef *operands, size_t count)
{
    LLVMSetMetadata(
        load, LLVMGetMDKindIDInContext(f->context, kind, (unsigned)strlen(kind)),
        LLVMMetadataAsValue(f->context, LLVMMDNodeInContext2(f->context, operands, count)));
}

void geo_emit_mark_invariant(struct geo_lower_function *f, LLVMValueRef load)
{
    mark(f, load, "invariant.load", NULL, 0);
}

void geo_emit_mark_readable(struct geo_lower_function *f, LLVMValueRef load, uint64_t bytes)
{
    LLVMMetadataRef count =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(f->context), bytes, false));
    mark(f, load, "dereferenceable", &count, 1);
}
