import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFolder } from '@onceover/base/platform/private-files';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { openProofs } from '../../src/record/proofs.ts';
import type { CountedShare, GateProof } from '../../src/types.ts';

const FOLDER = 'onceover/prove/proofs';
const GATE = 'review:src:code-quality';

const share = (count: number, of: number): CountedShare => ({ count, of, low: 0.1, high: 0.9 });

function proof(differs: Partial<GateProof> = {}): GateProof {
  return {
    ...{ gate: GATE, promptDigest: 'p1', agentsDigest: 'a1', agents: [{ agent: 'claude', model: null }] },
    at: '2026-03-01T12:00:00.000Z',
    scores: {
      found: share(7, 10),
      byClass: [{ class: 'guard', found: share(7, 10) }],
      falseAlarms: share(1, 8),
      falsePasses: share(3, 10),
      flips: share(0, 4),
    },
    ...{ reviewers: [], variants: [], comparisons: [], usage: usage(), calls: 18 },
    ...differs,
  };
}

/** Writes a value to the file of a gate's proof, with a valid checksum. Returns the git folder. */
function withStored(value: unknown): string {
  const commonDir = temporaryFolder();
  expect(openProofs(commonDir).write(proof()).ok).toBe(true);
  const [name = ''] = readdirSync(join(commonDir, FOLDER));
  expect(openFolder(commonDir, FOLDER).writeCache(name, value).ok).toBe(true);
  return commonDir;
}

describe('openProofs', () => {
  test('reads the last proof of each gate', () => {
    const commonDir = temporaryFolder();
    const proofs = openProofs(commonDir);
    const otherProof = proof({ gate: 'review:docs:style', calls: 2 });
    expect(proofs.write(proof({ calls: 1 })).ok).toBe(true);
    expect(proofs.write(proof()).ok).toBe(true);
    expect(proofs.write(otherProof).ok).toBe(true);
    expect(openProofs(commonDir).read(GATE)).toEqual(proof());
    expect(openProofs(commonDir).read('review:docs:style')).toEqual(otherProof);
  });

  test('has no proof of a gate that was not proved', () => {
    const proofs = openProofs(temporaryFolder());
    expect(proofs.read(GATE)).toBeNull();
    expect(proofs.write(proof()).ok).toBe(true);
    expect(proofs.read('review:src:other')).toBeNull();
  });

  test('uses file names that any file system accepts', () => {
    const commonDir = temporaryFolder();
    const gate = `review:${'ä/'.repeat(200)}:x`;
    expect(openProofs(commonDir).write(proof({ gate })).ok).toBe(true);
    expect(readdirSync(join(commonDir, FOLDER))).toEqual([expect.stringMatching(/^[0-9a-f]{40}\.json$/)]);
    expect(openProofs(commonDir).read(gate)?.gate).toBe(gate);
  });

  const { scores } = proof();
  test.each<[string, unknown]>([
    ['a list', []],
    ['null', null],
    ['a proof of another gate', proof({ gate: 'review:docs:style' })],
    ['a gate that is not a text', { ...proof(), gate: 1 }],
    ['no digest of the prompt', { ...proof(), promptDigest: undefined }],
    ['no digest of the agents', { ...proof(), agentsDigest: undefined }],
    ['an invalid time', { ...proof(), at: 'yesterday' }],
    ['no scores', { ...proof(), scores: undefined }],
    ['a text instead of scores', { ...proof(), scores: 'good' }],
    ['no share of found bugs', { ...proof(), scores: { ...scores, found: undefined } }],
    ['no share of false alarms', { ...proof(), scores: { ...scores, falseAlarms: null } }],
    [
      'a text in the share of false passes',
      { ...proof(), scores: { ...scores, falsePasses: { ...share(3, 10), count: '3' } } },
    ],
    [
      'a limit that is not a number',
      { ...proof(), scores: { ...scores, found: { ...share(7, 10), low: Number.NaN } } },
    ],
  ])('does not read a file with %s', (_title, value) => {
    expect(openProofs(withStored(value)).read(GATE)).toBeNull();
  });

  test('reads a proof with fields of a later version', () => {
    expect(openProofs(withStored({ ...proof(), more: 1 })).read(GATE)).toMatchObject({ gate: GATE, calls: 18 });
  });

  test('does not read a file that was changed by hand', () => {
    const commonDir = withStored(proof());
    const [name = ''] = readdirSync(join(commonDir, FOLDER));
    const file = join(commonDir, FOLDER, name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"count":7', '"count":9'));
    expect(readFileSync(file, 'utf8')).not.toBe(text);
    expect(openProofs(commonDir).read(GATE)).toBeNull();
  });

  test('returns the failure if the folder is a symlink, and writes nothing', () => {
    const commonDir = temporaryFolder();
    const elsewhere = temporaryFolder();
    mkdirSync(join(commonDir, 'onceover/prove'), { recursive: true });
    symlinkSync(elsewhere, join(commonDir, FOLDER));
    expect(openProofs(commonDir).write(proof())).toMatchObject({ ok: false, failure: { kind: 'path-in-the-way' } });
    expect(openProofs(commonDir).read(GATE)).toBeNull();
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
