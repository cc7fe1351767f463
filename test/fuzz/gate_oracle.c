/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "fuzz.h"
#include "gate_oracle.h"

/* --- HMAC --- */

const struct keyring_spec *
oracle_key(const struct oracle *oracle, uint32_t id)
{
	for (unsigned i = 0; i < oracle->n_keys; i++)
		if (oracle->keys[i].id == id)
			return &oracle->keys[i];
	return NULL;
}

size_t
oracle_field_len(const struct keyring_spec *key)
{
	return key->profile == HMAC_RFC8754 && key->algorithm == HMAC_SHA1 ? 24 : 32;
}

void
oracle_hmac(const struct keyring_spec *key, const uint8_t *ip, const uint8_t *srh,
	    const uint8_t *tlv, uint8_t *field)
{
	const EVP_MD *hash = key->algorithm == HMAC_SHA1     ? EVP_sha1()
			     : key->algorithm == HMAC_SHA256 ? EVP_sha256()
			     : key->algorithm == HMAC_SHA384 ? EVP_sha384()
							     : EVP_sha512();
	uint8_t text[4200], digest[EVP_MAX_MD_SIZE] = {0};
	size_t len = 0, list = 16 * (srh[4] + 1u);
	unsigned digest_len;

	memcpy(text, ip + 8, 16);
	len += 16;
	text[len++] = srh[4];
	text[len++] = srh[5];
	if (key->profile == HMAC_RFC8754) {
		text[len++] = tlv[2];
		text[len++] = tlv[3];
	}
	memcpy(text + len, tlv + 4, 4);
	len += 4;
	memcpy(text + len, srh + 8, list);
	len += list;
	FUZZ_ASSERT(HMAC(hash, key->secret, key->secret_len, text, len, digest, &digest_len));
	/* Shorter digests are followed by zeros, longer ones cut off. */
	memcpy(field, digest, oracle_field_len(key));
}

/* A window of the rig's is always open, or it ended long ago. */
static const struct keyring_spec *
key_in_time(const struct oracle *oracle, uint32_t id, bool send)
{
	const struct keyring_spec *key = oracle_key(oracle, id);

	if (key == NULL)
		return NULL;
	return (send ? key->life.send.to : key->life.accept.to) == 0 ? key : NULL;
}

/* --- the verdict --- */

static enum gate_verdict
drop_for(enum srh_status status)
{
	switch (status) {
	case SRH_TRUNCATED:
		return GATE_SRH_TRUNCATED;
	case SRH_MALFORMED:
		return GATE_SRH_MALFORMED;
	case SRH_TLV_MALFORMED:
		return GATE_TLV_MALFORMED;
	case SRH_HMAC_MALFORMED:
		return GATE_HMAC_MALFORMED;
	case SRH_HMAC_DUPLICATE:
		return GATE_HMAC_DUPLICATE;
	case SRH_SECOND_ROUTING:
		return GATE_SECOND_ROUTING_HEADER;
	default:
		abort();
	}
}

static bool
bit(const uint8_t *octets, unsigned i)
{
	return octets[i / 8] >> (7 - i % 8) & 1;
}

static bool
is_protected(const struct oracle *oracle, const uint8_t *destination)
{
	for (unsigned p = 0; p < oracle->n_prefixes; p++) {
		unsigned same = 0;

		while (same < oracle->prefixes[p].depth &&
		       bit(destination, same) == bit(oracle->prefixes[p].prefix, same))
			same++;
		if (same == oracle->prefixes[p].depth)
			return true;
	}
	return false;
}

static bool
a_header_may_follow(int next)
{
	static const int kinds[] = {0, 43, 44, 51, 60, 135, 139, 140};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i] == next)
			return true;
	return false;
}

