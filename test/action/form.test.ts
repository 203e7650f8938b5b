import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, readAction } from '@onceover/testing/composite-action.ts';
import { expect, test } from 'vitest';

const action = readAction();
const { steps } = action.runs;
const scriptsOf = (text: string) => [...text.matchAll(/\baction\/([a-z]+\.mjs)/g)].map(([, name = '']) => name);
const textOf = (...path: readonly string[]) => readFileSync(join(PROJECT, ...path), 'utf8');

/** Returns the expressions that GitHub evaluates: a whole condition, elsewhere the text in "${{ }}". */
function expressions(): readonly { readonly text: string; readonly before: readonly string[] }[] {
  const own = steps.flatMap((step, index) => {
    const before = steps.slice(0, index).flatMap(({ id }) => id ?? []);
    const { if: condition = '', ...rest } = step;
    return [condition, ...inside(rest)].map((text) => ({ text, before }));
  });
  const ids = steps.flatMap(({ id }) => id ?? []);
  return [...own, ...inside(action.outputs).map((text) => ({ text, before: ids }))];
}

function inside(value: unknown): readonly string[] {
  return [...JSON.stringify(value).matchAll(/\$\{\{(.*?)\}\}/g)].map(([, text = '']) => text);
}

const references = expressions().flatMap(({ text, before }) =>
  [...text.replace(/'[^']*'/g, '').matchAll(/[a-z][\w.-]*(?!\()\b(?!\()/g)].map(([name]) => ({ name, before })),
);

test('every expression names an existing input or an output of an earlier step', () => {
  expect(references.length).toBeGreaterThan(20);
  for (const { name, before } of references) {
    const [context, first = '', outputs, last = ''] = name.split('.');
    if (context === 'inputs') expect.soft(Object.keys(action.inputs)).toContain(first);
    else {
      expect.soft([name, context, outputs]).toEqual([name, 'steps', 'outputs']);
      expect.soft(before).toContain(first);
      expect.soft([name, putOutBy(first).includes(last)]).toEqual([name, true]);
    }
  }
});

// The outputs that the action for artifacts documents.
const UPLOADED = ['artifact-id', 'artifact-url', 'artifact-digest'];

/** Returns the names of the outputs that a step's script or action sets. */
function putOutBy(id: string): readonly string[] {
  const step = steps.find((one) => one.id === id);
  if (step !== undefined && 'uses' in step && step.uses.startsWith('actions/upload-artifact@')) return UPLOADED;
  const scripts = step !== undefined && 'run' in step ? scriptsOf(step.run) : [];
  return scripts.flatMap((name) =>
    [...textOf('action', name).matchAll(/setOutput\('([a-z-]+)'/g)].map(([, one = '']) => one),
  );
}

test('every input is used', () => {
  const used = references.map(({ name }) => name).filter((name) => name.startsWith('inputs.'));
  expect(new Set(used)).toEqual(new Set(Object.keys(action.inputs).map((name) => `inputs.${name}`)));
});

test('no expression is inserted into a script; values from outside go through the environment', () => {
  const scripts = steps.flatMap((step) => ('run' in step ? [step] : []));
  expect(scripts.length).toBeGreaterThan(3);
  for (const { run, env = {} } of scripts) {
    expect.soft(run).not.toContain('${{');
    const read = [...run.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name);
    expect
      .soft(read.filter((name) => name !== 'GITHUB_ACTION_PATH' && !(name !== undefined && name in env)))
      .toEqual([]);
  }
});

test('a script reads every variable of its step, and no others', () => {
  for (const step of steps) {
    if (!('run' in step)) continue;
    const scripts = scriptsOf(step.run);
    for (const name of scripts) expect.soft([name, existsSync(join(PROJECT, 'action', name))]).toEqual([name, true]);
    if (scripts.length === 0) continue;
    const read = new Set(scripts.flatMap((name) => textOf('action', name).match(/\bONCEOVER_[A-Z_]+/g) ?? []));
    expect.soft([...read].sort()).toEqual(Object.keys(step.env ?? {}).sort());
  }
});

test('every used action is pinned to a commit, with its version in a comment', () => {
  const lines = textOf('action.yml')
    .split('\n')
    .filter((line) => line.includes('uses:'));
  expect(lines).toHaveLength(4);
  for (const line of lines) expect.soft(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('the docs list every input and output', () => {
  const page = textOf('docs/ci.md');
  for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)]) {
    expect.soft(page).toContain(`| \`${name}\` |`);
  }
});
