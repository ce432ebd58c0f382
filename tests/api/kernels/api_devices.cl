// Several devices work on one buffer at the same time.
kernel void count_all(volatile global uint *counter, global uint *tickets)
{
    tickets[atomic_inc(counter)] = 1;
}

// Which half of the groups runs where is nobody's business: all of them run once.
kernel void count_groups(volatile global uint *counts)
{
    if (get_local_linear_id() == 0) {
        atomic_inc(&counts[get_group_id(0)]);
    }
}
