/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>

#include "capture.h"
#include "control/progress.h"
#include "counters.h"
#include "eal.h"
#include "gateway.h"
#include "pools.h"
#include "protect.h"

#define MBUFS 4096u

struct replay {
	struct gateway gateway;
	struct rte_mempool *pool;
	struct capture_reader reader;
	struct capture_writer *writer;	    /* NULL: nothing is written */
	struct capture_writer *errors;	    /* ICMPv6; NULL: they go nowhere */
	const struct pcap_pkthdr *dropping; /* header of the packet that is dropped now */
	uint16_t port;			    /* that packets enter by */
	uint64_t read;			    /* packets */
	uint64_t cut;			    /* of them, those shorter than they were on the wire */
	uint8_t *flat;			    /* one packet in one piece */
	struct progress progress;

	uint16_t n; /* packets in hand */
	struct rte_mbuf *pkts[GATE_BURST_MAX];
	struct pcap_pkthdr headers[GATE_BURST_MAX];
};

static volatile sig_atomic_t interrupted;

static void
interrupt(int number)
{
	interrupted = number;
}

static void
catch_signals(void)
{
	const struct sigaction action = {.sa_handler = interrupt};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static int
write_packet(struct replay *replay, const struct rte_mbuf *pkt, struct pcap_pkthdr header)
{
	uint32_t len = rte_pktmbuf_pkt_len(pkt);

	if (replay->writer == NULL)
		return 0;
	if (len > CAPTURE_PACKET_MAX)
		return -1;
	/* What a cut packet lacked, it still lacks. */
	header.len = len + (header.len > header.caplen ? header.len - header.caplen : 0);
	header.caplen = len;
	capture_write(replay->writer, &header, rte_pktmbuf_read(pkt, 0, len, replay->flat));
	return 0;
}

/* An ICMPv6 error is written at the time of the packet that it answers. */
static bool
write_error(void *arg, uint16_t port, const uint8_t *frame, unsigned len)
{
	struct replay *replay = arg;
	struct pcap_pkthdr header = {.ts = replay->dropping->ts, .caplen = len, .len = len};

	(void)port;
	if (replay->errors != NULL)
		capture_write(replay->errors, &header, frame);
	return true;
}

/* What the control thread does with a dropped packet, by the capture's own clock. */
static void
take_dropped(struct replay *replay, const struct gate_dropped *dropped,
	     const struct pcap_pkthdr *header)
{
	const uint64_t ns =
		(uint64_t)header->ts.tv_sec * 1000000000u + (uint64_t)header->ts.tv_usec * 1000u;
	const struct drops_time time = {.now = ns, .wall = ns};
	const struct punt_record record = {
		.pkt = dropped->pkt,
		.key_id = dropped->key_id,
		.err_off = dropped->err_off,
		.verdict = dropped->verdict,
		.port = (uint8_t)replay->port,
	};

	replay->dropping = header;
	drops_take(&replay->gateway, &record, &time);
}

/* The packets in hand through the gate and out. 0, or -1 with error. */
static int
judge(struct replay *replay, char *error, size_t error_size)
{
	struct gate_worker *gate = replay->gateway.workers[0].gate;
	struct gate_dropped dropped[GATE_BURST_MAX];
	struct rte_mbuf *came[GATE_BURST_MAX];
	uint16_t n_dropped = 0;
	uint16_t sent = 0, off = 0;
	uint16_t n = replay->n;
	int rc = 0;

	replay->n = 0;
	if (n == 0)
		return 0;
	memcpy(came, replay->pkts, n * sizeof(came[0]));
	uint16_t passed = gate_burst(gate, replay->port, replay->pkts, n, dropped, &n_dropped);

	/* The gate keeps the order of both. */
	for (uint16_t i = 0; i < n; i++) {
		if (off < n_dropped && dropped[off].pkt == came[i])
			take_dropped(replay, &dropped[off++], &replay->headers[i]);
		else if (sent < passed)
			rc |= write_packet(replay, replay->pkts[sent++], replay->headers[i]);
	}
	gate_count(gate, replay->port, GATE_TX, sent);
	rte_pktmbuf_free_bulk(replay->pkts, passed);
	for (uint16_t i = 0; i < n_dropped; i++)
		rte_pktmbuf_free(dropped[i].pkt);
	if (rc != 0)
		snprintf(error, error_size, "%s: a packet longer than %u octets",
			 replay->gateway.options->write, CAPTURE_PACKET_MAX);
	return rc;
}

/* A packet as a driver would hand it over: in pieces if it does not fit into one buffer. */
static struct rte_mbuf *
make_packet(struct rte_mempool *pool, const uint8_t *data, uint32_t len)
{
	struct rte_mbuf *first = NULL;

	do {
		struct rte_mbuf *piece = rte_pktmbuf_alloc(pool);

		if (piece == NULL || (first != NULL && rte_pktmbuf_chain(first, piece) != 0)) {
			rte_pktmbuf_free(piece);
			rte_pktmbuf_free(first);
			return NULL;
		}
		uint16_t part = (uint16_t)RTE_MIN(len, (uint32_t)rte_pktmbuf_tailroom(piece));

		memcpy(rte_pktmbuf_mtod(piece, uint8_t *), data, part);
		piece->data_len = part;
		if (first == NULL)
			first = piece;
		first->pkt_len += part;
		data += part;
		len -= part;
	} while (len > 0);
	return first;
}

static int
take_packet(struct replay *replay, const struct pcap_pkthdr *header, const uint8_t *data,
	    char *error, size_t error_size)
{
	struct rte_mbuf *pkt = make_packet(replay->pool, data, header->caplen);

	/* Those in hand may have all the buffers. */
	if (pkt == NULL) {
		if (judge(replay, error, error_size) != 0)
			return -1;
		pkt = make_packet(replay->pool, data, header->caplen);
	}
	if (pkt == NULL) {
		snprintf(error, error_size, "no packet buffers for a packet of %u octets",
			 header->caplen);
		return -1;
	}
	replay->read++;
	if (header->caplen < header->len)
		replay->cut++;
	replay->headers[replay->n] = *header;
	replay->pkts[replay->n++] = pkt;
	return replay->n < GATE_BURST_MAX ? 0 : judge(replay, error, error_size);
}

static void
show_progress(struct replay *replay)
{
	char text[PROGRESS_TEXT_MAX];
	uint64_t done, total;

	if (!progress_due(&replay->progress))
		return;
	capture_position(&replay->reader, &done, &total);
	progress_text(text, replay->reader.path, done, total, replay->read,
		      progress_elapsed(&replay->progress));
	progress_draw(&replay->progress, text);
}

static int
replay_packets(struct replay *replay, char *error, size_t error_size)
{
	const struct pcap_pkthdr *header;
	const uint8_t *data;
	int rc;

	progress_begin(&replay->progress);
	while ((rc = capture_next(&replay->reader, &header, &data, error, error_size)) == 1 &&
	       !interrupted) {
		if (take_packet(replay, header, data, error, error_size) != 0) {
			progress_end(&replay->progress);
			return -1;
		}
		if (replay->n == 0)
			show_progress(replay);
	}
	progress_end(&replay->progress);
	if (interrupted) { /* which may be why the next could not be read */
		snprintf(error, error_size, "interrupted");
		rc = -1;
	}
	if (rc == 0)
		rc = judge(replay, error, error_size);
	rte_pktmbuf_free_bulk(replay->pkts, replay->n);
	replay->n = 0;
	return rc;
}

static int
print_summary(struct replay *replay, char *error, size_t error_size)
{
	gateway_count(&replay->gateway);
	const struct gate_counters counters = gateway_port_counters(&replay->gateway, replay->port);
	int rc = 0;

	if (replay->gateway.options->json) {
		json_t *json = counters_json(&counters);

		if (json != NULL && replay->gateway.drops.icmp.on)
			(void)json_object_set_new(json, "icmp", icmp_errors_json(&replay->gateway));
		rc = json == NULL ? -1 : json_dumpf(json, stdout, JSON_COMPACT);
		json_decref(json);
		putchar('\n');
	} else {
		counters_print(stdout, &counters);
		if (replay->gateway.drops.icmp.on)
			printf("%-24s %12" PRIu64 "  ICMPv6 errors, and %" PRIu64
			       " more held back by the limit\n",
			       "icmp", icmp_errors_sent(&replay->gateway),
			       icmp_errors_limited(&replay->gateway));
	}
	if (rc != 0 || fflush(stdout) != 0 || ferror(stdout)) {
		snprintf(error, error_size, "the summary: %s", strerror(errno));
		return -1;
	}
	if (replay->cut > 0)
		fprintf(stderr,
			"segseal: %s: %" PRIu64 " of %" PRIu64 " packets were cut by the capture "
			"and judged by what is there\n",
			replay->reader.path, replay->cut, replay->read);
	return 0;
}

static int
commit(struct capture_writer **writer, char *error, size_t error_size)
{
	struct capture_writer *whole = *writer;

	*writer = NULL;
	return whole != NULL ? capture_commit(whole, error, error_size) : 0;
}

static int
replay_armed(struct replay *replay, char *error, size_t error_size)
{
	const struct options *options = replay->gateway.options;

	if (gateway_arm(&replay->gateway, 2 * GATE_BURST_MAX, error, error_size) != 0)
		return -1;
	replay->pool =
		pools_packets("packets", MBUFS, RTE_MBUF_DEFAULT_BUF_SIZE, -1, error, error_size);
	replay->flat = malloc(CAPTURE_PACKET_MAX);
	if (replay->pool == NULL)
		return -1;
	if (replay->flat == NULL) {
		snprintf(error, error_size, "%s", strerror(ENOMEM));
		return -1;
	}
	if (options->write != NULL) {
		replay->writer = capture_create(options->write, error, error_size);
		if (replay->writer == NULL)
			return -1;
	}
	if (options->write_errors != NULL) {
		replay->errors = capture_create(options->write_errors, error, error_size);
		if (replay->errors == NULL)
			return -1;
	}
	if (replay_packets(replay, error, error_size) != 0 ||
	    commit(&replay->writer, error, error_size) != 0 ||
	    commit(&replay->errors, error, error_size) != 0)
		return -1;
	return print_summary(replay, error, error_size);
}

static int
replay_configured(struct replay *replay, char *error, size_t error_size)
{
	ports_replay(&replay->gateway.ports);
	if (gateway_open(&replay->gateway, replay->gateway.options, 1, error, error_size) != 0)
		return STATUS_FAILED;
	replay->gateway.drops.send = write_error;
	replay->gateway.drops.send_arg = replay;
	/* The summary is all that a replay says. */
	if (gateway_configure(&replay->gateway, NULL, error, error_size) != 0)
		return STATUS_USAGE;
	return replay_armed(replay, error, error_size) == 0 ? STATUS_DONE : STATUS_FAILED;
}

int
replay_run(const struct options *options, const char *program)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	char error[CONTROL_ERROR_MAX] = "";
	int status = STATUS_FAILED;

	if (replay == NULL) {
		fprintf(stderr, "segseal: %s\n", strerror(ENOMEM));
		return STATUS_FAILED;
	}
	replay->gateway.options = options;
	replay->port = options->from_peer ? 1 : 0;
	catch_signals();
	if (capture_open(&replay->reader, options->read, error, sizeof(error)) == 0 &&
	    eal_start_replay(program, error, sizeof(error)) == 0) {
		protect_memory();
		status = replay_configured(replay, error, sizeof(error));
		capture_discard(replay->writer);
		capture_discard(replay->errors);
		gateway_close(&replay->gateway);
		rte_mempool_free(replay->pool);
		eal_stop();
	}
	if (status != STATUS_DONE)
		fprintf(stderr, "segseal: %s\n", error);
	capture_close(&replay->reader);
	free(replay->flat);
	free(replay);
	return status;
}
