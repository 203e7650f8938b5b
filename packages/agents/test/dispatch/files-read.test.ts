import { describe, expect, test } from 'vitest';
import { readsConfirmed } from '../../src/dispatch/prompt.ts';

const SPEC = '/repo/docs/f/spec.md';
const PRD = '/repo/docs/f/prd.md';

describe('whether a reviewer read its required files, checked before its answer is read [REUSE-I9]', () => {
  test.each<[title: string, required: string[], filesRead: string[] | null, text: string, expected: boolean | null]>([
    ['nothing to read', [], null, '', null],
    ['seen to open all', [SPEC, PRD], [PRD, '/repo/src/a.ts', SPEC], '', true],
    ['seen to open one of two', [SPEC, PRD], [SPEC], '', false],
    ['seen to open none, whatever it says', [SPEC], [], 'Files read: spec.md (3 lines)', false],
    ['named from where it is', [SPEC], ['./docs/f/spec.md'], '', true],
    ['another file of the same ending', [SPEC], ['/repo/docs/f/old-spec.md'], '', false],
    ['no events, and its word', [SPEC], null, 'Files read: spec.md (3 lines)\n{"approved": true}', true],
    ['no events, and no word', [SPEC], null, '{"approved": true}', false],
    ['no events, and an answer that cannot be read', [SPEC], null, 'Files read: spec.md (3 lines)\n{"appr', true],
  ])('%s', (_, requiredFiles, filesRead, text, expected) => {
    expect(readsConfirmed(requiredFiles, { text, filesRead })).toBe(expected);
  });
});
