void __attribute__((overloadable, convergent)) __spirv_ControlBarrier(uint execution, uint memory,
                                                                      uint semantics);

kernel void cross_meet(global uint *out)
{
    out[0] = 1;
    __spirv_ControlBarrier(0, 0, 0x308);
    out[1] = 2;
}
