/* SPDX-License-Identifier: BSD-3-Clause */
/* What differs between the DPDK releases that segseal builds with: 22.11 to 24.11. */
#ifndef SEGSEAL_DPDK_COMPAT_H
#define SEGSEAL_DPDK_COMPAT_H

#include <rte_version.h>

/* DPDK 23.03 renamed the telemetry functions for unsigned integers. */
#if RTE_VERSION < RTE_VERSION_NUM(23, 3, 0, 0)
#define rte_tel_data_add_dict_uint rte_tel_data_add_dict_u64
#define rte_tel_data_add_array_uint rte_tel_data_add_array_u64
#define RTE_TEL_UINT_VAL RTE_TEL_U64_VAL
#endif

#endif
