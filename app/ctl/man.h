/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SEGSEAL_CTL_MAN_H
#define SEGSEAL_CTL_MAN_H

#include <stdio.h>

/* segsealctl(1), as troff. */
void man_page(FILE *out);

#endif
