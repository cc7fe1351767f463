/* SPDX-License-Identifier: BSD-3-Clause */
/* A dropped packet's way through the gate, in words. */
#include <arpa/inet.h>
#include <inttypes.h>

#include "gateway.h"
#include "srh/srh.h"
#include "trace.h"

#define IPV6_SA_OFF 8u
#define IPV6_DA_OFF 24u

struct walk {
	const struct gateway *gateway;
	const struct punt_record *record;
	const uint8_t *frame;
	uint32_t len;
	struct gate_port port;
	struct srh_view view;
	enum srh_status status;
	json_t *lines;
};

static void say(struct walk *walk, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
say(struct walk *walk, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	/* Without memory a line is missing. */
	(void)json_array_append_new(walk->lines, json_vsprintf(format, args));
	va_end(args);
}

static const char *
address(const struct walk *walk, uint32_t off, char text[INET6_ADDRSTRLEN])
{
	return inet_ntop(AF_INET6, walk->frame + off, text, INET6_ADDRSTRLEN);
}

static void
say_port(struct walk *walk)
{
	static const char *const verify[] = {"off", "if-present", "require"};
	const struct gate_port *port = &walk->port;
	char insert[32] = "off";

	if (port->insert_key != 0)
		snprintf(insert, sizeof(insert), "key %" PRIu32, port->insert_key);
	say(walk, "port %u: verify %s, strip %s, insert %s", walk->record->port,
	    verify[port->verify], port->strip ? "on" : "off", insert);
}

static void
say_ip(struct walk *walk)
{
	char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN];
	uint32_t ip = walk->view.ip_off;

	if (ip == 0 && walk->status == SRH_MALFORMED) {
		say(walk, "more than %u VLAN tags", SRH_MAX_VLAN_TAGS);
		return;
	}
	if (ip == 0) {
		say(walk, "no whole IPv6 header in %u octets", walk->len);
		return;
	}
	say(walk, "IPv6 at octet %u%s: from %s to %s, Payload Length %u", ip,
	    ip > 14 ? " behind VLAN tags" : "", address(walk, ip + IPV6_SA_OFF, source),
	    address(walk, ip + IPV6_DA_OFF, destination), walk->view.ip_payload);
}

static const char *
fault_text(enum srh_status status)
{
	switch (status) {
	case SRH_ABSENT:
		return "no SRH in the header chain";
	case SRH_LATER_FRAGMENT:
		return "a later fragment: its header chain is not here";
	case SRH_TRUNCATED:
		return "a header runs past the end of the packet";
	case SRH_MALFORMED:
		return "VLAN tags, Segments Left, Last Entry, Hdr Ext Len or chain out of bounds";
	case SRH_TLV_MALFORMED:
		return "a TLV runs past the end of the SRH, or there are too many";
	case SRH_HMAC_MALFORMED:
		return "an HMAC TLV that not every reader would see, or too short for a Key ID";
	case SRH_HMAC_DUPLICATE:
		return "a second HMAC TLV";
	case SRH_SECOND_ROUTING:
		return "another routing header";
	default:
		return "not IPv6";
	}
}

static void
say_srh(struct walk *walk)
{
	const struct srh_view *view = &walk->view;

	if (view->srh_off != 0)
		say(walk,
		    "SRH at octet %u: %u octets, Segments Left %u, Last Entry %u, Flags 0x%02x%s",
		    view->srh_off, view->srh_len, view->segments_left, view->last_entry,
		    view->flags, view->fragmentable ? ", in a fragment" : "");
	if (walk->status == SRH_FOUND)
		return;
	if (view->err_off != 0)
		say(walk, "parse: %s (octet %u of the IPv6 packet)", fault_text(walk->status),
		    view->err_off);
	else
		say(walk, "parse: %s", fault_text(walk->status));
}

static void
say_key(struct walk *walk)
{
	const struct srh_view *view = &walk->view;
	const struct keyring_key *key = keyring_lookup(walk->gateway->keyring, view->key_id);
	bool last = view->hmac_off + SRH_HMAC_MAX_LEN == view->srh_off + view->srh_len;

	if (key == NULL) {
		say(walk, "key: no key %" PRIu32, view->key_id);
		return;
	}
	say(walk, "key: %s, profile %s: expects Length %u%s",
	    hmac_algorithm_name(key->hmac.algorithm), hmac_profile_name(key->profile),
	    key->tlv_length,
	    key->profile == HMAC_LINUX ? " at the SRH's end and Flags 0x08" : ", 8n-aligned");
	if (key->profile == HMAC_LINUX && !view->hmac_linux)
		say(walk, "form: no HMAC for this profile: %s%s%s",
		    (view->flags & SRH_FLAG_LINUX_HMAC) == 0 ? "Flags 0x08 is not set" : "",
		    (view->flags & SRH_FLAG_LINUX_HMAC) == 0 && !last ? ", " : "",
		    last ? "" : "the TLV is not the SRH's end");
	else if (key->profile == HMAC_RFC8754 &&
		 (view->hmac_len != key->tlv_length || (view->hmac_off - view->srh_off) % 8 != 0))
		say(walk, "form: another Length, or not aligned");
}

static void
say_hmac(struct walk *walk)
{
	const struct srh_view *view = &walk->view;

	if (view->srh_off == 0)
		return;
	if (view->hmac_off == 0) {
		if (walk->status == SRH_FOUND)
			say(walk, "no HMAC TLV among %u octets of TLVs",
			    view->srh_off + view->srh_len - view->tlv_off);
		return;
	}
	say(walk, "HMAC TLV at octet %u: Length %u, D %u, Key ID %" PRIu32, view->hmac_off,
	    view->hmac_len, (view->hmac_dres & SRH_D_BIT) != 0, view->key_id);
	say_key(walk);
}

json_t *
trace_walk(const struct gateway *gateway, const struct punt_record *record, const uint8_t *frame,
	   uint32_t len)
{
	struct walk walk = {
		.gateway = gateway,
		.record = record,
		.frame = frame,
		.len = len,
		.lines = json_array(),
	};

	(void)gate_port_get(gateway->gate, record->port, &walk.port);
	walk.status = srh_find(frame, len, len, &walk.view);
	say_port(&walk);
	say_ip(&walk);
	say_srh(&walk);
	say_hmac(&walk);
	say(&walk, "verdict: dropped, %s: %s", gate_verdict_name(record->verdict),
	    gate_verdict_help(record->verdict));
	return walk.lines;
}
