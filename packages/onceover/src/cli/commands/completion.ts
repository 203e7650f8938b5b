import type { Command } from 'commander';
import { printResult, wrongUsage } from '../output.ts';

/** A command, and the words that can follow it: its subcommands and options. */
type Words = { readonly path: string; readonly words: readonly string[] };

const SCRIPTS: Readonly<Record<string, (table: readonly Words[]) => string>> = {
  bash: bashScript,
  zsh: (table) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(table)}`,
  fish: fishScript,
};

/** Prints the completion script for bash, zsh or fish. */
export async function completionCommand(shell: string, program: Command): Promise<void> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) return wrongUsage('completion', `completion supports bash, zsh and fish, not "${shell}".`);
  printResult(script(tableOf(program)));
}

function tableOf(program: Command): readonly Words[] {
  const visible = program.commands.filter((command) => !command.name().includes('-reviewer'));
  const programWords = { path: '', words: [...visible.map((command) => command.name()), '--help', '--version'] };
  const below = visible.flatMap((command) => [
    {
      path: command.name(),
      words: [...command.commands.map((subcommand) => subcommand.name()), ...optionsOf(command)],
    },
    ...command.commands.map((subcommand) => ({
      path: `${command.name()} ${subcommand.name()}`,
      words: optionsOf(subcommand),
    })),
  ]);
  return [programWords, ...below];
}

function optionsOf(command: Command): readonly string[] {
  const flags = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
  return [...flags, '--help'];
}

function bashScript(table: readonly Words[]): string {
  const cases = table.map(({ path, words }) => `    "${path}") words="${words.join(' ')}" ;;`);
  return `# onceover completion. Add to ~/.bashrc: source <(onceover completion bash)
_onceover() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words=""
  [ "$COMP_CWORD" -le 1 ] && command=""
  case "$command" in
    config|hook|passes|workflow) [ "$COMP_CWORD" -gt 2 ] && command="$command \${COMP_WORDS[2]}" ;;
  esac
  case "$command" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _onceover onceover
`;
}

function fishScript(table: readonly Words[]): string {
  const lines = table.flatMap(({ path, words }) => {
    const conditions = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const when = path === '' ? '__fish_use_subcommand' : conditions.join('; and ');
    const kindOf = (word: string) => (word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`);
    return words.map((word) => `complete -c onceover -n '${when}' ${kindOf(word)}`);
  });
  return `# onceover completion. Save as ~/.config/fish/completions/onceover.fish\n${lines.join('\n')}\n`;
}
