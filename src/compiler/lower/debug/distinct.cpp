/* Makes distinct locations by LLVM's C++ interface. See distinct.h. */
#include "compiler/lower/debug/distinct.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LLVMContext.h>

LLVMMetadataRef geo_debug_distinct_location(LLVMContextRef context, unsigned line, unsigned column,
                                            LLVMMetadataRef scope, LLVMMetadataRef inlined_at)
{
    return llvm::wrap(llvm::DILocation::getDistinct(*llvm::unwrap(context), line, column,
                                                    llvm::unwrap(scope),
                                                    llvm::unwrap(inlined_at)));
}
