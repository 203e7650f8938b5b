import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import { readAnswer } from '@onceover/agents/dispatch/read-answer';
import type { AskEnd } from '@onceover/base/kernel/ports';
import { programOf, REAL_AGENTS } from '@onceover/testing/agent-clis.ts';
import type { LoopDocument } from '@onceover/testing/fixing.ts';
import { compareRequests } from '@onceover/testing/model-sim/compare.ts';
import type { Answer } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { type AgentUser, agentUser } from '@onceover/testing/real-agents.ts';
import type { AgentName } from '@onceover/testing/real-person.ts';
import { answering, FINDINGS, MENDED, ONE_REVIEWER } from '@onceover/testing/real-review.ts';
import { realRun } from '@onceover/testing/real-run.ts';
import { addedText, sessionOf, usersText } from '@onceover/testing/wire.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ANSWER: Answer = { kind: 'structured', value: { summary: 'Fixed.', dispositions: [] } };
const FIXER = {
  writes: true,
  schema: answerSchema('fixer'),
  stable: 'You fix code. Answer with JSON.',
  dynamic: 'Fix the file.',
} as const;

let sim: ModelSim;
/** The measured results, by target of the write and agent. */
const measured: Record<string, Record<string, string>> = {};

beforeAll(async () => {
  for (const real of REAL_AGENTS) programOf(real);
  sim = await startModelSim();
});
afterAll(async () => {
  await sim.close();
  console.table(measured);
});

const FIXERS = REAL_AGENTS.filter(({ agent }) => agent.canFix);

describe.each(FIXERS.map((real) => [real.agent.name, real] as const))('%s as a fixer', (name, real) => {
  let n = 0;

  /** Has the fixer's model write a file; returns whether the file exists. */
  async function writes(
    where: (user: AgentUser) => string,
  ): Promise<{ readonly isThere: boolean; readonly end: AskEnd }> {
    const label = `fix-${name}-${++n}`;
    const user = agentUser(real, sim.baseUrl(label));
    execFileSync('git', ['init', '-q'], { cwd: user.project });
    const path = where(user);
    sim.script(label, [{ kind: 'tools', calls: [real.write(path)] }, ANSWER, ANSWER]);
    const end = await user.ask({ ...FIXER, timeoutSeconds: 40 });
    return { isThere: existsSync(path), end };
  }

  const note = (what: string, isThere: boolean) => {
    measured[what] = {
      ...measured[what],
      [`${name} ${real.agent.testedVersion}`]: isThere ? 'written' : 'not written',
    };
  };

  test('edits a file of the working tree and reports it', async () => {
    const { isThere, end } = await writes(({ project }) => join(project, 'fixed.txt'));
    note('in the working tree', isThere);
    expect(isThere).toBe(true);
    expect(end.ok ? readAnswer('fixer', end.reply) : end).toMatchObject({ ok: true, answer: { summary: 'Fixed.' } });
  });

  test.each([
    ['beside the working tree', ({ project }: AgentUser) => join(dirname(project), 'outside.txt')],
    ['in the home', ({ env }: AgentUser) => join(env['HOME'] ?? '', '.profile')],
    [
      'through a link out of the working tree',
      ({ project }: AgentUser) => {
        mkdirSync(join(dirname(project), 'linked'));
        symlinkSync(join(dirname(project), 'linked'), join(project, 'link'));
        return join(project, 'link/outside.txt');
      },
    ],
  ])('cannot write %s', async (where, path) => {
    const { isThere } = await writes(path);
    note(where, isThere);
    expect(isThere).toBe(false);
  });

  test('whether it can write in the git folder is known; a fix loop trusts no file there', async () => {
    const { isThere } = await writes(({ project }) => join(project, '.git/onceover.txt'));
    note('in the git folder', isThere);
    expect(isThere).toBe(false);
  });
});

