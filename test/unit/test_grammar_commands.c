/* SPDX-License-Identifier: BSD-3-Clause */
/* Each command of the grammar: the request that it becomes, and what is shown of the answer. */
#include "control_rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "control/grammar.h"
#include "hmac/hmac.h"

struct exchange {
	char sent[1024];    /* the request, as text; the last of them */
	const char *answer; /* response object, as text */
	char *out;
	size_t out_size;
	bool said[96]; /* commands, by their place in the table */
};

static json_t *
answer_canned(void *arg, const json_t *request, char *error, size_t error_size)
{
	struct exchange *exchange = arg;
	char *text = json_dumps(request, JSON_COMPACT);

	(void)error;
	(void)error_size;
	snprintf(exchange->sent, sizeof(exchange->sent), "%s", text);
	free(text);
	return json_loads(exchange->answer, 0, NULL);
}

static struct exchange exchange;
static char error[CONTROL_ERROR_MAX];

static void
note_command(const char *line)
{
	struct words words;
	struct match match;

	if (words_split(&words, line, error, sizeof(error)) == 0 && words.n > 0 &&
	    grammar_match(&words, &match, error, sizeof(error)) == 0) {
		exchange.said[match.command - commands] = true;
		json_decref(match.params);
	}
}

/* Run a line against a canned answer; what was printed is in exchange.out. */
static int
say(const char *line, const char *answer)
{
	struct control_session session = {.transport = answer_canned, .transport_arg = &exchange};
	int rc;

	note_command(line);
	exchange.sent[0] = '\0';
	exchange.answer = answer;
	free(exchange.out);
	session.out = open_memstream(&exchange.out, &exchange.out_size);
	error[0] = '\0';
	rc = control_run_line(&session, line, error, sizeof(error));
	fclose(session.out);
	return rc;
}

#define RESULT(result) "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" result "}"

/* The line becomes this method and params. */
static void
check(const char *line, const char *method, const char *params)
{
	char expected[512];

	snprintf(expected, sizeof(expected),
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}", method, params);
	assert_int_equal(say(line, RESULT("{}")), 0);
	assert_string_equal(exchange.sent, expected);
}

static void
keys(void **state)
{
	char *folder = folder_make();
	char line[512], params[512], cwd[256];

	(void)state;
	folder_write(folder, "secret", "secret-key-one\n", 15);
	folder_write(folder, "hex", "00fF7a\n", 7);
	snprintf(line, sizeof(line), "key add 1001 sha256 linux secret-file %s/secret", folder);
	check(line, "key.add",
	      "{\"id\":1001,\"algorithm\":\"sha256\",\"profile\":\"linux\",\"secret_hex\":"
	      "\"7365637265742d6b65792d6f6e65\"}");
	snprintf(line, sizeof(line), "key set 0xFFffFFff sha1 rfc8754 secret-hex-file %s/hex",
		 folder);
	check(line, "key.set",
	      "{\"id\":4294967295,\"algorithm\":\"sha1\",\"profile\":\"rfc8754\",\"secret_hex\":"
	      "\"00fF7a\"}");
	snprintf(line, sizeof(line),
		 "key add 7 sha1 linux accept 2026-12-01T06:00:00Z..+7d send ..+30s "
		 "secret-hex-file %s/hex",
		 folder);
	check(line, "key.add",
	      "{\"id\":7,\"algorithm\":\"sha1\",\"profile\":\"linux\","
	      "\"accept\":{\"from\":\"2026-12-01T06:00:00Z\",\"to\":\"+7d\"},"
	      "\"send\":{\"from\":null,\"to\":\"+30s\"},\"secret_hex\":\"00fF7a\"}");
	check("key del 0x1", "key.del", "{\"id\":1}");
	check("key load /etc/keys", "key.load", "{\"path\":\"/etc/keys\"}");
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(params, sizeof(params), "{\"path\":\"%s/my keys\"}", cwd);
	check("key load 'my keys'", "key.load", params);
	/* A file of this name is a file; only ports have "all" for each of them. */
	snprintf(params, sizeof(params), "{\"path\":\"%s/all\"}", cwd);
	check("key load all", "key.load", params);
	check("key window 7 accept ..+1h", "key.window",
	      "{\"id\":7,\"accept\":{\"from\":null,\"to\":\"+1h\"}}");
	check("key window 7 accept .. send ..+0s", "key.window",
	      "{\"id\":7,\"accept\":{\"from\":null,\"to\":null},\"send\":{\"from\":null,\"to\":\"+"
	      "0s\"}}");
	check("key window 7 send 2026-12-01T06:00:00Z..", "key.window",
	      "{\"id\":7,\"send\":{\"from\":\"2026-12-01T06:00:00Z\",\"to\":null}}");
	check("key rotate 1001 0x3ea", "key.rotate", "{\"old\":1001,\"new\":1002}");
	assert_int_equal(say("key show-secret 0x7", RESULT("{\"id\":7,\"secret_hex\":\"7e2041\"}")),
			 0);
	assert_non_null(
		strstr(exchange.sent, "\"method\":\"key.show-secret\",\"params\":{\"id\":7}"));
	assert_string_equal(exchange.out, "text:~ A\n");
	say("key show-secret 7", RESULT("{\"id\":7,\"secret_hex\":\"7e207f\"}"));
	assert_string_equal(exchange.out, "hex:7e207f\n");
	say("key show-secret 7 json", RESULT("{\"id\":7,\"secret_hex\":\"41\"}"));
	assert_string_equal(exchange.out, "{\"id\":7,\"secret_hex\":\"41\"}\n");
	assert_int_equal(say("key show-secret 7", RESULT("{\"id\":7,\"secret_hex\":\"4\"}")),
			 -EPROTO);
	assert_int_equal(say("key show-secret 7", RESULT("{}")), -EPROTO);
	assert_string_equal(exchange.out, "");
	check("show keys", "key.list", "{}");
	check("show keys 7", "key.list", "{\"id\":7}");
	check("show keys 7 json", "key.list", "{\"id\":7}");
	folder_remove(folder);
}

