/* Finds the module that exports each import, by name among the linked modules. Unresolved imports
 * are reported in the link log. See link.h. */
#include "driver/program/link.h"

void geo_module_link_print_member(struct geo_link *link, const struct geo_link_member *member)
{
    const struct geo_native_view *view = &member->module->binary->view;
    geo_strbuf_printf(link->log, "module %u", member->place);
    if (view->header->kernel_count) {
        geo_strbuf_printf(link->log, " (kernel %s%s)",
                          geo_native_string(view, view->kernels[0].name),
                          view->header->kernel_count > 1 ? " ..." : "");
    }
}

static void import_report(struct geo_link *link, const struct geo_link_member *importer,
                          const struct geo_native_symbol *import,
                          const struct geo_link_member *first, const struct geo_link_member *second)
{
    const struct geo_native_view *view = &importer->module->binary->view;
    const char *user = geo_native_string(view, import->user);
    geo_strbuf_printf(link->log, "error: %s %s, imported by ",
                      import->kind == GEO_SYMBOL_IMPORT_VARIABLE ? "variable" : "function",
                      geo_native_string(view, import->name));
    geo_module_link_print_member(link, importer);
    geo_strbuf_printf(link->log, "%s%s, is defined by ", user[0] ? " in " : "", user);
    if (first) {
        geo_module_link_print_member(link, first);
        geo_strbuf_printf(link->log, " and by ");
        geo_module_link_print_member(link, second);
        geo_strbuf_printf(link->log, "\n");
    } else {
        geo_strbuf_printf(link->log, "none of the modules\n");
    }
    link->errors++;
}

/* Finds the exporter of an import. A strong definition must be unique; otherwise the first weak one
 * is used. */
static struct geo_module_part *exporter_find(struct geo_link *link,
                                             const struct geo_link_member *importer,
                                             const struct geo_native_symbol *import)
{
    const char *name = geo_native_string(&importer->module->binary->view, import->name);
    const struct geo_link_member *strong = NULL, *weak = NULL;
    for (uint32_t i = 0; i < link->count; i++) {
        const struct geo_link_member *member = &link->members[i];
        const struct geo_native_symbol *symbol =
            member != importer
                ? geo_module_binary_symbol(member->module->binary, GEO_SYMBOLS_EXPORTS, name)
                : NULL;
        if (symbol && !(symbol->flags & GEO_SYMBOL_WEAK)) {
            if (strong) {
                import_report(link, importer, import, strong, member);
                return NULL;
            }
            strong = member;
        } else if (symbol && !weak) {
            weak = member;
        }
    }
    const struct geo_link_member *found = strong ? strong : weak;
    if (!found) {
        import_report(link, importer, import, NULL, NULL);
        return NULL;
    }
    return found->part;
}

ze_result_t geo_module_link_resolve(struct geo_link *link)
{
    for (uint32_t i = 0; i < link->count; i++) {
        const struct geo_link_member *member = &link->members[i];
        const struct geo_native_view *view = &member->module->binary->view;
        GEO_ASSERT(!member->pending || (member->part->exporters && !member->part->native));
        for (uint32_t k = 0; member->pending && k < view->header->symbol_count; k++) {
            if (GEO_SYMBOLS_IMPORTS & (1u << view->symbols[k].kind)) {
                member->part->exporters[k] = exporter_find(link, member, &view->symbols[k]);
            }
        }
    }
    return link->errors
               ? geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
                          "%u imports are not resolved; the link log names them", link->errors)
               : ZE_RESULT_SUCCESS;
}