/* A sound SRH under if-present or require. */
static enum gate_verdict
judge_srh(const struct oracle *oracle, const struct gate_port *port, const uint8_t *frame,
	  const struct reference *r)
{
	enum gate_verdict absent =
		port->verify == GATE_VERIFY_REQUIRE ? GATE_HMAC_MISSING : GATE_NO_HMAC;
	const struct keyring_spec *key = key_in_time(oracle, (uint32_t)r->key_id, false);
	const uint8_t *ip = frame + r->ip_off, *srh = frame + r->srh_off;
	const uint8_t *tlv = frame + r->hmac_off;
	bool aligned = (r->hmac_off - r->srh_off) % 8 == 0;
	uint8_t field[64];

	if (r->hmac_off == 0)
		return absent;
	if (key == NULL) {
		bool possible = r->hmac_len == 14 || r->hmac_len == 22 || r->hmac_len == 30 ||
				r->hmac_len == 38;

		return aligned && possible ? GATE_KEY_UNKNOWN : GATE_HMAC_MALFORMED;
	}
	if (key->profile == HMAC_LINUX) {
		if (!(r->flags & 0x08) || r->hmac_len != 38 ||
		    r->hmac_off + 40 != r->srh_off + r->srh_len)
			return absent;
	} else {
		if (!aligned || (size_t)r->hmac_len != 6 + oracle_field_len(key))
			return GATE_HMAC_MALFORMED;
		if (r->segments_left > r->last_entry) {
			if (!(tlv[2] & 0x80))
				return GATE_DA_MISMATCH;
		} else if (memcmp(ip + 24, srh + 8 + 16 * r->segments_left, 16) != 0) {
			return GATE_DA_MISMATCH;
		}
	}
	oracle_hmac(key, ip, srh, tlv, field);
	return memcmp(field, tlv + 8, oracle_field_len(key)) == 0 ? GATE_VERIFIED
								  : GATE_HMAC_MISMATCH;
}

static enum gate_verdict
judge(const struct oracle *oracle, const struct gate_port *port, const uint8_t *frame,
      const struct reference *r)
{
	bool to_protected = oracle->n_prefixes != 0 && r->ip_off != 0 &&
			    is_protected(oracle, frame + r->ip_off + 24);
	bool require = port->verify == GATE_VERIFY_REQUIRE;

	if (r->status == SRH_NOT_IPV6)
		return GATE_NOT_IPV6;
	if (port->verify == GATE_VERIFY_OFF ||
	    (oracle->n_prefixes != 0 && r->ip_off != 0 && !to_protected)) {
		enum gate_verdict pass =
			port->verify == GATE_VERIFY_OFF ? GATE_UNCHECKED : GATE_OUT_OF_SCOPE;

		if (r->status == SRH_ABSENT || r->status == SRH_LATER_FRAGMENT)
			return pass == GATE_UNCHECKED ? GATE_NO_SRH : pass;
		if (r->status != SRH_FOUND && port->insert_key != 0)
			return drop_for(r->status);
		return pass;
	}
	if (r->status == SRH_ABSENT)
		return require && to_protected ? GATE_DROP_NO_SRH : GATE_NO_SRH;
	if (r->status == SRH_LATER_FRAGMENT) {
		bool judged = a_header_may_follow(r->frag_next) && r->frag_offset >= 24;

		return require && to_protected && !judged ? GATE_DROP_NO_SRH : GATE_NO_SRH;
	}
	if (r->status != SRH_FOUND)
		return drop_for(r->status);
	return judge_srh(oracle, port, frame, r);
}

/* --- edits --- */

static void
add_to_lengths(uint8_t *frame, const struct reference *r, int octets)
{
	int payload = r->ip_payload + octets;

	frame[r->ip_off + 4] = (uint8_t)(payload / 256);
	frame[r->ip_off + 5] = (uint8_t)(payload % 256);
	frame[r->srh_off + 1] = (uint8_t)(frame[r->srh_off + 1] + octets / 8);
}

static void
strip(struct oracle_result *result, const struct reference *r, const struct keyring_spec *key)
{
	int size = r->hmac_len + 2;

	add_to_lengths(result->frame, r, -size);
	memmove(result->frame + r->hmac_off, result->frame + r->hmac_off + size,
		result->len - (size_t)(r->hmac_off + size));
	result->len -= (size_t)size;
	if (key->profile == HMAC_LINUX)
		result->frame[r->srh_off + 5] &= 0xf7;
	result->stripped = true;
}

static void
write_hmac(struct oracle_result *result, const struct reference *r, int at,
	   const struct keyring_spec *key)
{
	uint8_t *srh = result->frame + r->srh_off, *tlv = result->frame + at;

	tlv[0] = 5;
	tlv[1] = (uint8_t)(6 + oracle_field_len(key));
	tlv[2] = key->profile == HMAC_RFC8754 && r->segments_left > r->last_entry ? 0x80 : 0;
	tlv[3] = 0;
	for (int i = 0; i < 4; i++)
		tlv[4 + i] = (uint8_t)(key->id >> (24 - 8 * i));
	if (key->profile == HMAC_LINUX)
		srh[5] |= 0x08;
	else
		srh[5] &= 0xf7;
	oracle_hmac(key, result->frame + r->ip_off, srh, tlv, tlv + 8);
	result->inserted = true;
}

