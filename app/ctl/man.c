/* SPDX-License-Identifier: BSD-3-Clause */
#include "man.h"

#include "control/control.h"

static const char head[] =
	".TH SEGSEALCTL 1 \"\" \"segseal " SEGSEAL_VERSION "\"\n"
	".SH NAME\n"
	"segsealctl \\- control a running segseal\n"
	".SH SYNOPSIS\n"
	".B segsealctl\n"
	".RB [ \\-s\n"
	".IR SOCKET ]\n"
	".RB [ \\-f\n"
	".IR FILE ]\n"
	".RB [ \\-e ]\n"
	".RB [ \\-x ]\n"
	".RI [ COMMAND ...]\n"
	".SH DESCRIPTION\n"
	"Runs one command, the commands of a file, or those typed at its prompt, over the control\n"
	"socket of\n"
	".BR segseal ,\n"
	"the gateway that verifies and inserts the HMAC TLV of SRv6 packets.\n"
	"The same commands make up the configuration file of\n"
	".BR segseal .\n"
	".PP\n"
	"At the prompt, TAB completes a word, ? lists what may follow, the arrow keys edit the "
	"line\n"
	"and bring back earlier ones, and Ctrl\\-C gives a line up.\n"
	".SH OPTIONS\n"
	".TP\n"
	".BR \\-s \", \" \\-\\-socket \" \" \\fISOCKET\\fR\n"
	"Control socket of segseal; " CONTROL_SOCKET_DEFAULT " if not given.\n"
	".TP\n"
	".BR \\-f \", \" \\-\\-file \" \" \\fIFILE\\fR\n"
	"Run the commands in\n"
	".IR FILE ;\n"
	"\\- is standard input, which is also read when it is no terminal and no command is "
	"given.\n"
	".TP\n"
	".BR \\-e \", \" \\-\\-stop\n"
	"Stop at the first error.\n"
	".TP\n"
	".BR \\-x \", \" \\-\\-echo\n"
	"Print each command of a file before it is run.\n"
	".TP\n"
	".BR \\-h \", \" \\-\\-help\n"
	"Print a short help.\n"
	".TP\n"
	".BR \\-V \", \" \\-\\-version\n"
	"Print the version.\n";

static const char tail[] =
	".SH SECRETS\n"
	"The secret of a key is never a word of a command.\n"
	"It comes from the file that\n"
	".B secret\\-file\n"
	"names, whose octets it is but for one newline at its end, from that of\n"
	".BR secret\\-hex\\-file ,\n"
	"which holds hexadecimal digits, or, without either, from the terminal, where it is not\n"
	"shown. Without a terminal it is one line of standard input.\n"
	".SH EXIT STATUS\n"
	"0: done. 1: failed. 2: wrong usage, command or value.\n"
	".SH EXAMPLES\n"
	".nf\n"
	"segsealctl key add 1001 sha256 linux secret\\-file /etc/segseal/1001\n"
	"segsealctl port 0 verify require\n"
	"segsealctl show stats json\n"
	".fi\n"
	".SH SEE ALSO\n"
	".BR segseal (1),\n"
	"RFC 8754, IPv6 Segment Routing Header.\n";

void
man_page(FILE *out)
{
	fputs(head, out);
	control_man(out);
	fputs(tail, out);
}
