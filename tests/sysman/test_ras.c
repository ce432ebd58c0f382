/* Error counters, in both views, and their thresholds. */
#include "sysman.h"

static void errors_write(void)
{
    static const uint64_t correctable[] = {10, 20, 30, 40, 50}; /* the last: RESET */
    static const uint64_t uncorrectable[] = {1, 2, 4};          /* RESET, COMPUTE, PCIE */
    memcpy(state->errors[0], correctable, sizeof(correctable));
    memcpy(state->errors[1], uncorrectable, sizeof(uncorrectable));
}

/* SYC-23, SYC-24 */
static void the_older_categories_are_made_of_the_newer(void **unused)
{
    static const uint64_t correctable[] = {0, 0, 0, 10, 60, 30, 0};
    static const uint64_t uncorrectable[] = {1, 0, 0, 2, 4, 0, 0};
    zes_ras_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_RAS_PROPERTIES};
    zes_ras_state_t now;
    (void)unused;
    errors_write();
    memset(&now, 0xa5, sizeof(now));
    now.stype = ZES_STRUCTURE_TYPE_RAS_STATE;
    now.pNext = NULL;
    assert_success(zesRasGetProperties(get_ras(1), &properties));
    assert_int_equal(properties.type, ZES_RAS_ERROR_TYPE_UNCORRECTABLE);
    assert_success(zesRasGetState(get_ras(0), 0, &now));
    assert_memory_equal(now.category, correctable, sizeof(correctable));
    assert_success(zesRasGetState(get_ras(1), 0, &now));
    assert_memory_equal(now.category, uncorrectable, sizeof(uncorrectable));
    assert_int_equal(now.stype, ZES_STRUCTURE_TYPE_RAS_STATE);
    assert_int_equal(state->calls[DESCRIBED_ras_clear], 0);
}

