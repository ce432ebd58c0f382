// Each group waits until it is let go, and writes then.
kernel void hold_and_write(volatile global uint *go, volatile global uint *started,
                           global uint *data, uint first)
{
    const uint group = get_group_id(0);
    if (get_local_id(0) == 0) {
        atomic_inc(started);
    }
    while (go[group] == 0) {
    }
    data[get_global_id(0)] = first + get_global_id(0);
}

kernel void look(const global uint *data, global uint *seen)
{
    seen[get_global_id(0)] = data[get_global_id(0)];
}
