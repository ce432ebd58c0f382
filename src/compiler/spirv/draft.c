/* Recognises instructions of producers that follow a draft: their numbers or operands differ from
 * the published extension. The DRAFT_OP rows of ir/numbers.def name the producers. See draft.h.
 *
 *     OpPredicatedLoadINTEL, -StoreINTEL   LLVM 22 numbers them 6528 and 6529, but in the published
 *                                          text 6529 is OpConvertHandleToImageINTEL. They are meant
 *                                          in modules that declare PredicatedIOINTEL and do not
 *                                          declare BindlessImagesINTEL.
 *     OpCooperativeMatrixPrefetchINTEL     DPC++ omits the offsets x and y, so that it has two
 *                                          words less.
 */
#include "compiler/spirv/draft.h"

#include "compiler/ir/grammar.h"

/* Operand words of the published prefetch without its optional stride. */
#define PREFETCH_WORDS_MIN 7u

static const char *operands_of(uint32_t op)
{
    switch (op) {
#define DRAFT_OP(name, number, spirv, operands, source)                                            \
    case GEO_SPV_DRAFT_##name:                                                                     \
        return operands;
#include "compiler/ir/numbers.def"
    default:
        return NULL;
    }
}

const char *spirv_draft_resolve(struct spirv_reader *reader)
{
    const char *operands = operands_of(reader->op);
    if (!operands) {
        return NULL;
    }
    if (reader->op == GEO_SPV_COOPERATIVE_MATRIX_PREFETCH) {
        return spirv_operand_count(reader) < PREFETCH_WORDS_MIN ? operands : NULL;
    }
    if (!reader->predicated_io || reader->bindless_images) {
        return NULL;
    }
    reader->op = reader->op == GEO_SPV_DRAFT_PREDICATED_LOAD_INTEL ? GEO_SPV_PREDICATED_LOAD_INTEL
                                                                   : GEO_SPV_PREDICATED_STORE_INTEL;
    return operands;
}
