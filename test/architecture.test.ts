import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

const BASE = ['kernel', 'ui', 'platform'];
const SERVICES = [
  ...BASE,
  'git',
  'config',
  'agents',
  'dispatch',
  'ledger',
  'trust',
  'passes',
  'team',
  'remote',
  'version',
];
const SLICES = [
  'gates',
  'rules',
  'phases',
  'workflows',
  'fix-loop',
  'stop-hook',
  'sharing',
  'explain',
  'reports',
  'cost',
  'setup',
  'demo',
  'web',
  'forges',
  'prove',
  'worker',
  'serve',
];

/** The slices that each slice may import, type imports included. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  ui: ['kernel'],
  platform: ['kernel'],
  'text-diff': [],
  version: [],
  git: ['kernel', 'platform'],
  'api-reviewer': ['kernel', 'platform'],
  agents: ['kernel', 'platform', 'git', 'api-reviewer'],
  config: [...BASE, 'git', 'agents', 'version'],
  dispatch: [...BASE, 'agents', 'config', 'team'],
  ledger: [...BASE, 'dispatch', 'team'],
  trust: [...BASE, 'git', 'config', 'version'],
  passes: [...BASE, 'git', 'config', 'team', 'version'],
  team: [...BASE, 'git', 'config', 'version'],
  remote: [...BASE, 'git', 'config', 'agents', 'team', 'version'],
  worker: [...BASE, 'git', 'config', 'agents', 'team', 'remote', 'version'],
  serve: [...SERVICES, 'gates', 'cost', 'web', 'forges'],
  rules: [...BASE, 'git', 'config', 'version'],
  gates: [...SERVICES, 'rules'],
  phases: [...SERVICES, 'text-diff'],
  workflows: SERVICES,
  'fix-loop': [...SERVICES, 'gates', 'rules'],
  'stop-hook': [...SERVICES, 'gates'],
  sharing: [...SERVICES, 'gates'],
  explain: [...SERVICES, 'gates', 'rules', 'prove'],
  reports: [...SERVICES, 'gates'],
  progress: [...SERVICES, 'gates', 'phases'],
  cost: SERVICES,
  setup: [...SERVICES, 'gates', 'rules'],
  demo: [...SERVICES, 'gates', 'cost'],
  web: [...SERVICES, 'gates', 'cost', 'explain', 'phases', 'prove', 'progress'],
  forges: [...BASE, 'ledger', 'gates'],
  prove: [...SERVICES, 'gates', 'rules'],
  api: [...SERVICES, ...SLICES, 'progress'],
  mcp: ['api', 'kernel', 'ui', 'version', ...SLICES],
  cli: ['api', 'kernel', 'ui', 'version', 'git', 'progress', 'mcp', ...SLICES],
  index: ['api', ...SERVICES, ...SLICES, 'progress'],
};

/** The front doors: besides its pure files, other slices may import only these files of a capability. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  gates: [
    'open-run',
    'background-run',
    'prefetch',
    'run',
    'resolve',
    'clean',
    'ports',
    'run-types',
    'record-types',
    'record/proof-files',
    'record/receipts',
    'record/share',
    'record/records',
    'record/record-names',
    'record/postgres-findings',
  ],
  rules: ['instructions', 'load', 'tasks', 'select-files', 'review-id', 'passes'],
  phases: ['open-phase', 'background-phase', 'progress', 'run-types', 'roles/load'],
  workflows: ['workflows', 'quality/gate', 'quality/agent', 'quality/tasks'],
  'fix-loop': ['until-pass'],
  'stop-hook': ['answer', 'check-gates'],
  sharing: ['list', 'verify'],
  explain: ['explain'],
  reports: ['finished-run', 'formats', 'github', 'write'],
  cost: ['read', 'rows', 'csv', 'summarise'],
  setup: ['init', 'doctor', 'remove'],
  demo: ['play', 'reviewer'],
  web: ['page', 'read', 'server'],
  forges: ['open-publish', 'publish', 'pull-requests', 'read-run'],
  prove: ['open-proof', 'result-types', 'known-proofs'],
  progress: ['state', 'reporter', 'share', 'progress-file'],
  worker: ['run-worker'],
  serve: ['open-server'],
};

/** Files that decide or describe: they take data and return data. Of Node they may use only hashing. */
const PURE =
  /^(?:kernel|ui|text-diff)\/|(?:^|\/)(?:decide|judge|describe|prompt)\/|(?:^|\/)(?:decide|judge|describe|prompt|json|types)[^/]*$/;
const PURE_MODULES = ['node:crypto', 'zod', 'jsonrepair', 'diff'];
const PORTS_ONLY = /^(?:gates|phases|workflows)\/(?:do|read)\//;
const WORLD = ['git', 'platform', 'agents'];

