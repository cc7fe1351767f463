/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Works as a dissector does: first list every header there is, by length fields alone; then judge
 * the list from its front; then list the TLVs octet by octet, and judge that list.
 */
#include <string.h>

#include "srh_reference.h"

enum ending {
	ENDED,		/* something that is no extension header comes next */
	CUT_OFF,	/* an extension header should come, or go on, and the packet ends */
	TOO_LONG,	/* ... ends behind the limit */
	TOO_MANY,	/* ... is one too many */
	LATER_FRAGMENT, /* the last header listed says that this is not the packet's front */
};

struct header {
	int kind;
	int start;
	int end;
};

struct chain {
	struct header headers[SRH_MAX_EXT_HEADERS];
	int count;
	enum ending ending;
	int next_start; /* of what comes behind the last listed */
};

struct tlv {
	int start;
	int type;
	int length;
};

struct tlv_list {
	struct tlv tlvs[2048];
	int count;
	bool unfinished; /* the last one runs past the end */
};

static int
octet(const uint8_t *frame, int at)
{
	return frame[at];
}

static int
pair(const uint8_t *frame, int at)
{
	return octet(frame, at) * 256 + octet(frame, at + 1);
}

static bool
can_walk_over(int kind)
{
	switch (kind) {
	case 0:	  /* Hop-by-Hop Options */
	case 43:  /* Routing */
	case 44:  /* Fragment */
	case 51:  /* Authentication */
	case 60:  /* Destination Options */
	case 135: /* Mobility */
	case 139: /* Host Identity Protocol */
	case 140: /* Shim6 */
		return true;
	default:
		return false;
	}
}

static bool
is_tag(int type)
{
	return type == 0x8100 || type == 0x88a8 || type == 0x9100;
}

#define OTHER_THAN_IPV6 -1
#define TOO_MANY_TAGS -2

/* Where the IPv6 header would begin, or why that is not to be known. */
static int
where_ipv6_begins(const uint8_t *frame, size_t size)
{
	for (int tags = 0; tags <= 8; tags++) {
		int type_at = 12 + 4 * tags;

		for (int tag = 0; tag < tags; tag++) {
			if (!is_tag(pair(frame, 12 + 4 * tag)))
				return OTHER_THAN_IPV6;
		}
		if ((size_t)type_at + 2 > size)
			return OTHER_THAN_IPV6;
		if (pair(frame, type_at) == 0x86dd)
			return type_at + 2;
	}
	return is_tag(pair(frame, 12 + 4 * 8)) ? TOO_MANY_TAGS : OTHER_THAN_IPV6;
}

static int
length_of(int kind, int length_field)
{
	if (kind == 44)
		return 8;
	if (kind == 51)
		return 4 * length_field + 8;
	return 8 * length_field + 8;
}

static void
list_headers(const uint8_t *frame, int ip_off, int packet_end, struct chain *chain)
{
	int kind = octet(frame, ip_off + 6);
	int at = ip_off + 40;

	chain->count = 0;
	for (;;) {
		struct header *header = &chain->headers[chain->count];
		int end;

		chain->next_start = at;
		if (!can_walk_over(kind)) {
			chain->ending = ENDED;
			return;
		}
		if (chain->count == (int)SRH_MAX_EXT_HEADERS) {
			chain->ending = TOO_MANY;
			return;
		}
		if (at + 8 > packet_end) {
			chain->ending = CUT_OFF;
			return;
		}
		end = at + length_of(kind, octet(frame, at + 1));
		if (end > packet_end) {
			chain->ending = CUT_OFF;
			return;
		}
		if (end > (int)SRH_MAX_CHAIN_LEN) {
			chain->ending = TOO_LONG;
			return;
		}
		header->kind = kind;
		header->start = at;
		header->end = end;
		chain->count++;
		if (kind == 44 && pair(frame, at + 2) / 8 != 0) {
			chain->ending = LATER_FRAGMENT;
			return;
		}
		kind = octet(frame, at);
		at = end;
	}
}

static bool
is_routing(const struct header *header)
{
	return header->kind == 43;
}

static bool
is_srh(const uint8_t *frame, const struct header *header)
{
	return is_routing(header) && octet(frame, header->start + 2) == 4;
}

static int
count_routing(const struct chain *chain, int before)
{
	int n = 0;

	for (int i = 0; i < before; i++)
		n += is_routing(&chain->headers[i]);
	return n;
}

/* Whether a Fragment header before this one says that more pieces follow. */
static bool
in_first_piece(const uint8_t *frame, const struct chain *chain, int index)
{
	for (int i = 0; i < index; i++) {
		const struct header *header = &chain->headers[i];

		if (header->kind == 44 && pair(frame, header->start + 2) % 2 == 1)
			return true;
	}
	return false;
}

static bool
bounds_hold(const uint8_t *frame, const struct header *srh)
{
	int hdr_ext_len = octet(frame, srh->start + 1);
	int segments_left = octet(frame, srh->start + 3);
	int last_entry = octet(frame, srh->start + 4);
	int largest_last_entry = hdr_ext_len / 2 - 1;

	return last_entry <= largest_last_entry && segments_left <= last_entry + 1;
}

