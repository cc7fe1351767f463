/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/complete.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/expect.h"
#include "control/server.h"

#define CANDIDATES_MAX 1000u /* names of files in a folder: more are of no use to anybody */

/* Takes over text and help. */
static void
add(struct completion *completion, char *text, char *help, bool unended)
{
	struct candidate *list;

	if (completion->n == CANDIDATES_MAX || !help) {
		free(text);
		free(help);
		return;
	}
	list = reallocarray(completion->list, completion->n + 1, sizeof(*list));
	if (!list) {
		free(text);
		free(help);
		return;
	}
	completion->list = list;
	list[completion->n++] = (struct candidate){text, help, unended};
}

static bool
begins(const char *word, const char *partial)
{
	return strncmp(word, partial, strlen(partial)) == 0;
}

static void
add_file(struct completion *completion, const char *folder, size_t folder_len,
	 const struct dirent *entry)
{
	bool is_folder = entry->d_type == DT_DIR;
	char *text;

	if (asprintf(&text, "%.*s%s%s", (int)folder_len, folder, entry->d_name,
		     is_folder ? "/" : "") < 0)
		return;
	/* What would need quotes is left to the user. */
	if (strpbrk(text, " \t\"'#"))
		free(text);
	else
		add(completion, text, strdup(is_folder ? "folder" : "file"), is_folder);
}

static int
is_no_dot(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void
add_files(struct completion *completion, const char *partial)
{
	const char *slash = strrchr(partial, '/');
	size_t folder_len = slash ? (size_t)(slash - partial) + 1 : 0;
	const char *name = partial + folder_len;
	char *folder = folder_len ? strndup(partial, folder_len) : strdup(".");
	struct dirent **entries;
	int n = folder ? scandir(folder, &entries, is_no_dot, alphasort) : -1;

	for (int i = 0; i < n; i++) {
		if (begins(entries[i]->d_name, name) &&
		    (entries[i]->d_name[0] != '.' || name[0] == '.'))
			add_file(completion, partial, folder_len, entries[i]);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	free(folder);
}

/* What a word leads to: its command's help, or the words that may follow. */
static char *
word_help(const struct words *words, const struct alternative *alternative)
{
	char word[64], *line[WORDS_MAX], *text = NULL;
	struct expect expect;
	size_t size;
	FILE *out;

	snprintf(word, sizeof(word), "%.*s", (int)alternative->len, alternative->text);
	memcpy(line, words->word, words->n * sizeof(line[0]));
	line[words->n] = word;
	expect_find(&expect, line, words->n + 1);
	if (expect.command)
		return strdup(expect.command->help);
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	for (unsigned i = 0; i < expect.n; i++)
		fprintf(out, "%s%.*s", i ? ", " : "", (int)expect.alternatives[i]->len,
			expect.alternatives[i]->text);
	fclose(out);
	return text;
}

static char *
value_help(const struct alternative *alternative)
{
	char *text;

	if (asprintf(&text, "%s: %s", alternative->type->name, alternative->type->must) < 0)
		return NULL;
	return text;
}

static void
add_alternative(struct completion *completion, const struct words *words,
		const struct alternative *alternative, const char *partial)
{
	const struct word_type *type = alternative->type;
	unsigned before = completion->n;

	if (!type) {
		char *word = strndup(alternative->text, alternative->len);

		if (word && begins(word, partial))
			add(completion, word, word_help(words, alternative), false);
		else
			free(word);
		return;
	}
	for (const char *const *word = type->words; word && *word; word++)
		if (begins(*word, partial))
			add(completion, strdup(*word), strdup(type->name), false);
	if (type->file)
		add_files(completion, partial);
	if (!type->words && completion->n == before)
		add(completion, NULL, value_help(alternative), false);
}

static int
by_text(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->text && y->text ? strcmp(x->text, y->text) : !x->text - !y->text;
}

/* Whether what is typed behind the head would be no word of the command. */
static bool
is_comment(const char *head)
{
	char line[CONTROL_COMMAND_MAX + 2], error[CONTROL_ERROR_MAX];
	struct words without, with;

	snprintf(line, sizeof(line), "%sx", head);
	return words_split(&without, head, error, sizeof(error)) == 0 &&
	       words_split(&with, line, error, sizeof(error)) == 0 && with.n == without.n;
}

void
complete_line(struct completion *completion, const char *line)
{
	char head[CONTROL_COMMAND_MAX + 1], error[CONTROL_ERROR_MAX];
	size_t len = strcspn(line, "\r\n");
	size_t at = len;
	char partial[CONTROL_COMMAND_MAX + 1];
	struct words words;
	struct expect expect;

	*completion = (struct completion){0};
	if (len > CONTROL_COMMAND_MAX)
		return;
	while (at > 0 && line[at - 1] != ' ' && line[at - 1] != '\t')
		at--;
	memcpy(head, line, at);
	head[at] = '\0';
	memcpy(partial, line + at, len - at);
	partial[len - at] = '\0';
	completion->partial = len - at;
	if (is_comment(head) || partial[0] == '#' ||
	    words_split(&words, head, error, sizeof(error)) < 0 || words.n >= WORDS_MAX)
		return;
	expect_find(&expect, words.word, words.n);
	if (expect.at < words.n)
		return;
	for (unsigned i = 0; i < expect.n; i++)
		add_alternative(completion, &words, expect.alternatives[i], partial);
	if (expect.end && !partial[0])
		add(completion, NULL, strdup("the end of the line"), false);
	if (completion->n > 1)
		qsort(completion->list, completion->n, sizeof(completion->list[0]), by_text);
}

size_t
complete_common(const struct completion *completion)
{
	size_t common = 0;

	for (unsigned i = 0; i < completion->n; i++) {
		const char *text = completion->list[i].text;
		size_t len = 0;

		if (!text)
			return 0;
		while (text[len] && text[len] == completion->list[0].text[len])
			len++;
		if (i == 0 || len < common)
			common = len;
	}
	return common;
}

void
complete_free(struct completion *completion)
{
	for (unsigned i = 0; i < completion->n; i++) {
		free(completion->list[i].text);
		free(completion->list[i].help);
	}
	free(completion->list);
	*completion = (struct completion){0};
}

void
control_complete(FILE *out, const char *line)
{
	struct completion completion;

	complete_line(&completion, line);
	for (unsigned i = 0; i < completion.n; i++)
		if (completion.list[i].text)
			fprintf(out, "%s\n", completion.list[i].text);
	complete_free(&completion);
}
