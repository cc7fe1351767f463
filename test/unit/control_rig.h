/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server with a few methods to try it with, in this thread: clients are sockets whose other ends
 * it has adopted, and rig_pump() lets it do all that it can do now.
 *
 *   echo          the params
 *   fail          EEXIST
 *   slow          "late", once rig.released
 *   big {"n"}     a string of n octets
 *   subscribe {"topics"}   sets the connection's topics
 *   key.add, key.set {"id", "algorithm", "profile", "secret" | "secret_hex"}   {"octets": length}
 */
#ifndef SEGSEAL_TEST_CONTROL_RIG_H
#define SEGSEAL_TEST_CONTROL_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/control.h"

struct rig {
	struct control_server *server;
	bool released;	 /* slow may answer */
	unsigned calls;	 /* of any method */
	char log[1024];	 /* what the log was told, a line each */
	char secret[65]; /* what key.add was given last */
	size_t secret_len;
	bool keep_secret;
};

int rig_setup(void **state);
int rig_teardown(void **state);
/* A client's end: blocks not. */
int rig_client(struct rig *rig);
void rig_pump(struct rig *rig);
/* Send all of text, pumping as needed. */
void rig_send(struct rig *rig, int fd, const char *text);
/* What has come back so far, as text; "" for nothing. The memory is the rig's until the next call.
 */
const char *rig_read(struct rig *rig, int fd);
/* send, then read. */
const char *rig_ask(struct rig *rig, int fd, const char *text);
/* True if the server has closed this client. */
bool rig_closed(struct rig *rig, int fd);

/* Make an empty folder for the test; path() appends to it. */
char *folder_make(void);
void folder_remove(char *folder);
const char *folder_path(const char *folder, const char *name);
void folder_write(const char *folder, const char *name, const void *octets, size_t n);

#endif
