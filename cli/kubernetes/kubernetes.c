/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See kubernetes.h. The words after the options are a command line of sonde. It is read here, as
 * the container will read it, so that its mistakes are errors now and not on each node.
 */
#include "runtime/base/shell_word.h"
#include "cli/kubernetes/kubernetes.h"
#include "cli/options/option_rows.h"
#include "cli/scripts/script_options.h"
#include "cli/scripts/scripts.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/escape.h"
#include "parser/base/text.h"
#include "parser/lang/ast.h"
#include "parser/lang/builtin.h"
#include "runtime/base/colour.h"
#include "runtime/base/listen.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <limits.h>
#include <unistd.h>

enum { NAME_BYTES = 52 }; /* of objects: pods of a Job have a longer one, of at most 63 */

struct kubernetes {
	struct arena *arena;
	struct options run;	  /* what the words say */
	const char *const *words; /* of the command line */
	char **read;		  /* copies, to which `run` refers */
	uint32_t n_words;
	struct pods pods;
};

/* ---- the command line ----------------------------------------------------------------------- */

/* Read copies of the words, since options_parse() moves words, and changes their text. */
static int read_words(struct kubernetes *k)
{
	char **moved = arena_alloc(k->arena, (k->n_words + 2) * sizeof(*moved));

	k->read = arena_alloc(k->arena, (k->n_words + 1) * sizeof(*k->read));
	moved[0] = "sonde";
	for (uint32_t i = 0; i < k->n_words && strcmp(k->words[i], "--") != 0; i++)
		if (strncmp(k->words[i], "--container", strlen("--container")) == 0)
			return log_error(
				"--container is looked for on each node, and few have it: leave it "
				"out; 'kubectl debug node/NODE' runs sonde on the one that has it");
	for (uint32_t i = 0; i < k->n_words; i++)
		moved[i + 1] = k->read[i] = arena_strdup(k->arena, k->words[i]);
	moved[k->n_words + 1] = NULL;
	return options_parse(&k->run, (int)k->n_words + 1, moved);
}

#define EXAMPLE_IMAGE "registry.example/sonde:0.2"

/* Is the word an option of `sonde kubernetes`, and neither of sonde nor of the script? */
static bool is_own(const char *script, const char *word, size_t len)
{
	const struct script_args args = {.file = script};

	return option_is_exact(FW_KUBERNETES, word, len) && !option_is_exact(FW_ANY, word, len) &&
	       script_options_find(&args, word, len) == SCRIPT_OPTION_NONE;
}

/* --image is given, and no option that belongs before the script is after it. */
static int check_order(struct kubernetes *k)
{
	struct arena *a = k->arena;
	const char *own = "", *others = "", *found = NULL;

	for (uint32_t i = 0; i < k->n_words; i++) {
		const char *word = k->words[i];
		size_t len = strcspn(word, "=");

		if (strcmp(word, "--") == 0)
			break;
		if (!is_own(k->words[0], word, len)) {
			others = arena_join(a, others, " ", shell_word(a, word));
			continue;
		}
		found = found ?: arena_strndup(a, word, len);
		own = arena_join(a, own, " ", shell_word(a, word));
		if (!word[len] && i + 1 < k->n_words)
			own = arena_join(a, own, " ", shell_word(a, k->words[++i]));
	}
	if (!found && !k->pods.image)
		return command_error(
			"kubernetes",
			"'sonde kubernetes' requires --image IMAGE, a container image that has "
			"sonde: write sonde kubernetes --image " EXAMPLE_IMAGE "%s",
			*others ? others : " SCRIPT");
	if (!found)
		return 0;
	if (*k->words[0] != '-' &&
	    !read_source(a, &(struct script_args){.file = k->words[0]})) /* no script's name */
		return -1;
	if (k->pods.image || !strstr(own, " --image"))
		own = arena_join(a, " --image ", shell_word(a, k->pods.image ?: EXAMPLE_IMAGE),
				 own);
	if (k->pods.n_nodes)
		own = arena_join(a, arena_printf(a, " --nodes %u", k->pods.n_nodes), own, "");
	return log_error("%s goes before the script: write sonde kubernetes%s%s", found, own,
			 others);
}

/* The options of `sonde kubernetes` itself. */
static int check_own(struct kubernetes *k)
{
	const char *image = k->pods.image;
	char path[PATH_MAX];
	size_t n;

	if (check_order(k))
		return -1;
	n = strlen(image);
	if (scripts_path(image, path, sizeof(path)) == SCRIPT_BUNDLED ||
	    (n > 3 && strcmp(image + n - 3, ".bt") == 0))
		return command_error("kubernetes",
				     "--image requires an image, and '%s' is a script: write sonde "
				     "kubernetes --image " EXAMPLE_IMAGE " %s",
				     image, image);
	if (!*image || strpbrk(image, " \t\n"))
		return log_error(
			"--image: '%s' is not the name of an image: write --image " EXAMPLE_IMAGE,
			image);
	if (!k->n_words)
		return command_error("kubernetes",
				     "'sonde kubernetes' requires a script: write sonde kubernetes "
				     "--image %s SCRIPT",
				     image);
	return 0;
}

