/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include <rte_cycles.h>

#include "gateway.h"
#include "handlers.h"

static const char *const algorithm_words[] = {"sha1", "sha256", "sha384", "sha512", NULL};
static const char *const profile_words[] = {"linux", "rfc8754", NULL};

/* The caller wipes spec, whatever the answer. */
static bool
read_spec(struct control_call *call, const json_t *params, struct keyring_spec *spec)
{
	static const char *const names[] = {"id",   "algorithm", "profile",    "accept",
					    "send", "secret",	 "secret_hex", NULL};
	unsigned algorithm;
	unsigned profile;
	uint64_t id;
	size_t len;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "id", 1, UINT32_MAX, &id) ||
	    !control_param_word(call, params, "algorithm", algorithm_words, &algorithm) ||
	    !control_param_word(call, params, "profile", profile_words, &profile) ||
	    !handlers_window(call, params, "accept", &spec->life.accept) ||
	    !handlers_window(call, params, "send", &spec->life.send) ||
	    !control_param_secret(call, params, spec->secret, sizeof(spec->secret), &len))
		return false;
	spec->id = (uint32_t)id;
	spec->secret_len = (uint8_t)len;
	/* The words are the library's own: these cannot fail. */
	return hmac_algorithm_parse(algorithm_words[algorithm], &spec->algorithm) == 0 &&
	       hmac_profile_parse(profile_words[profile], &spec->profile) == 0;
}

static json_t *
fail_key(struct control_call *call, int rc, uint32_t id)
{
	switch (-rc) {
	case EEXIST:
		return control_fail(call, EEXIST, "key %u is there already", id);
	case ENOENT:
		return control_fail(call, ENOENT, "no key %u", id);
	case ENOSPC:
		return control_fail(call, ENOSPC, "the table is full");
	default:
		return control_fail(call, -rc, "key %u: %s", id, strerror(-rc));
	}
}

/* For control_later(): no worker can be using what went before mark. */
static bool
is_settled(void *arg, uint64_t mark)
{
	struct gateway *gateway = arg;

	return keyring_settled(gateway->keyring, mark);
}

static json_t *
answer_settled(struct control_call *call, json_t *result)
{
	struct gateway *gateway = control_arg(call);

	if (result == NULL)
		return handlers_result(call, NULL);
	return control_later(call, is_settled, keyring_mark(gateway->keyring), result);
}

static json_t *
key_result(const struct gateway *gateway, uint32_t id)
{
	struct keyring_info info;

	if (keyring_info(gateway->keyring, id, &info) != 0)
		return NULL;
	return json_pack("{s:I, s:s}", "id", (json_int_t)id, "fingerprint", info.fingerprint);
}

json_t *
handle_key_add(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	struct keyring_spec spec;
	int rc = 0;
	bool read = read_spec(call, params, &spec);

	if (read)
		rc = keyring_add(gateway->keyring, &spec);
	hmac_wipe(spec.secret, sizeof(spec.secret));
	if (!read)
		return NULL;
	if (rc != 0)
		return fail_key(call, rc, spec.id);
	return handlers_result(call, key_result(gateway, spec.id));
}

json_t *
handle_key_set(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	struct keyring_spec spec;
	int rc = 0;
	bool read = read_spec(call, params, &spec);

	if (read)
		rc = keyring_set(gateway->keyring, &spec);
	hmac_wipe(spec.secret, sizeof(spec.secret));
	if (!read)
		return NULL;
	if (rc != 0)
		return fail_key(call, rc, spec.id);
	return answer_settled(call, key_result(gateway, spec.id));
}

json_t *
handle_key_del(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"id", NULL};
	struct gateway *gateway = control_arg(call);
	uint64_t id;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "id", 1, UINT32_MAX, &id))
		return NULL;
	int rc = keyring_del(gateway->keyring, (uint32_t)id);

	if (rc != 0)
		return fail_key(call, rc, (uint32_t)id);
	return answer_settled(call, json_object());
}

json_t *
handle_key_load(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"path", NULL};
	struct gateway *gateway = control_arg(call);
	char error[CONTROL_ERROR_MAX];
	const char *path;
	unsigned n;

	if (!control_params_only(call, params, names) ||
	    !control_param_string(call, params, "path", &path))
		return NULL;
	if (path[0] != '/')
		return control_bad_params(call, "path: must be absolute");
	int rc = gateway_load_keys(gateway, path, &n, error, sizeof(error));

	if (rc != 0)
		return control_fail(call, -rc, "%s", error);
	return answer_settled(call, json_pack("{s:I}", "keys", (json_int_t)n));
}

struct listing {
	json_t *keys;
	uint64_t now;
	uint64_t hz;
};

static json_t *
instant_json(int64_t instant)
{
	char text[KEYRING_INSTANT_LEN];

	if (instant == 0)
		return json_null();
	keyring_instant_text(instant, text);
	return json_string(text);
}

static json_t *
window_json(const struct keyring_window *window)
{
	return json_pack("{s:o, s:o}", "from", instant_json(window->from), "to",
			 instant_json(window->to));
}

static int
list_key(const struct keyring_info *info, void *arg)
{
	const struct listing *listing = arg;
	uint64_t last = info->use.last_used;
	uint64_t ago = last < listing->now ? (listing->now - last) / listing->hz : 0;
	json_t *used = last == 0 ? json_null() : json_integer((json_int_t)ago);

	return json_array_append_new(
		listing->keys,
		json_pack("{s:I, s:s, s:s, s:i, s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:o}", "id",
			  (json_int_t)info->id, "algorithm", hmac_algorithm_name(info->algorithm),
			  "profile", hmac_profile_name(info->profile), "secret_length",
			  (int)info->secret_len, "fingerprint", info->fingerprint, "state",
			  keyring_state_name(info->state), "accept",
			  window_json(&info->life.accept), "send", window_json(&info->life.send),
			  "verified", (json_int_t)info->use.verified, "failed",
			  (json_int_t)info->use.failed, "inserted", (json_int_t)info->use.inserted,
			  "last_used_seconds", used));
}

json_t *
handle_key_list(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"id", NULL};
	struct gateway *gateway = control_arg(call);
	struct listing listing = {.now = rte_rdtsc(), .hz = rte_get_tsc_hz()};
	uint64_t id = 0;
	int rc;

	if (!control_params_only(call, params, names))
		return NULL;
	if (json_object_get(params, "id") != NULL &&
	    !control_param_uint(call, params, "id", 1, UINT32_MAX, &id))
		return NULL;
	listing.keys = json_array();
	if (id != 0) {
		struct keyring_info info;

		rc = keyring_info(gateway->keyring, (uint32_t)id, &info);
		if (rc != 0) {
			json_decref(listing.keys);
			return fail_key(call, rc, (uint32_t)id);
		}
		rc = list_key(&info, &listing);
	} else {
		rc = keyring_each(gateway->keyring, list_key, &listing);
	}
	if (rc != 0) {
		json_decref(listing.keys);
		return handlers_result(call, NULL);
	}
	return handlers_result(call, json_pack("{s:o}", "keys", listing.keys));
}