/* Octet by octet: what each is follows from those before it. */
static void
list_tlvs(const uint8_t *frame, int start, int end, struct tlv_list *list)
{
	enum { TYPE, LENGTH, VALUE } awaited = TYPE;
	bool in_pad1_run = false;
	int left = 0;

	list->count = 0;
	for (int at = start; at < end; at++) {
		int value = octet(frame, at);

		if (awaited == TYPE && value == 0) {
			if (!in_pad1_run)
				list->tlvs[list->count++] = (struct tlv){at, 0, 0};
			in_pad1_run = true;
		} else if (awaited == TYPE) {
			in_pad1_run = false;
			list->tlvs[list->count] = (struct tlv){at, value, 0};
			awaited = LENGTH;
		} else if (awaited == LENGTH) {
			list->tlvs[list->count++].length = value;
			left = value;
			awaited = left == 0 ? TYPE : VALUE;
		} else {
			left--;
			if (left == 0)
				awaited = TYPE;
		}
	}
	list->unfinished = awaited != TYPE;
	/* Of an unfinished one only its start is known to be right. */
	if (awaited == VALUE)
		list->count--;
}

static void
judge_tlvs(const uint8_t *frame, struct reference *r)
{
	static struct tlv_list list;
	int end = r->srh_off + r->srh_len;
	int of_srh = r->srh_off - r->ip_off;

	list_tlvs(frame, r->tlv_off, end, &list);
	for (int i = 0; i < list.count + (list.unfinished ? 1 : 0); i++) {
		const struct tlv *tlv = &list.tlvs[i];

		if (i == (int)SRH_MAX_TLVS || i == list.count) {
			r->tlvs = i == (int)SRH_MAX_TLVS ? i : i + 1;
			r->status = SRH_TLV_MALFORMED;
			r->err_off = of_srh + 1;
			return;
		}
		r->tlvs = i + 1;
		if (tlv->type != 5)
			continue;
		if (tlv->length < 6 || r->hmac_off != 0) {
			r->status = tlv->length < 6 ? SRH_HMAC_MALFORMED : SRH_HMAC_DUPLICATE;
			r->err_off = tlv->start - r->ip_off;
			return;
		}
		r->hmac_off = tlv->start;
		r->hmac_len = tlv->length;
		r->hmac_dres = pair(frame, tlv->start + 2);
		r->key_id = pair(frame, tlv->start + 4) * 65536ul + pair(frame, tlv->start + 6);
	}
	if (r->flags / 8 % 2 == 1 && end - 40 >= r->tlv_off && pair(frame, end - 40) == 0x0526) {
		if (r->hmac_off != end - 40) {
			r->status = SRH_HMAC_MALFORMED;
			r->err_off = end - 40 - r->ip_off;
			return;
		}
		r->hmac_linux = true;
	}
	r->status = SRH_FOUND;
	if (r->hmac_off != 0)
		r->err_off = r->hmac_off - r->ip_off;
}

/* Go through the list; returns whether a fault ended it before its end. */
static bool
judge_headers(const uint8_t *frame, const struct chain *chain, struct reference *r)
{
	for (int i = 0; i < chain->count; i++) {
		const struct header *header = &chain->headers[i];

		r->chain_end = header->end;
		if (is_routing(header) &&
		    (r->srh_off != 0 || (is_srh(frame, header) && count_routing(chain, i) > 0))) {
			r->status = SRH_SECOND_ROUTING;
			r->err_off = header->start - r->ip_off;
			return true;
		}
		if (!is_srh(frame, header))
			continue;
		if (!bounds_hold(frame, header)) {
			r->status = SRH_MALFORMED;
			r->err_off = header->start + 3 - r->ip_off;
			return true;
		}
		r->srh_off = header->start;
		r->srh_len = header->end - header->start;
		r->segments_left = octet(frame, header->start + 3);
		r->last_entry = octet(frame, header->start + 4);
		r->flags = octet(frame, header->start + 5);
		r->tlv_off = header->start + 8 + (r->last_entry + 1) * 16;
		r->fragmentable = in_first_piece(frame, chain, i);
	}
	return false;
}

struct reference
reference_parse(const uint8_t *frame, size_t size)
{
	struct reference r;
	struct chain chain;
	int packet_end;

	memset(&r, 0, sizeof(r));
	r.ip_off = where_ipv6_begins(frame, size);
	if (r.ip_off < 0) {
		r.status = r.ip_off == TOO_MANY_TAGS ? SRH_MALFORMED : SRH_NOT_IPV6;
		r.ip_off = 0;
		return r;
	}
	if ((size_t)r.ip_off + 40 > size) {
		r.ip_off = 0;
		r.status = SRH_TRUNCATED;
		return r;
	}
	r.ip_payload = pair(frame, r.ip_off + 4);
	r.chain_end = r.ip_off + 40;
	if (octet(frame, r.ip_off) / 16 != 6) {
		r.status = SRH_MALFORMED;
		return r;
	}
	packet_end = r.ip_off + 40 + r.ip_payload;
	if ((size_t)packet_end > size)
		packet_end = (int)size;

	list_headers(frame, r.ip_off, packet_end, &chain);
	if (judge_headers(frame, &chain, &r))
		return r;
	if (chain.ending == CUT_OFF) {
		r.status = SRH_TRUNCATED;
		r.err_off = chain.next_start - r.ip_off;
	} else if (chain.ending == TOO_MANY) {
		r.status = SRH_MALFORMED;
		r.err_off = chain.next_start - r.ip_off;
	} else if (chain.ending == TOO_LONG) {
		r.status = SRH_MALFORMED;
		r.err_off = chain.next_start + 1 - r.ip_off;
	} else if (r.srh_off != 0) {
		judge_tlvs(frame, &r);
	} else if (chain.ending == LATER_FRAGMENT) {
		int fragment = chain.headers[chain.count - 1].start;

		r.status = SRH_LATER_FRAGMENT;
		r.frag_next = octet(frame, fragment);
		r.frag_offset = pair(frame, fragment + 2) / 8 * 8;
	} else {
		r.status = SRH_ABSENT;
	}
	return r;
}
