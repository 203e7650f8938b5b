import { relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadedBy } from '../../tools/loaded-by.ts';

const SRC = resolve(import.meta.dirname, '../../src');

// What is loaded before a short command can begin is most of what it takes; bench/ measures it, this says what it is.
const rows: readonly [what: string, file: string, never: RegExp, most: number][] = [
  ['help', 'cli/program.ts', /^(?:app|config|execute|io|plan|prompt|report|stores)\b/, 15],
  ['the stop hook where nothing changed', 'cli/hook-stop.ts', /^(?:agents|config|execute|mcp|prompt|app\.ts)/, 20],
  ['instructions', 'cli/commands/instructions.ts', /^(?:agents|mcp|roles|execute\/run|plan\/gate)/, 120],
  ['a run with nothing to do', 'cli/plain-run.ts', /^(?:agents|mcp|roles|demo|plan\/phase-|app\/phase)/, 210],
];

test.each(rows)('what %s needs is loaded, and little else', (_what, file, never, most) => {
  const loaded = [...loadedBy(resolve(SRC, file))].map((path) => relative(SRC, path));
  expect(loaded.filter((path) => never.test(path))).toEqual([]);
  expect(loaded.length).toBeGreaterThan(3);
  expect(loaded.length).toBeLessThanOrEqual(most);
});

test('types, and what is imported later, are not loaded', () => {
  const loaded = [...loadedBy(resolve(SRC, 'cli/main.ts'))].map((path) => relative(SRC, path));
  expect(loaded).toEqual(['cli/main.ts']);
});
