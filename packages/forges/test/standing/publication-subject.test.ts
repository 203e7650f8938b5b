import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkMark,
  describeCheckMark,
  differingPart,
  keepsVerdict,
  type PublicationSubject,
  publicationSubject,
  readCheckMark,
  type ShownVerdict,
  type SubjectPart,
} from '../../src/standing/publication-subject.ts';

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const name = fc.string({ unit: fc.constantFrom(...'abcABC-/.'), minLength: 1, maxLength: 12 });

const parts = {
  head: hex(40),
  headRepository: name,
  repository: name,
  base: name,
  baseCommit: hex(40),
  gates: fc.uniqueArray(name, { maxLength: 5 }),
} satisfies Record<SubjectPart, fc.Arbitrary<string | string[]>>;

const subjects: fc.Arbitrary<PublicationSubject> = fc.record(parts);
const names = Object.keys(parts) as SubjectPart[];

describe('the subject of a publication', () => {
  test('a change of any one part is noticed, and named', () => {
    fc.assert(
      fc.property(subjects, subjects, fc.constantFrom(...names), (subject, other, part) => {
        const [before, after] = [publicationSubject(subject), publicationSubject({ ...subject, [part]: other[part] })];
        const isSame = JSON.stringify(before[part]) === JSON.stringify(after[part]);
        expect(differingPart(before, after)).toBe(isSame ? null : part);
      }),
    );
  });

  test('an unknown part never fits, not even itself', () => {
    fc.assert(
      fc.property(subjects, fc.constantFrom(...names), (subject, part) => {
        const unknown = publicationSubject({ ...subject, [part]: null });
        expect(differingPart(unknown, unknown)).toBe(part);
        if (part !== 'gates') expect(publicationSubject({ ...subject, [part]: '' })).toEqual(unknown);
      }),
    );
  });

  test('nothing else matters: the order of gates, and the case of repositories', () => {
    fc.assert(
      fc.property(subjects, (subject) => {
        const other = {
          ...subject,
          gates: [...(subject.gates ?? []), ...(subject.gates ?? [])].toReversed(),
          repository: subject.repository?.toUpperCase() ?? null,
          headRepository: subject.headRepository?.toLowerCase() ?? null,
        };
        expect(differingPart(publicationSubject(subject), publicationSubject(other))).toBeNull();
      }),
    );
  });
});

describe('the mark of a check', () => {
  const verdicts: readonly ShownVerdict[] = ['passed', 'failed', 'none', 'pending'];

  test('is read back', () => {
    fc.assert(
      fc.property(subjects, fc.constantFrom(...verdicts), hex(16), (subject, verdict, report) => {
        const mark = checkMark(publicationSubject(subject), verdict);
        expect(readCheckMark(describeCheckMark(mark, report))).toEqual(mark);
      }),
    );
  });

  test.each(['', 'x', '0123456789abcdef0123456789abcdef', '0123456789abcdef-0-x-0'])('is none: %j', (externalId) => {
    expect(readCheckMark(externalId)).toBeNull();
  });

  const subject = publicationSubject({
    ...{ head: 'a'.repeat(40), headRepository: 'x', repository: 'x', base: 'main' },
    ...{ baseCommit: 'b'.repeat(40), gates: [] },
  });

  test.each<[shown: ShownVerdict, next: ShownVerdict, keeps: boolean]>([
    ['passed', 'none', true],
    ['failed', 'none', true],
    ['passed', 'pending', true],
    ['passed', 'failed', false],
    ['failed', 'passed', false],
    ['none', 'none', false],
    ['pending', 'none', false],
    ['none', 'pending', false],
  ])('of a check that says %s, when the next says %s: it stays: %s', (shown, next, keeps) => {
    expect(keepsVerdict(checkMark(subject, shown), checkMark(subject, next))).toBe(keeps);
  });

  test.each<[string, Partial<PublicationSubject>, boolean]>([
    ['another head', { head: 'c'.repeat(40) }, false],
    ['another target branch', { base: 'release' }, false],
    ['another commit of the target branch', { baseCommit: 'c'.repeat(40) }, false],
    ['another repository', { headRepository: 'y' }, false],
    ['an end before the target branch was read', { baseCommit: null }, true],
    ['other gates', { gates: ['x'] }, true],
  ])('a verdict stays only for the same change: %s', (_title, differs, keeps) => {
    const next = checkMark(publicationSubject({ ...subject, ...differs }), 'none');
    expect(keepsVerdict(checkMark(subject, 'passed'), next)).toBe(keeps);
    expect(keepsVerdict(null, next)).toBe(false);
  });
});
