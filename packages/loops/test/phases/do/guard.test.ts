import type { RepoPath } from '@onceover/base/kernel/ids';
import { at, CODE, objects, openScene, writes } from '@onceover/testing/phase/scene.ts';
import { expect, test } from 'vitest';

const OTHER = 'src/other.ts' as RepoPath;
const lines = (count: number) => Array.from({ length: count }, (_, n) => `export const a${n} = ${n};\n`).join('');

test.each([
  ['prompt', 'I1-R4', 1],
  ['effective', 'I2', 0],
  ['auto', 'I2', 0],
] as const)(
  'with guard %s, a code change is sent as %s: a reviewer in a new session would open all files',
  async (guard, template, guardCount) => {
    const scene = openScene({
      phase: 'implement',
      settings: { deltaGuard: guard },
      says: {
        'implementation-reviewer': [objects('x')],
        implementer: [writes(CODE, lines(150), { summary: 'More.' })],
      },
    });
    scene.git.write(OTHER, lines(800));
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told()[4]).toBe(`implementation-reviewer ${template}`);
    expect(scene.history().match(/^DELTA-GUARD/gm) ?? []).toHaveLength(guardCount);
  },
);

const SPEC = at('spec.md');
const spec = (word: string) => `# Spec\n\n${Array.from({ length: 300 }, (_, n) => `Rule ${n}. ${word}`).join('\n')}\n`;

test.each([
  // The prompt of the spec-reviewer contains the document, so `auto` is as strict as `prompt`.
  ['spec-reviewer', 'prompt', 'I1-R4'],
  ['spec-reviewer', 'auto', 'I1-R4'],
  ['spec-reviewer', 'effective', 'I2'],
  // The prompt of the phase-reviewer only names the documents.
  ['phase-reviewer', 'prompt', 'I1-R4'],
  ['phase-reviewer', 'auto', 'I2'],
  ['phase-reviewer', 'effective', 'I2'],
] as const)(
  '%s with guard %s: %s after a long change [REUSE-MON/delta-guard-rate]',
  async (role, deltaGuard, template) => {
    const scene = openScene({
      settings: { deltaGuard },
      files: { [at('prd.md')]: 'We want it. '.repeat(5000), [SPEC]: spec('One.') },
      says: { [role]: [objects('x')], implementer: [writes(SPEC, spec('Two.'), { summary: 'All of it.' })] },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told().filter((call) => call.startsWith(role))).toEqual([`${role} I1-R4`, `${role} ${template}`]);
    const entries = await scene.ledger();
    expect(entries.filter(({ guarded }) => guarded)).toHaveLength(template === 'I2' ? 0 : 1);
  },
);
