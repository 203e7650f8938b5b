import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { storiesOf, type Told, toldAt } from '@onceover/testing/docs-commands/commands.ts';
import { readDocument } from '@onceover/testing/docs-commands/documents.ts';
import { everything } from '@onceover/testing/docs-commands/help.ts';
import { type House, openHouses } from '@onceover/testing/docs-commands/houses.ts';
import { judge } from '@onceover/testing/docs-commands/judge.ts';
import { typeProblems } from '@onceover/testing/docs-commands/library.ts';
import { docPages, PROJECT, readPage, splitPage } from '@onceover/testing/docs-commands/pages.ts';
import { OTHERS, OTHERS_OPTIONS, type Place, placeOf, SAMPLES } from '@onceover/testing/docs-commands/places.ts';
import { wordsOf } from '@onceover/testing/docs-commands/words.ts';
import { afterAll, describe, expect, test } from 'vitest';

type Tried = Told & { readonly place: Place };

const pages = docPages().map(readPage);
const fences = pages.flatMap((page) => page.fences);
const documents = fences.map((fence) => ({ ...fence, ...readDocument(fence) }));
const stories = await Promise.all(
  [...pages.flatMap(storiesOf), ...documents.flatMap(({ told }) => told.map((one) => [one]))].map((story) =>
    Promise.all(story.map(async (told) => ({ ...told, judged: await judge(told) }))),
  ),
);

const features = stories.flat().flatMap(({ command, isSynopsis }) => {
  const [, folder] = /^onceover (?:phase [a-z-]+|cost) ([\w./-]*\w)/.exec(command) ?? [];
  return folder === undefined || folder.startsWith('-') || isSynopsis ? [] : [folder];
});
const { commands, options } = await everything();
const houses = openHouses([...new Set(features)]);
afterAll(() => houses.remove(), 60_000);

test('every command and option in the docs exists, and the tests know how to try it', () => {
  const problems = stories
    .flat()
    .flatMap(({ at, judged }) => (judged.kind === 'wrong' ? judged.problems.map((one) => `${at} ${one}`) : []));
  expect(problems).toEqual([]);
});

test('every option that a sentence names belongs to onceover or to a known program', () => {
  const named = pages.flatMap(({ spans }) => spans.filter(({ text }) => text.startsWith('--')));
  const problems = named.flatMap(({ page, line, text }) =>
    (text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [])
      .filter((option) => !options.has(option) && !OTHERS_OPTIONS.includes(option))
      .map((option) => `${page}:${line} ${option}`),
  );
  expect([named.length > 0, problems]).toEqual([true, []]);
});

test('settings, rules, jobs, roles, CI workflows, agent entries and documents in the docs are valid for their readers', () => {
  const problems = documents.flatMap(({ page, line, problems }) => problems.map((one) => `${page}:${line} ${one}`));
  expect(problems).toEqual([]);
  const kinds = new Set(fences.map(({ info }) => info));
  expect(['yaml', 'json', 'toml', 'markdown', 'sh', 'ts', 'js'].filter((kind) => !kinds.has(kind))).toEqual([]);
});

test.concurrent('programs in the docs that use the library match its types', async () => {
  expect(await typeProblems(fences.filter(({ info }) => info === 'ts' || info === 'js'))).toBe('');
}, 120_000);

