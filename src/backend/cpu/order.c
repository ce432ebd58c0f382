/* Alternative orders of work-groups. A step that is coprime to the number of pieces visits each
 * piece once. See order.h. */
#include "backend/cpu/order.h"

/* so that products of two piece numbers fit into 64 bits */
enum { BITS_OF_PIECES = 31 };

static uint64_t mix(uint64_t bits)
{
    bits += 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return bits ^ bits >> 31;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool geo_group_order_init(struct geo_group_order *order, uint64_t number, uint64_t groups)
{
    static const uint64_t sizes[] = {1, 1, 2, 3, 5, 16};
    uint64_t random = mix(number ^ groups << 32);
    uint64_t piece = number == 1 ? 1 : sizes[random % (sizeof(sizes) / sizeof(sizes[0]))];
    uint64_t pieces = groups / piece + (groups % piece != 0);
    if (number == 0 || pieces < 2 || pieces >> BITS_OF_PIECES) {
        return false;
    }
    uint64_t step = number == 1 ? pieces - 1 : 1 + (random >> 8) % (pieces - 1);
    while (common_divisor(step, pieces) != 1) {
        step--;
    }
    *order = (struct geo_group_order){
        .groups = groups,
        .piece = piece,
        .pieces = pieces,
        .start = number == 1 ? pieces - 1 : (random >> 40) % pieces,
        .step = step,
    };
    return true;
}

void geo_group_order_piece(const struct geo_group_order *order, uint64_t unit, uint64_t *first,
                           uint64_t *count)
{
    uint64_t piece = (order->start + unit * order->step) % order->pieces;
    *first = piece * order->piece;
    *count = order->groups - *first < order->piece ? order->groups - *first : order->piece;
}
