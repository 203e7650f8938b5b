import { addLoopCommands } from '@onceover/onceover/src/cli/define-loops.ts';
import { addTeamCommands } from '@onceover/onceover/src/cli/define-team.ts';
import { buildProgram } from '@onceover/onceover/src/cli/program.ts';
import type { Command } from 'commander';

const WIDTH = 100;

/** Returns the output of `onceover --help`, and that of `onceover <command> --help` for all commands in one part. */
export function commandParts(): Readonly<Record<string, string>> {
  const program = buildProgram({ team: addTeamCommands, loops: addLoopCommands });
  const helps = program.commands.filter(isShown).flatMap((command) => sectionsOf(command, 'onceover'));
  return { help: block(program), commands: helps.join('\n\n') };
}

/** Returns a section for a command, followed by the sections of its subcommands. */
function sectionsOf(command: Command, before: string): string[] {
  const name = `${before} ${command.name()}`;
  const own = `${before === 'onceover' ? '##' : '###'} ${name}\n\n${block(command)}`;
  return [own, ...command.commands.filter(isShown).flatMap((one) => sectionsOf(one, name))];
}

// Commander also lists hidden commands in `commands`; only its help leaves them out.
function isShown(command: Command): boolean {
  const { parent } = command;
  return parent === null || parent.createHelp().visibleCommands(parent).includes(command);
}

/** Returns the printed help as a code block, without colours. */
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