type Import = { readonly from: string; readonly to: string };

const files = readdirSync(SRC, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(SRC, join(entry.parentPath, entry.name)));
const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8');
const inner: Import[] = [];
const outer: Import[] = [];
for (const from of files) {
  for (const [, target = ''] of textOf(from).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)) {
    if (target.startsWith('.')) inner.push({ from, to: join(dirname(from), target) });
    else outer.push({ from, to: target });
  }
}

const sliceOf = (path: string) => (path.split('/')[0] ?? path).replace(/\.ts$/, '');

describe('architecture', () => {
  test('the test finds files and imports to check', () => {
    expect(files.length).toBeGreaterThan(200);
    expect(inner.length).toBeGreaterThan(1000);
  });

  test('every slice is listed', () => {
    expect([...new Set(files.map(sliceOf))].filter((slice) => ARROWS[slice] === undefined)).toEqual([]);
  });

  test('imports follow the arrows', () => {
    const wrong = inner.filter(
      ({ from, to }) => sliceOf(to) !== sliceOf(from) && !ARROWS[sliceOf(from)]?.includes(sliceOf(to)),
    );
    expect(wrong).toEqual([]);
  });

  test('other slices enter a capability by its front doors', () => {
    const entered = inner.filter(({ from, to }) => sliceOf(from) !== sliceOf(to) && DOORS[sliceOf(to)] !== undefined);
    const behind = entered.map(({ to }) => to.replace(/\.ts$/, '')).filter((file) => !PURE.test(file));
    const doors = Object.entries(DOORS).flatMap(([slice, names]) => names.map((name) => `${slice}/${name}`));
    expect([...new Set(behind)].sort()).toEqual(doors.sort());
  });

  test('no import cycles between files', () => {
    expect(cycle(graphOf(inner))).toBeNull();
  });

  test('no import cycles between slices', () => {
    const between = inner.map(({ from, to }) => ({ from: sliceOf(from), to: sliceOf(to) }));
    expect(cycle(graphOf(between.filter(({ from, to }) => from !== to)))).toBeNull();
  });

  test('pure files import pure modules only', () => {
    const isPure = (file: string) => PURE.test(file.replace(/\.ts$/, ''));
    expect(files.filter(isPure).length).toBeGreaterThan(100);
    expect(outer.filter(({ from, to }) => isPure(from) && !PURE_MODULES.includes(to))).toEqual([]);
    expect(inner.filter(({ from, to }) => isPure(from) && WORLD.includes(sliceOf(to)))).toEqual([]);
  });

  test('do/ and read/ reach the world through ports', () => {
    expect(files.filter((file) => PORTS_ONLY.test(file)).length).toBeGreaterThan(10);
    expect(inner.filter(({ from, to }) => PORTS_ONLY.test(from) && WORLD.includes(sliceOf(to)))).toEqual([]);
    expect(outer.filter(({ from, to }) => PORTS_ONLY.test(from) && !PURE_MODULES.includes(to))).toEqual([]);
  });

  test('an exported name means one thing in all of src', () => {
    const homes = new Map<string, string[]>();
    for (const file of files.filter((one) => !['index.ts', 'api.ts'].includes(one))) {
      for (const [, name = ''] of textOf(file).matchAll(
        /^export (?:declare )?(?:async )?(?:function\*?|const|let|type|interface|class) (\w+)/gm,
      )) {
        homes.set(name, [...new Set([...(homes.get(name) ?? []), file])]);
      }
    }
    expect([...homes].filter(([, where]) => where.length > 1)).toEqual([]);
  });

  // The build exports plain values from the chunks of frequent commands (tsdown.config.ts).
  test('no module exports a variable that can be assigned again', () => {
    const assignable = files.filter((file) => /^export (?:let|var) /m.test(textOf(file)));
    expect(assignable).toEqual([]);
  });

  test('no folder holds more than 25 files', () => {
    const sizes = new Map<string, number>();
    for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
    expect([...sizes].filter(([, size]) => size > 25)).toEqual([]);
  });

  test('every slice has tests', () => {
    const tested = new Set(readdirSync(import.meta.dirname));
    const slices = [...new Set(files.filter((file) => file.includes('/')).map(sliceOf))];
    expect(slices.filter((slice) => !tested.has(slice))).toEqual([]);
  });
});

function graphOf(imports: readonly Import[]): ReadonlyMap<string, readonly string[]> {
  const graph = new Map<string, string[]>();
  for (const { from, to } of imports) graph.set(from, [...(graph.get(from) ?? []), to]);
  return graph;
}

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
