/* SPDX-License-Identifier: BSD-3-Clause */
/* How HMACs are computed: for show engine. */
#include <errno.h>

#include "gateway.h"
#include "handlers.h"

static json_t *
managers(const struct hmac_engine *engine, unsigned *n)
{
	json_t *list = json_array();
	const char *name;

	for (*n = 0; (name = hmac_engine_manager_name(engine, *n)) != NULL; (*n)++)
		if (json_array_append_new(list, json_string(name)) != 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

/* From how many jobs in hand on the last manager is used; 0 = never. */
static unsigned
crossover(const struct hmac_engine *engine, enum hmac_algorithm algorithm, unsigned blocks,
	  unsigned last)
{
	struct hmac_choice choice;
	unsigned from = 0;

	for (unsigned n = HMAC_BATCH_MAX; n > 0; n--) {
		if (hmac_engine_choice(engine, algorithm, blocks, n, &choice) != 0 ||
		    choice.manager != last)
			break;
		from = n;
	}
	return from;
}

static int
add_class(json_t *crossovers, json_t *choices, const struct hmac_engine *engine,
	  enum hmac_algorithm algorithm, unsigned blocks, unsigned last)
{
	static const unsigned sizes[] = {1, 2, 4, 8, 16, 32, 64, 128};
	const char *name = hmac_algorithm_name(algorithm);
	struct hmac_choice choice;
	int rc = json_array_append_new(
		crossovers, json_pack("{s:s, s:i, s:i}", "algorithm", name, "blocks", (int)blocks,
				      "jobs", (int)crossover(engine, algorithm, blocks, last)));

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && rc == 0; i++) {
		if (hmac_engine_choice(engine, algorithm, blocks, sizes[i], &choice) != 0)
			continue;
		rc = json_array_append_new(
			choices, json_pack("{s:s, s:i, s:i, s:s, s:i, s:I}", "algorithm", name,
					   "blocks", (int)blocks, "jobs", (int)sizes[i], "manager",
					   hmac_engine_manager_name(engine, choice.manager), "take",
					   (int)choice.take, "cycles", (json_int_t)choice.cycles));
	}
	return rc;
}

json_t *
handle_engine_get(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	unsigned n;
	int rc = 0;

	if (!handlers_no_params(call, params))
		return NULL;
	if (gateway->workers[0].gate == NULL)
		return control_fail(call, EAGAIN, "no worker has been made yet");
	/* Each worker's engine is its own, but all are of one kind: show the first. */
	const struct hmac_engine *engine = gate_worker_engine(gateway->workers[0].gate);
	json_t *names = managers(engine, &n);
	json_t *crossovers = json_array();
	json_t *choices = json_array();

	for (unsigned algorithm = 0; algorithm < HMAC_ALGORITHMS; algorithm++)
		for (unsigned blocks = 1; blocks <= HMAC_CLASSES && rc == 0; blocks++)
			rc = add_class(crossovers, choices, engine, (enum hmac_algorithm)algorithm,
				       blocks, n - 1);
	if (rc != 0) {
		json_decref(names);
		json_decref(crossovers);
		json_decref(choices);
		return handlers_result(call, NULL);
	}
	return handlers_result(call, json_pack("{s:o, s:b, s:o, s:o}", "managers", names,
					       "calibrated", hmac_engine_calibrated(engine),
					       "crossover", crossovers, "choices", choices));
}
