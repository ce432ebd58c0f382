/* The order that tests of builds give: one kernel that does nothing. Fails the running test
 * (cmocka) when it cannot be made. */
#ifndef GEO_TESTS_FACADE_ORDER_H
#define GEO_TESTS_FACADE_ORDER_H

#include "compiler/facade/message.h"

#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct geo_order *order_make(void)
{
    size_t bytes;
    void *spirv = support_assemble_bytes("OpEntryPoint Kernel %kernel \"kernel\"\n"
                                         "%void = OpTypeVoid\n"
                                         "%type = OpTypeFunction %void\n"
                                         "%kernel = OpFunction %void None %type\n"
                                         "%entry = OpLabel\n"
                                         "OpReturn\n"
                                         "OpFunctionEnd\n",
                                         &bytes);
    const struct geo_compiler_source source = {.spirv = spirv, .bytes = bytes};
    const struct geo_compiler_request request = {.source_count = 1, .sources = &source};
    struct geo_order *order = geo_order_create(&request);
    free(spirv);
    assert_non_null(order);
    return order;
}

#endif
