; out = 3 + 3 (A B) as LLVM's SPIR-V back end writes it: A is 8 x 32 bytes, rows from `height` on are zeros; B is 32 x 16, packed.
; OpenCL C has no words for matrices: functions are called that the back end knows.
target triple = "spirv64-unknown-unknown"

define spir_kernel void @product(ptr addrspace(1) %for_a, ptr addrspace(1) %for_b, ptr addrspace(1) %out, i32 %height) {
entry:
  %a = call spir_func target("spirv.CooperativeMatrixKHR", i8, 3, 8, 32, 0) @_Z41__spirv_CooperativeMatrixLoadCheckedINTELPU3AS1ciiiiil(ptr addrspace(1) %for_a, i32 0, i32 0, i32 0, i32 %height, i32 32, i64 32)
  %b = call spir_func target("spirv.CooperativeMatrixKHR", i8, 3, 32, 16, 1) @_Z32__spirv_CooperativeMatrixLoadKHRPU3AS1cil(ptr addrspace(1) %for_b, i32 2, i64 64)
  %c = call spir_func target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) @_Z26__spirv_CompositeConstructi(i32 3)
  br label %loop

loop:
  %sum = phi target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) [ %c, %entry ], [ %d, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %d = call spir_func target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) @_Z34__spirv_CooperativeMatrixMulAddKHRPU3AS144__spirv_CooperativeMatrixKHR__char_3_8_32_0PU3AS144__spirv_CooperativeMatrixKHR__char_3_32_16_1PU3AS144__spirv_CooperativeMatrixKHR__int_3_8_16_2i(target("spirv.CooperativeMatrixKHR", i8, 3, 8, 32, 0) %a, target("spirv.CooperativeMatrixKHR", i8, 3, 32, 16, 1) %b, target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) %sum, i32 15)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %loop, label %end

end:
  call spir_func void @_Z33__spirv_CooperativeMatrixStoreKHRPU3AS1iPU3AS144__spirv_CooperativeMatrixKHR__int_3_8_16_2il(ptr addrspace(1) %out, target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) %d, i32 0, i64 16)
  ret void
}

declare spir_func target("spirv.CooperativeMatrixKHR", i8, 3, 8, 32, 0) @_Z41__spirv_CooperativeMatrixLoadCheckedINTELPU3AS1ciiiiil(ptr addrspace(1), i32, i32, i32, i32, i32, i64)
declare spir_func target("spirv.CooperativeMatrixKHR", i8, 3, 32, 16, 1) @_Z32__spirv_CooperativeMatrixLoadKHRPU3AS1cil(ptr addrspace(1), i32, i64)
declare spir_func target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) @_Z26__spirv_CompositeConstructi(i32)
declare spir_func target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2) @_Z34__spirv_CooperativeMatrixMulAddKHRPU3AS144__spirv_CooperativeMatrixKHR__char_3_8_32_0PU3AS144__spirv_CooperativeMatrixKHR__char_3_32_16_1PU3AS144__spirv_CooperativeMatrixKHR__int_3_8_16_2i(target("spirv.CooperativeMatrixKHR", i8, 3, 8, 32, 0), target("spirv.CooperativeMatrixKHR", i8, 3, 32, 16, 1), target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2), i32)
declare spir_func void @_Z33__spirv_CooperativeMatrixStoreKHRPU3AS1iPU3AS144__spirv_CooperativeMatrixKHR__int_3_8_16_2il(ptr addrspace(1), target("spirv.CooperativeMatrixKHR", i32, 3, 8, 16, 2), i32, i64)