/* Into a frame that has no HMAC TLV (any more); r describes it as it is now. */
static enum gate_verdict
insert(struct oracle_result *result, const struct reference *r, const struct gate_port *port,
       const struct keyring_spec *key)
{
	int size = 8 + (int)oracle_field_len(key);
	int at = key->profile == HMAC_LINUX ? r->srh_off + r->srh_len : r->tlv_off;

	if (r->srh_len + size > 8 * 256 || r->chain_end + size > (int)SRH_MAX_CHAIN_LEN ||
	    r->tlvs + 1 > (int)SRH_MAX_TLVS)
		return GATE_SRH_FULL;
	if (r->ip_payload + size > 65535)
		return GATE_TOO_BIG;
	/* VLAN tags do not count. */
	if (port->max_len != 0 &&
	    result->len - ((size_t)r->ip_off - 14) + (size_t)size > port->max_len)
		return GATE_TOO_BIG;
	memmove(result->frame + at + size, result->frame + at, result->len - (size_t)at);
	result->len += (size_t)size;
	add_to_lengths(result->frame, r, size);
	write_hmac(result, r, at, key);
	return GATE_TX;
}

static enum gate_verdict
fill(struct oracle_result *result, const struct reference *r, const struct keyring_spec *key)
{
	bool in_place = key->profile == HMAC_LINUX ? r->hmac_off + 40 == r->srh_off + r->srh_len
						   : (r->hmac_off - r->srh_off) % 8 == 0;

	if ((size_t)r->hmac_len != 6 + oracle_field_len(key) || !in_place)
		return GATE_HMAC_MALFORMED;
	write_hmac(result, r, r->hmac_off, key);
	return GATE_TX;
}

static bool
waits_for(const uint8_t *tlv, const struct reference *r, uint32_t key_id)
{
	if (r->key_id != key_id)
		return false;
	for (int i = 8; i < r->hmac_len + 2; i++)
		if (tlv[i] != 0)
			return false;
	return true;
}

/* A drop, or GATE_TX. */
static enum gate_verdict
edit(const struct oracle *oracle, const struct gate_port *port, const struct reference *r,
     struct oracle_result *result)
{
	const struct keyring_spec *key = key_in_time(oracle, port->insert_key, true);
	struct reference now = *r;

	if (port->strip && result->verdict == GATE_VERIFIED) {
		if (r->fragmentable)
			return GATE_FRAGMENTED;
		strip(result, r, oracle_key(oracle, (uint32_t)r->key_id));
		now.srh_len -= r->hmac_len + 2;
		now.chain_end -= r->hmac_len + 2;
		now.ip_payload -= r->hmac_len + 2;
		now.tlvs--;
		now.hmac_off = 0;
	}
	if (port->insert_key == 0)
		return GATE_TX;
	if (now.hmac_off != 0 && !waits_for(result->frame + now.hmac_off, r, port->insert_key)) {
		result->already_sealed = true;
		return GATE_TX;
	}
	if (key == NULL)
		return GATE_INSERT_KEY_UNKNOWN;
	if (now.hmac_off != 0)
		return fill(result, &now, key);
	if (r->fragmentable)
		return GATE_FRAGMENTED;
	return insert(result, &now, port, key);
}

void
oracle_run(const struct oracle *oracle, const struct gate_port *port, const uint8_t *frame,
	   size_t len, struct oracle_result *result)
{
	enum gate_verdict dropped = GATE_TX;
	struct reference r;

	FUZZ_ASSERT(len <= ORACLE_FRAME_MAX);
	memset(result, 0, offsetof(struct oracle_result, frame));
	memcpy(result->frame, frame, len);
	result->len = len;
	if (port->verify == GATE_VERIFY_OFF && port->insert_key == 0) {
		result->verdict = GATE_UNCHECKED;
		return;
	}
	r = reference_parse(frame, len);
	result->key_id = (uint32_t)r.key_id;
	result->err_off = r.err_off;
	result->verdict = judge(oracle, port, frame, &r);
	if (r.status == SRH_FOUND && !gate_is_drop(result->verdict))
		dropped = edit(oracle, port, &r, result);
	if (dropped != GATE_TX) {
		memcpy(result->frame, frame, len);
		result->len = len;
		result->stripped = result->inserted = result->already_sealed = false;
		result->verdict = dropped;
	}
}
