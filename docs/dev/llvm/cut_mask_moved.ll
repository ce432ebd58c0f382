; The instruction that switches the upper lanes of a mask off counts as a copy, and goes where the mask is spilled.
;
; The upper 16 of 32 lanes are zero. That is a KMOVW, which clears what is above 16 bits; as a copy it is folded into the
; spill behind it, which saves all 32. The result has the upper lanes as they were compared. Seen in LLVM 22.1.8, x86-64-v4.
; Right: kmovw before or behind the spill.
;
; run: llc-22 -mcpu=x86-64-v4 -o -
; shows: kmovd\s+%k0, -4\(%rsp\)
; lacks: kmovw|kshift|kand
target triple = "x86_64-unknown-linux-gnu"

define i32 @f(ptr %p, ptr %q) {
  %a = load <32 x i16>, ptr %p
  %b = load <32 x i16>, ptr %q
  %c = icmp ne <32 x i16> %a, %b
  %m = shufflevector <32 x i1> %c, <32 x i1> zeroinitializer, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47>
  call void asm sideeffect "", "~{memory},~{k0},~{k1},~{k2},~{k3},~{k4},~{k5},~{k6},~{k7}"()
  %d = load <32 x i16>, ptr %p
  %r = select <32 x i1> %m, <32 x i16> %d, <32 x i16> zeroinitializer
  store <32 x i16> %r, ptr %p
  %w = bitcast <32 x i1> %m to i32
  ret i32 %w
}
