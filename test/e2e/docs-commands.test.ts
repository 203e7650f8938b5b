import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { storiesOf, type Told } from '../support/docs-commands/commands.ts';
import { readDocument } from '../support/docs-commands/documents.ts';
import { type House, openHouses } from '../support/docs-commands/houses.ts';
import { judge } from '../support/docs-commands/judge.ts';
import { typeProblems } from '../support/docs-commands/library.ts';
import { docPages, readPage } from '../support/docs-commands/pages.ts';
import type { Place } from '../support/docs-commands/places.ts';
import { wordsOf } from '../support/docs-commands/words.ts';

type Tried = Told & { readonly place: Place };

const pages = docPages().map(readPage);
const houses = openHouses();
afterAll(() => houses.remove());

const fences = pages.flatMap((page) => page.fences);
const documents = fences.map((fence) => ({ ...fence, ...readDocument(fence) }));
const stories = await Promise.all(
  [...pages.flatMap(storiesOf), ...documents.flatMap(({ told }) => told.map((one) => [one]))].map((story) =>
    Promise.all(story.map(async (told) => ({ ...told, judged: await judge(told) }))),
  ),
);

test('every command and option that the docs tell is there, and something is known of how to try it', () => {
  const problems = stories
    .flat()
    .flatMap(({ at, judged }) => (judged.kind === 'wrong' ? judged.problems.map((one) => `${at} ${one}`) : []));
  expect(problems).toEqual([]);
});

test('settings, rules, jobs, roles, workflows of CI, entries of agents and documents of the docs are read by whoever reads them', () => {
  const problems = documents.flatMap(({ page, line, problems }) => problems.map((one) => `${page}:${line} ${one}`));
  expect(problems).toEqual([]);
  const kinds = new Set(fences.map(({ info }) => info));
  expect(['yaml', 'json', 'toml', 'markdown', 'sh', 'ts', 'js'].filter((kind) => !kinds.has(kind))).toEqual([]);
});

test.concurrent('programs of the docs that use the library are checked by its types', async () => {
  expect(await typeProblems(fences.filter(({ info }) => info === 'ts' || info === 'js'))).toBe('');
}, 120_000);

describe.concurrent('what can be copied from the docs does what they say', () => {
  const tried = new Map<string, readonly Tried[]>();
  for (const story of stories) {
    const own = story.flatMap(({ judged, ...told }) =>
      judged.kind === 'run' ? [{ ...told, place: judged.place }] : [],
    );
    const title = own.map(({ command }) => command).join(' && ');
    if (own.length > 0 && !tried.has(title)) tried.set(title, own);
  }
  test.each([...tried])('%s', async (_title, story) => {
    const roots = new Map<House, string>();
    let stays: House | null = null;
    for (const { command, at, place } of story) {
      const house: House = stays ?? place.in;
      const root = roots.get(house) ?? houses.copy(house);
      roots.set(house, root);
      if (place.stays === true) stays = house;
      await tryOut(root, { command, at, place });
    }
  });
});

async function tryOut(root: string, { command, at, place }: Pick<Tried, 'command' | 'at' | 'place'>): Promise<void> {
  const { code, stdout, stderr } = await houses.run(root, command, place.input);
  const said = `${at}: ${command}\n${stdout}${stderr}`;
  expect(code, `${said}\nWhere another end is right, say so in test/support/docs-commands/places.ts.`).toBe(place.exit);
  expect(stdout + stderr, said).toMatch(place.says ?? /\S/);
  if (/ --json$/.test(command)) expect(() => JSON.parse(stdout), said).not.toThrow();
  const files = wordsOf(command).flatMap((word) => /^(?:markdown|sarif|junit|rdjson)=([^$]+)$/.exec(word)?.[1] ?? []);
  expect(
    files.filter((file) => !existsSync(resolve(root, file))),
    said,
  ).toEqual([]);
}
