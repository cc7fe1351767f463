/* SPDX-License-Identifier: BSD-3-Clause */
/* Tell systemd (Type=notify) what state the service is in; does nothing when it did not ask. */
#ifndef SEGSEAL_GATEWAY_NOTIFY_H
#define SEGSEAL_GATEWAY_NOTIFY_H

void notify_ready(void);
void notify_stopping(void);

#endif
