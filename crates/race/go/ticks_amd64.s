#include "textflag.h"

// func ticks() uint64: the time-stamp counter, when all that came before is done.
TEXT ·ticks(SB), NOSPLIT, $0-8
	LFENCE
	RDTSCP
	LFENCE
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET
