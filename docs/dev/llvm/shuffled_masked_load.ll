; A masked load is folded into a shuffle that has the same mask, and loses its own.
;
; Where lane i is on and the lane it takes its value from is off, the result is that lane of %through. What comes out is a
; shuffle of the whole memory, masked by the lanes of its result: it takes lanes from memory that were off, and faults
; where they cannot be read. Seen in LLVM 22.1.8, x86-64-v4. Right: vmovdqu32 (%rdi), %ymm2 {%k1} before the shuffle.
;
; run: llc-22 -mcpu=x86-64-v4 -o -
; shows: vpshufd\s+\$177, \(%rdi\), %ymm\d+ \{%k1\}
target triple = "x86_64-unknown-linux-gnu"

define <8 x i32> @f(ptr %p, <8 x i32> %m, <8 x i32> %other, <8 x i32> %through) {
  %c = icmp ne <8 x i32> %m, zeroinitializer
  %l = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %c, <8 x i32> %through)
  %s = shufflevector <8 x i32> %l, <8 x i32> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
  %r = select <8 x i1> %c, <8 x i32> %s, <8 x i32> %other
  ret <8 x i32> %r
}
