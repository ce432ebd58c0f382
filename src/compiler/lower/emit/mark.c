/* Implements the metadata of loads and loops; see mark.h. */
#include "compiler/lower/emit/mark.h"

#include "base/assert.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

static void mark(struct geo_lower_function *f, LLVMValueRef inst, const char *kind,
                 LLVMMetadataRef *operands, size_t count)
{
    LLVMSetMetadata(inst, LLVMGetMDKindIDInContext(f->llvm.context, kind, (unsigned)strlen(kind)),
                    LLVMMetadataAsValue(f->llvm.context,
                                        LLVMMDNodeInContext2(f->llvm.context, operands, count)));
}

void geo_emit_mark_invariant(struct geo_lower_function *f, LLVMValueRef load)
{
    GEO_ASSERT(LLVMIsALoadInst(load));
    mark(f, load, "invariant.load", NULL, 0);
}

void geo_emit_mark_readable(struct geo_lower_function *f, LLVMValueRef load, uint64_t bytes)
{
    LLVMMetadataRef count =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(f->llvm.context), bytes, false));
    mark(f, load, "dereferenceable", &count, 1);
}

/* The first operand of the loop's node is the node itself, which makes it distinct from other
 * loops' nodes. */
void geo_emit_mark_rolled(struct geo_lower_function *f, LLVMValueRef branch)
{
    GEO_ASSERT(LLVMIsATerminatorInst(branch));
    static const char name[] = "llvm.loop.unroll.disable", kind[] = "llvm.loop";
    LLVMMetadataRef text = LLVMMDStringInContext2(f->llvm.context, name, sizeof(name) - 1);
    LLVMMetadataRef place = LLVMTemporaryMDNode(f->llvm.context, NULL, 0);
    LLVMMetadataRef operands[] = {place, LLVMMDNodeInContext2(f->llvm.context, &text, 1)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(f->llvm.context, operands, 2);
    LLVMMetadataReplaceAllUsesWith(place, node);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(f->llvm.context, kind, sizeof(kind) - 1),
                    LLVMMetadataAsValue(f->llvm.context, node));
}
