/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One log type a module ("segseal.ports", set by --log-level), one line a message, to stderr.
 * Control side only: workers never log. Never log a secret.
 */
#ifndef SEGSEAL_GATEWAY_LOG_H
#define SEGSEAL_GATEWAY_LOG_H

#include <rte_log.h>

/* Once in each file that logs, before the first LOG(). */
#define LOG_MODULE(module)                                                                         \
	RTE_LOG_REGISTER(log_type_##module, segseal.module, INFO)                                  \
	static inline int log_type(void)                                                           \
	{                                                                                          \
		return log_type_##module;                                                          \
	}                                                                                          \
	_Static_assert(1, "takes the semicolon")

#define LOG(level, format, ...)                                                                    \
	rte_log(RTE_LOG_##level, log_type(), "segseal: " format "\n", ##__VA_ARGS__)

#endif
