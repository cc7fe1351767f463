/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/linux_keys.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/seg6_genl.h>
#include <linux/seg6_hmac.h>

#include "control/text.h"

#define ANSWER_SECONDS 5

struct dump {
	struct linux_key *keys;
	unsigned n;
	unsigned room;
};

struct dialog {
	struct mnl_socket *sock;
	uint32_t seq;
	char request[512];
	char answer[32768]; /* the kernel gives a dump in pieces of at most this */
};

const char *
linux_algorithm_name(uint8_t algorithm)
{
	switch (algorithm) {
	case SEG6_HMAC_ALGO_SHA1:
		return "sha1";
	case SEG6_HMAC_ALGO_SHA256:
		return "sha256";
	default:
		return NULL;
	}
}

void
linux_keys_free(struct linux_key *keys, unsigned n)
{
	if (keys)
		explicit_bzero(keys, n * sizeof(*keys));
	free(keys);
}

/* A place for one more key, zeroed; NULL without memory. Grown by hand, so as to leave no copy. */
static struct linux_key *
dump_add(struct dump *dump)
{
	if (dump->n == dump->room) {
		unsigned room = dump->room ? 2 * dump->room : 64;
		struct linux_key *keys = calloc(room, sizeof(*keys));

		if (!keys)
			return NULL;
		if (dump->n > 0)
			memcpy(keys, dump->keys, dump->n * sizeof(*keys));
		linux_keys_free(dump->keys, dump->n);
		dump->keys = keys;
		dump->room = room;
	}
	return &dump->keys[dump->n++];
}

/* Attributes of one message by their type, for the types below n; others are skipped. */
struct attributes {
	const struct nlattr **found;
	unsigned n;
};

static int
collect(const struct nlattr *attr, void *data)
{
	const struct attributes *attributes = data;

	if (mnl_attr_get_type(attr) < attributes->n)
		attributes->found[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

static int
parse(const struct nlmsghdr *message, const struct nlattr **found, unsigned n)
{
	struct attributes attributes = {.found = found, .n = n};

	if (mnl_nlmsg_get_payload_len(message) < GENL_HDRLEN)
		return MNL_CB_ERROR;
	return mnl_attr_parse(message, GENL_HDRLEN, collect, &attributes);
}

static bool
has(const struct nlattr *attr, size_t len)
{
	return attr && mnl_attr_get_payload_len(attr) >= len;
}

static int
on_family(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *found[CTRL_ATTR_FAMILY_ID + 1] = {NULL};
	uint16_t *family = data;

	if (parse(message, found, CTRL_ATTR_FAMILY_ID + 1) < 0 ||
	    !has(found[CTRL_ATTR_FAMILY_ID], sizeof(*family))) {
		errno = EPROTO;
		return MNL_CB_ERROR;
	}
	*family = mnl_attr_get_u16(found[CTRL_ATTR_FAMILY_ID]);
	return MNL_CB_OK;
}

static int
on_key(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *found[SEG6_ATTR_MAX + 1] = {NULL};
	struct linux_key *key;
	uint8_t len;

	if (parse(message, found, SEG6_ATTR_MAX + 1) < 0 ||
	    !has(found[SEG6_ATTR_HMACKEYID], sizeof(uint32_t)) ||
	    !has(found[SEG6_ATTR_SECRETLEN], 1) || !has(found[SEG6_ATTR_ALGID], 1)) {
		errno = EPROTO;
		return MNL_CB_ERROR;
	}
	len = mnl_attr_get_u8(found[SEG6_ATTR_SECRETLEN]);
	if (len == 0 || len > LINUX_SECRET_MAX || !has(found[SEG6_ATTR_SECRET], len)) {
		errno = EPROTO;
		return MNL_CB_ERROR;
	}
	key = dump_add(data);
	if (!key) {
		errno = ENOMEM;
		return MNL_CB_ERROR;
	}
	key->id = mnl_attr_get_u32(found[SEG6_ATTR_HMACKEYID]);
	key->algorithm = mnl_attr_get_u8(found[SEG6_ATTR_ALGID]);
	key->secret_len = len;
	memcpy(key->secret, mnl_attr_get_payload(found[SEG6_ATTR_SECRET]), len);
	return MNL_CB_OK;
}

static struct nlmsghdr *
request(struct dialog *dialog, uint16_t family, uint16_t flags, uint8_t command)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(dialog->request);
	struct genlmsghdr *header;

	message->nlmsg_type = family;
	message->nlmsg_flags = NLM_F_REQUEST | flags;
	message->nlmsg_seq = ++dialog->seq;
	header = mnl_nlmsg_put_extra_header(message, sizeof(*header));
	header->cmd = command;
	header->version = 1;
	return message;
}

/* Send message and give each message of the answer to each. 0 or a negative errno. */
static int
ask(struct dialog *dialog, const struct nlmsghdr *message, mnl_cb_t each, void *arg)
{
	unsigned port = mnl_socket_get_portid(dialog->sock);
	int rc = MNL_CB_OK;

	if (mnl_socket_sendto(dialog->sock, message, message->nlmsg_len) < 0)
		return -errno;
	while (rc > MNL_CB_STOP) {
		ssize_t got =
			mnl_socket_recvfrom(dialog->sock, dialog->answer, sizeof(dialog->answer));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		rc = mnl_cb_run(dialog->answer, (size_t)got, dialog->seq, port, each, arg);
	}
	return rc < 0 ? -errno : 0;
}

static int
find_family(struct dialog *dialog, uint16_t *family)
{
	struct nlmsghdr *message = request(dialog, GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY);
	int rc;

	*family = 0;
	mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, SEG6_GENL_NAME);
	rc = ask(dialog, message, on_family, family);
	return rc == 0 && *family == 0 ? -ENOENT : rc;
}