static void
ports(void **state)
{
	(void)state;
	check("port 0 peer 1", "port.set", "{\"port\":0,\"peer\":1}");
	check("port 3 verify off", "port.set", "{\"port\":3,\"verify\":\"off\"}");
	check("port 3 verify if-present", "port.set", "{\"port\":3,\"verify\":\"if-present\"}");
	check("port 3 verify require", "port.set", "{\"port\":3,\"verify\":\"require\"}");
	check("port 0 strip on", "port.set", "{\"port\":0,\"strip\":true}");
	check("port 0 strip off", "port.set", "{\"port\":0,\"strip\":false}");
	check("port 0 insert off", "port.set", "{\"port\":0,\"insert\":null}");
	check("port 0 insert key 1001", "port.set", "{\"port\":0,\"insert\":1001}");
	check("port 0 mtu 9000", "port.set", "{\"port\":0,\"mtu\":9000}");
	check("set promisc 1 on", "port.set", "{\"port\":1,\"promiscuous\":true}");
	check("show port info all", "port.list", "{}");
	check("show port info 2 json", "port.list", "{\"port\":2}");
	check("show port stats all json", "port.stats", "{}");
	check("show port stats 0", "port.stats", "{\"port\":0}");
	check("show port xstats 1", "port.xstats", "{\"port\":1}");
	check("show port xstats all json", "port.xstats", "{}");
	check("clear port stats 5", "port.stats.clear", "{\"port\":5}");
	check("clear port stats all", "port.stats.clear", "{}");
}

