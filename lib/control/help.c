/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "control/grammar.h"
#include "control/server.h"

/* Whether the pattern begins with the words that can be given literally: "port 0" finds "port N".
 */
static bool
pattern_begins(const struct command *command, const struct words *words)
{
	unsigned n;
	const struct form *forms = grammar_forms(&n);

	for (unsigned i = 0; i < n; i++)
		if (forms[i].command == command &&
		    form_fits(&forms[i], words->word, words->n) == words->n)
			return true;
	return false;
}

void
control_help(FILE *out, const char *text)
{
	char error[CONTROL_ERROR_MAX];
	struct words words;
	unsigned found = 0;

	if (words_split(&words, text, error, sizeof(error)) < 0)
		words.n = 0;
	for (const struct command *command = commands; command->pattern; command++) {
		if (!pattern_begins(command, &words))
			continue;
		fprintf(out, "%s\n        %s\n", command->pattern, command->help);
		found++;
	}
	if (!found)
		fprintf(out, "no command begins so; help lists them all\n");
}
