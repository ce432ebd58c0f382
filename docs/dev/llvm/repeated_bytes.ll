; A shuffle of 64 bytes that repeats the bytes of a computed vector is lowered for ever.
;
; Each of two ways to lower it makes a shuffle that is lowered in the other way: SelectionDAG::Legalize never ends. A load in
; place of the addition is lowered well (VSHUFI64X2 and VPSHUFB). Seen in LLVM 22.1.8, x86-64-v4, also with VBMI.
; Right: llc ends.
;
; run: llc-22 -mcpu=x86-64-v4 -o -
; shows: no end
target triple = "x86_64-unknown-linux-gnu"

define <64 x i8> @f(<64 x i8> %a, <64 x i8> %b) {
  %sum = add <64 x i8> %a, %b
  %r = shufflevector <64 x i8> %sum, <64 x i8> poison, <64 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 2, i32 2, i32 2, i32 2, i32 3, i32 3, i32 3, i32 3, i32 4, i32 4, i32 4, i32 4, i32 5, i32 5, i32 5, i32 5, i32 6, i32 6, i32 6, i32 6, i32 7, i32 7, i32 7, i32 7, i32 8, i32 8, i32 8, i32 8, i32 9, i32 9, i32 9, i32 9, i32 10, i32 10, i32 10, i32 10, i32 11, i32 11, i32 11, i32 11, i32 12, i32 12, i32 12, i32 12, i32 13, i32 13, i32 13, i32 13, i32 14, i32 14, i32 14, i32 14, i32 15, i32 15, i32 15, i32 15>
  ret <64 x i8> %r
}