static void
the_rest(void **state)
{
	(void)state;
	check("sid add fc00::/16", "sid.add", "{\"prefix\":\"fc00::/16\"}");
	check("sid del ::/0", "sid.del", "{\"prefix\":\"::/0\"}");
	check("sid add 2001:db8::1/128 # ours", "sid.add", "{\"prefix\":\"2001:db8::1/128\"}");
	check("show sids", "sid.list", "{}");
	check("  show\tsids   json ", "sid.list", "{}");
	check("icmp source 2001:db8::1", "icmp.set", "{\"source\":\"2001:db8::1\"}");
	check("icmp source off", "icmp.set", "{\"source\":null}");
	check("icmp rate 1000", "icmp.set", "{\"rate\":1000}");
	check("show icmp json", "icmp.get", "{}");
	check("log drops off", "log.set", "{\"drops\":false}");
	check("trace add 5", "trace.add", "{\"count\":5}");
	check("trace add 100 reason hmac_mismatch port 0 key 0x10", "trace.add",
	      "{\"count\":100,\"reason\":\"hmac_mismatch\",\"port\":0,\"key\":16}");
	check("trace add 1 key 7", "trace.add", "{\"count\":1,\"key\":7}");
	check("trace clear", "trace.clear", "{}");
	check("show trace", "trace.get", "{}");
	check("capture start /tmp/d.pcapng", "capture.start", "{\"path\":\"/tmp/d.pcapng\"}");
	check("capture start /d reason no_srh limit 9", "capture.start",
	      "{\"path\":\"/d\",\"reason\":\"no_srh\",\"limit\":9}");
	check("capture stop", "capture.stop", "{}");
	check("show capture", "capture.get", "{}");
	check("start", "start", "{}");
	check("stop\r\n", "stop", "{}");
	check("show stats", "stats.get", "{}");
	check("clear stats", "stats.clear", "{}");
	check("show config fwd", "port.list", "{}");
	check("show config rxtx json", "port.list", "{}");
	check("show config cores", "worker.list", "{}");
	check("show engine", "engine.get", "{}");
	check("show workers", "worker.list", "{}");
	check("worker stuck-after 250", "worker.set", "{\"stuck_after_ms\":250}");
	check("events drop-rate 5", "events.set", "{\"drop_rate\":5}");
	check("show events", "events.list", "{}");
	check("show version", "version", "{}");
	check("quit", "quit", "{}");
}

static void
quit_and_exit_end_the_session(void **state)
{
	struct control_session session = {.transport = answer_canned, .transport_arg = &exchange};

	(void)state;
	exchange.answer = RESULT("{}");
	assert_int_equal(control_run_line(&session, "quit", error, sizeof(error)), 0);
	assert_true(session.quit);
	session.quit = false;
	exchange.answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":"
			  "\"quit: no\",\"data\":{\"errno\":\"EPERM\"}}}";
	assert_int_equal(control_run_line(&session, "quit", error, sizeof(error)), -EPERM);
	assert_false(session.quit);
	exchange.sent[0] = '\0';
	assert_int_equal(control_run_line(&session, "exit", error, sizeof(error)), 0);
	assert_true(session.quit);
	assert_string_equal(exchange.sent, "");
}

static void
nothing_to_do(void **state)
{
	static const char *const lines[] = {"", "   ", "\t\r\n", "# comment", "  # key del 7"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(say(lines[i], RESULT("{}")), 0);
		assert_string_equal(exchange.sent, "");
		assert_string_equal(exchange.out, "");
	}
}

static void
json_is_the_result_itself(void **state)
{
	(void)state;
	assert_int_equal(say("show stats json", RESULT("{\"rx\":1,\"drops\":{\"no_srh\":2}}")), 0);
	assert_string_equal(exchange.out, "{\"rx\":1,\"drops\":{\"no_srh\":2}}\n");
	assert_int_equal(say("show keys json", RESULT("{\"keys\":[]}")), 0);
	assert_string_equal(exchange.out, "{\"keys\":[]}\n");
	assert_int_equal(say("show port stats all json", RESULT("{\"ports\":[{\"port\":0}]}")), 0);
	assert_string_equal(exchange.out, "{\"ports\":[{\"port\":0}]}\n");
}

#define KEY                                                                                        \
	"\"algorithm\":\"sha256\",\"profile\":\"linux\",\"secret_length\":14,\"fingerprint\":"     \
	"\"90d27d4ef3c9a1b2\",\"state\":\"sending\",\"accept\":{\"from\":null,\"to\":null},"       \
	"\"send\":{\"from\":\"2026-12-01T06:00:00Z\",\"to\":null},\"verified\":12,\"failed\":0,"   \
	"\"inserted\":0,"

