import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** Which folders a folder may import from, type imports included. `app.ts`, its folder and `index.ts` may import anything. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  plan: ['domain'],
  prompt: ['domain'],
  text: ['domain'],
  execute: ['domain', 'plan', 'prompt', 'text'],
  io: ['domain'],
  agents: ['domain', 'text', 'io'],
  stores: ['domain', 'text', 'io'],
  config: ['domain', 'text', 'io'],
  report: ['domain', 'text'],
  roles: ['domain'],
  demo: ['domain'],
  cli: ['app.ts', 'app/ahead.ts', 'app/answer-stop.ts', 'app/run.ts', 'domain', 'report', 'text', 'version.ts', 'mcp'],
  mcp: ['app.ts', 'domain', 'report', 'text', 'version.ts'],
};

/** Folders that decide and write text touch nothing outside: of Node they may use hashing alone. */
const PURE = ['domain', 'plan', 'prompt', 'text', 'report'];
const PURE_MODULES = ['node:crypto', 'zod', 'jsonrepair'];

type Import = { readonly from: string; readonly to: string };

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
  return [...new Set(found)];
}

const files = sourceFiles(SRC);
const inner: Import[] = [];
const outer: Import[] = [];
for (const file of files) {
  for (const target of importsOf(file)) {
    const from = relative(SRC, file);
    if (target.startsWith('.')) inner.push({ from, to: relative(SRC, resolve(dirname(file), target)) });
    else outer.push({ from, to: target });
  }
}

const folderOf = (path: string) => path.split('/')[0] ?? path;

describe('architecture', () => {
  test('there is something to check', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(inner.length).toBeGreaterThan(150);
  });

  test('every folder is one that the architecture names', () => {
    const known = [...Object.keys(ARROWS), 'app.ts', 'app', 'index.ts', 'version.ts'];
    expect(
      [...new Set(files.map((file) => folderOf(relative(SRC, file))))].filter((one) => !known.includes(one)),
    ).toEqual([]);
  });

  test('imports follow the arrows', () => {
    const wrong = inner.filter(({ from, to }) => {
      const allowed = ARROWS[folderOf(from)];
      return (
        allowed !== undefined &&
        folderOf(to) !== folderOf(from) &&
        !allowed.includes(folderOf(to)) &&
        !allowed.includes(to)
      );
    });
    expect(wrong).toEqual([]);
  });

  test('nothing inside imports the library entry', () => {
    expect(inner.filter(({ to }) => to === 'index.ts')).toEqual([]);
  });

  test('folders that decide use nothing of the outside world', () => {
    expect(outer.filter(({ from, to }) => PURE.includes(folderOf(from)) && !PURE_MODULES.includes(to))).toEqual([]);
  });

  test('execute reaches the world through ports alone', () => {
    expect(outer.filter(({ from }) => folderOf(from) === 'execute')).toEqual([]);
  });

  test('of the words of the domain, each means one thing', () => {
    const words = files
      .filter((file) => folderOf(relative(SRC, file)) === 'domain')
      .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^export (?:type|interface|class) (\w+)/gm)])
      .map(([, word]) => word ?? '');
    expect(words.length).toBeGreaterThan(50);
    expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([]);
  });

  test('there are no cycles', () => {
    const graph = new Map<string, string[]>();
    for (const { from, to } of inner) graph.set(from, [...(graph.get(from) ?? []), to]);
    expect(cycle(graph)).toBeNull();
  });

  test('every folder of src has tests or is reached through the built program', () => {
    const tested = new Set(readdirSync(import.meta.dirname));
    const throughProgram = ['app', 'cli', 'mcp', 'execute'];
    const folders = [...new Set(files.map((file) => folderOf(relative(SRC, file))))].filter(
      (one) => !one.endsWith('.ts'),
    );
    expect(folders.filter((one) => !tested.has(one) && !throughProgram.includes(one))).toEqual([]);
  });
});

function cycle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of graph.get(file) ?? []) {
      const found = visit(next, [...path, file]);
      if (found !== null) return found;
    }
    done.add(file);
    return null;
  };
  for (const file of graph.keys()) {
    const found = visit(file, []);
    if (found !== null) return found;
  }
  return null;
}
