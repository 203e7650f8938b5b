import { delimiter, dirname, join } from 'node:path';
import { FORK_OPENING, READING_PROMPT } from '@onceover/agents/dispatch/prompt-reading';
import type { RunDocument } from '@onceover/gates/result/json';
import { programOf, REAL_AGENTS, settle, usersFolder } from '@onceover/testing/agent-clis.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { objectsIn } from '@onceover/testing/model-sim/json.ts';
import type { Answer, RequestSummary } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { CHANGE, FINDINGS, MENDED } from '@onceover/testing/real-review.ts';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { usersText } from '@onceover/testing/wire.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const RUBRICS = ['Look for wrong results.', 'Look for what is hard to read.', 'Look for leaks.'];
const bare = (value: unknown) => JSON.stringify(value, (key, one) => (key === 'cache_control' ? undefined : one));

/** Sets up a repository with three reviews by opencode. The session that reads the files opens `opened`. */
function sharedReviews(label: string, opened: string) {
  const opencode = REAL_AGENTS.find(({ agent }) => agent.name === 'opencode');
  if (opencode === undefined) throw new Error('the tests do not know opencode');
  const { ONCEOVER_ACTIVE: _, ...own } = settle(opencode, temporaryFolder(usersFolder()), sim.baseUrl(label)).env;
  const env = { ...own, PATH: [dirname(programOf(opencode)), process.env['PATH']].join(delimiter) };
  const reviews = RUBRICS.map((_, n) => `      r${n}: { prompt: r${n}.md }\n`).join('');
  const repo = repoWith({
    'onceover.yml': `agents: [opencode]
agent:
  opencode: { model: ${opencode.model} }
gates:
  - path: src
    reviews:
${reviews}`,
    ...Object.fromEntries(RUBRICS.map((rubric, n) => [`r${n}.md`, `${rubric}\n`])),
    'src/cart.ts': '',
    'lib/share.ts': 'export const share = (amount: number) => amount / 2;\n',
  });
  repo.write('src/cart.ts', CHANGE.cart);
  sim.script(label, ({ body, toolResults }: RequestSummary): Answer => {
    const said = JSON.stringify(body);
    if (RUBRICS.some((rubric) => said.includes(rubric)))
      return { kind: 'structured', value: { status: 'fail', violations: [FINDINGS.cart], previous: [] } };
    if (toolResults.length > 0) return { kind: 'structured', value: { status: 'read' } };
    return { kind: 'tools', calls: [opencode.read(join(repo.root, opened))] };
  });
  return { repo, run: () => onceover(repo.root, ['run', '--json'], { env, timeoutMs: 120_000 }) };
}

const generated = (label: string) => sim.requests(label).filter(({ target }) => target.kind === 'generate');

test('a helper outside the gate changes between rounds, and its new text is in every later request of opencode', async () => {
  const { repo, run } = sharedReviews('helper', 'lib/share.ts');
  expect((await run()).code).toBe(1);
  const before = generated('helper').length;
  repo.write('src/cart.ts', MENDED.cart);
  repo.write('lib/share.ts', 'export const share = (amount: number) => amount / 3;\n');
  expect((await run()).code).toBe(1);
  const later = generated('helper').slice(before);
  expect(later.length).toBeGreaterThanOrEqual(3);
  for (const { body } of later) expect(JSON.stringify(body)).toContain('amount / 3');
});

test('three reviews of opencode fork one reading, which none of their rubrics reaches, and read it from the cache', async () => {
  const { run } = sharedReviews('share', 'src/cart.ts');
  const end = await run();
  const document = JSON.parse(end.stdout) as RunDocument;
  expect(document).toMatchObject({ status: 'failed', dispatches: 4 });
  expect(document.saved.reading).toBeGreaterThan(0);

  const [asked, answered, ...forks] = generated('share');
  expect(usersText(asked)).toBe(READING_PROMPT);
  for (const rubric of RUBRICS) expect(JSON.stringify(answered?.body)).not.toContain(rubric);
  const parent = objectsIn(answered?.body?.['messages']);
  expect(forks).toHaveLength(3);
  for (const fork of forks) {
    expect(bare(objectsIn(fork.body?.['messages']).slice(0, parent.length))).toBe(bare(parent));
    expect(bare(fork.body?.['system'])).toBe(bare(asked?.body?.['system']));
    expect(bare(fork.body?.['tools'])).toBe(bare(asked?.body?.['tools']));
    expect(RUBRICS.filter((rubric) => JSON.stringify(fork.body).includes(rubric))).toHaveLength(1);
    expect(JSON.stringify(fork.body)).not.toContain(FINDINGS.cart.issue);
    expect(usersText(fork)).toContain(FORK_OPENING);
    expect(fork.use?.read).toBeGreaterThanOrEqual(answered?.use?.total ?? 0);
    expect(fork.use?.write).toBeLessThan(200);
  }
});