static void
tables_are_aligned(void **state)
{
	(void)state;
	say("show keys", RESULT("{\"keys\":[{\"id\":7," KEY "\"last_used_seconds\":null},"
				"{\"id\":4294967295," KEY "\"last_used_seconds\":3}]}"));
	assert_string_equal(
		exchange.out,
		"        id  algorithm  profile  secret octets  fingerprint       state    "
		"verified  failed  inserted  last used  accept  send\n"
		"         7  sha256     linux               14  90d27d4ef3c9a1b2  sending  "
		"      12       0         0  never      always  2026-12-01T06:00:00Z..\n"
		"4294967295  sha256     linux               14  90d27d4ef3c9a1b2  sending  "
		"      12       0         0  3s ago     always  2026-12-01T06:00:00Z..\n");
	say("show keys", RESULT("{\"keys\":[]}"));
	assert_string_equal(exchange.out, "no keys\n");
	say("show sids", RESULT("{\"sids\":[\"fc00::/16\",\"fd00::/8\"]}"));
	assert_string_equal(exchange.out, "fc00::/16\nfd00::/8\n");
	say("show version",
	    RESULT("{\"version\":\"0.1.0\",\"dpdk\":\"DPDK 22.11.11\",\"ipsec_mb\":\"1.3.0\"}"));
	assert_string_equal(exchange.out,
			    "segseal   0.1.0\nDPDK      DPDK 22.11.11\nIPsec-MB  1.3.0\n");
	say("show port xstats all", RESULT("{\"ports\":[{\"port\":2,\"xstats\":{\"rx_x\":7}}]}"));
	assert_string_equal(exchange.out, "port 2\n  rx_x: 7\n");
	say("key load /k", RESULT("{\"keys\":2}"));
	assert_string_equal(exchange.out, "2 keys\n");
	say("key rotate 1 2", RESULT("{\"ports\":[0,3]}"));
	assert_string_equal(exchange.out, "port 0\nport 3\n");
}

static void
numbers_and_states_in_words(void **state)
{
	(void)state;
	say("show config fwd",
	    RESULT("{\"ports\":[{\"port\":0,\"peer\":1,\"verify\":\"require\",\"strip\":true,"
		   "\"insert\":null,\"name\":\"a\"},{\"port\":10,\"peer\":null,\"verify\":\"off\","
		   "\"strip\":false,\"insert\":77,\"name\":\"bb\"}]}"));
	assert_string_equal(exchange.out, "port  peer  verify   strip  insert key  name\n"
					  "   0     1  require  on     off         a\n"
					  "  10     -  off      off    77          bb\n");
	say("show config cores",
	    RESULT("{\"workers\":[{\"lcore\":2,\"worker\":0,\"socket\":0,\"queues\":["
		   "{\"port\":0,\"queue\":1},{\"port\":3,\"queue\":0}]},"
		   "{\"lcore\":3,\"worker\":1,\"socket\":1,\"queues\":[]}]}"));
	assert_string_equal(exchange.out, "lcore  worker  NUMA  port:queue\n"
					  "    2       0     0  0:1 3:0\n"
					  "    3       1     1  -\n");
	static const struct {
		const char *json, *text;
	} ages[] = {{"0", "0s ago"},	{"119", "119s ago"},  {"120", "2min ago"},
		    {"7200", "2h ago"}, {"172800", "2d ago"}, {"null", "never"}};

	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++) {
		char answer[128];

		snprintf(answer, sizeof(answer), RESULT("{\"keys\":[{\"last_used_seconds\":%s}]}"),
			 ages[i].json);
		say("show keys", answer);
		assert_non_null(strstr(exchange.out, ages[i].text));
	}
}

/* The second look at counters shows what happened since the first. */
static void
rates(void **state)
{
	static const char first[] = RESULT("{\"rx\":1000,\"tx\":5,\"drops\":{\"no_srh\":0}}");
	static const char then[] = RESULT("{\"rx\":3000,\"tx\":5,\"drops\":{\"no_srh\":20}}");
	const struct timespec pause = {.tv_nsec = 200000000};
	struct control_session session = {.transport = answer_canned, .transport_arg = &exchange};
	char *out;
	size_t size;

	(void)state;
	session.looks = control_looks_create();
	session.out = open_memstream(&out, &size);
	exchange.answer = first;
	assert_int_equal(control_run_line(&session, "show stats", error, sizeof(error)), 0);
	fclose(session.out);
	assert_null(strstr(out, "pps"));
	free(out);

	nanosleep(&pause, NULL);
	session.out = open_memstream(&out, &size);
	exchange.answer = then;
	assert_int_equal(control_run_line(&session, "show stats", error, sizeof(error)), 0);
	fclose(session.out);
	double rx = 0, no_srh = 0, seconds = 0;

	assert_int_equal(sscanf(out, "rx 3000 %lf kpps packets received", &rx), 1);
	assert_int_equal(sscanf(strstr(out, "\nno_srh                 20") + 1, "no_srh 20 %lf pps",
				&no_srh),
			 1);
	assert_int_equal(
		sscanf(strstr(out, "rates over"), "rates over the last %lf seconds", &seconds), 1);
	assert_true(seconds > 0.15);
	/* 2000 packets in 0.2 seconds or a little more are nearly 10 kpps; 20 are nearly 100 pps.
	 */
	assert_true(rx > 0 && rx <= 10.0 && no_srh > 0 && no_srh <= 100.0);
	assert_true(rx * 10 > no_srh * 0.98 && rx * 10 < no_srh * 1.02);
	free(out);

	/* Counters that were cleared meanwhile have none, whichever shows it. */
	session.out = open_memstream(&out, &size);
	exchange.answer = RESULT("{\"rx\":5000,\"tx\":4,\"drops\":{\"no_srh\":30}}");
	assert_int_equal(control_run_line(&session, "show stats", error, sizeof(error)), 0);
	fclose(session.out);
	assert_non_null(strstr(out, "5000"));
	assert_null(strstr(out, "pps"));
	assert_null(strstr(out, "rates over"));
	free(out);
	control_looks_destroy(session.looks);
}

