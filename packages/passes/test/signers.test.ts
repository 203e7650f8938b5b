import { makeKey } from '@onceover/testing/ssh-signing.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSigner, maySharePrincipal, readSigners } from '../src/signers.ts';
import type { SignerProblem } from '../src/types.ts';

const key = makeKey('ed25519');
const otherKey = makeKey('p256');
const at = (time: string) => new Date(time);

describe('readSigners', () => {
  test('reads principals, times and the key of each line', () => {
    const text = [
      '# people',
      `dev@example.com,d2@example.com valid-after="20260101Z",valid-before="20270101Z" ${key.line} laptop`,
      '',
      `*@ci.example.com ${otherKey.line}`,
    ].join('\r\n');
    expect(readSigners(text)).toEqual({
      signers: [
        {
          line: 2,
          principals: ['dev@example.com', 'd2@example.com'],
          keyFingerprint: key.fingerprint,
          validAfter: Date.parse('2026-01-01T00:00:00Z'),
          validBefore: Date.parse('2027-01-01T00:00:00Z'),
        },
        {
          line: 4,
          principals: ['*@ci.example.com'],
          keyFingerprint: otherKey.fingerprint,
          validAfter: null,
          validBefore: null,
        },
      ],
      revoked: new Set(),
      problems: [],
    });
  });

  const rows: readonly [title: string, line: string, what: SignerProblem][] = [
    ['a Cyrillic letter', `dеv@example.com ${key.line}`, 'bad-principal'],
    ['a zero-width space', `dev\u200b@example.com ${key.line}`, 'bad-principal'],
    ['a right-to-left mark', `\u202edev@example.com ${key.line}`, 'bad-principal'],
    ['a no-break space', `dev@example.com\u00a0admin ${key.line}`, 'bad-principal'],
    ['a byte order mark', `\ufeffdev@example.com ${key.line}`, 'bad-principal'],
    ['a control character', `dev\u001b[31m@example.com ${key.line}`, 'bad-principal'],
    ['quotes', `"dev" ${key.line}`, 'bad-principal'],
    ['a backslash', `dev\\@example.com ${key.line}`, 'bad-principal'],
    ['an empty name', `dev@example.com,, ${key.line}`, 'bad-principal'],
    ['only an exclamation mark', `! ${key.line}`, 'bad-principal'],
    ['2000 characters', `${'d'.repeat(2000)} ${key.line}`, 'bad-principal'],
    ['only excluded names', `!dev@example.com ${key.line}`, 'no-principal'],
    ['a name that is excluded', `dev@example.com,!*@example.com ${key.line}`, 'no-principal'],
    ['no key', 'dev@example.com', 'no-key'],
    ['only the type of a key', 'dev@example.com ssh-ed25519', 'no-key'],
    ['only options', 'dev@example.com namespaces="onceover"', 'no-key'],
    ['options after the key', `dev@example.com namespaces="onceover" valid-before="20261201Z"`, 'no-key'],
    ['a key before the name', key.line, 'bad-option'],
    ['an unknown option', `dev@example.com no-touch-required ${key.line}`, 'bad-option'],
    ['an option without quotes', `dev@example.com valid-before=20261201Z ${key.line}`, 'bad-option'],
    ['an open quote', `dev@example.com namespaces="onceover ${key.line}`, 'bad-option'],
    ['an option twice', `dev@example.com valid-before="20261201Z",valid-before="20301201Z" ${key.line}`, 'bad-option'],
    ['a comma at the end', `dev@example.com namespaces="onceover", ${key.line}`, 'bad-option'],
    ['a flag with a value', `dev@example.com cert-authority="yes" ${key.line}`, 'bad-option'],
    ['an option without its value', `dev@example.com namespaces ${key.line}`, 'bad-option'],
    ['the 31st of February', `dev@example.com valid-before="20260231Z" ${key.line}`, 'bad-option'],
    ['a time of 25 hours', `dev@example.com valid-before="202602282500Z" ${key.line}`, 'bad-option'],
    [
      'a validity that ends before it begins',
      `dev@example.com valid-after="20261201Z",valid-before="20260101Z" ${key.line}`,
      'bad-option',
    ],
    ['a certificate authority', `dev@example.com cert-authority ${key.line}`, 'cert-authority'],
    [
      'a certificate authority with other options',
      `dev@example.com namespaces="*",cert-authority ${key.line}`,
      'cert-authority',
    ],
    ['another namespace', `dev@example.com namespaces="git" ${key.line}`, 'other-namespace'],
    ['an empty list of namespaces', `dev@example.com namespaces="" ${key.line}`, 'other-namespace'],
    ['a key of another type than it says', `dev@example.com ${key.line.replace('ssh-ed25519', 'ssh-rsa')}`, 'bad-key'],
    ['base64 that is cut off', `dev@example.com ${key.line.slice(0, -5)}`, 'bad-key'],
    ['a short RSA key', `dev@example.com ${makeKey('small-rsa').line}`, 'weak-key'],
    ['a key of a web site', `dev@example.com ${makeKey('sk-p256', 'https://example.com').line}`, 'unsupported-key'],
  ];
  test.each(rows)('names a line with %s as a problem, and does not use it', (_title, line, problem) => {
    const result = readSigners(`# first\n${line}\nme@example.com ${otherKey.line}\n`);
    expect(result.problems).toEqual([{ list: 'signers', line: 2, what: problem }]);
    expect(result.signers.map((signer) => signer.line)).toEqual([3]);
  });

  test('refuses a file of megabytes', () => {
    const result = readSigners('#'.repeat(2 ** 20 + 1));
    expect(result).toEqual({
      signers: [],
      revoked: new Set(),
      problems: [{ list: 'signers', line: 1, what: 'too-large' }],
    });
  });

  test.each([
    ['a fingerprint', key.fingerprint, 'no-key'],
    ['a binary list (KRL)', 'SSHKRL\n\0\0\0\0\x01', 'no-key'],
    ['a damaged key', `${key.line.slice(0, -5)}`, 'bad-key'],
  ] as const)('uses no signer if the list of revoked keys has %s', (_title, revokedList, problem) => {
    const result = readSigners(`dev@example.com ${otherKey.line}\n`, revokedList);
    expect(result.signers).toEqual([]);
    expect(result.problems).toContainEqual({ list: 'revoked', line: 1, what: problem });
  });

  test('every line that is not empty or a comment is either used or named', () => {
    const word = fc.constantFrom(
      key.line,
      otherKey.line,
      'dev@example.com',
      '*',
      '!',
      'namespaces="onceover"',
      ',',
      '"',
      '#',
      '\t',
      'é',
    );
    const lines = fc.array(
      fc.oneof(
        fc.string(),
        fc.array(word, { maxLength: 5 }).map((words) => words.join(' ')),
      ),
    );
    fc.assert(
      fc.property(lines, (rawLines) => {
        const text = rawLines.map((line) => line.replaceAll('\n', ' ')).join('\n');
        const result = readSigners(text);
        const reportedLines = [...result.signers, ...result.problems].map(({ line }) => line).sort((a, b) => a - b);
        const meaningfulLines = text.split('\n').flatMap((line, i) => (/^[ \t\r]*(?:#|$)/.test(line) ? [] : [i + 1]));
        expect(reportedLines).toEqual(meaningfulLines);
      }),
      { numRuns: 300 },
    );
  });

  test('a principal that is used is printable ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
        for (const { principals } of readSigners(`${name} ${key.line}`).signers) {
          for (const principal of principals) expect(principal).toMatch(/^[!-~]+$/);
        }
      }),
    );
  });
});

