import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const PACKAGES = resolve(import.meta.dirname, '../packages');

/** More arrows between packages than this would make the walls pointless. */
const MOST_ARROWS = 60;

/** The files of the story of a run that other packages may import. */
const MOST_DOORS_OF_RUN = 20;

/** Loops review documents by rules of their own; they must not depend on gates. */
const NEVER: readonly (readonly [from: string, to: string])[] = [['loops', 'gates']];

/** Files that decide or describe: they take data and return data. Of Node they may use only hashing. */
const PURE =
  /^base\/(?:kernel|ui|text-diff)\/|(?:^|\/)(?:decide|judge|describe|prompt|economy)\/|(?:^|\/)(?:decide|judge|describe|prompt|json|types)[^/]*$/;
const PURE_MODULES = ['node:crypto', 'zod', 'jsonrepair', 'diff'];
const PORTS_ONLY = /^(?:gates\/run|loops\/phases|loops\/workflows)\/(?:do|read)\//;
const WORLD = /^(?:repo\/git|base\/platform|agents\/adapters)\//;

type Import = { readonly from: string; readonly to: string };

type Manifest = {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
};

const packages = readdirSync(PACKAGES);
const manifests = new Map(
  packages.map((name) => [name, JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')) as Manifest]),
);
// A file is named by its package and its path in src, such as gates/run/run.ts.
const files = packages.flatMap((name) => {
  const source = join(PACKAGES, name, 'src');
  return readdirSync(source, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(name, relative(source, join(entry.parentPath, entry.name))));
});
const packageOf = (file: string) => file.split('/')[0] ?? file;
const textOf = (file: string) => {
  const name = packageOf(file);
  return readFileSync(join(PACKAGES, name, 'src', file.slice(name.length + 1)), 'utf8');
};
/** The part of a package that a file belongs to: its folder in src, or the package if the file is directly in src. */
const roomOf = (file: string) => file.split('/').slice(0, 2).join('/').replace(/\.ts$/, '');

const inner: Import[] = [];
const outer: Import[] = [];
for (const from of files) {
  for (const [, target = ''] of textOf(from).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)) {
    const door = /^@onceover\/(.+)$/.exec(target)?.[1];
    if (door !== undefined) inner.push({ from, to: `${door}.ts` });
    else if (target.startsWith('.')) inner.push({ from, to: join(dirname(from), target) });
    else outer.push({ from, to: target });
  }
}
const crossing = inner.filter(({ from, to }) => packageOf(from) !== packageOf(to));
const arrows = [...new Set(crossing.map(({ from, to }) => `${packageOf(from)} ${packageOf(to)}`))];
const doorsOf = (name: string) =>
  Object.keys(manifests.get(name)?.exports ?? {}).filter((door) => !/\*|\.json$/.test(door) && name !== 'base');

describe('packages', () => {
  test('the test finds files and imports to check', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(crossing.length).toBeGreaterThan(1000);
  });

  test.each(packages)('%s depends on exactly the packages that it imports', (name) => {
    const dependencies = Object.keys(manifests.get(name)?.dependencies ?? {});
    const own = dependencies.filter((one) => one.startsWith('@onceover/')).map((one) => one.slice('@onceover/'.length));
    expect(
      arrows
        .filter((arrow) => arrow.startsWith(`${name} `))
        .map((arrow) => arrow.split(' ')[1])
        .sort(),
    ).toEqual(own.sort());
  });

  test('packages do not import each other in a cycle, and have few arrows', () => {
    expect(cycle(graphOf(crossing.map(({ from, to }) => ({ from: packageOf(from), to: packageOf(to) }))))).toBeNull();
    expect(arrows.length).toBeLessThanOrEqual(MOST_ARROWS);
    expect(NEVER.filter(([from, to]) => arrows.includes(`${from} ${to}`))).toEqual([]);
  });

  test.each(packages)('%s lists exactly the doors that other packages use', (name) => {
    const used = new Set(crossing.map(({ to }) => to).filter((to) => packageOf(to) === name));
    const page = join(PACKAGES, 'web/page/src');
    for (const file of readdirSync(page).filter((one) => /\.tsx?$/.test(one))) {
      const imports = readFileSync(join(page, file), 'utf8').matchAll(/'@onceover\/([^']+)'/g);
      for (const [, door = ''] of imports) if (packageOf(door) === name) used.add(`${door}.ts`);
    }
    const doors = doorsOf(name).map((door) => `${name}${door.slice(1)}.ts`);
    if (name !== 'base') expect([...used].sort()).toEqual(doors.sort());
    expect(doors.filter((door) => !files.includes(door))).toEqual([]);
  });

  test('the story of a run has few doors', () => {
    const doors = doorsOf('gates').filter((door) => door.startsWith('./run/'));
    expect(doors.length).toBeLessThanOrEqual(MOST_DOORS_OF_RUN);
  });

  test('no import leaves a package except through a door', () => {
    const leaving = files.filter((file) =>
      [...textOf(file).matchAll(/from '(\.[^']+)'/g)].some(
        ([, target = '']) => packageOf(join(dirname(file), target)) !== packageOf(file),
      ),
    );
    expect(leaving).toEqual([]);
    expect(files.filter((file) => textOf(file).includes(`'@onceover/${packageOf(file)}/`))).toEqual([]);
    expect(files.filter((file) => /'@onceover\/\w+\/src\//.test(textOf(file)))).toEqual([]);
  });
});