static int
dump_keys(struct dialog *dialog, struct dump *dump)
{
	struct timeval timeout = {.tv_sec = ANSWER_SECONDS};
	uint16_t family;
	int rc;

	if (setsockopt(mnl_socket_get_fd(dialog->sock), SOL_SOCKET, SO_RCVTIMEO, &timeout,
		       sizeof(timeout)) < 0)
		return -errno;
	rc = find_family(dialog, &family);
	if (rc < 0)
		return rc == -ENOENT ? -EOPNOTSUPP : rc;
	return ask(dialog, request(dialog, family, NLM_F_DUMP, SEG6_CMD_DUMPHMAC), on_key, dump);
}

static int
explain(char *error, size_t error_size, int rc)
{
	if (rc == -EPERM)
		return text_error(error, error_size, EPERM,
				  "the kernel shows its HMAC keys only with CAP_NET_ADMIN");
	if (rc == -EOPNOTSUPP)
		return text_error(error, error_size, EOPNOTSUPP,
				  "this kernel has no SRv6 HMAC (CONFIG_IPV6_SEG6_HMAC)");
	return text_error(error, error_size, -rc, "cannot read the kernel's HMAC keys: %s",
			  strerror(-rc));
}

int
linux_keys_read(struct linux_key **keys, unsigned *n, char *error, size_t error_size)
{
	struct dump dump = {.keys = NULL};
	struct dialog dialog = {.seq = 0};
	int rc;

	dialog.sock = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!dialog.sock)
		return explain(error, error_size, -errno);
	rc = mnl_socket_bind(dialog.sock, 0, MNL_SOCKET_AUTOPID) < 0 ? -errno
								     : dump_keys(&dialog, &dump);
	mnl_socket_close(dialog.sock);
	explicit_bzero(dialog.answer, sizeof(dialog.answer));
	if (rc < 0) {
		linux_keys_free(dump.keys, dump.n);
		return explain(error, error_size, rc);
	}
	*keys = dump.keys;
	*n = dump.n;
	return 0;
}
