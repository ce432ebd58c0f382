/* Sysman of root devices. See root.h. */
#include "driver/sysman/root.h"

#include "base/lock.h"
#include "driver/sysman/ask.h"

#include <stdlib.h>

static pthread_mutex_t room_lock = PTHREAD_MUTEX_INITIALIZER;

void geo_sysman_lock(void)
{
    pthread_mutex_lock(&room_lock);
}

void geo_sysman_unlock(void)
{
    pthread_mutex_unlock(&room_lock);
}

bool geo_sysman_lock_held(void)
{
    return geo_mutex_held(&room_lock);
}

ze_result_t geo_sysman_card_from(zes_device_handle_t handle, struct geo_device **out)
{
    ze_result_t result = geo_device_from((ze_device_handle_t)handle, out);
    if (result == ZE_RESULT_SUCCESS) {
        *out = (*out)->card;
    }
    return result;
}

ze_result_t geo_sysman_root_from(zes_device_handle_t handle, struct geo_sysman_root **out)
{
    struct geo_device *card;
    GEO_CHECK(geo_sysman_card_from(handle, &card));
    return geo_sysman_root_of(card, out);
}

static ze_result_t root_open_locked(struct geo_device *card)
{
    GEO_ASSERT(geo_sysman_lock_held() && card->card == card && !atomic_load(&card->sysman));
    struct geo_sysman_root *root = calloc(1, sizeof(*root));
    if (!root) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory to open sysman of %s",
                        card->info->name);
    }
    root->device = card;
    root->ops = card->base.driver->ops->sysman;
    ze_result_t result = root->ops->open(card->backend_device, NULL, &root->sysman);
    if (result != ZE_RESULT_SUCCESS) {
        free(root);
        return geo_fail(result, "sysman of %s cannot be opened%s (0x%x)", card->info->name,
                        result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ? ": no memory" : "",
                        (unsigned)result);
    }
    root->about = root->ops->device(root->sysman);
    GEO_ASSERT(root->sysman && root->about);
    root->watch.fd = -1;
    atomic_store_explicit(&card->sysman, root, memory_order_release);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_sysman_root_of(struct geo_device *card, struct geo_sysman_root **out)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (!card->base.driver->ops->sysman) {
        return geo_ask_unsupported(card->info->name, "sysman");
    }
    if (!atomic_load_explicit(&card->sysman, memory_order_acquire)) {
        geo_sysman_lock();
        if (!atomic_load_explicit(&card->sysman, memory_order_relaxed)) {
            result = root_open_locked(card);
        }
        geo_sysman_unlock();
    }
    *out = atomic_load_explicit(&card->sysman, memory_order_acquire);
    GEO_ASSERT((result == ZE_RESULT_SUCCESS) == (*out != NULL));
    return result;
}
