/* SPDX-License-Identifier: BSD-3-Clause */
/* What handlers read their params with: each refusal names the param and what it must be. */
#include <stdio.h>
#include <string.h>

#include "control/call.h"
#include "control/text.h"

#define NAME_SHOWN 32 /* octets of a stranger's text in an error */

bool
control_params_only(struct control_call *call, const json_t *params, const char *const *names)
{
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)params, name, value) {
		const char *const *known = names;

		while (*known && strcmp(*known, name) != 0)
			known++;
		if (!*known) {
			control_bad_params(call, "%.*s: unknown parameter", NAME_SHOWN, name);
			return false;
		}
	}
	return true;
}

/* NULL after an answer that it is missing. */
static const json_t *
required(struct control_call *call, const json_t *params, const char *name)
{
	const json_t *value = json_object_get(params, name);

	if (!value)
		control_bad_params(call, "%s: missing", name);
	return value;
}

bool
control_param_uint(struct control_call *call, const json_t *params, const char *name, uint64_t min,
		   uint64_t max, uint64_t *value)
{
	const json_t *member = required(call, params, name);
	json_int_t number;

	if (!member)
		return false;
	number = json_integer_value(member);
	if (!json_is_integer(member) || number < 0 || (uint64_t)number < min ||
	    (uint64_t)number > max) {
		control_bad_params(call, "%s: must be an integer from %llu to %llu", name,
				   (unsigned long long)min, (unsigned long long)max);
		return false;
	}
	*value = (uint64_t)number;
	return true;
}

bool
control_param_bool(struct control_call *call, const json_t *params, const char *name, bool *value)
{
	const json_t *member = required(call, params, name);

	if (!member)
		return false;
	if (!json_is_boolean(member)) {
		control_bad_params(call, "%s: must be true or false", name);
		return false;
	}
	*value = json_is_true(member);
	return true;
}

bool
control_param_string(struct control_call *call, const json_t *params, const char *name,
		     const char **value)
{
	const json_t *member = required(call, params, name);

	if (!member)
		return false;
	if (!json_is_string(member) ||
	    strlen(json_string_value(member)) != json_string_length(member)) {
		control_bad_params(call, "%s: must be a string", name);
		return false;
	}
	*value = json_string_value(member);
	return true;
}

bool
control_param_word(struct control_call *call, const json_t *params, const char *name,
		   const char *const *words, unsigned *value)
{
	const json_t *member = required(call, params, name);
	const char *word = json_string_value(member);
	char list[256] = "";
	size_t n = 0;

	if (!member)
		return false;
	for (unsigned i = 0; words[i]; i++) {
		if (word && strcmp(word, words[i]) == 0) {
			*value = i;
			return true;
		}
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
					      words[i]);
	}
	control_bad_params(call, "%s: must be one of %s", name, list);
	return false;
}

static bool
secret_hex(struct control_call *call, const char *text, size_t digits, uint8_t *secret)
{
	for (size_t i = 0; i < digits; i += 2) {
		int high = text_hex_digit(text[i]), low = text_hex_digit(text[i + 1]);

		if (high < 0 || low < 0) {
			explicit_bzero(secret, i / 2);
			control_bad_params(call, "secret_hex: must be hexadecimal digits");
			return false;
		}
		secret[i / 2] = (uint8_t)(high << 4 | low);
	}
	return true;
}

bool
control_param_secret(struct control_call *call, const json_t *params, uint8_t *secret, size_t size,
		     size_t *len)
{
	const json_t *text = json_object_get(params, "secret");
	const json_t *hex = json_object_get(params, "secret_hex");
	const char *name = text ? "secret" : "secret_hex";
	const json_t *given = text ? text : hex;
	size_t n;

	if (!text == !hex) {
		control_bad_params(call, "secret: give exactly one of secret and secret_hex");
		return false;
	}
	if (!json_is_string(given)) {
		control_bad_params(call, "%s: must be a string", name);
		return false;
	}
	n = json_string_length(given);
	if (hex && n % 2) {
		control_bad_params(call, "secret_hex: must be an even number of digits");
		return false;
	}
	n = hex ? n / 2 : n;
	if (n < 1 || n > size) {
		control_bad_params(call, "%s: %zu octets, must be 1 to %zu", name, n, size);
		return false;
	}
	if (hex && !secret_hex(call, json_string_value(hex), 2 * n, secret))
		return false;
	if (text)
		memcpy(secret, json_string_value(text), n);
	*len = n;
	return true;
}
