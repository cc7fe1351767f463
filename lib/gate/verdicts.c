/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and help texts of the verdicts. Any thread. */
#include <stddef.h>

#include "gate/gate.h"

#define X(symbol, name, help) name,
static const char *const names[GATE_VERDICT_COUNT] = {GATE_VERDICTS(X)};
#undef X

#define X(symbol, name, help) help,
static const char *const helps[GATE_VERDICT_COUNT] = {GATE_VERDICTS(X)};
#undef X

const char *
gate_verdict_name(enum gate_verdict verdict)
{
	return (unsigned)verdict < GATE_VERDICT_COUNT ? names[verdict] : NULL;
}

const char *
gate_verdict_help(enum gate_verdict verdict)
{
	return (unsigned)verdict < GATE_VERDICT_COUNT ? helps[verdict] : NULL;
}
