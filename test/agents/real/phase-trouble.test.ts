import { readFileSync } from 'node:fs';
import type { Answer } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { expectResumed } from '@onceover/testing/real-expect.ts';
import { AGENT_NAMES, flaw, SPEC, SPECIFY, specAfter } from '@onceover/testing/real-feature.ts';
import { realAgent } from '@onceover/testing/real-person.ts';
import {
  editing,
  fixed,
  type RealPhase,
  type RoleScripts,
  reading,
  realPhase,
  verdict,
} from '@onceover/testing/real-phase.ts';
import { rememberingModel } from '@onceover/testing/remembering-model.ts';
import { sessionOf, stableText, usersText } from '@onceover/testing/wire.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
beforeEach(() => sim.forgetCache());
afterAll(() => sim.close());

describe.each(AGENT_NAMES)('%s', (who) => {
  test('a lost session between two rounds: one log line, a new session with the open issues, then resumed again', async () => {
    const user = realPhase(sim, { who, files: SPECIFY });
    const scripts = story(user);
    // While the fixer works on the first issue, the reviewer's session is deleted.
    const [first = fixed(''), ...rest] = scripts.fixer;
    const clearing = (): Answer => {
      const reviewer = sim.requests().filter(({ body }) => JSON.stringify(body).includes('# Specification review'));
      user.forget(sessionOf(reviewer.at(-1)));
      return first;
    };
    const end = await user.play(
      'specify',
      {
        'spec-reviewer': [
          ...scripts.look,
          verdict([flaw(0).issue]),
          ...scripts.look,
          verdict([flaw(1).issue]),
          verdict([]),
        ],
        'phase-reviewer': scripts.gatekeeper,
        implementer: [clearing, ...rest],
      },
      ['--fixer', who],
    );
    expect([end.code, end.status]).toEqual([0, 'approved']);
    const lines = user
      .own('.review-history.md')
      .split('\n')
      .filter((line) => line.startsWith('RESUME-FALLBACK'));
    expect(lines).toEqual([
      expect.stringMatching(/^RESUME-FALLBACK: spec-reviewer iteration 2 — no longer has its session: ./),
    ]);
    expect(end.loops[0]?.iterations.map(({ n, dispatch, why, marks }) => [n, dispatch, why, marks])).toEqual([
      [1, 'fresh', 'first-look', []],
      [2, 'fresh', 'resume-failed', lines],
      [3, 'resumed', 'delta', []],
    ]);

    const [before, fallback, after] = end.dispatches('spec-reviewer');
    const asked = usersText(fallback?.[0]);
    expect(sessionOf(fallback?.[0])).not.toBe(sessionOf(before?.[0]));
    expect(stableText(fallback?.[0])).toContain('# Specification review');
    expect(asked).toContain(specAfter(1).trim());
    expect(asked).toContain('This is iteration 2 of 5.\n(Fresh dispatch — prior review session unavailable.)');
    expect(asked.slice(asked.indexOf('Previous issues to re-evaluate:'))).toContain(flaw(0).issue.description);
    const text = expectResumed(who, fallback?.at(-1), after?.[0]);
    expect(text).toContain(`+${flaw(1).after}`);
    expect(text).not.toContain(SPEC.slice(0, 100));
    // The fixer kept its own session.
    expect(end.fixes.map(({ dispatch, marks }) => [dispatch, marks])).toEqual([
      ['fresh', []],
      ['resumed', []],
    ]);
  });
});

describe('an unprobed version', () => {
  const who = 'claude';
  const person = () => realPhase(sim, { who, files: SPECIFY, claudeVersion: '99.0.0' });
  const remembers = rememberingModel(realAgent(who));

  test('is not probed for a review in a new session, and probed once before its first resume', async () => {
    const user = person();
    const { look, gatekeeper, fixer } = story(user);
    const once = await user.play('specify', { 'spec-reviewer': [...look, verdict([flaw(0).issue])] });
    expect(once.sent('probe')).toEqual([]);
    const end = await user.play(
      'specify',
      {
        'spec-reviewer': [...look, verdict([flaw(0).issue]), verdict([flaw(1).issue]), verdict([])],
        'phase-reviewer': gatekeeper,
        implementer: fixer,
        probe: remembers,
      },
      ['--fixer', who],
    );
    expect([end.code, end.status]).toEqual([0, 'approved']);
    expect(end.loops[0]?.iterations.map(({ dispatch }) => dispatch)).toEqual(['fresh', 'resumed', 'resumed']);
    // V1 with one tool call, V2, V3, V4, and three calls of V5; for all roles together.
    expect(end.sent('probe')).toHaveLength(8);
    expect(end.order.indexOf('probe')).toBe(2);
    expect(JSON.parse(user.own('.meta.json'))).not.toHaveProperty('r1_deferred_reason');
  });

  test('is never resumed if it forgets: the reason is recorded, and every review gets a new session', async () => {
    const user = person();
    const { look, gatekeeper, fixer } = story(user);
    const end = await user.play(
      'specify',
      {
        'spec-reviewer': [...look, verdict([flaw(0).issue]), ...look, verdict([flaw(1).issue]), ...look, verdict([])],
        'phase-reviewer': gatekeeper,
        implementer: fixer,
        probe: (request) =>
          request.lastUserText.includes('Repeat verbatim')
            ? { kind: 'structured', value: { reply: 'I do not know.', issues: [] } }
            : remembers(request),
      },
      ['--fixer', who],
    );
    expect([end.code, end.status]).toEqual([0, 'approved']);
    const { r1_deferred_reason: reason } = JSON.parse(user.own('.meta.json'));
    expect(reason).toMatch(/^V3: it remembered another first line/);
    expect(end.warnings.join('\n')).toContain('V3');
    expect(end.loops[0]?.iterations.map(({ dispatch, why, marks }) => [dispatch, why, marks])).toEqual([
      ['fresh', 'first-look', []],
      ['fresh', 'cannot-resume', []],
      ['fresh', 'cannot-resume', []],
    ]);
    expect(end.fixes.map(({ dispatch }) => dispatch)).toEqual(['fresh', 'fresh']);
    const sessions = end.dispatches('spec-reviewer').map(([first]) => sessionOf(first));
    expect(new Set(sessions).size).toBe(3);
    for (const [i, [first]] of end.dispatches('spec-reviewer').entries()) {
      expect(usersText(first)).toContain(specAfter(i).trim());
    }
    const kept = JSON.parse(readFileSync(user.at('.git/onceover/capabilities.json'), 'utf8'));
    expect(kept).toMatchObject([{ agent: who, version: '99.0.0', failed: { test: 'V3' } }]);
  });
});

/** The answers of the roles in a loop that fixes two issues, one after the other. */
function story(user: RealPhase) {
  const [prd, spec] = [`${user.feature}/prd.md`, `${user.feature}/spec.md`];
  const mending = (n: number) => [...editing(user, spec, [flaw(n).before, flaw(n).after]), fixed(flaw(n).summary)];
  return {
    look: reading(user, prd),
    gatekeeper: [...reading(user, prd, spec), verdict([])],
    fixer: [...reading(user, prd, spec), ...mending(0), ...mending(1)],
  } satisfies Record<string, NonNullable<RoleScripts['implementer']>>;
}
