/* The other half of link_round.cl. */
int about(int value);
int round_and(int value);

int about(int value)
{
    return round_and(value / 2);
}
