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
    buf_addz(out, "help open completion version");
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

static bool has_words(const struct param *param)
{
    return param->choices || param->name_at;
}

/* A case of the script: what may follow an option. `command` is a pattern. */
static void add_bash_choice(struct buf *out, const char *command, const struct param *param)
{
    if (!has_words(param) || param->positional) {
        return;
    }
    buf_addf(out, "      %s' --%s'", command, param->name);
    if (param->letter) {
        buf_addf(out, "|%s' -%c'", command, param->letter);
    }
    buf_addz(out, ") words='");
    param_words(out, param);
    buf_addz(out, "' ;;\n");
}

static void add_bash_operation(struct buf *out, const struct operation *operation)
{
    struct param param;
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        add_bash_choice(out, operation->name, &param);
    }
    buf_addf(out, "      %s' '*) words='", operation->name);
    if (operation_param(operation, 0, &param) && param.positional) {
        param_words(out, &param);
        buf_addc(out, ' ');
    }
    add_options(out, operation);
    buf_addz(out, "' ;;\n");
}

/* Of a list with commas, the part after the last one is completed. */
static void completion_bash(struct buf *out)
{
    buf_addz(out, "_stint() {\n  local word=${COMP_WORDS[COMP_CWORD]} "
                  "before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                  "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='");
    add_commands(out);
    buf_addz(out, "'\n  else\n    case \"${COMP_WORDS[1]} $before\" in\n"
                  "      *' --store'|*' --output'|*' --out') COMPREPLY=($(compgen -f -- "
                  "\"$word\")); return ;;\n");
    for (size_t i = 0; i < global_param_count; i++) {
        add_bash_choice(out, "*", &global_params[i]);
    }
    for (size_t i = 0; operations[i]; i++) {
        add_bash_operation(out, operations[i]);
    }
    buf_addz(out, "      help' '*) words='");
    add_commands(out);
    buf_addz(out,
             "' ;;\n      completion' '*) words='bash zsh fish' ;;\n    esac\n  fi\n"
             "  local last=${word##*,}\n"
             "  COMPREPLY=($(compgen -P \"${word%\"$last\"}\" -W \"$words\" -- \"$last\"))\n}\n"
             "complete -o default -F _stint stint\n");
}

static void completion_zsh(struct buf *out)
{
    buf_addz(out, "#compdef stint\nautoload -U +X bashcompinit && bashcompinit\n");
    completion_bash(out);
}

static void add_fish_param(struct buf *out, const char *command, const struct param *param)
{
    if (param->positional && !has_words(param)) {
        return;
    }
    buf_addf(out, "complete -c stint -n '__fish_seen_subcommand_from %s'", command);
    if (!param->positional) {
        buf_addf(out, " -l %s", param->name);
        buf_addz(out, param->type == PARAM_FLAG ? "" : " -r");
    }
    if (param->letter) {
        buf_addf(out, " -s %c", param->letter);
    }
    if (has_words(param)) {
        buf_addz(out, " -f -a '");
        param_words(out, param);
        buf_addc(out, '\'');
    }
    buf_addc(out, '\n');
}

static void add_fish_command(struct buf *out, const char *name, const char *summary)
{
    buf_addf(out, "complete -c stint -n __fish_use_subcommand -f -a %s -d '%s'\n", name,
             summary);
}

static void completion_fish(struct buf *out)
{
    struct param param;
    for (size_t k = 0; operations[k]; k++) {
        add_fish_command(out, operations[k]->name, operations[k]->summary);
        for (size_t i = 0; i < global_param_count; i++) {
            add_fish_param(out, operations[k]->name, &global_params[i]);
        }
        for (size_t i = 0; operation_param(operations[k], i, &param); i++) {
            add_fish_param(out, operations[k]->name, &param);
        }
    }
    add_fish_command(out, "help", "explain a command");
    add_fish_command(out, "open", "print the address of the page that answers a command");
    add_fish_command(out, "completion", "print a completion script");
    add_fish_command(out, "version", "print the version");
    buf_addz(
        out,
        "complete -c stint -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n"
        "complete -c stint -n '__fish_seen_subcommand_from help' -f -a '");
    add_commands(out);
    buf_addz(out, "'\n");
}

int help_completion(struct buf *out, struct str shell, struct error *err)
{
    static const struct {
        const char *name;
        void (*write)(struct buf *out);
    } shells[] = {
        {"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

    for (size_t i = 0; i < COUNT_OF(shells); i++) {
        if (str_eq(shell, str_of(shells[i].name))) {
            shells[i].write(out);
            return 0;
        }
    }
    return shell.len == 0
               ? error_set(err, ERROR_USAGE, "completion needs a shell: bash, zsh or fish")
               : error_set(err, ERROR_USAGE,
                           "there is no completion for '%.*s': choose one of: bash zsh fish",
                           STR_ARG(shell));
}
