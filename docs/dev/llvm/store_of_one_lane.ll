; A masked store whose constant mask has one lane becomes a scalar store of what stood before the truncation.
;
; Lane 0 of a vector of bytes is stored, one byte. The store that comes out is of the 32-bit lane that was truncated:
; four bytes, three of which are not the program's. Seen in LLVM 22.1.8, x86-64-v4. Right: movb %al, (%rdi).
;
; run: llc-22 -mcpu=x86-64-v4 -o -
; shows: movl\s+%eax, \(%rdi\)
target triple = "x86_64-unknown-linux-gnu"

define void @f(<16 x i32> %v, ptr %p) {
  %t = lshr <16 x i32> %v, splat (i32 9)
  %b = trunc <16 x i32> %t to <16 x i8>
  call void @llvm.masked.store.v16i8.p0(<16 x i8> %b, ptr align 1 %p, <16 x i1> <i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  ret void
}
