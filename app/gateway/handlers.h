/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The methods of docs/api.md, one function each, by the file that holds them. Control thread; each
 * is a control_handler whose control_arg() is the struct gateway.
 */
#ifndef SEGSEAL_GATEWAY_HANDLERS_H
#define SEGSEAL_GATEWAY_HANDLERS_H

#include <jansson.h>

#include "control/control.h"
#include "keyring/window.h"
#include "ports.h"

/* handlers_key.c */
json_t *handle_key_add(struct control_call *call, const json_t *params);
json_t *handle_key_set(struct control_call *call, const json_t *params);
json_t *handle_key_del(struct control_call *call, const json_t *params);
json_t *handle_key_load(struct control_call *call, const json_t *params);
json_t *handle_key_list(struct control_call *call, const json_t *params);

/* handlers_rotate.c */
json_t *handle_key_rotate(struct control_call *call, const json_t *params);

/* handlers_window.c */
json_t *handle_key_window(struct control_call *call, const json_t *params);

/* handlers_secret.c */
json_t *handle_key_show_secret(struct control_call *call, const json_t *params);

/* handlers_port.c */
json_t *handle_port_set(struct control_call *call, const json_t *params);
json_t *handle_port_list(struct control_call *call, const json_t *params);

/* handlers_sid.c */
json_t *handle_sid_add(struct control_call *call, const json_t *params);
json_t *handle_sid_del(struct control_call *call, const json_t *params);
json_t *handle_sid_list(struct control_call *call, const json_t *params);

/* handlers_stats.c */
json_t *handle_stats_get(struct control_call *call, const json_t *params);
json_t *handle_stats_clear(struct control_call *call, const json_t *params);
json_t *handle_port_stats(struct control_call *call, const json_t *params);
json_t *handle_port_stats_clear(struct control_call *call, const json_t *params);

/* handlers_xstats.c */
json_t *handle_port_xstats(struct control_call *call, const json_t *params);

/* handlers_icmp.c */
json_t *handle_icmp_set(struct control_call *call, const json_t *params);
json_t *handle_icmp_get(struct control_call *call, const json_t *params);

/* handlers_drops.c */
json_t *handle_log_set(struct control_call *call, const json_t *params);
json_t *handle_log_get(struct control_call *call, const json_t *params);
json_t *handle_trace_add(struct control_call *call, const json_t *params);
json_t *handle_trace_clear(struct control_call *call, const json_t *params);
json_t *handle_trace_get(struct control_call *call, const json_t *params);
json_t *handle_capture_start(struct control_call *call, const json_t *params);
json_t *handle_capture_stop(struct control_call *call, const json_t *params);
json_t *handle_capture_get(struct control_call *call, const json_t *params);

/* handlers_events.c */
json_t *handle_events_subscribe(struct control_call *call, const json_t *params);
json_t *handle_events_unsubscribe(struct control_call *call, const json_t *params);
json_t *handle_events_list(struct control_call *call, const json_t *params);
json_t *handle_events_set(struct control_call *call, const json_t *params);

/* handlers_program.c */
json_t *handle_start(struct control_call *call, const json_t *params);
json_t *handle_stop(struct control_call *call, const json_t *params);
json_t *handle_quit(struct control_call *call, const json_t *params);
json_t *handle_version(struct control_call *call, const json_t *params);

/* handlers_worker.c */
json_t *handle_worker_list(struct control_call *call, const json_t *params);
json_t *handle_worker_set(struct control_call *call, const json_t *params);

/* handlers_engine.c */
json_t *handle_engine_get(struct control_call *call, const json_t *params);

/* Refuse every param. */
bool handlers_no_params(struct control_call *call, const json_t *params);
/*
 * The ports that params' "port" names: a number, or all of them when it is left out (or "all",
 * where a method allows the word). False after the call has failed.
 */
bool handlers_ports(struct control_call *call, const json_t *params, bool word, unsigned *first,
		    unsigned *last);
/* Params' optional member name, {"from":..,"to":..}: always open if it is left out or null. False
 * after the call has failed. */
bool handlers_window(struct control_call *call, const json_t *params, const char *name,
		     struct keyring_window *window);
/* Answer with result (taken over; NULL: ENOMEM) once every worker has begun a burst since now. */
json_t *handlers_when_quiescent(struct control_call *call, json_t *result);
/* The result, or -32000 ENOMEM when there is none. */
json_t *handlers_result(struct control_call *call, json_t *result);

#endif
