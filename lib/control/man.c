/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of commands as part of a man page. */
#include <stdio.h>
#include <string.h>

#include "control/grammar.h"

/* Text as troff takes it literally. */
static void
put_text(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", out);
		else if (*text == '\\')
			fputs("\\e", out);
		else
			fputc(*text, out);
	}
}

void
control_man(FILE *out)
{
	fputs(".SH COMMANDS\n", out);
	for (const struct command *command = commands; command->pattern; command++) {
		fputs(".TP\n.B ", out);
		put_text(out, command->pattern);
		fputc('\n', out);
		put_text(out, command->help);
		fputs(".\n", out);
	}
	fputs(".SH VALUES\n", out);
	for (const struct word_type *type = word_types; type->name; type++) {
		fprintf(out, ".TP\n.I %s\n", type->name);
		put_text(out, type->must);
		fputs(".\n", out);
	}
}
