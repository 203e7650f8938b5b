import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { READING_PROMPT } from '@onceover/agents/dispatch/prompt-reading';
import { onceover } from '@onceover/testing/cli.ts';
import { fakeClaude } from '@onceover/testing/fake-claude.ts';
import { repoWith } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import type { RunDocument } from '../../../src/result/json.ts';

const REVIEWS = ['one', 'two', 'three'];
const READS_ALL = `return { answer: { status: 'read' }, opens: ['lib/b.ts'],
  usage: { input_tokens: 10, cache_creation_input_tokens: 9000, output_tokens: 5 } };`;
const CACHED = `usage: { input_tokens: 10, cache_read_input_tokens: 9000, cache_creation_input_tokens: 300, output_tokens: 5 }`;
const fails = (opens: readonly string[] = []) =>
  `return { opens: ${JSON.stringify(opens)}, ${CACHED}, answer: { status: 'fail', violations: [
    { file: 'src/a.ts', line: 1, issue: 'Wrong.', priority: 'high' }] } };`;

const LIB = 'export const b = 2;';
/** A reading that opens a file only if its prompt does not show it. */
const READS_ONCE = `const isShown = call.said.includes('${LIB}'); ${READS_ALL.replace("['lib/b.ts']", "isShown ? [] : ['lib/b.ts']")}`;

/** Sets up three reviews of one change by a scripted Claude Code. `review` returns what a reviewer does. */
function threeReviews(review: string, { version, reads = READS_ALL }: { version?: string; reads?: string } = {}) {
  const { env, calls } = fakeClaude(`if (call.prompt.includes('judge nothing yet')) { ${reads} } ${review}`, version);
  const reviews = REVIEWS.map((name) => `      ${name}: { prompt: ${name}.md }\n`).join('');
  const repo = repoWith({
    'onceover.yml': `agents: [claude]\nlog_dir: logs\ngates:\n  - path: src\n    reviews:\n${reviews}`,
    ...Object.fromEntries(REVIEWS.map((name) => [`${name}.md`, `Rubric ${name}.\n`])),
    'src/a.ts': '',
    'lib/b.ts': `${LIB}\n`,
  });
  repo.write('src/a.ts', 'export const a = 1;\n');
  let seen = 0;
  return {
    repo,
    tell: (...args: readonly string[]) => onceover(repo.root, args, { env }),
    async run(...args: readonly string[]) {
      const end = await onceover(repo.root, ['run', '--json', ...args], { env });
      const own = calls().slice(seen);
      seen += own.length;
      const document = JSON.parse(end.stdout) as RunDocument;
      return { document, calls: own, forks: own.filter(({ forkOf }) => forkOf !== null) };
    },
  };
}

test('run, explain, cost and the report say who shared a reading, what it opened and what that saved', async () => {
  const { repo, run, tell } = threeReviews(fails());
  const { document, forks } = await run('--report', 'json=report.json');
  expect(forks).toHaveLength(3);
  expect(document.saved.reading).toBeGreaterThan(10_000);
  const report = JSON.parse(readFileSync(join(repo.root, 'report.json'), 'utf8'));
  expect(report.saved).toEqual(document.saved);
  const explained = await tell('explain', 'review:src:two');
  expect(explained.stdout.replace(/\s+/g, ' ')).toContain(
    'shares 1 file that one session read, counted for review:src:one@1',
  );
  const shown = JSON.parse((await tell('explain', 'review:src:two', '--json')).stdout);
  expect(shown.history[0]).toMatchObject({ opened: [], reading: { leader: 'review:src:one@1', opened: ['lib/b.ts'] } });
  const cost = JSON.parse((await tell('cost', '--json')).stdout);
  expect(cost.not_paid.reading).toMatchObject({ tokens: document.saved.reading });
  expect((await tell('cost')).stdout).toContain('by sharing opened files');
});

test('reviews share again, until forks open the files of their reading again', async () => {
  const apart = threeReviews(fails(['docs/own.md']));
  expect((await apart.run()).forks).toHaveLength(3);
  // Files that the reading had not opened are no reason to stop.
  expect((await apart.run('--fresh')).forks).toHaveLength(3);

  const again = threeReviews(fails(['lib/b.ts']));
  expect((await again.run()).forks).toHaveLength(3);
  const { forks, calls } = await again.run('--fresh');
  expect(forks).toEqual([]);
  expect(calls.map(({ prompt }) => prompt)).not.toContain(READING_PROMPT);
});

test.each([
  ['a new reading finds the files of the last one in its prompt', READS_ONCE, true],
  ['a reading that opened the files of its prompt again is not given any', READS_ALL, false],
])('%s', async (_, reads, isGivenAgain) => {
  const { run, tell } = threeReviews(fails(), { reads });
  const shown: boolean[] = [];
  // Nothing changes, so new sessions decide.
  for (let round = 1; round <= 3; round++) {
    const { calls, forks } = await run();
    const [reading] = calls;
    expect(reading?.prompt).toBe(READING_PROMPT);
    expect(forks.map(({ forkOf }) => forkOf)).toEqual(Array(3).fill(reading?.session));
    shown.push(reading?.systemPrompt.includes(LIB) === true);
  }
  expect(shown).toEqual([false, true, isGivenAgain]);
  const { history } = JSON.parse((await tell('explain', 'review:src:two', '--json')).stdout);
  expect(history[1]).toMatchObject({
    ...{ opened: [], handed: ['lib/b.ts'] },
    reading: { opened: isGivenAgain ? [] : ['lib/b.ts'] },
  });
});

test('a version that failed the tests of sessions gets the files that its last reviews opened', async () => {
  const { run } = threeReviews(fails(['lib/b.ts']), { version: '9.9.9' });
  const reviewsIn = async () => {
    const { calls, forks } = await run();
    expect(forks).toEqual([]);
    return calls.filter(({ prompt }) => prompt.includes('What to look for'));
  };
  const first = await reviewsIn();
  expect(first.map(({ systemPrompt }) => systemPrompt.includes(LIB))).toEqual(Array(3).fill(false));
  // The first resume tests the version, and the scripted agent fails.
  const second = await reviewsIn();
  expect(second.map(({ resumed }) => resumed)).toEqual(Array(3).fill(false));
  expect(second.map(({ systemPrompt }) => systemPrompt.includes(LIB))).toEqual(Array(3).fill(true));
});
