/* SPDX-License-Identifier: MIT */

/*
 * Completion scripts: the words of each command as plain lists, so that the shell needs to run
 * nothing of ours while a person types.
 */

#include "command/globals.h"
#include "command/help.h"

static void add_commands(struct buf *out)
{
    for (size_t i = 0; operations[i]; i++) {
        buf_addf(out, "%s ", operations[i]->name);
    }
    buf_addz(out, "help completion version");
}

/* "--store --zone ... --from --to": every option of an operation. */
static void add_options(struct buf *out, const struct operation *operation)
{
    struct param param;
    for (size_t i = 0; i < global_param_count; i++) {
        buf_addf(out, "%s--%s", i ? " " : "", global_params[i].name);
    }
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        if (!param.positional) {
            buf_addf(out, " --%s", param.name);
        }
    }
}

/* The values of the first positional parameter, where they are known. */
static const char *first_words(const struct operation *operation)
{
    struct param param;
    return operation_param(operation, 0, &param) && param.positional && param.choices ? param.choices : "";
}

static void add_bash_choice(struct buf *out, const struct param *param)
{
    if (param->choices && !param->positional) {
        buf_addf(out, "    --%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", param->name,
                 param->choices);
    }
}

static void completion_bash(struct buf *out)
{
    struct param param;
    buf_addz(out, "_stint() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                  "  case $before in\n    --store|--output) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n");
    for (size_t i = 0; i < global_param_count; i++) {
        add_bash_choice(out, &global_params[i]);
    }
    for (size_t k = 0; operations[k]; k++) {
        for (size_t i = 0; operation_param(operations[k], i, &param); i++) {
            add_bash_choice(out, &param);
        }
    }
    buf_addz(out, "  esac\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='");
    add_commands(out);
    buf_addz(out, "'\n  else\n    case ${COMP_WORDS[1]} in\n");
    for (size_t k = 0; operations[k]; k++) {
        buf_addf(out, "      %s) words='%s ", operations[k]->name, first_words(operations[k]));
        add_options(out, operations[k]);
        buf_addz(out, "' ;;\n");
    }
    buf_addz(out, "      help) words='");
    add_commands(out);
    buf_addz(out, "' ;;\n      completion) words='bash zsh fish' ;;\n    esac\n  fi\n"
                  "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
                  "complete -o default -F _stint stint\n");
}

static void completion_zsh(struct buf *out)
{
    buf_addz(out, "#compdef stint\nautoload -U +X bashcompinit && bashcompinit\n");
    completion_bash(out);
}

static void add_fish_param(struct buf *out, const char *command, const struct param *param)
{
    if (param->positional) {
        return;
    }
    buf_addf(out, "complete -c stint -n '__fish_seen_subcommand_from %s' -l %s", command, param->name);
    if (param->letter) {
        buf_addf(out, " -s %c", param->letter);
    }
    buf_addz(out, param->type == PARAM_FLAG ? "" : " -r");
    if (param->choices) {
        buf_addf(out, " -f -a '%s'", param->choices);
    }
    buf_addc(out, '\n');
}

static void completion_fish(struct buf *out)
{
    struct param param;
    for (size_t k = 0; operations[k]; k++) {
        buf_addf(out, "complete -c stint -n __fish_use_subcommand -f -a %s -d '%s'\n", operations[k]->name,
                 operations[k]->summary);
        for (size_t i = 0; i < global_param_count; i++) {
            add_fish_param(out, operations[k]->name, &global_params[i]);
        }
        for (size_t i = 0; operation_param(operations[k], i, &param); i++) {
            add_fish_param(out, operations[k]->name, &param);
        }
    }
}

int help_completion(struct buf *out, struct str shell, struct error *err)
{
    static const struct {
        const char *name;
        void (*write)(struct buf *out);
    } shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    for (size_t i = 0; i < COUNT_OF(shells); i++) {
        if (str_eq(shell, str_of(shells[i].name))) {
            shells[i].write(out);
            return 0;
        }
    }
    return error_set(err, ERROR_USAGE, "no completion for '%.*s': choose one of: bash zsh fish", STR_ARG(shell));
}
