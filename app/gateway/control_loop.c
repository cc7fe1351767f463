/* SPDX-License-Identifier: BSD-3-Clause */
#include "control_loop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "gateway.h"
#include "key_timer.h"
#include "log.h"

LOG_MODULE(control);

#define RECLAIM_MS 1 /* between looks at keys that workers may still be using */

int
control_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void
reload_keys(struct gateway *gateway)
{
	char error[CONTROL_ERROR_MAX];
	unsigned n;

	if (gateway->key_file == NULL) {
		LOG(WARNING, "SIGHUP: no key file has been loaded");
		return;
	}
	char *path = strdup(gateway->key_file); /* a successful load replaces it */

	if (path == NULL || gateway_load_keys(gateway, path, &n, error, sizeof(error)) != 0)
		LOG(ERR, "SIGHUP: keys stay as they were: %s", path ? error : strerror(ENOMEM));
	else
		LOG(NOTICE, "SIGHUP: %u keys from %s", n, path);
	free(path);
}

static void
take_signals(struct gateway *gateway, int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGHUP) {
			reload_keys(gateway);
			continue;
		}
		LOG(NOTICE, "%s: stopping", info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM");
		gateway->quit = true;
	}
}

static int
watch(int epoll, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Of two times to wait; -1 is for ever. */
static int
sooner(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

static int
serve(struct gateway *gateway, int epoll, int signals, struct key_timer *timer)
{
	int wait_ms = 0;

	while (!gateway->quit) {
		struct epoll_event events[4];
		int n = epoll_wait(epoll, events, 4, wait_ms);

		if (n < 0 && errno != EINTR)
			return -1;
		pthread_mutex_lock(&gateway->lock);
		take_signals(gateway, signals);
		/* Before answers, which tell of keys as they are, and after changes. */
		key_timer_serve(timer, gateway);
		wait_ms = control_server_poll(gateway->server);
		key_timer_serve(timer, gateway);
		if (keyring_reclaim(gateway->keyring) > 0)
			wait_ms = sooner(wait_ms, RECLAIM_MS);
		wait_ms = sooner(wait_ms, drops_poll(gateway));
		wait_ms = sooner(wait_ms, health_poll(gateway));
		wait_ms = sooner(wait_ms, alerts_poll(gateway));
		if (control_server_pending(gateway->server))
			wait_ms = 0;
		pthread_mutex_unlock(&gateway->lock);
	}
	return 0;
}

int
control_loop(struct gateway *gateway, int signals, char *error, size_t error_size)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct key_timer timer = {.fd = -1};
	int rc = -1;

	if (key_timer_open(&timer) == 0 && epoll >= 0 &&
	    watch(epoll, control_server_fd(gateway->server)) == 0 && watch(epoll, signals) == 0 &&
	    watch(epoll, timer.fd) == 0)
		rc = serve(gateway, epoll, signals, &timer);
	if (rc != 0)
		snprintf(error, error_size, "control loop: %s", strerror(errno));
	key_timer_close(&timer);
	if (epoll >= 0)
		close(epoll);
	return rc;
}
