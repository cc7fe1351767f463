/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "control/text.h"
#include "gateway.h"
#include "handlers.h"

/* False after the call has failed. */
static bool
may_see(struct control_call *call)
{
	const struct gateway *gateway = control_arg(call);

	if (control_peer(call)->uid != 0) {
		control_fail(call, EPERM, "not permitted: needs root");
		return false;
	}
	if (!gateway->options->keep_secrets) {
		control_fail(call, ENOTSUP,
			     "secrets are not kept: segseal was started without --keep-secrets");
		return false;
	}
	/* What a configuration file shows goes where the log goes. */
	if (!gateway->launched) {
		control_fail(call, EAGAIN, "not in a configuration file");
		return false;
	}
	return true;
}

json_t *
handle_key_show_secret(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"id", NULL};
	struct gateway *gateway = control_arg(call);
	uint8_t secret[HMAC_SECRET_MAX];
	char hex[2 * HMAC_SECRET_MAX + 1];
	json_t *result = NULL;
	uint64_t id;
	int len;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "id", 1, UINT32_MAX, &id) || !may_see(call))
		return NULL;
	len = keyring_secret(gateway->keyring, (uint32_t)id, secret);
	if (len == -ENOENT)
		return control_fail(call, ENOENT, "no key %u", (unsigned)id);
	if (len < 0)
		return control_fail(call, -len, "key %u: %s", (unsigned)id, strerror(-len));
	text_hex(secret, (size_t)len, hex);
	result = json_pack("{s:I, s:s}", "id", (json_int_t)id, "secret_hex", hex);
	hmac_wipe(secret, sizeof(secret));
	hmac_wipe(hex, sizeof(hex));
	return handlers_result(call, result);
}