/* The address of --listen, which others of the cluster read. */
static int check_listen(struct kubernetes *k)
{
	struct listen_address at;
	const char *text = k->run.out.listen;
	bool is_own;

	if (!text || !listen_read(text, &at))
		return 0;
	is_own = at.any.sa_family == AF_INET ? ntohl(at.v4.sin_addr.s_addr) >> 24 == 127
					     : IN6_IS_ADDR_LOOPBACK(&at.v6.sin6_addr);
	k->pods.port = ntohs(at.any.sa_family == AF_INET ? at.v4.sin_port : at.v6.sin6_port);
	if (!is_own)
		return 0;
	return log_error(
		"--listen %s is an address within the pod, which Prometheus cannot reach: write "
		"--listen 0.0.0.0:%u",
		text, k->pods.port);
}

/* Refuse what cannot work in a container, or on every node. */
static int check_run(struct kubernetes *k)
{
	const struct options *run = &k->run;
	const struct option_row *file = option_given(
		run, "-I --include --kernel-facts --traceable-functions --debuginfo --ready-fd");

	if (run->mode != MODE_TRACE || run->first_word)
		return command_error(
			"kubernetes",
			"'sonde kubernetes' runs a script, whose output 'kubectl logs' has: leave "
			"out '%s'",
			run->first_word ? run->first_word->word
					: first_word_of_mode(run->mode)
						  ?: option_of_mode(run->mode));
	if (run->scope.pid)
		return log_error("-p %u is a process of one machine, and the script runs on "
				 "others: leave it out; a condition in the script chooses "
				 "processes: /comm == \"NAME\"/",
				 run->scope.pid);
	if (run->args.command)
		return log_error("-c runs a program of the container, which has only sonde: leave "
				 "it out; --duration 60s ends the run");
	if (run->out.path)
		return log_error("-o %s: the file would end with the container: leave it out; "
				 "'kubectl logs' has what is printed",
				 run->out.path);
	if (file)
		return log_error(
			"%s names a file of this machine, which the container does not have: leave it out",
			file->name);
	if (run->out.format == OUT_LIVE)
		return log_error(
			"--live requires a terminal, which the container does not have: write --interval 1s");
	if (run->duration_ns && !k->pods.n_nodes)
		return log_error(
			"--duration: a DaemonSet begins again what has ended: write --nodes N before "
			"the script, for a Job that runs once on N nodes");
	return check_listen(k);
}

/* ---- the script ----------------------------------------------------------------------------- */

/* Calls that print, have another effect, or end the run. */
struct acts {
	bool is_once; /* in BEGIN or END: what ends the run counts */
	bool found;
};

static void find_act(struct expr *e, void *arg)
{
	const struct builtin *b = e->kind == EX_CALL ? builtin_find(e->call.name) : NULL;
	struct acts *acts = arg;

	if (b && (acts->is_once ? b->needs & NEEDS_EXIT
				: b->kind == BUILTIN_FN && b->traits & TR_ACT &&
					  !(b->traits & (TR_DROPS | TR_SETS))))
		acts->found = true;
	ast_each_child(e, find_act, arg);
}

static bool script_acts(const struct program *p)
{
	struct acts acts = {.found = false};

	for (uint32_t i = 0; i < p->n_functions; i++)
		ast_each_in_block(&p->functions[i]->body, find_act, &acts);
	for (uint32_t i = 0; i < p->n_probes; i++) {
		const struct probe *probe = p->probes[i];
		enum probe_id id;

		acts.is_once = probe->n_texts && probe_find_type(probe->texts[0].text, &id) &&
			       probe_rows[id].traits & PR_EVERY_RUN;
		ast_each_in_probe(probe, find_act, &acts);
	}
	return acts.found;
}

/* `sonde offcputime 10` */
static bool has_duration(const struct options *run)
{
	const char *last = run->args.n_params ? run->args.params[run->args.n_params - 1] : "";

	return run->duration_ns || isdigit((unsigned char)*last);
}

