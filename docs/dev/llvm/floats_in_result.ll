; The third float of a structure that is returned goes over the x87 stack, also where both sides are the program's own.
;
; FLDS and FSTPS quiet signalling NaNs: a bit of the value changes. There is no value that a float could not have, and nothing
; of the function's type asks for it. Seen in LLVM 22.1.8, all levels. With many results FSTPS is followed by MOVSS into
; registers that MOVSS cannot name (xmm16 and above), which ends the compiler; that takes more registers than this case.
;
; run: llc-22 -mcpu=x86-64-v2 -o -
; shows: flds\s[^\n]*(\n.*)*fstps\s
target triple = "x86_64-unknown-linux-gnu"

define internal { float, float, float } @f(ptr %p) noinline {
  %a = load float, ptr %p
  %1 = insertvalue { float, float, float } poison, float %a, 0
  %2 = insertvalue { float, float, float } %1, float %a, 1
  %3 = insertvalue { float, float, float } %2, float %a, 2
  ret { float, float, float } %3
}

define float @g(ptr %p) {
  %r = call { float, float, float } @f(ptr %p)
  %x = extractvalue { float, float, float } %r, 2
  ret float %x
}
