/* SPDX-License-Identifier: BSD-3-Clause */
/* From the words of a line to a command and the params of its method. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/expect.h"
#include "control/grammar.h"
#include "control/text.h"

/* The next of the blank-separated names, without its mark, which is returned: '?', '-' or 0. */
static bool
next_name(const char **names, char *name, size_t size, char *mark)
{
	size_t len;

	if (!*names || !**names)
		return false;
	len = strcspn(*names, " ");
	*mark = strchr("?-", (*names)[len - 1]) ? (*names)[len - 1] : '\0';
	snprintf(name, size, "%.*s", (int)(len - (*mark ? 1 : 0)), *names);
	*names += len + ((*names)[len] == ' ');
	return true;
}

static json_t *
absolute_path(const char *path)
{
	char *cwd;
	json_t *value;

	if (path[0] == '/')
		return json_string(path);
	cwd = getcwd(NULL, 0);
	value = cwd ? json_sprintf("%s/%s", strcmp(cwd, "/") == 0 ? "" : cwd, path) : NULL;
	free(cwd);
	return value;
}

/* Value of a word by its slot, in the shape that the method takes. */
static json_t *
param_value(const struct command *command, const struct slot *slot, const char *word, char mark)
{
	const struct word_type *type = slot->alternatives[0].type;
	json_t *value = NULL;

	if (mark == '?')
		return json_boolean(strcmp(word, "on") == 0);
	if (type && type->file && command->method)
		return absolute_path(word);
	slot_takes(slot, word, &value);
	return value;
}

/* "all" instead of a value, where the pattern has it; else it is a value like another. */
static bool
slot_is_all(const struct slot *slot, const char *word)
{
	if (!slot->alternatives[0].type || strcmp(word, "all") != 0)
		return false;
	for (unsigned i = 1; i < slot->n; i++)
		if (!slot->alternatives[i].type && slot->alternatives[i].len == 3 &&
		    memcmp(slot->alternatives[i].text, "all", 3) == 0)
			return true;
	return false;
}

static int
bind(const struct form *form, const struct words *words, struct match *match, char *error,
     size_t error_size)
{
	const char *names = form->command->params;
	char name[32], mark;

	for (unsigned i = 0; i < form->n; i++) {
		const struct slot *slot = &form->slots[i];
		const char *word = words->word[i];
		json_t *value = NULL;

		if (slot->rest) {
			for (unsigned j = i; j < words->n; j++) {
				size_t at = strlen(match->rest);

				snprintf(match->rest + at, sizeof(match->rest) - at, "%s%s",
					 at ? " " : "", words->word[j]);
			}
		} else if (slot->option && slot->variable && form->command->run &&
			   slot->alternatives[0].type && slot->alternatives[0].type->file) {
			match->option = words->word[i - 1];
			match->option_value = word;
		} else if (slot->option && slot->variable) {
			slot_takes(slot, word, &value);
			json_object_set_new(match->params, words->word[i - 1], value);
		} else if (slot->option && strcmp(word, "json") == 0) {
			match->json = true;
		} else if (slot->option) {
			continue; /* it names the value behind it */
		} else if (slot->variable) {
			if (!next_name(&names, name, sizeof(name), &mark))
				continue;
			if (slot_is_all(slot, word))
				continue; /* methods take a param left out as that */
			value = param_value(form->command, slot, word, mark);
			if (!value)
				return text_error(error, error_size, EINVAL,
						  "%s: no folder to find the file from, or its "
						  "name is not UTF-8",
						  match->name);
			json_object_set_new(match->params, name, value);
		}
	}
	while (next_name(&names, name, sizeof(name), &mark))
		if (mark == '-')
			json_object_set_new(match->params, name, json_null());
	return 0;
}

/* The fixed words up to the last one outside of brackets, with the values among them. */
static void
name_match(const struct form *form, const struct words *words, struct match *match)
{
	unsigned last = 0;

	for (unsigned i = 0; i < form->n; i++)
		if (!form->slots[i].variable && !form->slots[i].option)
			last = i;
	words_join(words, last + 1, match->name, sizeof(match->name));
}

int
grammar_match(const struct words *words, struct match *match, char *error, size_t error_size)
{
	unsigned n_forms;
	const struct form *forms = grammar_forms(&n_forms);
	const struct form *form = NULL;
	int rc;

	*match = (struct match){0};
	for (unsigned i = 0; i < n_forms && !form; i++)
		if (form_is_whole(&forms[i], words->n) &&
		    form_fits(&forms[i], words->word, words->n) == words->n)
			form = &forms[i];
	if (!form)
		return expect_error(words, error, error_size);
	match->command = form->command;
	match->params = json_object();
	name_match(form, words, match);
	rc = bind(form, words, match, error, error_size);
	if (rc < 0) {
		json_decref(match->params);
		match->params = NULL;
	}
	return rc;
}
