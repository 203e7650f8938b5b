import { expect, test } from 'vitest';
import type { RepoPath } from '../../../src/kernel/ids.ts';
import { CODE, objects, openScene, writes } from '../../support/phase/scene.ts';

const OTHER = 'src/other.ts' as RepoPath;
const lines = (count: number) => Array.from({ length: count }, (_, n) => `export const a${n} = ${n};\n`).join('');

test.each([
  ['prompt', 'I1-R4', 1],
  ['effective', 'I2', 0],
] as const)(
  'with guard %s, a code change is sent as %s: a reviewer in a new session would open all files',
  async (guard, template, guarded) => {
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
    expect(scene.history().match(/^DELTA-GUARD/gm) ?? []).toHaveLength(guarded);
  },
);