/* SYC-23 */
static void newer_categories_are_read_one_by_one(void **unused)
{
    zes_ras_error_category_exp_t categories[6];
    zes_ras_state_exp_t states[6];
    const zes_ras_error_category_exp_t asked[] = {ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS,
                                                  ZES_RAS_ERROR_CATEGORY_EXP_COMPUTE_ERRORS};
    const zes_ras_error_category_exp_t missing[] = {ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS,
                                                    ZES_RAS_ERROR_CATEGORY_EXP_SCALE_ERRORS};
    zes_ras_state_exp2_t found[2] = {{.stype = ZES_STRUCTURE_TYPE_RAS_STATE_EXP2},
                                     {.stype = ZES_STRUCTURE_TYPE_RAS_STATE_EXP2}};
    uint32_t count = 6;
    (void)unused;
    errors_write();
    assert_success(zesRasGetSupportedCategoriesExp(get_ras(0), &count, categories));
    assert_int_equal(count, 5);
    assert_int_equal(categories[0], ZES_RAS_ERROR_CATEGORY_EXP_COMPUTE_ERRORS);
    assert_int_equal(categories[4], ZES_RAS_ERROR_CATEGORY_EXP_RESET);
    count = 6;
    assert_success(zesRasGetStateExp(get_ras(0), &count, states));
    assert_int_equal(count, 5);
    assert_int_equal(states[3].category, ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS);
    assert_int_equal(states[3].errorCounter, 40);
    count = 0;
    assert_success(zesRasGetStateExp(get_ras(1), &count, NULL));
    assert_int_equal(count, 3);
    assert_success(zesRasGetStateExp2(get_ras(0), 2, asked, found));
    assert_int_equal(found[0].errorCounter, 40);
    assert_int_equal(found[1].errorCounter, 10);
    assert_int_equal(found[1].stype, ZES_STRUCTURE_TYPE_RAS_STATE_EXP2);
    found[0].errorCounter = 7;
    assert_result(zesRasGetStateExp2(get_ras(0), 2, missing, found),
                  ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    assert_int_equal(found[0].errorCounter, 7);
}

/* SYC-23 */
static void clearing_clears_all_of_the_set(void **unused)
{
    zes_ras_state_t now = {.stype = ZES_STRUCTURE_TYPE_RAS_STATE};
    (void)unused;
    errors_write();
    assert_success(zesRasGetState(get_ras(0), 1, &now)); /* what was there before */
    assert_int_equal(now.category[ZES_RAS_ERROR_CAT_CACHE_ERRORS], 30);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(state->errors[0][i], 0);
    }
    assert_int_equal(state->errors[1][2], 4);
    errors_write();
    assert_success(zesRasClearStateExp(get_ras(0), ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS));
    assert_int_equal(state->errors[0][3], 0);
    assert_int_equal(state->errors[0][2], 30);
    assert_result(zesRasClearStateExp(get_ras(0), ZES_RAS_ERROR_CATEGORY_EXP_SCALE_ERRORS),
                  ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    set_operation(DESCRIBED_ras_clear, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    memset(&now.category, 0, sizeof(now.category));
    assert_result(zesRasGetState(get_ras(0), 1, &now), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    assert_int_equal(now.category[ZES_RAS_ERROR_CAT_CACHE_ERRORS], 0);
}

/* SYC-24 */
static void thresholds_are_off_until_they_are_set(void **unused)
{
    zes_ras_config_t config;
    zes_ras_config_exp_t newer[2] = {{.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG_EXP,
                                      .category = ZES_RAS_ERROR_CATEGORY_EXP_CACHE_ERRORS,
                                      .threshold = 9},
                                     {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG_EXP,
                                      .category = ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS,
                                      .threshold = 9}};
    zes_ras_handle_t ras = get_ras(0);
    (void)unused;
    set_operation(DESCRIBED_ras_set_thresholds, DESCRIBED_ABSENT);
    memset(&config, 0xa5, sizeof(config));
    config.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG;
    config.pNext = NULL;
    config.detailedThresholds.stype = ZES_STRUCTURE_TYPE_RAS_STATE;
    config.detailedThresholds.pNext = NULL;
    assert_success(zesRasGetConfig(ras, &config));
    assert_int_equal(config.totalThreshold, 0);
    for (int i = 0; i < ZES_MAX_RAS_ERROR_CATEGORY_COUNT; i++) {
        assert_int_equal(config.detailedThresholds.category[i], 0);
    }
    assert_success(zesRasGetConfigExp(ras, 2, newer));
    assert_int_equal(newer[0].threshold, 0);
    config.totalThreshold = 100;
    config.detailedThresholds.category[ZES_RAS_ERROR_CAT_CACHE_ERRORS] = 5;
    config.detailedThresholds.category[ZES_RAS_ERROR_CAT_NON_COMPUTE_ERRORS] = 6;
    assert_success(zesRasSetConfig(ras, &config));
    newer[1].threshold = 8;
    assert_success(zesRasSetConfigExp(ras, 1, &newer[1]));
    memset(&config.detailedThresholds.category, 0, sizeof(config.detailedThresholds.category));
    newer[0].threshold = newer[1].threshold = 0;
    assert_success(zesRasGetConfig(ras, &config));
    assert_int_equal(config.totalThreshold, 100);
    assert_int_equal(config.detailedThresholds.category[ZES_RAS_ERROR_CAT_CACHE_ERRORS], 5);
    assert_int_equal(config.detailedThresholds.category[ZES_RAS_ERROR_CAT_NON_COMPUTE_ERRORS], 6);
    assert_success(zesRasGetConfigExp(ras, 2, newer));
    assert_int_equal(newer[0].threshold, 5);
    assert_int_equal(newer[1].threshold, 8);
    newer[1].category = ZES_RAS_ERROR_CATEGORY_EXP_SCALE_ERRORS;
    assert_result(zesRasGetConfigExp(ras, 2, newer), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    newer[0].threshold = 77;
    assert_result(zesRasSetConfigExp(ras, 2, newer), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    assert_success(zesRasGetConfigExp(ras, 1, newer));
    assert_int_equal(newer[0].threshold, 5);
}

/* SYC-24 */
static void hardware_that_compares_gets_the_thresholds(void **unused)
{
    zes_ras_config_exp_t newer = {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG_EXP,
                                  .category = ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS,
                                  .threshold = 8};
    zes_ras_config_t config = {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG, .totalThreshold = 50};
    (void)unused;
    assert_success(zesRasSetConfig(get_ras(0), &config));
    assert_success(zesRasSetConfigExp(get_ras(0), 1, &newer));
    assert_int_equal(state->armed_errors[3], 8);
    assert_int_equal(state->armed_errors[2], 0);
    assert_int_equal(state->armed_total, 50);
    set_operation(DESCRIBED_ras_set_thresholds, ZE_RESULT_ERROR_NOT_AVAILABLE);
    newer.threshold = 1;
    assert_result(zesRasSetConfigExp(get_ras(0), 1, &newer), ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_success(zesRasGetConfigExp(get_ras(0), 1, &newer));
    assert_int_equal(newer.threshold, 8);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        SYSMAN_CASE(the_older_categories_are_made_of_the_newer),
        SYSMAN_CASE(newer_categories_are_read_one_by_one),
        SYSMAN_CASE(clearing_clears_all_of_the_set),
        SYSMAN_CASE(thresholds_are_off_until_they_are_set),
        SYSMAN_CASE(hardware_that_compares_gets_the_thresholds),
    };
    return cmocka_run_group_tests_name("sysman ras", cases, sysman_setup, NULL);
}
