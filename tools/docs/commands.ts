import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';

const WIDTH = 100;

/** What `onceover --help` and `onceover <command> --help` print, one part for all commands. */
export function commandParts(): Readonly<Record<string, string>> {
  const program = buildProgram();
  const helps = program.commands.filter(isShown).flatMap((command) => sectionsOf(command, 'onceover'));
  return { help: block(program), commands: helps.join('\n\n') };
}

/** The commands that people see, each with those below it. */
function sectionsOf(command: Command, before: string): string[] {
  const name = `${before} ${command.name()}`;
  const own = `${before === 'onceover' ? '##' : '###'} ${name}\n\n${block(command)}`;
  return [own, ...command.commands.filter(isShown).flatMap((one) => sectionsOf(one, name))];
}

// Commander keeps hidden commands among the others, and tells only its help.
function isShown(command: Command): boolean {
  const { parent } = command;
  return parent === null || parent.createHelp().visibleCommands(parent).includes(command);
}

/** Exactly what is printed, without colours. */
function block(command: Command): string {
  let text = '';
  command.configureOutput({
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
    writeOut: (said) => {
      text += said;
    },
  });
  command.outputHelp();
  return ['```text', text.trim(), '```'].join('\n');
}
