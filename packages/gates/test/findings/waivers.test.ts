import { AGENT_NAMES } from '@onceover/base/kernel/agent-names';
import { claim, finding, waiver } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { Actor, KnownFinding, Resolution } from '../../src/findings/types.ts';
import {
  commandActor,
  countedResolution,
  decideResolution,
  type FindingAnswer,
  findingsAnsweredWith,
} from '../../src/findings/waivers.ts';

const PERSON: Actor = { kind: 'person', name: 'ann' };
const AGENT: Actor = { kind: 'agent', name: 'claude-code' };
const AT = '2026-03-02T12:00:00.000Z';

describe('who runs a command', () => {
  const shell = { isTerminal: true, user: 'ann' };

  test('a person, if standard input is a terminal and no agent is known to run the shell', () => {
    expect(commandActor({ PATH: '/bin' }, shell)).toEqual(PERSON);
  });

  const variables = [
    ['CLAUDECODE', 'claude'],
    ['CODEX_THREAD_ID', 'codex'],
    ['CODEX_SANDBOX_NETWORK_DISABLED', 'codex'],
    ['GEMINI_CLI', 'gemini'],
    ['OPENCODE', 'opencode'],
    ['PI_CODING_AGENT', 'pi'],
    ['CURSOR_AGENT', 'cursor'],
    ['AI_AGENT', 'unknown'],
    ['ONCEOVER_ACTIVE', 'unknown'],
  ] as const;

  test('every known agent is recognized', () => {
    expect(AGENT_NAMES.filter((name) => !variables.some(([, known]) => known === name))).toEqual([]);
  });

  test.each(variables)('an agent, even in a terminal, if %s is set', (variable, name) => {
    expect(commandActor({ [variable]: '1' }, shell)).toEqual({ kind: 'agent', name });
  });

  test('an unknown program, if standard input is not a terminal', () => {
    expect(commandActor({}, { ...shell, isTerminal: false })).toEqual({ kind: 'agent', name: 'unknown' });
  });
});

describe('a waiver by an agent is a proposal', () => {
  const byAgent: Resolution = { ...waiver(), by: AGENT };
  const proposal: Resolution = { ...byAgent, how: 'proposed', why: 'It is even.' };

  test.each<[string, Resolution | null, 'people' | 'anyone', Resolution['how'] | undefined]>([
    ['a waiver by a person', waiver(), 'people', 'skipped'],
    ['a waiver by an agent', byAgent, 'people', 'proposed'],
    ['a waiver by an agent, with waivers.who: anyone', byAgent, 'anyone', 'skipped'],
    ['a proposal, with waivers.who: anyone', proposal, 'anyone', 'proposed'],
    ['a claim by an agent', { ...claim(), by: AGENT }, 'people', 'fixed'],
    ['no answer', null, 'people', undefined],
  ])('stored and read: %s', (_title, resolution, who, expected) => {
    expect(countedResolution(resolution, { who })?.how).toBe(expected);
  });

  const decide = (
    how: FindingAnswer['how'],
    by: Actor,
    differs: { before?: Resolution; who?: 'people' | 'anyone'; isInRun?: boolean } = {},
  ) =>
    decideResolution(finding({ resolution: differs.before ?? null }), { how, why: 'Meant so.' }, by, {
      who: differs.who ?? 'people',
      isInRun: differs.isInRun ?? false,
      at: AT,
    });

  test.each<[string, ReturnType<typeof decide>, object | null]>([
    ['a person waives', decide('skipped', PERSON), { how: 'skipped', by: PERSON }],
    ['an agent waives', decide('skipped', AGENT), { how: 'proposed', by: AGENT, why: 'Meant so.' }],
    ['an agent waives, with who: anyone', decide('skipped', AGENT, { who: 'anyone' }), { how: 'skipped', by: AGENT }],
    [
      'a process inside a run waives, with who: anyone',
      decide('skipped', AGENT, { who: 'anyone', isInRun: true }),
      { how: 'proposed' },
    ],
    ['an agent waives a finding that a person waived', decide('skipped', AGENT, { before: waiver() }), null],
    ['an agent marks as fixed', decide('fixed', AGENT), { how: 'fixed', by: AGENT }],
    [
      'a person confirms a proposal',
      decide('confirmed', PERSON, { before: proposal }),
      { how: 'skipped', by: PERSON, proposedBy: AGENT, why: 'It is even.', at: AT },
    ],
    [
      'a person confirms the waiver of an agent that does not count',
      decide('confirmed', PERSON, { before: byAgent }),
      { how: 'skipped', by: PERSON, proposedBy: AGENT },
    ],
    ['a person confirms twice', decide('confirmed', PERSON, { before: waiver() }), null],
    [
      'an agent confirms, with who: anyone',
      decide('confirmed', AGENT, { before: proposal, who: 'anyone' }),
      { how: 'skipped', by: AGENT },
    ],
  ])('%s', (_title, decided, expected) => {
    expect(decided).toMatchObject({ ok: true, value: expected });
  });

  test.each<[string, ReturnType<typeof decide>, string]>([
    ['an agent confirms its own proposal', decide('confirmed', AGENT, { before: proposal }), 'confirmed-by-agent'],
    [
      'someone confirms inside a run, even with who: anyone',
      decide('confirmed', PERSON, { before: proposal, who: 'anyone', isInRun: true }),
      'confirmed-by-agent',
    ],
    ['a person confirms without a proposal', decide('confirmed', PERSON), 'not-proposed'],
    ['a person confirms a claim', decide('confirmed', PERSON, { before: claim() }), 'not-proposed'],
  ])('is refused: %s', (_title, decided, kind) => {
    expect(decided).toMatchObject({ ok: false, failure: { kind } });
  });
});

describe('the findings that get the same answer', () => {
  const named = finding({ id: 'F1', priority: 'high' });

  test.each<[string, Partial<KnownFinding>, FindingAnswer['how'], boolean]>([
    ['of another reviewer about the same code', { slot: 2 }, 'skipped', true],
    ['of another gate about the same code', { gate: 'rule:.:style' }, 'skipped', true],
    ['of the same reviewer', {}, 'skipped', false],
    ['about other code', { slot: 2, line: 9, anchor: { text: 'b = 2', occurrence: 1 } }, 'skipped', false],
    ['less severe', { slot: 2, priority: 'low' }, 'skipped', true],
    ['more severe: a waiver', { slot: 2, priority: 'critical' }, 'skipped', false],
    ['more severe: a claim, which closes nothing', { slot: 2, priority: 'critical' }, 'fixed', true],
    ['without a proposal', { slot: 2 }, 'confirmed', false],
    ['with a proposal', { slot: 2, resolution: { ...waiver(), how: 'proposed' } }, 'confirmed', true],
    ['on another branch', { slot: 2, branch: 'other' }, 'skipped', false],
    ['of another scope', { slot: 2, scope: 'commit x' }, 'skipped', false],
    ['that only warns', { slot: 2, kept: 'warning' }, 'skipped', false],
    ['that is closed', { slot: 2, kept: 'closed' }, 'skipped', false],
    ['that is waived already', { slot: 2, resolution: waiver() }, 'fixed', false],
  ])('one %s', (_title, differs, how, expected) => {
    const other = { ...named, id: 'F2', ...differs };
    expect(findingsAnsweredWith(named, [named, other], { how })).toEqual(expected ? [other] : []);
  });
});
