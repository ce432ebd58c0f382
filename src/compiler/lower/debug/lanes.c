/* Makes types of variables that each lane has. A debugger that knows nothing of lanes shows them as
 * arrays; tools/gdb/geoid-gdb.py knows the names of these types. */
#include "compiler/lower/debug/internal.h"

#include <stdio.h>
#include <string.h>

enum { ENCODING_UNSIGNED_CHAR = 8 };

static LLVMMetadataRef array(struct geo_lower_debug *debug, LLVMMetadataRef element,
                             uint64_t element_bytes, uint64_t count)
{
    LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(debug->builder, 0, (int64_t)count);
    return LLVMDIBuilderCreateArrayType(debug->builder, 8 * element_bytes * count, 0, element,
                                        &range, 1);
}

static LLVMMetadataRef member(struct geo_lower_debug *debug, const char *name, uint64_t bytes,
                              LLVMMetadataRef type)
{
    return LLVMDIBuilderCreateMemberType(debug->builder, debug->unit, name, strlen(name),
                                         debug->unknown_file, 0, 8 * bytes, 0, 0, LLVMDIFlagZero,
                                         type);
}

/* A lane's copy with the bytes behind it. */
static LLVMMetadataRef padded(struct geo_lower_debug *debug, LLVMMetadataRef type, uint64_t bytes,
                              uint64_t stride)
{
    LLVMMetadataRef value = member(debug, "value", bytes, type);
    return LLVMDIBuilderCreateStructType(debug->builder, debug->unit, "lane", 4,
                                         debug->unknown_file, 0, 8 * stride, 0, LLVMDIFlagZero,
                                         NULL, &value, 1, 0, NULL, "", 0);
}

/* All copies: element i of every lane side by side. `value` only tells the type of a lane's. */
static LLVMMetadataRef interleaved(struct geo_lower_debug *debug, LLVMMetadataRef type,
                                   uint32_t lanes, uint64_t bytes, uint64_t element)
{
    LLVMMetadataRef byte = LLVMDIBuilderCreateBasicType(debug->builder, "byte", 4, 8,
                                                        ENCODING_UNSIGNED_CHAR, LLVMDIFlagZero);
    LLVMMetadataRef row = array(debug, byte, 1, element * lanes);
    LLVMMetadataRef members[] = {
        member(debug, "elements", bytes * lanes,
               array(debug, row, element * lanes, bytes / element)),
        member(debug, "value", bytes, type),
    };
    return LLVMDIBuilderCreateUnionType(debug->builder, debug->unit, "interleaved", 11,
                                        debug->unknown_file, 0, 8 * bytes * lanes, 0,
                                        LLVMDIFlagZero, members, 2, 0, "", 0);
}

LLVMMetadataRef geo_debug_lanes(struct geo_lower_debug *debug, LLVMMetadataRef type,
                                enum geo_debug_form form, uint32_t lanes, uint64_t bytes,
                                uint64_t unit)
{
    char name[32];
    LLVMMetadataRef all =
        form == GEO_DEBUG_INTERLEAVED ? interleaved(debug, type, lanes, bytes, unit)
        : form == GEO_DEBUG_PADDED    ? array(debug, padded(debug, type, bytes, unit), unit, lanes)
                                      : array(debug, type, bytes, lanes);
    snprintf(name, sizeof(name), "geoid_lanes_%u", (unsigned)lanes);
    return LLVMDIBuilderCreateTypedef(debug->builder, all, name, strlen(name), debug->unknown_file,
                                      0, debug->unit, 0);
}