describe.each<{ readonly fixer: AgentName; readonly reviewer: AgentName }>([
  { fixer: 'claude', reviewer: 'codex' },
  { fixer: 'codex', reviewer: 'claude' },
])('$fixer fixes the findings of $reviewer', ({ fixer, reviewer }) => {
  test('with its own tools, in one session, until it passes', async () => {
    const user = realRun(sim, { agents: [reviewer], gates: ONE_REVIEWER });
    const fixed = (id: string) => [{ id, state: 'fixed', why: 'It is right now.' }];
    const end = await user.run(
      {
        [reviewer]: [
          answering(reviewer, 'fail', [FINDINGS.cart]),
          answering(reviewer, 'fail', [FINDINGS.tax], fixed('F1')),
          answering(reviewer, 'pass', [], fixed('F2')),
        ],
        [fixer]: [
          ...mending(user, fixer, 'src/cart.ts', ['sum - line', 'sum + line']),
          answer([{ id: 'F1', state: 'fixed', why: 'It goes up.' }]),
          ...mending(user, fixer, 'src/tax.ts', ['/ rate', '* rate']),
          answer([{ id: 'F2', state: 'fixed', why: 'It is multiplied.' }]),
        ],
      },
      ['--until-pass', '--fixer', fixer],
    );
    expect(end).toMatchObject({ code: 0, status: 'passed', loop: { end: 'passed' } });
    const { loop } = end as unknown as LoopDocument;
    expect(loop.rounds.map(({ open, fix }) => [open, fix?.dispatch, fix?.fixed, fix?.files_changed])).toEqual([
      [['F1'], 'fresh', ['F1'], 1],
      [['F2'], 'resumed', ['F2'], 1],
      [[], undefined, undefined, undefined],
    ]);
    expect(readFileSync(join(user.root, 'src/cart.ts'), 'utf8')).toBe(MENDED.cart);
    expect(readFileSync(join(user.root, 'src/tax.ts'), 'utf8')).toBe(MENDED.tax);

    // On the wire: the second turn resumes the first, and brings the currently open findings.
    const requests = end.sent(fixer);
    expect(new Set(requests.map(sessionOf)).size).toBe(1);
    const turn = requests.findIndex((one) => usersText(one).includes('Your changes were reviewed.'));
    const [before, after] = [requests[turn - 1], requests[turn]];
    if (before === undefined || after === undefined) throw new Error('the fixer was not resumed');
    expect(compareRequests(before, after)).toMatchObject({
      toolsIdentical: true,
      systemIdentical: true,
      messagesPrefixIdentical: true,
    });
    const added = addedText(before, after);
    expect(added.match(/^id: F\d+$/gm)).toEqual(['id: F2']);
    expect(added).not.toContain('# Fixing a change');
    // The reviewer sees the claimed fix.
    expect(end.sent(reviewer).map(usersText).join('\n')).toContain('claimed to be fixed: It goes up.');
    expect(user.log(`fix_${fixer}.1.log`)).toContain('id: F1');
    measured['from the cache when resumed (simulated)'] = {
      ...measured['from the cache when resumed (simulated)'],
      [fixer]: `${Math.round((100 * (after.use?.read ?? 0)) / (before.use?.total ?? 1))} %`,
    };
  });
});

/** The model's steps to change a file, one per request. */
function mending(
  user: { readonly root: string },
  who: AgentName,
  path: string,
  [before, after]: readonly [string, string],
): Answer[] {
  const file = join(user.root, path);
  if (who === 'codex') {
    return [
      { kind: 'tools', calls: [{ name: 'exec_command', input: { cmd: `sed -i 's#${before}#${after}#' ${file}` } }] },
    ];
  }
  const edit = { file_path: file, old_string: before, new_string: after };
  return [
    { kind: 'tools', calls: [{ name: 'Read', input: { file_path: file } }] },
    { kind: 'tools', calls: [{ name: 'Edit', input: edit }] },
  ];
}

function answer(dispositions: readonly { id: string; state: string; why: string }[]): Answer {
  return { kind: 'structured', value: { summary: 'Fixed.', dispositions: [...dispositions] } };
}