static void
port_rates(void **state)
{
	struct control_session session = {.transport = answer_canned, .transport_arg = &exchange};
	const struct timespec pause = {.tv_nsec = 100000000};
	char *out;
	size_t size;
	double bits = 0;

	(void)state;
	session.looks = control_looks_create();
	for (int i = 0; i < 2; i++) {
		session.out = open_memstream(&out, &size);
		exchange.answer =
			i ? RESULT("{\"ports\":[{\"port\":1,\"ibytes\":7},{\"port\":3,\"ibytes\":"
				   "125000,"
				   "\"gate\":{\"rx\":5}}]}")
			  : RESULT("{\"ports\":[{\"port\":3,\"ibytes\":0,\"gate\":{\"rx\":0}}]}");
		assert_int_equal(
			control_run_line(&session, "show port stats all", error, sizeof(error)), 0);
		fclose(session.out);
		if (i == 0)
			free(out);
		nanosleep(&pause, NULL);
	}
	/* A port that was not there before has no rates; a megabit in 0.1 seconds is 10 Mbit/s. */
	const char *second = strstr(out, "port 3\n");

	assert_non_null(second);
	assert_true(strstr(out, "Mbit/s") > second);
	assert_int_equal(sscanf(strstr(second, "ibytes"), "ibytes 125000 %lf Mbit/s", &bits), 1);
	assert_true(bits > 0 && bits <= 10.0);
	free(out);
	control_looks_destroy(session.looks);
}

#define NO_KEYS RESULT("{\"keys\":[]}")
#define ONE_SID RESULT("{\"sids\":[\"fc00::/16\"]}")
#define NO_PORTS RESULT("{\"ports\":[]}")
#define ICMP RESULT("{\"rate\":100}")
#define LOG RESULT("{\"drops\":true}")
#define WORKERS RESULT("{\"stuck_after_ms\":1000}")
#define EVENTS RESULT("{\"events\":[],\"drop_rate\":1000}")

static unsigned folders_synced;

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int
__wrap_fsync(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	folders_synced += S_ISDIR(st.st_mode);
	return __real_fsync(fd);
}

