/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that are more than one call of a method. For each see struct command. */
#ifndef SEGSEAL_CONTROL_RUN_H
#define SEGSEAL_CONTROL_RUN_H

#include "control/grammar.h"

int run_key_write(struct control_session *session, const struct match *match, char *error,
		  size_t error_size);
int run_key_show_secret(struct control_session *session, const struct match *match, char *error,
			size_t error_size);
int run_key_import_linux(struct control_session *session, const struct match *match, char *error,
			 size_t error_size);
int run_load(struct control_session *session, const struct match *match, char *error,
	     size_t error_size);
int run_help(struct control_session *session, const struct match *match, char *error,
	     size_t error_size);
int run_quit(struct control_session *session, const struct match *match, char *error,
	     size_t error_size);
int run_exit(struct control_session *session, const struct match *match, char *error,
	     size_t error_size);
int run_show_config(struct control_session *session, const struct match *match, char *error,
		    size_t error_size);

/*
 * Call a method (params are borrowed, may be NULL) and wait for its answer. 0 and *result (new
 * reference), or a negative errno and error, without the command's or method's name.
 */
int run_call(struct control_session *session, const char *method, json_t *params, json_t **result,
	     char *error, size_t error_size);
/* The same for several methods without params, in one batch: results is an array, in order. */
int run_batch(struct control_session *session, const char *const *methods, json_t **results,
	      char *error, size_t error_size);
/* The commands that rebuild the running state: *lines becomes an array of strings. */
int config_lines(struct control_session *session, json_t **lines, char *error, size_t error_size);
/* Call the command's method and show what comes back. */
int run_method(struct control_session *session, const struct match *match, char *error,
	       size_t error_size);
int run_save_config(struct control_session *session, const struct match *match, char *error,
		    size_t error_size);
int run_watch_events(struct control_session *session, const struct match *match, char *error,
		     size_t error_size);
int run_watch(struct control_session *session, const struct match *match, char *error,
	      size_t error_size);

#endif
