import { quoteName } from '../domain/quote-name.ts';
import type { Left, Removal, Taken } from '../domain/removal.ts';
import { AS_IT_IS, fitted, type Shown } from './shown.ts';
import { typed } from './typed.ts';

/** What goes or went, what is left and why, and what to do next. */
export function tellRemoval({ isDone, taken, left }: Removal, look: Shown = AS_IT_IS): string {
  const head = isDone ? look.paint('good', 'Took away:') : look.paint('strong', 'This would go:');
  const list = (lines: readonly string[]) => lines.map((line) => fitted(`  ${line}`, look, 4));
  const blocks = [
    taken.length === 0 ? 'Nothing that onceover wrote is here.' : [head, ...list(taken.map(tellTaken))].join('\n'),
    ...(left.length === 0 ? [] : [[look.paint('strong', 'This stays:'), ...list(left.map(tellLeft))].join('\n')]),
    nextSteps(isDone, taken)
      .map((line) => fitted(typed(line, look.byNpx), look))
      .join('\n'),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function tellTaken(one: Taken): string {
  switch (one.kind) {
    case 'file':
      return `${quoteName(one.path)}, as "onceover init" wrote it`;
    case 'server':
      return `${quoteName(one.path)}: the server "onceover"${one.text === null ? ', and with it the file' : ''}`;
    case 'hook':
      return `${quoteName(one.path)}: the stop hook${one.text === null ? ', and with it the file' : ''}`;
    case 'records':
      return `${quoteName(one.path)}: the records (${count(one.files, 'file')})`;
    case 'generated':
      return `${quoteName(one.path)}: what was generated (${count(one.files, 'file')})`;
    case 'git-folder':
      return `${quoteName(one.path)}: what has passed, findings, costs, trust (${count(one.files, 'file')})`;
    case 'refs':
      return `${count(one.count, 'ref')} that ${one.count === 1 ? 'keeps a snapshot' : 'keep snapshots'}`;
  }
}

const WHY: Readonly<Record<Left['why'], string>> = {
  yours: 'yours; delete it if you no longer want it',
  named: 'onceover.yml names it, and that stays',
  unreadable: 'it is not valid JSON; take "onceover" out of it by hand',
};

function tellLeft({ path, why }: Left): string {
  return `${quoteName(path)}: ${WHY[why]}`;
}

function nextSteps(isDone: boolean, taken: readonly Taken[]): readonly string[] {
  if (!isDone) {
    return taken.length === 0 ? [] : ['Nothing was removed yet. Next: "onceover init --remove --yes" takes it away.'];
  }
  const isTracked = taken.some((one) => 'tracked' in one && one.tracked);
  return [
    ...(isTracked ? ['Next: commit that.'] : []),
    `${isTracked ? 'Then' : 'Next'}: "npm uninstall onceover" takes away the program, where you installed it ("-g": for all).`,
  ];
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
