import { type SeenLine, viewAfter } from './diff-view.ts';
import { MISTAKES } from './mistakes.ts';

/** What a scripted reviewer remembers of its session. */
export type DemoMemory = { readonly seen: readonly SeenLine[] };

type Violation = {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  readonly issue: string;
  readonly fix: string;
  readonly priority: string;
};

/** The answer of a scripted reviewer, of the form that every command agent answers in. */
export type DemoAnswer = {
  readonly status: 'pass' | 'fail';
  readonly violations: readonly Violation[];
  readonly previous: readonly { readonly id: string; readonly state: 'fixed' | 'open'; readonly why: string }[];
};

/**
 * Looks for what the reviewer knows in what it has been shown, and nowhere else: the diff in this prompt, and what it
 * remembers of the session.
 */
export function demoAnswer(
  name: string,
  prompt: string,
  memory: DemoMemory,
): { readonly answer: DemoAnswer; readonly memory: DemoMemory } {
  const seen = viewAfter(memory.seen, shownDiff(prompt));
  const previous = earlierFindings(prompt).map(({ id, code }) =>
    seen.some(({ text }) => text.trim() === code)
      ? { id, code, state: 'open' as const, why: 'The line is still as it was.' }
      : { id, code, state: 'fixed' as const, why: 'The line is gone.' },
  );
  const open = new Set(previous.filter(({ state }) => state === 'open').map(({ code }) => code));
  const violations = seen.flatMap(({ file, line, text }) =>
    (MISTAKES[name] ?? [])
      .filter(({ pattern }) => pattern.test(text) && !open.has(text.trim()))
      .map(({ issue, fix, priority }): Violation => ({ file, line, code: text, issue, fix, priority })),
  );
  const answer: DemoAnswer = {
    status: violations.length + open.size === 0 ? 'pass' : 'fail',
    violations,
    previous: previous.map(({ id, state, why }) => ({ id, state, why })),
  };
  return { answer, memory: { seen } };
}

/** The diff that the prompt shows: the whole change, or what changed since the last look. */
function shownDiff(prompt: string): string {
  return fenced(prompt, /^## (?:The change|Changed since your last look)$/m, 'diff')[0] ?? '';
}

/** The earlier findings that the prompt asks about, with the code that they quote. */
function earlierFindings(prompt: string): readonly { readonly id: string; readonly code: string }[] {
  return fenced(prompt, /^## Earlier findings$/m, '').flatMap((text) => {
    const id = /^id: (\S+)$/m.exec(text)?.[1];
    return id === undefined ? [] : [{ id, code: (/^code: (.*)$/m.exec(text)?.[1] ?? '').trim() }];
  });
}

/** The blocks of a section, up to the next one. */
function fenced(prompt: string, heading: RegExp, label: string): readonly string[] {
  const found = heading.exec(prompt);
  if (found === null) return [];
  const blocks: string[] = [];
  let marks: string | null = null;
  let block: string[] = [];
  for (const line of prompt.slice(found.index + found[0].length + 1).split('\n')) {
    if (marks === null) {
      if (line.startsWith('## ')) break;
      const opened = /^(`{3,})(\w*)$/.exec(line);
      if (opened?.[2] !== label) continue;
      [marks, block] = [opened[1] ?? '', []];
    } else if (line === marks) {
      blocks.push(block.join('\n'));
      marks = null;
    } else block.push(line);
  }
  return blocks;
}
