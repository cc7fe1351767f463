/* SPDX-License-Identifier: BSD-3-Clause */
#include "live.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_lcore.h>

#include "control_loop.h"
#include "eal.h"
#include "gateway.h"
#include "log.h"
#include "notify.h"
#include "prompt.h"
#include "protect.h"
#include "telemetry.h"

LOG_MODULE(live);

struct failure {
	char text[CONTROL_ERROR_MAX];
};

static int
run_forwarding(struct gateway *gateway, int signals, struct failure *failure)
{
	struct prompt *prompt = NULL;
	int status = STATUS_DONE;

	LOG(INFO, "%u ports, %u workers, control socket %s%s", gateway->ports.n, gateway->n_workers,
	    gateway->options->socket, gateway->forwarding ? "" : "; forwarding is stopped");
	if (gateway->options->interactive) {
		prompt = prompt_start(gateway->options->socket, failure->text,
				      sizeof(failure->text));
		if (prompt == NULL)
			return STATUS_FAILED;
	}
	telemetry_watch(gateway);
	notify_ready();
	if (control_loop(gateway, signals, failure->text, sizeof(failure->text)) != 0)
		status = STATUS_FAILED;
	notify_stopping();
	telemetry_watch(NULL);
	prompt_stop(prompt);
	return status;
}

static int
run_ports(struct gateway *gateway, int signals, struct failure *failure)
{
	const struct ports_conf conf = {
		.rx_queues = gateway->options->rxq,
		.workers = gateway->n_workers,
		.mbufs = gateway->options->mbufs,
	};
	char *text = failure->text;
	const size_t size = sizeof(failure->text);
	int rc = ports_setup(&gateway->ports, &conf, text, size);
	int status = STATUS_FAILED;

	if (rc != 0)
		return rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
	ports_limit(&gateway->ports, gateway->gate);
	if (gateway_arm(gateway, gateway->ports.in_flight, text, size) != 0 ||
	    ports_start(&gateway->ports, text, size) != 0)
		return STATUS_FAILED;
	if (gateway_launch(gateway, text, size) == 0)
		status = run_forwarding(gateway, signals, failure);
	gateway_land(gateway);
	ports_stop(&gateway->ports);
	return status;
}

/* 0, or -1 with failure. */
static int
give_group(struct gateway *gateway, const char *name, struct failure *failure)
{
	const struct group *group;

	if (name == NULL)
		return 0;
	group = getgrnam(name);
	if (group == NULL) {
		snprintf(failure->text, sizeof(failure->text), "--group: no group '%.60s'", name);
		return -1;
	}
	control_server_set_group(gateway->server, group->gr_gid);
	return 0;
}

static int
run_gateway(struct gateway *gateway, const struct options *options, int signals,
	    struct failure *failure)
{
	const unsigned workers = rte_lcore_count() - 1;
	char *text = failure->text;
	const size_t size = sizeof(failure->text);

	if (workers == 0) {
		snprintf(
			text, size,
			"one lcore is for control and none is left for a worker: give two or more, "
			"such as -l 0,1 or --lcores 0@0,1@0");
		return STATUS_USAGE;
	}
	if (ports_discover(&gateway->ports, text, size) != 0)
		return STATUS_USAGE;
	if (gateway_open(gateway, options, workers, text, size) != 0)
		return STATUS_FAILED;
	if (!keyring_locked(gateway->keyring))
		LOG(WARNING, "keys may be swapped out to disk: RLIMIT_MEMLOCK is too low for them");
	if (give_group(gateway, options->group, failure) != 0)
		return STATUS_USAGE;
	if (control_server_listen(gateway->server, options->socket, text, size) != 0)
		return STATUS_FAILED;
	if (gateway_configure(gateway, stdout, text, size) != 0)
		return STATUS_USAGE;
	fflush(stdout);
	if (gateway->quit)
		return STATUS_DONE;
	return run_ports(gateway, signals, failure);
}

int
live_run(const struct options *options, char **argv)
{
	struct gateway *gateway = calloc(1, sizeof(*gateway));
	struct failure failure = {""};
	int status = STATUS_FAILED;
	int signals = control_signals();
	int rc;

	if (gateway == NULL || signals < 0) {
		fprintf(stderr, "segseal: %s\n", strerror(errno));
	} else if ((rc = eal_start(options->eal_argc, argv, failure.text, sizeof(failure.text))) !=
		   0) {
		fprintf(stderr, "segseal: %s\n", failure.text);
		status = rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
	} else {
		protect_memory();
		status = run_gateway(gateway, options, signals, &failure);
		if (status != STATUS_DONE)
			fprintf(stderr, "segseal: %s\n", failure.text);
		gateway_close(gateway);
		eal_stop();
	}
	if (signals >= 0)
		close(signals);
	free(gateway);
	return status;
}
