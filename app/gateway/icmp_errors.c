/* SPDX-License-Identifier: BSD-3-Clause */
#include "icmp_errors.h"

#include <string.h>

#include "gate/icmp.h"
#include "gateway.h"
#include "srh/srh.h"

static uint32_t
answered_reasons(void)
{
	uint32_t bits = 0;

	for (unsigned v = GATE_FIRST_DROP; v < GATE_VERDICT_COUNT; v++)
		if (gate_icmp_type(v) != GATE_ICMP_NONE)
			bits |= punt_bit(v);
	return bits;
}

/* Packets dropped for such a reason since the start. */
static uint64_t
all_dropped(const struct gateway *gateway)
{
	struct gate_counters totals;
	uint64_t sum = 0;

	drops_totals(gateway, &totals);
	for (unsigned v = GATE_FIRST_DROP; v < GATE_VERDICT_COUNT; v++)
		if (gate_icmp_type(v) != GATE_ICMP_NONE)
			sum += totals.v[v];
	return sum;
}

/* Control's own packets that workers have sent, since the start. */
static uint64_t
all_sent(const struct gateway *gateway)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < gateway->n_workers; i++)
		if (gateway->workers[i].punt != NULL)
			sum += atomic_load_explicit(&gateway->workers[i].punt->sent,
						    memory_order_relaxed);
	return sum;
}

void
icmp_errors_set_source(struct gateway *gateway, const uint8_t source[16], uint64_t now)
{
	struct icmp_errors *icmp = &gateway->drops.icmp;

	memcpy(icmp->source, source, sizeof(icmp->source));
	if (icmp->on)
		return;
	icmp->bucket = bucket_make(icmp->bucket.rate, now);
	icmp->base_dropped = all_dropped(gateway);
	icmp->base_dropped -= icmp->made + icmp->unanswerable;
	icmp->on = true;
	icmp->used = true;
}

void
icmp_errors_off(struct gateway *gateway)
{
	struct icmp_errors *icmp = &gateway->drops.icmp;

	icmp->limited_before = icmp_errors_limited(gateway);
	icmp->on = false;
}

void
icmp_errors_set_rate(struct gateway *gateway, uint32_t rate, uint64_t now)
{
	gateway->drops.icmp.bucket = bucket_make(rate, now);
}

uint32_t
icmp_errors_wanted(struct icmp_errors *icmp, uint64_t now)
{
	return icmp->on && bucket_has(&icmp->bucket, now) ? answered_reasons() : 0;
}

/* The MTU that the packet should have kept to, 0 if it does not pass it. */
static uint32_t
mtu_for(const struct gateway *gateway, const struct punt_record *record, const uint8_t *frame,
	uint32_t len)
{
	const struct keyring_key *key;
	struct gate_port settings;
	struct srh_view view;
	unsigned cut;
	uint32_t mtu;

	if (gate_port_get(gateway->gate, record->port, &settings) != 0 ||
	    srh_find(frame, len, len, &view) != SRH_FOUND)
		return 0;
	key = keyring_lookup(gateway->keyring, settings.insert_key);
	if (key == NULL) /* gone since */
		return 0;
	/* An HMAC TLV in a packet that is to get one is one that is stripped. */
	cut = view.hmac_off != 0 ? view.hmac_len + 2u : 0;
	mtu = gate_icmp_mtu(settings.max_len, key->tlv_length + 2u, cut);
	return view.ip_payload + 40u > mtu ? mtu : 0;
}

void
icmp_errors_take(struct gateway *gateway, const struct punt_record *record, const uint8_t *frame,
		 uint32_t len, uint64_t now)
{
	struct icmp_errors *icmp = &gateway->drops.icmp;
	const enum gate_icmp_type type = gate_icmp_type(record->verdict);
	uint8_t out[GATE_ICMP_MAX];
	uint32_t value = record->err_off;
	unsigned n = 0;

	if (!icmp->on || type == GATE_ICMP_NONE)
		return;
	if (type == GATE_ICMP_TOO_BIG)
		value = mtu_for(gateway, record, frame, len);
	if (type == GATE_ICMP_PARAMETER || value != 0)
		n = gate_icmp_error(frame, len, type, value, icmp->source, out);
	if (n == 0) {
		icmp->unanswerable++;
		return;
	}
	if (!bucket_has(&icmp->bucket, now))
		return;
	bucket_take(&icmp->bucket);
	if (gateway->drops.send(gateway->drops.send_arg, record->port, out, n))
		icmp->made++;
}

uint64_t
icmp_errors_sent(const struct gateway *gateway)
{
	const struct icmp_errors *icmp = &gateway->drops.icmp;

	return gateway->launched ? all_sent(gateway) - icmp->base_sent : icmp->made;
}

uint64_t
icmp_errors_limited(const struct gateway *gateway)
{
	const struct icmp_errors *icmp = &gateway->drops.icmp;
	uint64_t dropped, others = icmp->made + icmp->unanswerable;

	if (!icmp->on)
		return icmp->limited_before;
	dropped = all_dropped(gateway) - icmp->base_dropped;
	return icmp->limited_before + (dropped > others ? dropped - others : 0);
}

bool
icmp_errors_used(const struct gateway *gateway)
{
	return gateway->drops.icmp.used;
}

json_t *
icmp_errors_json(const struct gateway *gateway)
{
	return json_pack("{s:I, s:I}", "sent", (json_int_t)icmp_errors_sent(gateway), "limited",
			 (json_int_t)icmp_errors_limited(gateway));
}

void
icmp_errors_clear(struct gateway *gateway)
{
	struct icmp_errors *icmp = &gateway->drops.icmp;

	icmp->made = 0;
	icmp->unanswerable = 0;
	icmp->limited_before = 0;
	icmp->base_dropped = all_dropped(gateway);
	icmp->base_sent = all_sent(gateway);
}
