; The masked form of a bit select by a constant has its operands in another order than its truth table.
;
; Where a lane is on the result is (a & ~1) | (b & 1): with a in zmm0, b in zmm1 and the constant 1 as third operand the
; table of VPTERNLOG is 0xd8 (216). What comes out is 0xb8 (184): b chooses between a and the constant. Without the select
; the table is right. Seen in LLVM 14 to 22.1.8, x86-64-v4.
;
; run: llc-22 -mcpu=x86-64-v4 -o -
; shows: vpternlogd\s+\$184, \.LCPI0_0\(%rip\)\{1to16\}, %zmm1, %zmm0 \{%k1\}
target triple = "x86_64-unknown-linux-gnu"

define <16 x i32> @f(<16 x i32> %a, <16 x i32> %b, <16 x i32> %m) {
  %c = icmp sgt <16 x i32> %m, zeroinitializer
  %x = and <16 x i32> %a, splat (i32 -2)
  %y = and <16 x i32> %b, splat (i32 1)
  %o = or disjoint <16 x i32> %x, %y
  %r = select <16 x i1> %c, <16 x i32> %o, <16 x i32> %a
  ret <16 x i32> %r
}
