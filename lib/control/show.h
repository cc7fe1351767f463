/* SPDX-License-Identifier: BSD-3-Clause */
/* What people are shown of each method's result (docs/api.md has their shapes). */
#ifndef SEGSEAL_CONTROL_SHOW_H
#define SEGSEAL_CONTROL_SHOW_H

#include "control/display.h"

void show_keys(struct display *display, const json_t *result);
void show_keys_rotated(struct display *display, const json_t *result);
void show_keys_loaded(struct display *display, const json_t *result);
void show_ports(struct display *display, const json_t *result);
void show_port_stats(struct display *display, const json_t *result);
void show_port_xstats(struct display *display, const json_t *result);
void show_sids(struct display *display, const json_t *result);
void show_stats(struct display *display, const json_t *result);
void show_version(struct display *display, const json_t *result);
void show_engine(struct display *display, const json_t *result);
void show_config_fwd(struct display *display, const json_t *result);
void show_config_rxtx(struct display *display, const json_t *result);
void show_config_cores(struct display *display, const json_t *result);
/* show_workers.c */
void show_workers(struct display *display, const json_t *result);
/* show_events.c */
void show_events(struct display *display, const json_t *result);
void show_event(struct display *display, const json_t *event);
/* show_drops.c */
void show_icmp(struct display *display, const json_t *result);
void show_trace(struct display *display, const json_t *result);
void show_capture(struct display *display, const json_t *result);

#endif