static void
saves_config_in_one_step(void **state)
{
	static const char answer[] =
		"[" NO_KEYS "," ONE_SID "," NO_PORTS "," ICMP "," LOG "," WORKERS "," EVENTS "]";
	char *folder = folder_make();
	char line[256], text[64] = "";
	struct stat st;
	FILE *file;

	(void)state;
	snprintf(line, sizeof(line), "save config %s/config", folder);
	folders_synced = 0;
	assert_int_equal(say(line, answer), 0);
	assert_int_equal(folders_synced, 1);
	assert_int_equal(stat(folder_path(folder, "config"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	file = fopen(folder_path(folder, "config"), "r");
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, "sid add fc00::/16\n");

	/* What was there keeps its mode, and stays as it is when something fails. */
	chmod(folder_path(folder, "config"), 0600);
	assert_int_equal(say(line, answer), 0);
	assert_int_equal(stat(folder_path(folder, "config"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(say(line, RESULT("{}")), -EPROTO);
	assert_int_equal(stat(folder_path(folder, "config"), &st), 0);
	assert_int_equal(st.st_size, strlen("sid add fc00::/16\n"));

	assert_int_equal(mkdir(folder_path(folder, "taken"), 0755), 0);
	snprintf(line, sizeof(line), "save config %s/taken", folder);
	assert_int_equal(say(line, answer), -EISDIR);
	assert_non_null(strstr(error, "/taken: Is a directory"));
	assert_int_equal(folders_synced, 2);
	snprintf(line, sizeof(line), "save config %s/no/config", folder);
	assert_int_equal(say(line, answer), -ENOENT);
	/* Nothing is left of the attempts. */
	snprintf(line, sizeof(line), "test $(ls -A %s | wc -l) = 2", folder);
	assert_int_equal(system(line), 0);
	folder_remove(folder);
}

static void
watch_needs_a_terminal(void **state)
{
	(void)state;
	assert_int_equal(say("show stats watch", RESULT("{}")), -ENOTTY);
	assert_string_equal(error, "show stats watch: needs a terminal to show it on");
}

static void
check_complete(const char *line, const char *words)
{
	char *out;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	control_complete(file, line);
	fclose(file);
	assert_string_equal(out, words);
	free(out);
}

static void
completes_words(void **state)
{
	char *folder = folder_make();
	char line[600], words[600];

	(void)state;
	check_complete("ke", "key\n");
	check_complete("sid ", "add\ndel\n");
	check_complete("key add 1 sha3", "sha384\n");
	check_complete("key add 1 sha256 l", "linux\n");
	check_complete("port 0 strip o", "off\non\n");
	check_complete("port 0 verify ", "if-present\noff\nrequire\n");
	check_complete("show port info ", "all\n");
	check_complete("key del ", ""); /* a value that cannot be listed */
	check_complete("frob ", "");
	check_complete("key del 1 ", "");
	check_complete("# key", "");
	check_complete("key #a ", "");
	check_complete("key '", "");
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	check_complete(line, "");
	folder_write(folder, "b", "", 0);
	folder_write(folder, "with blank", "", 0);
	folder_write(folder, ".hidden", "", 0);
	mkdir(folder_path(folder, "a"), 0755);
	snprintf(line, sizeof(line), "load %s/", folder);
	snprintf(words, sizeof(words), "%s/a/\n%s/b\n", folder, folder);
	check_complete(line, words);
	snprintf(line, sizeof(line), "load %s/.h", folder);
	snprintf(words, sizeof(words), "%s/.hidden\n", folder);
	check_complete(line, words);
	check_complete("load /no/such/folder/", "");
	folder_remove(folder);
}

static void
man_page_has_each_command(void **state)
{
	unsigned n = 0, found = 0;
	char *out;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	(void)state;
	control_man(file);
	fclose(file);
	for (const struct command *command = commands; command->pattern; command++)
		n++;
	for (const char *at = out; (at = strstr(at, ".TP\n.B ")); at++)
		found++;
	assert_int_equal(found, n);
	assert_non_null(strstr(out, ".B port N verify off|if\\-present|require\n"));
	free(out);
}

/* What a stranger's server sends must not move the cursor, nor crash. */
static void
strange_results_are_shown_harmlessly(void **state)
{
	static const char *const results[] = {
		RESULT("{}"),
		RESULT("[]"),
		RESULT("7"),
		RESULT("{\"keys\":7,\"ports\":7,\"sids\":7,\"workers\":7,\"drops\":7}"),
		RESULT("{\"keys\":[7],\"ports\":[7],\"sids\":[7],\"workers\":[7]}"),
		RESULT("{\"events\":7}"),
		RESULT("{\"events\":[7,{},{\"event\":7},{\"event\":\"key\",\"key\":\"x\"}]}"),
		RESULT("{\"keys\":[{\"id\":{}}],\"ports\":[{\"port\":{},\"gate\":[]}]}"),
	};
	static const char *const lines[] = {
		"show keys",	"show port info all", "show port stats all", "show port xstats all",
		"show sids",	"show stats",	      "show engine",	     "show workers",
		"show version", "show events"};

	(void)state;
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++)
			assert_int_equal(say(lines[j], results[i]), 0);
	say("show keys", RESULT("{\"keys\":[{\"id\":1,\"algorithm\":\"\\u001b[2Jx\\n\"}]}"));
	assert_null(strchr(exchange.out, '\033'));
	assert_non_null(strstr(exchange.out, "?[2Jx?"));
	say("show sids", RESULT("{\"sids\":[\"\\u001b[2J\"]}"));
	assert_null(strchr(exchange.out, '\033'));
}

#define CONFIG_REST                                                                                \
	"," RESULT("{\"stuck_after_ms\":500}") "," RESULT("{\"events\":[],\"drop_rate\":7}") "]"

static void
events_in_words(void **state)
{
	static const char answer[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"drop_rate\":1000,\"events\":["
		"{\"time\":\"T1\",\"event\":\"key\",\"key\":7,\"state\":\"expired\"},"
		"{\"time\":\"T2\",\"event\":\"drops\",\"reason\":\"key_unknown\","
		"\"state\":\"above\",\"rate\":5000,\"limit\":1000},"
		"{\"time\":\"T3\",\"event\":\"link\",\"port\":1,\"state\":\"up\","
		"\"speed_mbps\":10000},"
		"{\"time\":\"T4\",\"event\":\"link\",\"port\":1,\"state\":\"down\","
		"\"speed_mbps\":0},"
		"{\"time\":\"T5\",\"event\":\"worker\",\"worker\":0,\"lcore\":1,"
		"\"state\":\"stuck\",\"silent_ms\":1000},"
		"{\"time\":\"T7\",\"event\":\"change\",\"method\":\"key.del\","
		"\"params\":\"{\\\"id\\\":7}\",\"uid\":0,\"pid\":12},"
		"{\"event\":\"lost\",\"count\":12},"
		"{\"time\":\"T6\",\"event\":\"new\",\"x\":\"\\u001b\"}]}}";

	(void)state;
	assert_int_equal(say("show events", answer), 0);
	assert_string_equal(
		exchange.out,
		"T1  key 7: expired\n"
		"T2  drops: key_unknown: 5000 packets a second, above the limit of 1000\n"
		"T3  port 1: link up, 10000 Mbit/s\n"
		"T4  port 1: link down\n"
		"T5  worker 0 on lcore 1: stuck, no heartbeat for 1000 ms\n"
		"T7  uid 0 pid 12: key.del {\"id\":7}\n"
		"12 events were lost here\n"
		"T6  {\"time\":\"T6\",\"event\":\"new\",\"x\":\"\\u001B\"}\n");
	assert_int_equal(say("show events", RESULT("{\"events\":[],\"drop_rate\":1000}")), 0);
	assert_string_equal(exchange.out, "no events\n");
	/* Where there is nobody to tell of them. */
	assert_int_equal(say("show events watch", RESULT("{}")), -ENOTSUP);
	assert_string_equal(error, "show events watch: a configuration file has no events");
}

static void
config_is_commands(void **state)
{
	static const char answer[] = "[" RESULT(
		"{\"keys\":[{\"id\":1001,\"algorithm\":\"sha256\",\"profile\":\"linux\"}"
		"]}") "," RESULT("{\"sids\":[\"fc00::/16\"]}") "," RESULT("{\"ports\":[{"
									  "\"port\":0,"
									  "\"peer\":1,"
									  "\"mtu\":1500,"
									  "\"verify\":"
									  "\"require\","
									  "\"strip\":true,"
									  "\"insert\":null}"
									  ","
									  "{\"port\":1,"
									  "\"peer\":"
									  "null,\"mtu\":"
									  "9000,"
									  "\"verify\":"
									  "\"off\","
									  "\"strip\":false,"
									  "\"insert\":1001}"
									  "]}") "," RESULT("{\"sour"
											   "ce\":"
											   "\"2001:"
											   "db8::"
											   "1\","
											   "\"rate"
											   "\":7}") "," RESULT("{\"drops\":false}")
		CONFIG_REST;

	(void)state;
	assert_int_equal(say("show config", answer), 0);
	assert_string_equal(exchange.out, "# key add 1001 sha256 linux secret-file ...\n"
					  "sid add fc00::/16\n"
					  "port 0 peer 1\n"
					  "port 0 mtu 1500\n"
					  "port 0 verify require\n"
					  "port 0 strip on\n"
					  "port 0 insert off\n"
					  "port 1 mtu 9000\n"
					  "port 1 verify off\n"
					  "port 1 strip off\n"
					  "port 1 insert key 1001\n"
					  "icmp rate 7\n"
					  "icmp source 2001:db8::1\n"
					  "log drops off\n"
					  "worker stuck-after 500\n"
					  "events drop-rate 7\n");
	assert_int_equal(say("show config json", answer), 0);
	assert_memory_equal(exchange.out, "{\"commands\":[\"# key add 1001", 28);
}

static void
help_finds_commands(void **state)
{
	unsigned n = 0;

	(void)state;
	say("help", RESULT("{}"));
	for (const struct command *command = commands; command->pattern; command++, n++) {
		assert_non_null(strstr(exchange.out, command->pattern));
		assert_non_null(strstr(exchange.out, command->help));
	}
	assert_true(n > 25);
	say("help key", RESULT("{}"));
	assert_non_null(strstr(exchange.out, "key load PATH\n"));
	assert_null(strstr(exchange.out, "show keys"));
	say("help port 0 insert", RESULT("{}"));
	assert_memory_equal(exchange.out, "port N insert off\n", 18);
	assert_null(strstr(exchange.out, "mtu"));
	say("help nonsense", RESULT("{}"));
	assert_non_null(strstr(exchange.out, "no command begins so"));
	assert_string_equal(exchange.sent, "");
}

static void
words_of_the_grammar_are_the_library_s(void **state)
{
	const struct word_type *algorithm = word_type_find("ALGORITHM", 9);
	const struct word_type *profile = word_type_find("PROFILE", 7);

	(void)state;
	for (unsigned i = 0; i < HMAC_ALGORITHMS; i++)
		assert_string_equal(algorithm->words[i], hmac_algorithm_name(i));
	assert_null(algorithm->words[HMAC_ALGORITHMS]);
	for (unsigned i = 0; i < HMAC_PROFILES; i++)
		assert_string_equal(profile->words[i], hmac_profile_name(i));
	assert_null(profile->words[HMAC_PROFILES]);
}

static void
errors_of_the_server(void **state)
{
	(void)state;
	assert_int_equal(say("key del 7",
			     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,"
			     "\"message\":\"key.del: no key 7\",\"data\":{\"errno\":"
			     "\"ENOENT\"}}}"),
			 -ENOENT);
	assert_string_equal(error, "key del: no key 7");
	assert_int_equal(say("port 0 verify off",
			     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
			     "\"message\":\"port.set: port: bad\"}}"),
			 -EINVAL);
	assert_string_equal(error, "port 0 verify: port: bad");
	assert_int_equal(say("start", "{\"jsonrpc\":\"2.0\",\"id\":1}"), -EPROTO);
	assert_string_equal(error, "start: the answer is not segseal's");
	assert_int_equal(
		say("start", "{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"a\\nb\"}}"), -EIO);
	assert_string_equal(error, "start: a?b");
	assert_int_equal(say("show config", "[]"), -EPROTO);
	assert_int_equal(say("show config", RESULT("{}")), -EPROTO);
}

/* Every command that there is has been said above. */
static void
each_command_was_said(void **state)
{
	(void)state;
	say("exit", RESULT("{}"));
	say("load /dev/null", RESULT("{}"));
	say("key import-linux", RESULT("{}")); /* tested by its owner, where there is a kernel */
	for (unsigned i = 0; commands[i].pattern; i++)
		if (!exchange.said[i])
			fail_msg("no test says: %s", commands[i].pattern);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),
		cmocka_unit_test(ports),
		cmocka_unit_test(the_rest),
		cmocka_unit_test(quit_and_exit_end_the_session),
		cmocka_unit_test(nothing_to_do),
		cmocka_unit_test(json_is_the_result_itself),
		cmocka_unit_test(tables_are_aligned),
		cmocka_unit_test(numbers_and_states_in_words),
		cmocka_unit_test(rates),
		cmocka_unit_test(port_rates),
		cmocka_unit_test(saves_config_in_one_step),
		cmocka_unit_test(watch_needs_a_terminal),
		cmocka_unit_test(completes_words),
		cmocka_unit_test(man_page_has_each_command),
		cmocka_unit_test(strange_results_are_shown_harmlessly),
		cmocka_unit_test(events_in_words),
		cmocka_unit_test(config_is_commands),
		cmocka_unit_test(help_finds_commands),
		cmocka_unit_test(words_of_the_grammar_are_the_library_s),
		cmocka_unit_test(errors_of_the_server),
		cmocka_unit_test(each_command_was_said),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(exchange.out);
	return failed;
}
