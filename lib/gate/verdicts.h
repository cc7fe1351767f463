/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one list of what can happen to a packet. From it come the enum, the counter names of
 * interface and telemetry, the help texts, and the test that each is reached by a case.
 */
#ifndef SEGSEAL_GATE_VERDICTS_H
#define SEGSEAL_GATE_VERDICTS_H

/* X(symbol, counter name, help) */

/* What was counted on the way; a packet may be in several. */
#define GATE_EVENTS(X)                                                                             \
	X(RX, "rx", "packets received")                                                            \
	X(TX, "tx", "packets sent on to the peer port")                                            \
	X(INSERTED, "inserted", "HMAC TLV inserted or filled")                                     \
	X(STRIPPED, "stripped", "HMAC TLV of a verified packet removed")                           \
	X(ALREADY_SEALED, "already_sealed", "passed the insertion unchanged: has an HMAC")

/* What verification found, when the packet may go on: exactly one for each. */
#define GATE_PASSES(X)                                                                             \
	X(VERIFIED, "verified", "HMAC is right")                                                   \
	X(NOT_IPV6, "not_ipv6", "not IPv6: not judged")                                            \
	X(NO_SRH, "no_srh", "IPv6 without SRH")                                                    \
	X(OUT_OF_SCOPE, "out_of_scope", "destination outside the protected prefixes: not judged")  \
	X(UNCHECKED, "unchecked", "verification is off on the port")                               \
	X(NO_HMAC, "no_hmac", "SRH without HMAC, which the port's mode lets pass")

/* Why a packet was dropped: exactly one for each. */
#define GATE_DROPS(X)                                                                              \
	X(SRH_TRUNCATED, "srh_truncated", "a header runs past the end of the packet")              \
	X(SRH_MALFORMED, "srh_malformed",                                                          \
	  "Segments Left, Last Entry or Hdr Ext Len out of bounds")                                \
	X(TLV_MALFORMED, "tlv_malformed", "a TLV runs past the end of the SRH")                    \
	X(HMAC_MISSING, "hmac_missing", "SRH without HMAC where one is required")                  \
	X(HMAC_MALFORMED, "hmac_malformed", "HMAC TLV of a wrong length or place")                 \
	X(HMAC_DUPLICATE, "hmac_duplicate", "more than one HMAC TLV")                              \
	X(KEY_UNKNOWN, "key_unknown", "no such HMAC Key ID")                                       \
	X(DA_MISMATCH, "da_mismatch", "destination is not the active segment")                     \
	X(HMAC_MISMATCH, "hmac_mismatch", "HMAC is wrong")                                         \
	X(DROP_NO_SRH, "no_srh", "to a protected prefix without SRH")                              \
	X(SECOND_ROUTING_HEADER, "second_routing_header", "more than one routing header")          \
	X(SRH_FULL, "srh_full", "no room in the SRH for an HMAC TLV")                              \
	X(TOO_BIG, "too_big", "with an HMAC TLV the packet would pass the MTU")                    \
	X(TX_FULL, "tx_full", "the peer port did not take it")                                     \
	X(NO_BUFFER, "no_buffer", "no packet buffer free")                                         \
	X(INSERT_KEY_UNKNOWN, "insert_key_unknown", "the port's insertion key does not exist")     \
	X(FRAGMENTED, "fragmented", "SRH inside a fragment: an HMAC TLV cannot change its size")

#define GATE_VERDICTS(X) GATE_EVENTS(X) GATE_PASSES(X) GATE_DROPS(X)

enum gate_verdict {
#define X(symbol, name, help) GATE_##symbol,
	GATE_VERDICTS(X)
#undef X
		GATE_VERDICT_COUNT
};

#define GATE_FIRST_PASS GATE_VERIFIED
#define GATE_FIRST_DROP GATE_SRH_TRUNCATED

#endif