describe('findSigner', () => {
  const line = (options: string) => `dev@example.com ${options} ${key.line}`;
  const limits = 'valid-after="20260601Z",valid-before="20261201Z"';
  const rows: readonly [title: string, text: string, times: readonly string[], expected: string][] = [
    ['no line for the key', `me@example.com ${otherKey.line}`, ['2026-07-01'], 'unknown-signer'],
    ['no time limits', `dev@example.com ${key.line}`, ['2026-07-01'], 'dev@example.com'],
    ['all times within the limits', line(limits), ['2026-07-01', '2026-11-30'], 'dev@example.com'],
    ['the first moment', line(limits), ['2026-06-01'], 'dev@example.com'],
    ['the last moment', line(limits), ['2026-12-01'], 'dev@example.com'],
    ['made too early', line(limits), ['2026-11-30', '2026-05-31'], 'signer-expired'],
    ['valid when made, but not now', line(limits), ['2026-12-02', '2026-07-01'], 'signer-expired'],
    ['a second line that is valid', `${line(limits)}\nd2@example.com ${key.line}`, ['2027-07-01'], 'd2@example.com'],
    [
      'two lines, each valid at one of the times',
      `${line('valid-before="20260701Z"')}\n${line('valid-after="20260702Z"')}`,
      ['2026-06-01', '2026-08-01'],
      'signer-expired',
    ],
    // Without Z, the time zone is unknown, so the shortest validity counts.
    ['11 hours after a local valid-after', line('valid-after="20260601"'), ['2026-06-01T11:00:00Z'], 'signer-expired'],
    ['13 hours after a local valid-after', line('valid-after="20260601"'), ['2026-06-01T13:00:00Z'], 'dev@example.com'],
    [
      '13 hours before a local valid-before',
      line('valid-before="20260601"'),
      ['2026-05-31T11:00:00Z'],
      'signer-expired',
    ],
    [
      '15 hours before a local valid-before',
      line('valid-before="20260601"'),
      ['2026-05-31T09:00:00Z'],
      'dev@example.com',
    ],
  ];
  test.each(rows)('%s', (_title, text, times, outcome) => {
    const match = findSigner(readSigners(text), key.fingerprint, times.map(at));
    expect(match.ok ? match.principals[0] : match.why).toBe(outcome);
  });

  test('a revoked key wins over every line', () => {
    const signers = readSigners(`dev@example.com ${key.line}`, `${key.line}\n`);
    expect(findSigner(signers, key.fingerprint, [at('2026-07-01')])).toEqual({ ok: false, why: 'signer-revoked' });
  });
});

test.each([
  [['dev@example.com'], ['dev@example.com'], true],
  [['Dev@example.com'], ['dev@EXAMPLE.com'], true],
  [['a@example.com', 'b@example.com'], ['c@example.com', 'b@example.com'], true],
  [['*@example.com'], ['dev@example.com'], true],
  [['dev@example.com'], ['d?v@example.com'], true],
  [['*@a.example.com'], ['*@b.example.com'], true],
  [['dev@example.com'], ['me@example.com'], false],
  [['*@a.example.com'], ['dev@b.example.com'], false],
])('whether %j and %j may be one person: %s', (a, b, mayBeOne) => {
  expect(maySharePrincipal(a, b)).toBe(mayBeOne);
  expect(maySharePrincipal(b, a)).toBe(mayBeOne);
});