test('a command that another test tries has that test', () => {
  expect(OTHERS.map(([, by]) => by).filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
});

test.each([
  ['an unknown command', '`onceover rum`', 'no command "onceover rum"'],
  ['an unknown subcommand', '`onceover workflow begin`', 'no command "onceover workflow begin"'],
  ['a missing option', '```sh\nnpx onceover run --frsh\n```', 'no option --frsh'],
  ['a missing option, in a synopsis', '`onceover run [paths…] --frsh`', 'no option --frsh'],
  ['a missing option, beside a command', '```\nonceover run    all gates; --frsh\n```', 'no option --frsh'],
  ['a missing option, without the name', '`status --promt`', 'no option --promt'],
  ['too many arguments', '`onceover pass <review_id> <another>`', 'takes 1 arguments'],
  ['a line that cannot be copied', '```sh\nonceover phase\n```', 'not complete'],
  ['an unknown program', '```sh\nmake review\n```', 'no test knows how to try "make review"'],
  ['a finding that no repository has', '`onceover resolve F7 --fixed`', 'no test knows how to try'],
  ['a missing script', '`npm run benhc`', 'no script "benhc"'],
  ['a missing file', '`node examples/none.mjs`', 'there is no examples/none.mjs'],
  ['another version', '```sh\nnpm install --global onceover@9.9.9\n```', 'not the present version'],
  ['an unknown settings key', '```yaml\nagents: [claude]\ngate: []\n```', 'unknown key "gate"'],
  ['a rule without a review', '```yaml\nmine:\n  description: x\n  match: { include: [a] }\n```', 'review'],
  ['a document without a schema', '```json\n{ "tasks": [], "skiped": [], "warnings": [] }\n```', 'skip'],
  ['a server that cannot start', '```toml\n[mcp_servers.onceover]\ncommand = "npx"\n```', 'args'],
  [
    'a command in an entry',
    '```json\n{"mcpServers":{"o":{"command":"onceover","args":["mpc"]}}}\n```',
    '"onceover mpc"',
  ],
  ['a command in CI', '```yaml\n- run: onceover run --reprot github\n```', 'no option --reprot'],
  ['another version of the action', '```yaml\n- uses: OWNER/onceover@v9.9.9\n```', 'neither OWNER/onceover@'],
  ['an unknown input', '```yaml\n- uses: actions/checkout@v6\n  with: { depth: 0 }\n```', 'no input "depth"'],
  ['an unknown language', '```perl\nprint 1\n```', 'nothing is known of blocks in "perl"'],
])('a page with %s is reported', async (_what, markdown, problem) => {
  const page = splitPage('page.md', markdown);
  const read = page.fences.map(readDocument);
  const told = [...storiesOf(page).flat(), ...read.flatMap((one) => one.told)];
  const judged = await Promise.all(told.map(judge));
  const problems = [...judged.map((one) => (one.kind === 'wrong' ? one : { problems: [] })), ...read];
  expect(problems.flatMap((one) => one.problems).join('\n')).toContain(problem);
});

describe.concurrent('commands that can be copied from the docs do what the docs say', () => {
  const tried = new Map<string, readonly Tried[]>();
  for (const story of stories) {
    const own = story.flatMap(({ judged, ...told }) =>
      judged.kind === 'run' ? [{ ...told, place: judged.place }] : [],
    );
    const title = own.map(({ command }) => command).join(' && ');
    if (own.length > 0 && !tried.has(title)) tried.set(title, own);
  }
  // A block that begins with this command is tried as a whole.
  for (const [first, second] of [...tried.values()]) {
    if (first !== undefined && second !== undefined) tried.delete(first.command);
  }
  for (const command of SAMPLES) {
    const place = placeOf(command);
    if (place !== null) tried.set(command, [{ ...toldAt(command, 'test/support/docs-commands/places.ts'), place }]);
  }
  test('the docs have every command of the program', () => {
    const all = [...tried.keys()].join(' && ');
    const missing = commands.filter((name) => !new RegExp(`(?:^|&& |\\| )onceover ${name}(?: |$)`).test(all));
    expect(missing, 'the docs tell no line of it that can be run: add one to SAMPLES in places.ts').toEqual([]);
  });
  test.each([...tried])(
    '%s',
    async (_title, story) => {
      const roots = new Map<House, string>();
      let stays: House | null = null;
      for (const { command, at, place } of story) {
        const house: House = stays ?? place.in;
        const root = roots.get(house) ?? houses.copy(house);
        roots.set(house, root);
        if (place.stays === true) stays = house;
        await tryOut(root, { command, at, place });
      }
      await Promise.all([...roots.values()].map((root) => houses.remove(root)));
    },
    180_000,
  );
});

async function tryOut(root: string, { command, at, place }: Pick<Tried, 'command' | 'at' | 'place'>): Promise<void> {
  const { code, stdout, stderr } = await houses.run(root, command, place.input);
  const said = `${at}: ${command}\n${stdout}${stderr}`;
  expect(code, `${said}\nWhere another end is right, say so in test/support/docs-commands/places.ts.`).toBe(place.exit);
  expect(stdout + stderr, said).toMatch(place.says ?? /\S/);
  if (/ --json$/.test(command)) expect(() => JSON.parse(stdout), said).not.toThrow();
  const files = wordsOf(command).flatMap(
    (word) => /^(?:markdown|sarif|junit|rdjson|html)=([^$]+)$/.exec(word)?.[1] ?? [],
  );
  expect(
    files.filter((file) => !existsSync(resolve(root, file))),
    said,
  ).toEqual([]);
}
