import type { RepoPath } from '@onceover/base/kernel/ids';
import { describe, expect, test } from 'vitest';
import { applyEdit, placeOf } from '../src/decide/edits.ts';
import { loadParsers } from '../src/read/parsers.ts';

const parsers = loadParsers(import.meta.dirname);

/** Returns the text after each edit of a class, as the lines that differ. */
function editedBy(path: string, source: string, kind: string | null): readonly string[] {
  const parser = parsers.parserFor(path);
  const edits = (parser?.edits(path, source) ?? []).filter((edit) => edit.class === kind);
  return edits.map((edit) => {
    const text = applyEdit(source, edit);
    expect(parser?.parses(path, text)).toBe(true);
    const old = new Set(source.split('\n'));
    return text
      .split('\n')
      .filter((line) => !old.has(line))
      .map((line) => line.trim())
      .join(' ¶ ');
  });
}

describe('JavaScript and TypeScript', () => {
  test.each<[kind: string | null, source: string, lines: readonly string[]]>([
    ['boundary', 'export const f = (a: number) => a < 5;', ['export const f = (a: number) => a <= 5;']],
    ['boundary', 'f((a + 1) >= b)', ['f((a + 1) > b)']],
    ['guard', 'function f(a) {\n  if (!a) return 1;\n  return 2;\n}', ['', 'if (a) return 1;']],
    ['guard', 'if (a === b) {\n  c();\n} else if (d) {\n  e();\n}', ['if (a !== b) {', '} else if (!d) {']],
    ['await', 'async function f() {\n  await save();\n  return await load();\n}', ['save();']],
    ['swallowed-error', 'try {\n  a();\n} catch (e) {\n  log(e);\n  throw e;\n}', ['']],
    ['argument-order', 'copy(from, to);', ['copy(to, from);']],
    ['argument-order', 'Math.max(a, b);', []],
    ['off-by-one', 'const x = list[list.length - 1];', ['const x = list[list.length];']],
    ['off-by-one', 'text.slice(start, end);', ['text.slice(start, end - 1);']],
    ['validation', 'function f() {\n  assertAllowed(user);\n  work();\n}', ['']],
    ['resource', 'function f() {\n  work();\n  file.close();\n}', ['']],
    ['unit', 'sleep(seconds * 1000);', ['sleep(seconds);']],
    [null, 'if (a === b) c();', ['if (!(a !== b)) c();']],
    ['boundary', 'const π = "…"; f(a < π);', ['const π = "…"; f(a <= π);']],
  ])('%s in %j', (kind, source, lines) => {
    expect(editedBy('a.ts', source, kind)).toEqual(lines);
  });

  test('a text with a syntax error has no edits', () => {
    expect(parsers.parserFor('a.ts')?.edits('a.ts', 'if (a < {')).toBeNull();
  });
});

describe('Python', () => {
  test.each<[kind: string | null, source: string, lines: readonly string[]]>([
    ['boundary', 'x = a < b\n', ['x = a <= b']],
    ['guard', 'def f(a):\n    if a is None:\n        return 1\n    return 2\n', ['', 'if a is not None:']],
    ['guard', 'if ready:\n    go()\n', ['if not ready:']],
    ['await', 'async def f():\n    await save()\n    return 1\n', ['save()']],
    ['swallowed-error', 'try:\n    a()\nexcept ValueError:\n    raise\n', ['pass']],
    ['argument-order', 'copy(source, target)\n', ['copy(target, source)']],
    ['off-by-one', 'x = text[1:end]\n', ['x = text[1:end - 1]']],
    ['resource', 'def f():\n    work()\n    lock.release()\n', ['']],
    ['unit', 'sleep(hours * 3600)\n', ['sleep(hours)']],
    [null, 'if a == b:\n    c()\n', ['if not (a != b):']],
    [null, 'if a:\n    b()\nelse:\n    c()\n', ['if not a:']],
    ['boundary', '# ünïcode 🦀\nx = a < b\n', ['x = a <= b']],
  ])('%s in %j', (kind, source, lines) => {
    expect(editedBy('a.py', source, kind)).toEqual(lines);
  });
});

describe('Go', () => {
  const body = (text: string) => `package a\n\nfunc f() error {\n${text}\n\treturn nil\n}\n`;
  test.each<[kind: string | null, source: string, lines: readonly string[]]>([
    ['boundary', body('\tfor i := 0; i < n; i++ {\n\t}'), ['for i := 0; i <= n; i++ {']],
    ['guard', body('\tif !ok {\n\t\treturn errBad\n\t}'), ['', 'if ok {']],
    ['swallowed-error', body('\tif err != nil {\n\t\treturn err\n\t}'), ['return nil']],
    ['resource', body('\tdefer file.Close()'), ['']],
    ['unit', body('\ttime.Sleep(wait * time.Second)'), ['time.Sleep(wait)']],
    ['argument-order', body('\tcopyFile(source, target)'), ['copyFile(target, source)']],
  ])('%s in %j', (kind, source, lines) => {
    expect(editedBy('a.go', source, kind)).toEqual(lines);
  });
});

test('the place of a removed statement is the lines around the gap', () => {
  const source = 'function f() {\n  a();\n  file.close();\n  b();\n}\n';
  const edit = parsers
    .parserFor('a.ts')
    ?.edits('a.ts', source)
    ?.find((candidate) => candidate.class === 'resource');
  if (edit === undefined) throw new Error('no edit was found');
  expect(placeOf('a.ts' as RepoPath, source, edit)).toEqual({ file: 'a.ts', from: 2, to: 3 });
});
