# src/engine/cpu/lanes/*.c are compiled once for each instruction set; the engine chooses at run time. ISAS='plain avx2'
# leaves the others out, for special builds that are to be quick (checks.mk); `plain` has to be there.
ISAS ?= plain $(if $(filter x86_64%,$(MACHINE)),sse2 avx2 avx512) $(if $(filter aarch64%,$(MACHINE)),neon)

ISA_FLAGS_plain  := -DKY_LANES=plain
ISA_FLAGS_sse2   := -DKY_LANES=sse2 -msse2
ISA_FLAGS_avx2   := -DKY_LANES=avx2 -mavx2 -mfma
ISA_FLAGS_avx512 := -DKY_LANES=avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mprefer-vector-width=512
ISA_FLAGS_neon   := -DKY_LANES=neon

$(BUILD)/src/engine/cpu/state/isa.o: CFLAGS_ALL += $(ISAS:%=-DKY_BUILT_%)

# The best that this machine has itself.
BEST_ISA = $(lastword $(filter $(ISAS),plain sse2 $(foreach isa,avx2 avx512dq,$(shell grep -qsw $(isa) /proc/cpuinfo && echo $(isa:dq=))) neon))
