/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/expect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/text.h"

#define WORD_SHOWN 40

static void
add_alternative(struct expect *expect, const struct alternative *alternative)
{
	for (unsigned i = 0; i < expect->n; i++) {
		const struct alternative *known = expect->alternatives[i];

		if (known->len == alternative->len &&
		    memcmp(known->text, alternative->text, known->len) == 0)
			return;
	}
	if (expect->n < EXPECT_MAX)
		expect->alternatives[expect->n++] = alternative;
}

static void
add_form(struct expect *expect, const struct form *form)
{
	if (!expect->n && !expect->end)
		expect->command = form->command;
	else if (expect->command != form->command)
		expect->command = NULL;
	expect->secret |= form->command->secret;
	if (expect->at >= form->n) {
		expect->end = true;
		return;
	}
	for (unsigned i = 0; i < form->slots[expect->at].n; i++)
		add_alternative(expect, &form->slots[expect->at].alternatives[i]);
}

void
expect_find(struct expect *expect, char *const *words, unsigned n)
{
	unsigned n_forms;
	const struct form *forms = grammar_forms(&n_forms);

	*expect = (struct expect){0};
	for (unsigned i = 0; i < n_forms; i++) {
		unsigned fit = form_fits(&forms[i], words, n);

		if (fit > expect->at)
			expect->at = fit;
	}
	for (unsigned i = 0; i < n_forms; i++)
		if (form_fits(&forms[i], words, n) == expect->at)
			add_form(expect, &forms[i]);
}

static void
print_alternatives(FILE *out, const struct expect *expect)
{
	unsigned n = expect->n + (expect->end ? 1 : 0);

	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			fputs(i + 1 == n ? " or " : ", ", out);
		if (i == expect->n) {
			fputs(n == 1 ? "nothing more" : "the end of the line", out);
			continue;
		}
		fprintf(out, "%.*s", (int)expect->alternatives[i]->len,
			expect->alternatives[i]->text);
		if (expect->alternatives[i]->type)
			fprintf(out, " (%s)", expect->alternatives[i]->type->must);
	}
}

static void
print_word(FILE *out, const char *word)
{
	bool whole = strlen(word) <= WORD_SHOWN;

	fprintf(out, "'%.*s%s'", WORD_SHOWN, word, whole ? "" : "...");
}

int
expect_error(const struct words *words, char *error, size_t error_size)
{
	char known[128];
	struct expect expect;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return text_error(error, error_size, ENOMEM, "out of memory");
	expect_find(&expect, words->word, words->n);
	if (expect.at == 0) {
		print_word(out, words->word[0]);
		fputs(": unknown command, help lists them", out);
	} else {
		words_join(words, expect.at, known, sizeof(known));
		fprintf(out, "%s: expected ", known);
		print_alternatives(out, &expect);
		if (expect.at < words->n && !expect.secret) {
			fputs(", not ", out);
			print_word(out, words->word[expect.at]);
		}
		if (expect.command)
			fprintf(out, "; usage: %s", expect.command->pattern);
	}
	fclose(out);
	text_error(error, error_size, EINVAL, "%s", text);
	free(text);
	return -EINVAL;
}