/* A script whose maps are printed at its end needs one. */
static int check_end(const struct kubernetes *k, const struct program *p)
{
	const struct options *run = &k->run;

	if (run->out.interval_ns || run->out.listen || script_acts(p))
		return 0;
	if (!k->pods.n_nodes)
		return log_error(
			"the script prints its maps at its end, which a DaemonSet does not have: "
			"write --interval 60s after the script, or, for a Job that runs once on N "
			"nodes, --nodes N before it and --duration 60s after it");
	return has_duration(run) ? 0
				 : log_error("the script prints its maps at its end, which this "
					     "Job does not have: write --duration 60s after the "
					     "script");
}

/* Parse it, so that its errors are reported here. What it imports is not in the container. */
static int check_script(struct kubernetes *k, const struct source *s)
{
	struct diags d = {.arena = k->arena, .source = s, .no_warnings = true};
	const struct program *p = parse(k->arena, s, &d);

	diags_print(&d, stderr, colour_is_wanted(STDERR_FILENO));
	if (!p || d.n_errors || check_end(k, p))
		return -1;
	if (!k->pods.script)
		return 0;
	if (p->n_imports)
		return log_error(
			"the script imports '%s', which the container does not have: put both into "
			"one file",
			p->imports[0].text);
	if (!utf8_is_valid(s->text, s->len))
		return log_error("'%s' is not in UTF-8, as a ConfigMap is", s->name);
	return 0;
}

/* The name of the objects: letters, digits and '-' of the script's. */
static const char *name_of(struct arena *a, const char *script)
{
	char *name = arena_printf(a, "sonde-%.*s", NAME_BYTES - 6, text_base_name(script ?: ""));
	size_t n = strlen(name);

	if (n > 3 && strcmp(name + n - 3, ".bt") == 0)
		n -= 3;
	for (size_t i = 0; i < n; i++)
		name[i] = isalnum((unsigned char)name[i]) ? (char)tolower((unsigned char)name[i])
							  : '-';
	while (name[n - 1] == '-')
		n--;
	name[n] = '\0';
	return name;
}

static int add_word(struct kubernetes *k, const char *word)
{
	if (!utf8_is_valid(word, strlen(word)))
		return log_error("'%s' is not in UTF-8, as the objects of Kubernetes are", word);
	arena_push(k->arena, k->pods.args, k->pods.n_args, word);
	return 0;
}

/* `-e`, or `-qe`, without the e. */
static int add_flags(struct kubernetes *k, const char *option, size_t len)
{
	return len > 2 ? add_word(k, arena_strndup(k->arena, option, len - 1)) : 0;
}

/* Where the script is among the words: a word, or what follows -e in one. UINT32_MAX:
 * nowhere. */
static uint32_t find_word(const struct kubernetes *k, const char *script, size_t *offset)
{
	for (uint32_t i = 0; script && i < k->n_words; i++) {
		*offset = (size_t)(script - k->read[i]);
		if (script >= k->read[i] && *offset <= strlen(k->words[i]))
			return i;
	}
	return UINT32_MAX;
}

/* The words for the container, where the script is the file of the ConfigMap. */
static int collect_words(struct kubernetes *k)
{
	const char *program = k->run.args.program;
	size_t offset = 0;
	uint32_t at =
		k->pods.script ? find_word(k, program ?: k->run.args.file, &offset) : UINT32_MAX;
	int err = 0;

	for (uint32_t i = 0; i < k->n_words && !err; i++) {
		if (program && !offset && i + 1 == at)
			err = add_flags(k, k->words[i], strlen(k->words[i]));
		else if (i == at)
			err = add_flags(k, k->words[i], offset)
				      ?: add_word(k, PODS_SCRIPT_FOLDER "/" PODS_SCRIPT_NAME);
		else
			err = add_word(k, k->words[i]);
	}
	return err;
}

/* A bundled script is in the image. */
static int find_script(struct kubernetes *k)
{
	const struct script_args *args = &k->run.args;
	const struct source *s = read_source(k->arena, args);

	k->pods.name = name_of(k->arena, args->file);
	k->pods.script = s && s->is_bundled ? NULL : s;
	return s ? check_script(k, s) : -1;
}

static int make_pods(struct kubernetes *k)
{
	return check_own(k) || read_words(k) || check_run(k) || find_script(k) || collect_words(k);
}

int kubernetes_run(const struct options *o)
{
	struct kubernetes k = {.words = o->args.params,
			       .n_words = o->args.n_params,
			       .pods = {.image = o->kubernetes.image,
					.n_nodes = o->kubernetes.nodes}};
	int err;

	k.arena = arena_new();
	err = make_pods(&k);
	if (!err && k.run.out.format != OUT_JSONL && !k.run.out.listen)
		log_info("what the pods print does not say on which node: -f jsonl does, and "
			 "'sonde report' adds it up");
	if (!err)
		pods_print(k.arena, &k.pods, stdout);
	options_free(&k.run);
	arena_free(k.arena);
	return err ? 1 : 0;
}
