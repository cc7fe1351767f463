/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/grammar.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define FORMS_MAX 192u

static struct form forms[FORMS_MAX];
static unsigned n_forms;

static void
add_alternative(struct slot *slot, const char *text, size_t len)
{
	struct alternative *alternative;

	if (slot->n == sizeof(slot->alternatives) / sizeof(slot->alternatives[0]))
		abort(); /* the table of commands is wrong, which the first unit test finds */
	alternative = &slot->alternatives[slot->n++];
	*alternative = (struct alternative){.text = text, .len = len};
	if (isupper((unsigned char)text[0])) {
		alternative->type = word_type_find(text, len);
		if (!alternative->type)
			abort();
	}
}

/* Compile the pattern word text[0..len): "a|b", "ID", "COMMAND...". */
static void
add_slot(struct form *form, const char *text, size_t len, bool option)
{
	struct slot *slot;

	if (form->n == FORM_SLOTS_MAX)
		abort();
	slot = &form->slots[form->n++];
	*slot = (struct slot){.option = option};
	if (len > 3 && memcmp(text + len - 3, "...", 3) == 0) {
		slot->rest = true;
		len -= 3;
	}
	while (len > 0) {
		const char *bar = memchr(text, '|', len);
		size_t piece = bar ? (size_t)(bar - text) : len;

		add_alternative(slot, text, piece);
		text += piece;
		len -= piece;
		if (bar) {
			text++;
			len--;
		}
	}
	slot->variable = slot->n > 1 || slot->alternatives[0].type;
}

static void
add_slots(struct form *form, const char *text, const char *end, bool option)
{
	while (text < end) {
		size_t len = 0;

		while (text + len < end && text[len] != ' ')
			len++;
		if (len > 0)
			add_slot(form, text, len, option);
		text += len + 1;
	}
}

/* Compile pattern behind what form has already, into one form for each choice of brackets. */
static void
expand(const struct form *form, const char *pattern)
{
	const char *open = strchr(pattern, '[');
	const char *end = open ? open : pattern + strlen(pattern);
	struct form without = *form;
	const char *close;

	add_slots(&without, pattern, end, false);
	if (!open) {
		if (n_forms == FORMS_MAX)
			abort();
		forms[n_forms++] = without;
		return;
	}
	close = strchr(open, ']');
	if (!close)
		abort();
	expand(&without, close + 1);
	for (const char *choice = open + 1; choice < close;) {
		const char *bar = strstr(choice, " | ");
		const char *stop = bar && bar < close ? bar : close;
		struct form with = without;

		add_slots(&with, choice, stop, islower((unsigned char)*choice));
		expand(&with, close + 1);
		choice = stop == close ? close : stop + 3;
	}
}

const struct form *
grammar_forms(unsigned *n)
{
	if (n_forms == 0) {
		for (const struct command *command = commands; command->pattern; command++)
			expand(&(struct form){.command = command}, command->pattern);
	}
	*n = n_forms;
	return forms;
}

bool
slot_takes(const struct slot *slot, const char *word, json_t **value)
{
	for (unsigned i = 0; i < slot->n; i++) {
		const struct alternative *alternative = &slot->alternatives[i];
		json_t *json = NULL;

		if (alternative->type)
			json = alternative->type->parse(word);
		else if (strlen(word) == alternative->len &&
			 memcmp(word, alternative->text, alternative->len) == 0)
			json = json_string(word);
		if (json) {
			if (value)
				*value = json;
			else
				json_decref(json);
			return true;
		}
	}
	return false;
}

unsigned
form_fits(const struct form *form, char *const *words, unsigned n)
{
	unsigned fit = 0;

	while (fit < n && fit < form->n && slot_takes(&form->slots[fit], words[fit], NULL)) {
		if (form->slots[fit].rest)
			return n;
		fit++;
	}
	return fit;
}

bool
form_is_whole(const struct form *form, unsigned n)
{
	return n == form->n || (n > form->n && form->slots[form->n - 1].rest);
}