describe('files', () => {
  test('no import cycles between files', () => {
    expect(cycle(graphOf(inner))).toBeNull();
  });

  test('no import cycles between the folders of a package', () => {
    const between = inner
      .filter(({ from, to }) => packageOf(from) === packageOf(to))
      .map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))
      .filter(({ from, to }) => from !== to);
    const isFolder = (room: string) => !files.includes(`${room}.ts`);
    expect(cycle(graphOf(between.filter(({ from, to }) => isFolder(from) && isFolder(to))))).toBeNull();
  });

  test('pure files import pure modules only', () => {
    const isPure = (file: string) => PURE.test(file.replace(/\.ts$/, ''));
    expect(files.filter(isPure).length).toBeGreaterThan(100);
    expect(outer.filter(({ from, to }) => isPure(from) && !PURE_MODULES.includes(to))).toEqual([]);
    expect(inner.filter(({ from, to }) => isPure(from) && WORLD.test(to))).toEqual([]);
  });

  test('do/ and read/ reach the world through ports', () => {
    expect(files.filter((file) => PORTS_ONLY.test(file)).length).toBeGreaterThan(10);
    expect(inner.filter(({ from, to }) => PORTS_ONLY.test(from) && WORLD.test(to))).toEqual([]);
    expect(outer.filter(({ from, to }) => PORTS_ONLY.test(from) && !PURE_MODULES.includes(to))).toEqual([]);
  });

  test('an exported name means one thing in all packages', () => {
    const homes = new Map<string, string[]>();
    for (const file of files.filter((one) => !['onceover/index.ts', 'onceover/api.ts'].includes(one))) {
      for (const [, name = ''] of textOf(file).matchAll(
        /^export (?:declare )?(?:async )?(?:function\*?|const|let|type|interface|class) (\w+)/gm,
      )) {
        homes.set(name, [...new Set([...(homes.get(name) ?? []), file])]);
      }
    }
    expect([...homes].filter(([, where]) => where.length > 1)).toEqual([]);
  });

  // The build exports plain values from the chunks of frequent commands (tools/tsdown.config.ts).
  test('no module exports a variable that can be assigned again', () => {
    const assignable = files.filter((file) => /^export (?:let|var) /m.test(textOf(file)));
    expect(assignable).toEqual([]);
  });

  test('no folder holds more than 25 files', () => {
    const sizes = new Map<string, number>();
    for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
    expect([...sizes].filter(([, size]) => size > 25)).toEqual([]);
  });

  test('every folder of a package has tests', () => {
    const rooms = new Set(files.filter((file) => file.split('/').length > 2).map(roomOf));
    const lacksTests = (room: string) => {
      const [name = '', folder = ''] = room.split('/');
      return !existsSync(join(PACKAGES, name, 'test', folder));
    };
    const verbs = /\/(?:read|decide|do|judge|record|describe|set)$/;
    expect([...rooms].filter((room) => !verbs.test(room) && lacksTests(room))).toEqual([]);
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
