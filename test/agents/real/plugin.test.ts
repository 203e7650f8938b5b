import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { programOf } from '@onceover/testing/agent-clis.ts';
import { failing, PASS } from '@onceover/testing/gates.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { realHook, type Work } from '@onceover/testing/real-hook.ts';
import { realAgent } from '@onceover/testing/real-person.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const PROJECT = resolve(import.meta.dirname, '../../..');
const TOOL = 'mcp__plugin_onceover_onceover__';
const TOOLS = [
  'start_run',
  'get_run',
  'resolve_finding',
  'get_review_instructions',
  'get_configured_reviews',
  'mark_review_as_passed',
  'start_phase',
  'continue_phase',
  'get_workflows',
  'start_workflow',
  'finished_step',
  'abort_workflow',
];

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const says = (text: string) => ({ kind: 'text', text }) as const;
const calls = (name: string) => ({ kind: 'tools', calls: [{ name: `${TOOL}${name}`, input: {} }] }) as const;
/** The search by which the model loads tools that it knows only by name. */
const load = (...names: readonly string[]) => {
  const query = `select:${names.map((name) => TOOL + name).join(',')}`;
  return { kind: 'tools', calls: [{ name: 'ToolSearch', input: { query, max_results: 5 } }] } as const;
};
const WRONG = 'export const a = 1;\nexport const b = 2;\n';
const RIGHT = 'export const a = 1;\nexport const c = 3;\n';
const B_IS_WRONG = failing('src/a.ts', 'export const b = 2;', { line: 2, issue: 'b is wrong' });

/** Returns which of these texts the model gets in a request; the whole request is too long to show. */
function heardOf(work: Work, number: number, texts: readonly string[]): readonly string[] {
  const all = JSON.stringify(work.sent.at(number)?.body);
  return texts.filter((text) => all.includes(text));
}

test.each([['plugins/onceover'], ['.']])('Claude Code accepts %s', async (path) => {
  const { env } = await realHook(sim, 'claude');
  const end = spawnSync(programOf(realAgent('claude')), ['plugin', 'validate', join(PROJECT, path), '--strict'], {
    env,
  });
  expect([`${end.stderr}`, end.status]).toEqual(['', 0]);
});

test('the model has the tools and the skill; the hook blocks it once, and lets it stop when the gates pass', async () => {
  const user = await realHook(sim, 'claude', { from: 'plugin' });
  user.answers('one', B_IS_WRONG);
  const work = await user.work([
    ...user.writing('src/a.ts', WRONG),
    says('Done.'),
    ...user.writing('src/a.ts', RIGHT),
    says('Fixed.'),
  ]);
  expect([work.code, work.sent.length]).toEqual([0, 6]);
  const offered = [...TOOLS.map((name) => `${TOOL}${name}`), 'onceover:gates: How to work'];
  expect(heardOf(work, 0, offered)).toEqual(offered);
  expect([2, 3].map((number) => heardOf(work, number, ['b is wrong']).length)).toEqual([0, 1]);
  expect(readFileSync(join(user.root, 'src/a.ts'), 'utf8')).toBe(RIGHT);
  expect(user.calls()).toHaveLength(2);
});

test('/onceover:review runs the gates with the tools that it allows, and no reviewer runs twice', async () => {
  const user = await realHook(sim, 'claude', { from: 'plugin' });
  user.write('src/a.ts', RIGHT);
  user.answers('one', PASS);
  const work = await user.work(
    [load('start_run', 'get_run'), calls('start_run'), calls('get_run'), says('It holds.')],
    '/onceover:review src',
  );
  expect(work.code).toBe(0);
  expect(JSON.parse(work.stdout)).toMatchObject({ is_error: false, permission_denials: [], result: 'It holds.' });
  expect(heardOf(work, 0, ['Paths, if any: src'])).toHaveLength(1);
  expect(heardOf(work, 3, [String.raw`\"status\":\"passed\"`])).toHaveLength(1);
  expect(user.calls()).toHaveLength(1);
});

test('with the hook of init installed too, only one of the two runs', async () => {
  const user = await realHook(sim, 'claude', { from: 'both' });
  user.answers('one', B_IS_WRONG);
  user.write('src/a.ts', WRONG);
  const work = await user.work([says('Done.'), ...Array.from({ length: 5 }, () => says('No.'))]);
  expect([work.code, work.sent.length]).toEqual([0, 4]);
  expect(user.calls()).toHaveLength(1);
});
