import { readFileSync } from 'node:fs';
import type { PhaseRole } from '@onceover/base/kernel/review-loops';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { expectResumed } from '@onceover/testing/real-expect.ts';
import { AGENT_NAMES, CODE_CHANGED, IMPLEMENT, levels, MISTAKES } from '@onceover/testing/real-feature.ts';
import { editing, FEATURE, fixed, reading, realPhase, verdict } from '@onceover/testing/real-phase.ts';
import { sessionOf, stableText, usersText } from '@onceover/testing/wire.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
beforeEach(() => sim.forgetCache());
afterAll(() => sim.close());

const FILE = 'src/export.ts';
const DOCUMENTS = ['prd', 'spec', 'design', 'plan', 'tasks'].map((name) => `${FEATURE}/${name}.md`);
const SHARED = [`${FEATURE}/design.md`, `${FEATURE}/spec.md`, FILE];
const REVIEWERS = ['implementation-reviewer', 'code-quality-reviewer', 'security-reviewer'] as const;
const [row, file] = [MISTAKES.row, MISTAKES.file];

describe.each(AGENT_NAMES)('%s', (who) => {
  test('three reviewers: those that passed are skipped, final validation runs all, a regression sends one back', async () => {
    const user = realPhase(sim, { who, files: IMPLEMENT, changed: CODE_CHANGED });
    const end = await user.play(
      'implement',
      {
        'implementation-reviewer': [
          ...reading(user, ...DOCUMENTS, FILE),
          verdict([row.issue], levels(false)),
          verdict([], levels(true)),
          verdict([], levels(true)),
          verdict([], levels(true)),
        ],
        'code-quality-reviewer': [...reading(user, ...SHARED), verdict([]), verdict([]), verdict([])],
        'security-reviewer': [
          ...reading(user, ...SHARED),
          verdict([]),
          verdict([file.issue]),
          verdict([]),
          verdict([]),
        ],
        implementer: [
          ...reading(user, ...DOCUMENTS),
          ...editing(user, FILE, row.edit),
          fixed(row.summary),
          ...editing(user, FILE, file.edit),
          fixed(file.summary),
        ],
      },
      ['--fixer', who],
    );
    expect([end.code, end.status]).toEqual([0, 'approved']);
    const told = (role: PhaseRole) =>
      end.loops
        .find((loop) => loop.role === role)
        ?.iterations.map(({ round, n, final_validation, dispatch, why, engine_pass, marks }) => {
          return [round, final_validation ? `${n} FV` : n, dispatch, why, engine_pass, ...marks];
        });
    const [resumed, final] = [
      ['resumed', 'delta'],
      ['resumed', 'final-validation'],
    ] as const;
    expect(told('implementation-reviewer')).toEqual([
      [1, 1, 'fresh', 'first-look', false],
      [2, 2, ...resumed, true],
      [3, '2 FV', ...final, true],
      [5, '3 FV', ...final, true],
    ]);
    expect(told('code-quality-reviewer')).toEqual([
      [1, 1, 'fresh', 'first-look', true],
      [3, '2 FV', ...final, true],
      [5, '3 FV', ...final, true],
    ]);
    expect(told('security-reviewer')).toEqual([
      [1, 1, 'fresh', 'first-look', true],
      [3, '2 FV', ...final, false],
      [4, 3, ...resumed, true],
      [5, '3 FV', ...final, true],
    ]);
    expect(end.fixes.map(({ round, dispatch, summary, marks }) => [round, dispatch, summary, marks])).toEqual([
      [1, 'fresh', row.summary, []],
      [3, 'resumed', file.summary, []],
    ]);
    const rounds = [3, 1, 1, 3, 1, 1, 3];
    expect(inRounds(end.order, rounds)).toEqual([
      [...REVIEWERS].sort(),
      ['implementer'],
      ['implementation-reviewer'],
      [...REVIEWERS].sort(),
      ['implementer'],
      ['security-reviewer'],
      [...REVIEWERS].sort(),
    ]);

    // On the wire: one conversation per role, and each review resumes the previous one.
    const texts = Object.fromEntries(
      REVIEWERS.map((role) => {
        const looks = end.dispatches(role);
        expect(new Set(end.sent(role).map(sessionOf)).size).toBe(1);
        return [role, looks.slice(1).map((look, i) => expectResumed(who, looks[i]?.at(-1), look[0]))];
      }),
    );
    expect(new Set(end.sent('security-reviewer').concat(end.sent('code-quality-reviewer')).map(sessionOf)).size).toBe(
      2,
    );
    for (const role of REVIEWERS) {
      const first = end.sent(role)[0];
      expect(`${stableText(first)}${usersText(first)}`).toContain(`## Implementation Files`);
      expect(usersText(first)).toContain(`- ${FILE}`);
    }
    // Each role gets the changes since its own last review.
    const [mendedRow, mendedFile] = [`+  return values.${row.edit[1]};`, `+  return ${file.edit[1]};`];
    const saw = (role: PhaseRole) =>
      texts[role]?.map((text) => [
        text.includes('## Changes Since Your Last Review') ? 'FV' : 'I2',
        text.includes(mendedRow),
        text.includes(mendedFile),
        text.includes('(Nothing changed.)'),
      ]);
    expect(saw('implementation-reviewer')).toEqual([
      ['I2', true, false, false],
      ['FV', false, false, true],
      ['FV', false, true, false],
    ]);
    expect(saw('code-quality-reviewer')).toEqual([
      ['FV', true, false, false],
      ['FV', false, true, false],
    ]);
    expect(saw('security-reviewer')).toEqual([
      ['FV', true, false, false],
      ['I2', false, true, false],
      ['FV', false, false, true],
    ]);
    expect(texts['code-quality-reviewer']?.[0]).toContain('in context from your prior review at iteration 1.');
    expect(texts['code-quality-reviewer']?.[0]).toContain('This is the final validation round (iteration 2 of 5).');
    expect(texts['code-quality-reviewer']?.[1]).toContain(file.summary);
    expect(texts['code-quality-reviewer']?.[1]).not.toContain(row.summary);

    const turns = end.dispatches('implementer');
    const again = expectResumed(who, turns[0]?.at(-1), turns[1]?.[0]);
    expect(again).toContain('in context from your previous fix session.');
    expect(again).toContain(file.issue.description);
    expect(again).not.toContain(row.issue.description);
    expect(again).toContain(`## Changed Files to Re-read\n- ${FILE}`);

    const code = readFileSync(user.at(FILE), 'utf8');
    expect([code.includes(row.edit[1]), code.includes(file.edit[1])]).toEqual([true, true]);
    expect(
      user
        .own('.review-history.md')
        .match(/^(?:## |\*\*\w+ Review:|RESUME|LAZY|DELTA).*$/gm)
        ?.map(untimed),
    ).toEqual([
      ...['## Iteration 1 - {time}', IMPLEMENTATION_FOUND, QUALITY_APPROVED, SECURITY_APPROVED],
      ...['## Iteration 2 - {time}', IMPLEMENTATION_APPROVED, resting('Quality', 1), resting('Security', 1)],
      ...['## Iteration 2 - {time} [FINAL VALIDATION]', IMPLEMENTATION_APPROVED, QUALITY_APPROVED, SECURITY_FOUND],
      ...['## Iteration 3 - {time}', resting('Implementation', 2), resting('Quality', 2), SECURITY_APPROVED],
      ...['## Iteration 3 - {time} [FINAL VALIDATION]', IMPLEMENTATION_APPROVED, QUALITY_APPROVED, SECURITY_APPROVED],
    ]);
    expect(JSON.parse(user.own('.meta.json')).phases.implement).toMatchObject({ iterations: 3, reviewerNotes: [] });
    expect(user.git('log', '--format=%s', '--name-only', 'main..').trim().split(/\n+/)).toEqual([
      ...[expect.stringMatching(/^onceover: implement review iteration 2 fixes \(loop-/), FILE],
      ...[expect.stringMatching(/^onceover: implement review iteration 1 fixes \(loop-/), FILE],
    ]);
  });
});

const found = (name: string) => `**${name} Review:** Issues found`;
const approved = (name: string) => `**${name} Review:** Approved`;
const resting = (name: string, at: number) => `**${name} Review:** Skipped (passed iter ${at})`;
const [IMPLEMENTATION_FOUND, SECURITY_FOUND] = [found('Implementation'), found('Security')];
const IMPLEMENTATION_APPROVED = approved('Implementation');
const [QUALITY_APPROVED, SECURITY_APPROVED] = [approved('Quality'), approved('Security')];

function untimed(line: string): string {
  return line.replace(/\d{4}-\S+Z/, '{time}');
}

/** Groups roles into parts of these lengths; the roles of a part run at the same time. */
function inRounds(order: readonly string[], lengths: readonly number[]): readonly (readonly string[])[] {
  let from = 0;
  return lengths.map((length) => {
    from += length;
    return order.slice(from - length, from).sort();
  });
}
