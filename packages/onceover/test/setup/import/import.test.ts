import { type Carried, carried } from '@onceover/testing/carried.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ImportTool } from '../../../src/setup/import/types.ts';

const glob = fc.oneof(
  fc.constantFrom(
    '**',
    'src/**',
    '**/*.ts',
    'src/*',
    './a',
    '/b/**',
    '..',
    'src/{a,b}/**',
    '[',
    '@(x)',
    '!x',
    ' ',
    '.',
    '5',
    'on',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('a', '/', '*', '?', '.', '{', '}', '[', ']', ',', '!', ' ', '\\', '-'),
    maxLength: 12,
  }),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\r',
      '\t',
      '#',
      ':',
      '-',
      '`',
      '"',
      "'",
      '|',
      '---',
      '{',
      '}',
      '\u2028',
      '\ufeff',
    ),
    maxLength: 30,
  }),
);
const name = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  fc.constantFrom('a', 'A', 'a-2', 'true', '5', '__proto__', 'code-quality'),
);

/** Returns the texts that must be kept: those that are not empty and that a file can hold. */
const lasting = (texts: readonly string[]) =>
  texts.filter((candidate) => candidate.trim() !== '' && !candidate.includes('\0'));

function expectInOrder(outcome: Carried, texts: readonly string[]): void {
  const { over, prompts, settings } = outcome;
  // No text is lost: each is in a prompt, without the blank lines at its start.
  for (const content of lasting(texts)) {
    const words = content.replace(/^(?:[ \t]*\r?\n)+/, '');
    expect(Object.values(prompts)).toContain(words.endsWith('\n') ? words : `${words}\n`);
  }
  const files = Object.keys(prompts);
  expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(files.length);
  for (const file of files) expect(file).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*\.md$/);
  for (const { path } of over.prompts) expect(path).not.toContain('..');
  const promptPaths = settings.gates.flatMap(({ reviews }) => Object.values(reviews).map(({ prompt }) => prompt));
  for (const prompt of promptPaths) expect(over.prompts.map(({ path }) => path)).toContain(prompt);
}

/** Imports files that may be broken, and checks the result or the problems. */
async function check(
  tool: ImportTool,
  files: Readonly<Record<string, string>>,
  texts: readonly string[],
): Promise<void> {
  const outcome = await carried(tool, files);
  if ('over' in outcome) expectInOrder(outcome, texts);
  else {
    expect(outcome.length).toBeGreaterThan(0);
    for (const { file, line, column } of outcome)
      expect([file in files, line > 0, column > 0]).toEqual([true, true, true]);
  }
}

const RUNS = { numRuns: 100 };

describe('an import of any input', () => {
  test('writes a valid onceover.yml and loses no text of CodeRabbit', async () => {
    const instructions = fc.array(fc.record({ path: glob, instructions: text }), { maxLength: 6 });
    const checks = fc.array(fc.record({ name, instructions: text, mode: fc.constantFrom('off', 'warning', 'error') }), {
      maxLength: 3,
    });
    const filters = fc.array(
      fc.oneof(
        glob,
        glob.map((pattern) => `!${pattern}`),
      ),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(instructions, checks, filters, async (paths, custom, pathFilters) => {
        const config = {
          reviews: { path_instructions: paths, path_filters: pathFilters, pre_merge_checks: { custom_checks: custom } },
        };
        const texts = [...paths, ...custom].map((source) => source.instructions);
        await check('coderabbit', { '.coderabbit.yaml': stringify(config) }, texts);
      }),
      RUNS,
    );
  });

  test('writes a valid onceover.yml and loses no text of agent gauntlet, with checks', async () => {
    const gates = fc.array(name, { maxLength: 3 });
    const entry = fc.record({
      path: glob.filter((pattern) => pattern !== ''),
      exclude: fc.array(glob, { maxLength: 2 }),
      checks: gates,
      reviews: gates,
    });
    const check1 = fc.record(
      {
        command: text.filter((command) => command !== ''),
        working_directory: glob,
        timeout: fc.double({ noNaN: true, noDefaultInfinity: true }),
      },
      { requiredKeys: ['command'] },
    );
    const files = fc.dictionary(fc.constantFrom('a', 'A', 'a-2', 'true', '5', 'b c', 'code-quality'), text, {
      maxKeys: 4,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'true', '5'), check1, { maxKeys: 3 }),
        files,
        fc.array(fc.oneof(name, fc.constantFrom('claude', 'codex')), { maxLength: 3 }),
        async (entries, checks, reviews, agents) => {
          const configFiles: Record<string, string> = {
            '.gauntlet/config.yml': stringify({ entry_points: entries, cli: { default_preference: agents } }),
          };
          for (const [id, settings] of Object.entries(checks))
            configFiles[`.gauntlet/checks/${id}.yml`] = stringify(settings);
          const bodies: string[] = [];
          for (const [id, body] of Object.entries(reviews)) {
            // Without front matter of its own, a text could be read as front matter.
            configFiles[`.gauntlet/reviews/${id}.md`] = `---\nnum_reviews: 1\n---\n${body}`;
            bodies.push(body);
          }
          await check('gauntlet', configFiles, bodies);
        },
      ),
      RUNS,
    );
  });

  test('writes a valid onceover.yml and loses no text of Continue', async () => {
    const file = fc.record({ name: text, description: text, body: text });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.stringMatching(/^[\w .é日-]{1,9}$/), file, { minKeys: 1, maxKeys: 5 }),
        async (checks) => {
          const configFiles: Record<string, string> = {};
          for (const [id, { body, ...front }] of Object.entries(checks)) {
            configFiles[`.continue/checks/${id}.md`] = `---\n${stringify(front)}---\n${body}`;
          }
          const texts = Object.values(checks).map(({ body, description }) => (body.trim() === '' ? description : body));
          await check('continue', configFiles, texts);
        },
      ),
      RUNS,
    );
  });

  test('imports arbitrary files, or reports the position of a problem', async () => {
    const junk = fc.oneof(
      text,
      fc.json({ maxDepth: 4 }),
      fc.anything({ maxDepth: 3 }).map((value) => {
        try {
          return stringify({ reviews: value, entry_points: [value], cli: value }) ?? '';
        } catch {
          return '';
        }
      }),
    );
    await fc.assert(
      fc.asyncProperty(junk, junk, junk, async (first, second, third) => {
        await check('coderabbit', { '.coderabbit.yaml': first }, []);
        await check('continue', { '.continue/checks/a.md': second }, []);
        const configFiles = {
          '.gauntlet/config.yml': first,
          '.gauntlet/checks/a.yml': second,
          '.gauntlet/reviews/a.md': third,
        };
        await check('gauntlet', configFiles, []);
      }),
      RUNS,
    );
  });
});
