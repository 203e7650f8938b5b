import { checkGate, entry, path, reviewGate } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { type GateRequest, selectGates } from '../../../src/run/decide/gate-list.ts';

const GATES = [checkGate(), reviewGate({ entries: [entry({ path: 'src/lib/b.ts' })] })];
const SETTINGS = {
  gates: [
    { path: '.', exclude: [], checks: { lint: { run: 'x', timeoutSeconds: null } }, reviews: {} },
    { path: 'docs/*', exclude: [], checks: { links: { run: 'x', timeoutSeconds: null } }, reviews: {} },
  ],
};
const ask = (asked: Partial<GateRequest>) =>
  selectGates(GATES, { gates: [], paths: [], settings: SETTINGS, rules: [], ...asked });

const LINT = 'check:.:lint';
const REVIEW = 'review:src:code-quality';

test.each<[string, Partial<GateRequest>, expected: readonly string[]]>([
  ['all', {}, [LINT, REVIEW]],
  ['a name', { gates: ['lint'] }, [LINT]],
  ['an id', { gates: [REVIEW] }, [REVIEW]],
  ['both', { gates: ['lint', REVIEW] }, [LINT, REVIEW]],
  ['a gate without changes', { gates: ['links'] }, []],
  ['the id of a gate without changes, in a folder', { gates: ['check:docs/a:links'] }, []],
  ['a file', { paths: [path('src/a.ts')] }, [LINT]],
  ['a folder', { paths: [path('src/lib')] }, [REVIEW]],
  ['the root', { paths: [path('')] }, [LINT, REVIEW]],
  ['a folder and a name', { paths: [path('src/lib')], gates: ['lint'] }, []],
])('%s', (_title, asked, expected) => {
  const selected = ask(asked);
  expect(selected.ok && selected.value.map(({ id }) => id)).toEqual(expected);
});

test('an unknown name is an error that lists the known ones', () => {
  expect(ask({ gates: ['lint', 'nope'] })).toEqual({
    ok: false,
    failure: { kind: 'unknown-gate', gate: 'nope', known: ['lint', 'links'] },
  });
});
