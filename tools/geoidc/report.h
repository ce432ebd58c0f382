/* Reports on kernels: a JSON document, and the same as text. */
#ifndef GEOIDC_REPORT_H
#define GEOIDC_REPORT_H

#include "geoidc.h"

#include "compiler/compiler.h"

#include <jansson.h>

/* Makes the document from the compiler's remarks (JSON, compiler/ir/remark.h) and the native
 * binary. Returns NULL when memory runs out, or if either is malformed. */
json_t *report_create(const char *input, const char *compiler, const char *remarks,
                      const void *binary, size_t bytes);

/* Returns the document as text for people; malloc. NULL when memory runs out. */
char *report_text(const json_t *document);
/* Returns the document as JSON text; malloc. */
char *report_json(const json_t *document);

#endif
