/* SPDX-License-Identifier: BSD-3-Clause */
/* "key import-linux": each key of the kernel becomes a key of segseal, in the linux profile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/display.h"
#include "control/linux_keys.h"
#include "control/run.h"
#include "control/secret.h"
#include "control/text.h"

static int
by_id(const void *a, const void *b)
{
	uint32_t x = (*(const struct linux_key *const *)a)->id;
	uint32_t y = (*(const struct linux_key *const *)b)->id;

	return (x > y) - (x < y);
}

/* Add one key. 0 and *result, or a negative errno with error, which holds no octet of the secret.
 */
static int
add_key(struct control_session *session, const struct linux_key *key, const char *algorithm,
	json_t **result, char *error, size_t error_size)
{
	char hex[SECRET_HEX_SIZE];
	json_t *params;
	int rc;

	text_hex(key->secret, key->secret_len, hex);
	params = json_pack("{s:I, s:s, s:s, s:s}", "id", (json_int_t)key->id, "algorithm",
			   algorithm, "profile", "linux", "secret_hex", hex);
	explicit_bzero(hex, sizeof(hex));
	rc = run_call(session, "key.add", params, result, error, error_size);
	json_decref(params);
	return rc;
}

/* Add one key and append to rows what came of it. -EIO with error: segseal does not answer. */
static int
import(struct control_session *session, const struct linux_key *key, json_t *rows, char *error,
       size_t error_size)
{
	const char *algorithm = linux_algorithm_name(key->algorithm);
	json_t *result = NULL;
	int rc;

	if (algorithm)
		rc = add_key(session, key, algorithm, &result, error, error_size);
	else
		rc = text_error(error, error_size, ENOTSUP, "algorithm %u is not known here",
				key->algorithm);
	if (rc == -EIO)
		return rc;
	json_array_append_new(rows, json_pack("{s:I, s:s?, s:i, s:O?, s:b, s:s}", "id",
					      (json_int_t)key->id, "algorithm", algorithm,
					      "secret_length", key->secret_len, "fingerprint",
					      json_object_get(result, "fingerprint"), "taken",
					      rc == 0, "outcome", rc == 0 ? "taken" : error));
	json_decref(result);
	return rc;
}

/* Add all keys by ascending ID, whatever comes of one. 0, or a negative errno with error. */
static int
import_all(struct control_session *session, const struct linux_key **order, unsigned n,
	   json_t *rows, char *error, size_t error_size)
{
	unsigned failed = 0;
	int first = 0;

	for (unsigned i = 0; i < n; i++) {
		int rc;

		/* A dump of a table that is being resized may give a key twice. */
		if (i > 0 && order[i]->id == order[i - 1]->id)
			continue;
		rc = import(session, order[i], rows, error, error_size);
		if (rc == -EIO)
			return rc;
		if (rc < 0 && failed++ == 0)
			first = rc;
	}
	if (failed)
		text_error(error, error_size, first, "%u of %zu keys were not taken", failed,
			   json_array_size(rows));
	return first;
}

static void
show(struct control_session *session, bool json, const json_t *result)
{
	static const struct column columns[] = {
		{"id", "id", COLUMN_NUMBER, NULL},
		{"algorithm", "algorithm", COLUMN_TEXT, NULL},
		{"secret octets", "secret_length", COLUMN_NUMBER, NULL},
		{"fingerprint", "fingerprint", COLUMN_TEXT, NULL},
		{"outcome", "outcome", COLUMN_TEXT, NULL},
		{0},
	};
	struct display display = {.out = session->out, .json = json};

	if (session->out)
		display_table(&display, result, "keys", columns);
}

int
run_key_import_linux(struct control_session *session, const struct match *match, char *error,
		     size_t error_size)
{
	const struct linux_key **order;
	struct linux_key *keys;
	json_t *result, *rows;
	unsigned n;
	int rc = linux_keys_read(&keys, &n, error, error_size);

	if (rc < 0)
		return rc;
	order = calloc(n + 1, sizeof(*order));
	if (!order) {
		linux_keys_free(keys, n);
		return text_error(error, error_size, ENOMEM, "out of memory");
	}
	for (unsigned i = 0; i < n; i++)
		order[i] = &keys[i];
	qsort(order, n, sizeof(*order), by_id);

	rows = json_array();
	rc = import_all(session, order, n, rows, error, error_size);
	free(order);
	linux_keys_free(keys, n);
	result = json_pack("{s:o}", "keys", rows);
	if (rc == 0 || json_array_size(rows) > 0)
		show(session, match->json, result);
	json_decref(result);
	return rc;
}
