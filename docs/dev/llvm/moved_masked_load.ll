; instcombine makes one masked load of a masked load and the select that blends it, at the place of the select.
;
; Between the two the memory is written: what is loaded behind the store is another value. Seen in LLVM 22.1.8.
; Right: the new load stands where the old one did, or there is none.
;
; run: opt-22 -passes=instcombine -S
; shows: store <8 x i32> %v, ptr %p.*\n.*call <8 x i32> @llvm\.masked\.load
define <8 x i32> @f(ptr %p, <8 x i1> %c, <8 x i32> %other, <8 x i32> %v) {
  %l = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %c, <8 x i32> zeroinitializer)
  store <8 x i32> %v, ptr %p
  %r = select <8 x i1> %c, <8 x i32> %l, <8 x i32> %other
  ret <8 x i32> %r
}
