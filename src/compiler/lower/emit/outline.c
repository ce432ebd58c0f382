/* Implements outlined functions; see outline.h. */
#include "compiler/lower/emit/outline.h"

#include "base/assert.h"

#include <string.h>

bool geo_outline_begin(const struct geo_lower_function *f, const char *name, LLVMTypeRef type,
                       struct geo_lower_function *inner, LLVMValueRef *function)
{
    static const char *const attributes[] = {"nounwind", "noinline", "willreturn",
                                             "memory"}; /* value 0 of "memory" means none */
    *function = LLVMGetNamedFunction(f->llvm.module, name);
    if (*function) {
        GEO_ASSERT(LLVMGlobalGetValueType(*function) == type); /* the name tells the types */
        return false;
    }
    *function = LLVMAddFunction(f->llvm.module, name, type);
    LLVMSetLinkage(*function, LLVMInternalLinkage);
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddAttributeAtIndex(*function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(f->llvm.context, kind, 0));
    }
    *inner = *f;
    inner->llvm.builder = LLVMCreateBuilderInContext(f->llvm.context);
    inner->body.mask = NULL;
    LLVMPositionBuilderAtEnd(inner->llvm.builder,
                             LLVMAppendBasicBlockInContext(f->llvm.context, *function, "entry"));
    return true;
}

void geo_outline_end(struct geo_lower_function *inner)
{
    LLVMDisposeBuilder(inner->llvm.builder);
}

LLVMValueRef geo_outline_call(struct geo_lower_function *f, const char *name, LLVMTypeRef result,
                              LLVMValueRef *args, uint32_t count, geo_outline_body *body,
                              uint32_t choice)
{
    LLVMTypeRef types[GEO_OUTLINE_ARGUMENTS];
    GEO_ASSERT(count <= GEO_OUTLINE_ARGUMENTS);
    for (uint32_t i = 0; i < count; i++) {
        types[i] = LLVMTypeOf(args[i]);
    }
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    struct geo_lower_function inner;
    LLVMValueRef function;
    if (geo_outline_begin(f, name, type, &inner, &function)) {
        LLVMValueRef parameters[GEO_OUTLINE_ARGUMENTS];
        LLVMGetParams(function, parameters);
        LLVMValueRef made = body(&inner, parameters, choice);
        GEO_ASSERT(LLVMTypeOf(made) == result);
        LLVMBuildRet(inner.llvm.builder, made);
        geo_outline_end(&inner);
    }
    return LLVMBuildCall2(f->llvm.builder, type, function, args, count, "");
}
