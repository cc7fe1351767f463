/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run a fuzz target without a fuzzer: on each file of the corpus, and on some mutations of each,
 * the same ones every time.
 *
 * usage: replay_NAME [--mutations N] FILE|FOLDER...
 *
 * Prints TAP; an input that breaks an invariant ends the program, and the last comment names it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

#define INPUT_MAX 65536u

static unsigned mutations;
static unsigned files, inputs;
static const char *mutant_path; /* --keep-mutant: where the one that is run lies */

static uint64_t
draw(uint64_t *state)
{
	/* xorshift64 */
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* From a block of the input's own length, so that the sanitizers see an octet too many. */
static void
run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	if (copy == NULL)
		abort();
	memcpy(copy + 1, data, size);
	LLVMFuzzerTestOneInput(copy + 1, size);
	free(copy);
	inputs++;
}

static size_t
mutate(uint8_t *data, size_t size, uint64_t *state)
{
	static const uint8_t telling[] = {0, 1, 4, 5, 8, 38, 43, 44, 0x7f, 0x80, 0xff, '\n', '"'};
	unsigned n = 1 + draw(state) % 4;

	while (n-- != 0) {
		size_t at = size != 0 ? draw(state) % size : 0;
		size_t len = 1 + draw(state) % 16;

		switch (draw(state) % 6) {
		case 0:
			if (size != 0)
				data[at] ^= (uint8_t)(1u << draw(state) % 8);
			break;
		case 1:
			if (size != 0)
				data[at] = telling[draw(state) % sizeof(telling)];
			break;
		case 2:
			if (size != 0)
				data[at] = (uint8_t)draw(state);
			break;
		case 3: /* cut the end off */
			size = at;
			break;
		case 4: /* double some octets */
			if (size >= at + len && size + len <= INPUT_MAX) {
				memmove(data + at + len, data + at, size - at);
				size += len;
			}
			break;
		default: /* take some out */
			if (size >= at + len) {
				memmove(data + at, data + at + len, size - at - len);
				size -= len;
			}
			break;
		}
	}
	return size;
}

static void
keep_mutant(const uint8_t *data, size_t size)
{
	FILE *file;

	if (mutant_path == NULL)
		return;
	file = fopen(mutant_path, "wb");
	if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
		fprintf(stderr, "%s: %s\n", mutant_path, strerror(errno));
		exit(1);
	}
}

static int
replay_file(const char *path)
{
	static uint8_t original[INPUT_MAX], mutant[INPUT_MAX];
	uint64_t state = 0x9e3779b97f4a7c15;
	FILE *file = fopen(path, "rb");
	size_t size;

	if (file == NULL) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	size = fread(original, 1, sizeof(original), file);
	fclose(file);
	printf("# %s\n", path);
	fflush(stdout);
	run(original, size);
	for (unsigned i = 0; i < mutations; i++) {
		size_t len;

		memcpy(mutant, original, size);
		len = mutate(mutant, size, &state);
		keep_mutant(mutant, len);
		run(mutant, len);
	}
	files++;
	return 0;
}

static int
not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int
replay(const char *path)
{
	struct dirent **entries;
	struct stat status;
	int n, result = 0;

	if (stat(path, &status) != 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	if (!S_ISDIR(status.st_mode))
		return replay_file(path);
	n = scandir(path, &entries, not_hidden, alphasort);
	if (n < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	for (int i = 0; i < n; i++) {
		char *name;

		if (asprintf(&name, "%s/%s", path, entries[i]->d_name) < 0)
			abort();
		result |= replay(name);
		free(name);
		free(entries[i]);
	}
	free(entries);
	return result;
}

int
main(int argc, char **argv)
{
	int first = 1, result = 0;

	while (first + 1 < argc && strncmp(argv[first], "--", 2) == 0) {
		if (strcmp(argv[first], "--mutations") == 0)
			mutations = (unsigned)strtoul(argv[first + 1], NULL, 10);
		else if (strcmp(argv[first], "--keep-mutant") == 0)
			mutant_path = argv[first + 1];
		else
			break;
		first += 2;
	}
	if (first >= argc || argv[first][0] == '-') {
		fprintf(stderr, "usage: %s [--mutations N] [--keep-mutant FILE] FILE|FOLDER...\n",
			argv[0]);
		return 2;
	}
	if (LLVMFuzzerInitialize != NULL) {
		int fuzz_argc = 1;
		char **fuzz_argv = argv;

		LLVMFuzzerInitialize(&fuzz_argc, &fuzz_argv);
	}
	printf("1..1\n");
	for (int i = first; i < argc; i++)
		result |= replay(argv[i]);
	/* An empty corpus is a mistake, not a success. */
	if (files == 0)
		result = -1;
	printf("%s 1 - %u inputs from %u files\n", result == 0 ? "ok" : "not ok", inputs, files);
	return result == 0 ? 0 : 1;
}
