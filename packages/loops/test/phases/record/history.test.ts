import { addUsage, type Usage } from '@onceover/base/kernel/agent';
import type { DocumentPhase, RoleName } from '@onceover/base/kernel/review-loops';
import { answers, fails } from '@onceover/testing/memory/reviewers.ts';
import {
  APPROVES,
  at,
  CODE,
  garbage,
  objects,
  openScene,
  type Scene,
  type Word,
  writes,
} from '@onceover/testing/phase/scene.ts';
import { describe, expect, test } from 'vitest';

const golden = (name: string) => `golden/${name}.golden.md`;

const DOMAIN: Readonly<Record<DocumentPhase, RoleName>> = {
  specify: 'spec-reviewer',
  design: 'design-reviewer',
  'create-plan': 'plan-reviewer',
  'create-tasks': 'task-reviewer',
};
const DOCUMENT: Readonly<Record<DocumentPhase, string>> = {
  specify: 'spec.md',
  design: 'design.md',
  'create-plan': 'plan.md',
  'create-tasks': 'tasks.md',
};

/**
 * A whole loop: two issues and a suggestion, a fix, a lost session; then the phase-reviewer with an issue of its own.
 */
function documentLoop(phase: DocumentPhase): Scene {
  const blocker = {
    severity: 'blocker',
    category: 'clarity',
    description: 'It does not say how fast.\nNo test can fail.',
    location: 'R1',
    task: 'R1',
    suggestion: 'Name a number.',
    challenge: 'Name a number.',
  };
  const { task: _task, challenge: _challenge, ...usual } = blocker;
  const { task, location: _location, challenge: _c, category: _category, ...ofTask } = blocker;
  const issue = phase === 'create-tasks' ? { ...ofTask, task } : usual;
  const warning = { severity: 'warning', description: 'Who deletes it?' };
  const path = at(DOCUMENT[phase]);
  const text = Array.from({ length: 30 }, (_, n) => `Line ${n} of it.`).join('\n');
  return openScene({
    phase,
    files: { [path]: `# It\n\n${text}\n` },
    says: {
      [DOMAIN[phase]]: [
        {
          approved: false,
          issues: [issue, warning, { severity: 'suggestion', description: 'Shorter?' }],
          summary: 'Two.',
        },
        { approved: true, issues: [warning], summary: 'One left.' },
        fails({ kind: 'session-lost', said: 'No conversation found' }),
        { ...APPROVES, issues: [{ severity: 'suggestion', description: 'Fine as it is.' }] },
      ],
      'phase-reviewer': [
        answers(objects({ severity: 'warning', description: 'The next phase needs a date.', location: 'end' }), {
          filesRead: [],
        }),
      ],
      implementer: [
        writes(path, `# It\n\n${text.replace('Line 3 ', 'Line three ')}\n`, {
          summary: 'It takes 5 ms.\n\n- R1 has a number.',
        }),
        writes(path, `# It\n\n${text.replace('Line 4 ', 'Line four ')}\n`, { summary: 'Named the maker.' }),
        writes(path, `# It\n\n${text.replace('Line 5 ', 'Line five ')}\n`, { summary: 'By Friday.' }),
      ],
    },
  });
}

describe('.review-history.md of a whole loop', () => {
  test.each(Object.keys(DOMAIN) as DocumentPhase[])('%s', async (phase) => {
    const scene = documentLoop(phase);
    scene.git.write(at('.review-history.md'), '# Ours\n\nWritten by a person, without an end of line');
    expect((await scene.play()).end?.why).toBe('approved');
    await expect(scene.history()).toMatchFileSnapshot(golden(`history-${phase}`));
  });

  test('implement', async () => {
    const level = (hasPassed: boolean) => ({ passed: hasPassed, issues_count: hasPassed ? 0 : 1 });
    const levels = { tasks: level(true), spec: level(false), design: level(true), prd: level(true) };
    const scene = openScene({
      phase: 'implement',
      says: {
        'implementation-reviewer': [
          {
            ...(objects({
              severity: 'blocker',
              level: 'spec',
              category: 'missing',
              description: 'No limit.',
              location: 'src/a.ts:1',
              suggestion: 'Add one.',
            }) as object),
            levels,
          },
          { ...APPROVES, levels: { ...levels, spec: level(true) } },
        ],
        'code-quality-reviewer': [
          {
            ...APPROVES,
            issues: [{ severity: 'suggestion', category: 'kiss', description: 'Two loops could be one.' }],
          },
        ],
        'security-reviewer': [
          answers(APPROVES, { filesRead: [] }),
          objects({ severity: 'warning', category: 'exposure', description: 'The limit is logged.' }),
        ],
        implementer: [
          writes(CODE, 'limited\n', { summary: 'There is a limit.' }),
          writes(CODE, 'quiet\n', { summary: 'It is not logged.' }),
        ],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    await expect(scene.history()).toMatchFileSnapshot(golden('history-implement'));
  });
});

describe('records of a phase', () => {
  const sum = (usages: readonly (Usage | null)[]) => usages.reduce(addUsage, null);
  const length = ({ question: { stable, dynamic, sessionId } }: Scene['puts'][number]) =>
    (sessionId === null ? `${stable}\n\n${dynamic}` : dynamic).length;

  test.each(Object.keys(DOMAIN) as DocumentPhase[])(
    '%s: one ledger entry per call, with the right totals',
    async (phase) => {
      const scene = documentLoop(phase);
      const { usage, run } = await scene.play();
      const ledger = await scene.ledger();
      expect(ledger.map(({ role, template, dispatch, status }) => `${role} ${template} ${dispatch} ${status}`)).toEqual(
        [
          `${DOMAIN[phase]} I1-R4 fresh fail`,
          'implementer I7-fresh fresh done',
          `${DOMAIN[phase]} I2 resumed fail`,
          'implementer I7-resumed resumed done',
          `${DOMAIN[phase]} I3 fresh pass`,
          'phase-reviewer I1-R4 fresh fail',
          'implementer I7-resumed resumed done',
          'phase-reviewer I2 resumed pass',
        ],
      );
      expect(ledger.reduce((sum, { asks }) => sum + asks, 0)).toBe(scene.puts.length);
      expect(ledger.reduce((sum, { promptChars }) => sum + promptChars, 0)).toBe(
        scene.puts.reduce((sum, put) => sum + length(put), 0),
      );
      expect(sum(ledger.map((entry) => entry.usage))).toEqual(usage);
      expect(new Set(ledger.map((entry) => `${entry.run} ${entry.feature} ${entry.phase} ${entry.branch}`))).toEqual(
        new Set([`${run.id} docs/f ${phase} work`]),
      );
      expect(ledger.map(({ fellBack }) => fellBack).indexOf(true)).toBe(4);
      expect(ledger.filter(({ warned }) => warned)).toMatchObject([{ role: 'phase-reviewer' }]);
      expect(ledger.map(({ at: time }) => time)).toEqual([...ledger.map(({ at: time }) => time)].sort());
    },
  );

  test('.meta.json of an approved loop keeps other fields', async () => {
    const scene = documentLoop('specify');
    scene.git.write(at('.meta.json'), '{\n  "id": "007",\n  "phases": { "brainstorm": { "completed": "then" } }\n}\n');
    await scene.play();
    expect(scene.meta()).toEqual({
      id: '007',
      lastCompletedPhase: 'specify',
      phases: {
        brainstorm: { completed: 'then' },
        specify: {
          started: '2026-03-01T12:00:00.000Z',
          completed: '2026-03-01T12:09:00.000Z',
          iterations: 5,
          reviewerNotes: [],
          stages: {
            specReview: {
              started: '2026-03-01T12:00:00.000Z',
              completed: '2026-03-01T12:06:00.000Z',
              iterations: 3,
              approved: true,
              reviewerNotes: [],
            },
            phaseReview: {
              started: '2026-03-01T12:06:00.000Z',
              completed: '2026-03-01T12:09:00.000Z',
              iterations: 2,
              approved: true,
              reviewerNotes: [],
            },
          },
        },
      },
    });
  });

  test('a log per call, with everything sent and received', async () => {
    const scene = openScene({
      says: { 'spec-reviewer': [garbage('I mumble.'), objects('x')], implementer: [writes(at('spec.md'), '# New\n')] },
    });
    await scene.play();
    expect([...scene.logs.written.keys()]).toEqual([
      'specify_loop-1/01_spec-reviewer',
      'specify_loop-1/01_implementer',
      'specify_loop-1/02_spec-reviewer',
      'specify_loop-1/03_phase-reviewer',
    ]);
    const [first = ''] = scene.logs.written.values();
    for (const part of ['It is fast.', 'I mumble.', 'Your last answer could not be read', '"description":"x"'])
      expect(first).toContain(part);
  });

  test('listeners get each round, review and fix as it happens', async () => {
    const scene = openScene({
      phase: 'implement',
      says: { 'security-reviewer': [objects('x')], implementer: [writes(CODE, 'new\n')] },
    });
    await scene.play();
    const messages = scene.events.flatMap((event): string[] => {
      switch (event.kind) {
        case 'round-started':
          return [
            `round ${event.iteration}${event.isFinalValidation ? ' FV' : ''}: ${event.roles.length} look, ${event.resting.length} rest`,
          ];
        case 'look-ended':
          return [`${event.role} ${event.status}`];
        case 'fix-ended':
          return [`fix by ${event.agent}: ${event.fix.filesChanged} file, ${event.fix.failure?.kind ?? 'done'}`];
        case 'committed':
          return [event.message];
        default:
          return [];
      }
    });
    expect(messages).toEqual([
      'round 1: 3 look, 0 rest',
      'implementation-reviewer pass',
      'code-quality-reviewer pass',
      'security-reviewer fail',
      'fix by fay: 1 file, done',
      'onceover: implement review iteration 1 fixes (loop-1)',
      'round 2: 1 look, 2 rest',
      'security-reviewer pass',
      'round 2 FV: 3 look, 0 rest',
      'implementation-reviewer pass',
      'code-quality-reviewer pass',
      'security-reviewer pass',
    ]);
  });

  test.each<[string, (history: string) => string, number]>([
    ['writes there', (history) => `${history}\nA note of mine.\n`, 1],
    // The edited entry stays, and the whole entry is written again.
    ['changes the entry', (history) => history.replace('- [blocker] x', '- [blocker] x (A note of mine.)'), 2],
    [
      'uses another program that converts line ends',
      (history) => `${history.replaceAll('\n', '\r\n')}A note of mine.`,
      2,
    ],
  ])('a person %s during the fix: no edit is lost', async (_title, edit, entries) => {
    const edits: Word = (_, scene) => {
      scene.git.write(at('spec.md'), '# New\n');
      return { summary: 'New.' };
    };
    const scene = openScene({ says: { 'spec-reviewer': [objects('x')], implementer: [edits] } });
    const { feature } = scene.ports;
    let reads = 0;
    const history: typeof feature.history = async () => {
      // The history is read before any call, for the entry, and for the entry with the fix.
      if (++reads === 3) scene.git.write(at('.review-history.md'), edit(scene.history()));
      return feature.history();
    };
    await scene.play({}, { feature: { ...feature, history } });
    expect(scene.history()).toContain('A note of mine.');
    expect(scene.history().match(/^## Stage 1.*Iteration 1/gm)).toHaveLength(entries);
    expect(scene.history()).toContain('**Changes Made:**\nNew.\n');
  });
});
