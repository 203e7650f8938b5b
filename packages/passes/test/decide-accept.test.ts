import {
  digest,
  NOW,
  POLICY,
  passFile,
  passStatement,
  requestFor,
  signedFile,
  trusting,
  waiverStatement,
} from '@onceover/testing/passes.ts';
import { makeKey, type TestKey } from '@onceover/testing/ssh-signing.ts';
import { describe, expect, test } from 'vitest';
import { decideAccept, findBaseChange } from '../src/decide-accept.ts';
import { readSigners } from '../src/signers.ts';
import type {
  PassPolicy,
  PassRequest,
  PassStatement,
  PassTrust,
  RefusalReason,
  SignedFile,
  TravellingStatement,
} from '../src/types.ts';

const dev = makeKey('ed25519');
const lead = makeKey('p256');
const laptop = makeKey('ed25519');
const stranger = makeKey('ed25519');
const SIGNERS = [
  `dev@example.com ${dev.line}`,
  `lead@example.com ${lead.line}`,
  `dev@example.com,old@example.com ${laptop.line}`,
];
const trust = trusting(SIGNERS);
const pass = passStatement();
const finding = digest('finding');
const waivingPass = passStatement({ waived: [finding] });
const waiver = waiverStatement({ finding });
const vouch = (key: TestKey, principal: string) => ({ principal, keyFingerprint: key.fingerprint });

/** The changes of a row to a request for `pass`, which `dev` has signed. */
type Case = {
  /** The statements that the carrier has under the content, each with its key; default: `pass` by `dev`. */
  readonly passes?: readonly (SignedFile | readonly [TravellingStatement, TestKey])[];
  readonly waivers?: readonly (readonly [TravellingStatement, TestKey])[];
  readonly request?: Partial<PassRequest>;
  readonly subject?: Partial<PassRequest['subject']>;
  readonly policy?: Partial<PassPolicy>;
  readonly trust?: Partial<PassTrust>;
  readonly now?: string;
};

function decide({ passes = [[pass, dev]], waivers = [], request, subject, policy, trust: otherTrust, now }: Case) {
  const files = passes.map((entry) => ('statement' in entry ? entry : signedFile(...entry)));
  const passRequest = requestFor(pass, request);
  const byFinding = new Map([[finding, waivers.map((entry) => signedFile(...entry))]]);
  return decideAccept(
    { ...passRequest, subject: { ...passRequest.subject, ...subject } },
    { passes: files, waivers: byFinding },
    { ...trust, policy: { ...POLICY, ...policy }, ...otherTrust },
    now === undefined ? NOW : new Date(now),
  );
}

describe('decideAccept accepts', () => {
  const rows: readonly [title: string, given: Case, statement: PassStatement, principals: readonly string[]][] = [
    ['a pass of an allowed signer', {}, pass, ['dev@example.com']],
    [
      'a resumed pass',
      { passes: [[passStatement({ session: 'resumed' }), dev]] },
      passStatement({ session: 'resumed' }),
      ['dev@example.com'],
    ],
    [
      'one good statement among bad ones',
      {
        passes: [
          [pass, stranger],
          [waiver, dev],
          [pass, lead],
        ],
      },
      pass,
      ['lead@example.com'],
    ],
    ['a pass on the last day', { now: '2026-12-17T12:00:00.000Z' }, pass, ['dev@example.com']],
    ['a pass that is 4 minutes in the future', { now: '2026-11-17T11:56:00.000Z' }, pass, ['dev@example.com']],
    ['a pass if never_for names other files', { policy: { neverFor: ['src/auth/**'] } }, pass, ['dev@example.com']],
    [
      'two signers if two are needed',
      {
        passes: [
          [pass, lead],
          [pass, dev],
        ],
        policy: { minSigners: 2 },
      },
      pass,
      ['dev@example.com', 'lead@example.com'],
    ],
    [
      'a pass with a waived finding',
      { passes: [[waivingPass, dev]], waivers: [[waiver, lead]] },
      waivingPass,
      ['dev@example.com'],
    ],
    [
      'the newest pass',
      {
        passes: [
          [passStatement({ passedAt: '2026-11-18T11:00:00.000Z' }), dev],
          [pass, dev],
        ],
      },
      passStatement({ passedAt: '2026-11-18T11:00:00.000Z' }),
      ['dev@example.com'],
    ],
    [
      'a pass of the second agent of the slot',
      {
        request: {
          settingsDigests: new Map([
            ['codex', digest('x')],
            [pass.agent, pass.settingsDigest],
          ]),
        },
      },
      pass,
      ['dev@example.com'],
    ],
  ];
  test.each(rows)('%s', (_title, scenario, statement, principals) => {
    const acceptance = decide(scenario);
    expect(acceptance).toMatchObject({ kind: 'accepted', statement });
    expect(acceptance.signers?.map(({ principal }) => principal)).toEqual(principals);
  });
});

const unusable: SignedFile = { statement: Buffer.from('{}'), signature: dev.sign(Buffer.from('{}')) };
const tamperedFile: SignedFile = {
  statement: signedFile(passStatement({ model: 'other' }), dev).statement,
  signature: signedFile(pass, dev).signature,
};
const { referencesDigest: _, contextDigest: __, settings: ___, ...olderPass } = pass;
const many = Array.from({ length: 500 }, (): SignedFile => unusable);

const refusals: readonly [title: string, why: RefusalReason, given: Case][] = [
  ['no statement', 'no-statement', { passes: [] }],
  [
    'a statement about another gate',
    'no-statement',
    { passes: [[passStatement({ gate: 'review:src:security' }), dev]] },
  ],
  ['a statement about another slot', 'no-statement', { passes: [[passStatement({ slot: 2 }), dev]] }],
  [
    'a statement about other files',
    'no-statement',
    { passes: [[passStatement({ files: [passFile('src/a.ts')] }), dev]] },
  ],
  ['only a waiver', 'no-statement', { passes: [[waiver, dev]] }],
  ['a file that is not a statement', 'unusable-statement', { passes: [unusable] }],
  ['a good statement after 500 bad ones', 'unusable-statement', { passes: [...many, [pass, dev]] }],
  ['other words under a signature', 'bad-signature', { passes: [tamperedFile] }],
  ['a statement without a signature', 'bad-signature', { passes: [{ ...signedFile(pass, dev), signature: '' }] }],
  ['a key that no line lists', 'unknown-signer', { passes: [[pass, stranger]] }],
  ['an empty signers file', 'unknown-signer', { trust: { signers: readSigners('') } }],
  [
    'a key of another namespace',
    'unknown-signer',
    { trust: trusting([`dev@example.com namespaces="git" ${dev.line}`]) },
  ],
  ['a line with a homoglyph', 'unknown-signer', { trust: trusting([`dеv@example.com ${dev.line}`]) }],
  [
    'a key that is valid later',
    'signer-expired',
    { trust: trusting([`dev@example.com valid-after="20261201Z" ${dev.line}`]) },
  ],
  [
    'a key that expired since',
    'signer-expired',
    { trust: trusting([`dev@example.com valid-before="20261118Z" ${dev.line}`]) },
  ],
  [
    'a pass from before the key was valid',
    'signer-expired',
    { trust: trusting([`dev@example.com valid-after="20261118Z" ${dev.line}`]) },
  ],
  ['a revoked key', 'signer-revoked', { trust: { signers: readSigners(SIGNERS.join('\n'), dev.line) } }],
  ['a clock that was set back', 'in-the-future', { now: '2026-11-17T11:54:00.000Z' }],
  [
    'a pass that is dated a year ahead',
    'in-the-future',
    { passes: [[passStatement({ passedAt: '2027-11-17T12:00:00.000Z' }), dev]] },
  ],
  ['a pass on a part of the change', 'other-scope', { passes: [[passStatement({ scope: 'uncommitted' }), dev]] }],
  [
    'a run on a part of the change, even with a pass on the same part',
    'other-scope',
    { subject: { scope: 'uncommitted' }, passes: [[passStatement({ scope: 'uncommitted' }), dev]] },
  ],
  ['a pass of an older version', 'older-version', { passes: [[olderPass, dev]] }],
  [
    'a pass of an older version, for a gate with other settings',
    'older-version',
    { passes: [[olderPass, dev]], subject: { settings: { failOn: '"high"' } } },
  ],
  ['another reference file', 'other-references', { subject: { referencesDigest: digest('the standard') } }],
  ['another list of files', 'other-context', { subject: { contextDigest: digest('src/new.ts') } }],
  ['another threshold', 'other-settings', { subject: { settings: { failOn: '"critical"' } } }],
  [
    'a pattern of never_for that matches no file',
    'idle-pattern',
    { policy: { neverFor: ['src/auht'] }, request: { hasFile: () => false } },
  ],
  ['another prompt', 'other-prompt', { subject: { promptDigest: digest('edited prompt') } }],
  [
    'an agent that the gate does not allow',
    'other-agent',
    { request: { settingsDigests: new Map([['codex', digest('settings')]]) } },
  ],
  ['an agent whose program the change edits', 'changed-agent', { request: { changedAgents: new Set(['claude']) } }],
  [
    'other settings of the agent',
    'other-settings',
    { request: { settingsDigests: new Map([['claude', digest('fail_on')]]) } },
  ],
  [
    'the settings digest of another agent',
    'other-settings',
    {
      request: {
        settingsDigests: new Map([
          ['codex', digest('settings')],
          ['claude', digest('x')],
        ]),
      },
    },
  ],
  [
    'a resumed session, if only new ones count',
    'session-not-accepted',
    { passes: [[passStatement({ session: 'resumed' }), dev]], policy: { accept: ['new'] } },
  ],
  ['a pass of 30 days and a second', 'too-old', { now: '2026-12-17T12:00:01.000Z' }],
  ['a pass of 1999', 'too-old', { passes: [[passStatement({ passedAt: '1999-12-31T00:00:00.000Z' }), dev]] }],
  ['a waived finding without a waiver', 'waiver-missing', { passes: [[waivingPass, dev]] }],
  ['a waiver of a stranger', 'waiver-missing', { passes: [[waivingPass, dev]], waivers: [[waiver, stranger]] }],
  [
    'a waiver for another gate',
    'waiver-missing',
    { passes: [[waivingPass, dev]], waivers: [[waiverStatement({ finding, gate: 'review:src:security' }), dev]] },
  ],
  [
    'a waiver for another finding',
    'waiver-missing',
    { passes: [[waivingPass, dev]], waivers: [[waiverStatement({ finding: digest('x') }), dev]] },
  ],
  ['a pass in place of a waiver', 'waiver-missing', { passes: [[waivingPass, dev]], waivers: [[pass, dev]] }],
  [
    'a waiver, if waivers do not travel',
    'waiver-missing',
    { passes: [[waivingPass, dev]], waivers: [[waiver, dev]], trust: { waiverSigners: null } },
  ],
  [
    'one of two waived findings without a waiver',
    'waiver-missing',
    { passes: [[passStatement({ waived: [finding, digest('x')] }), dev]], waivers: [[waiver, dev]] },
  ],
  ['one signer if two are needed', 'too-few-signers', { policy: { minSigners: 2 } }],
  [
    'the same signer twice',
    'too-few-signers',
    {
      passes: [
        [pass, dev],
        [passStatement({ durationMs: 1 }), dev],
      ],
      policy: { minSigners: 2 },
    },
  ],
  [
    'two keys of one person',
    'too-few-signers',
    {
      passes: [
        [pass, dev],
        [pass, laptop],
      ],
      policy: { minSigners: 2 },
    },
  ],
  [
    'a key with a pattern that fits the other signer',
    'too-few-signers',
    {
      passes: [
        [pass, dev],
        [pass, lead],
      ],
      trust: trusting([`dev@example.com ${dev.line}`, `*@example.com ${lead.line}`], {
        policy: { ...POLICY, minSigners: 2 },
      }),
    },
  ],
  [
    'two people who share a name over a third key',
    'too-few-signers',
    {
      passes: [
        [pass, dev],
        [pass, lead],
        [pass, laptop],
      ],
      trust: trusting([`a@x ${dev.line}`, `b@x ${lead.line}`, `a@x,b@x ${laptop.line}`], {
        policy: { ...POLICY, minSigners: 2 },
      }),
    },
  ],
  [
    'one key under two names',
    'too-few-signers',
    {
      passes: [
        [pass, dev],
        [passStatement({ durationMs: 1 }), dev],
      ],
      trust: trusting([`dev@example.com ${dev.line}`, `me@example.com ${dev.line}`], {
        policy: { ...POLICY, minSigners: 2 },
      }),
    },
  ],
  [
    'a second signer who passed with another prompt',
    'too-few-signers',
    {
      passes: [
        [pass, dev],
        [passStatement({ promptDigest: digest('x') }), lead],
      ],
      policy: { minSigners: 2 },
    },
  ],
  ['a file that is always reviewed here', 'excluded-path', { policy: { neverFor: ['docs/**', 'src/*.ts'] } }],
  ['a pattern that cannot be read', 'excluded-path', { policy: { neverFor: ['src/['] } }],
  ['an audit of all passes', 'drawn-for-audit', { policy: { audit: 1 } }],
  [
    'an audit without a secret',
    'drawn-for-audit',
    { policy: { audit: 0.001 }, trust: { auditSecret: null, policy: { ...POLICY, audit: 0.001 } } },
  ],
  ['an audit share that is not a number', 'drawn-for-audit', { policy: { audit: Number.NaN } }],
];

describe('decideAccept refuses', () => {
  test.each(refusals)('%s: %s', (_title, why, scenario) => {
    expect(decide(scenario)).toMatchObject({ kind: 'refused', why });
  });

  test('every reason that decideAccept can give has a row', () => {
    // The caller knows these: passes are off, the carrier failed, or a search of all statements found this one.
    const callerReasons: readonly RefusalReason[] = ['not-configured', 'unreachable', 'base-changed'];
    const ALL: Readonly<Record<RefusalReason, true>> = {
      'not-configured': true,
      'no-statement': true,
      unreachable: true,
      'unusable-statement': true,
      'bad-signature': true,
      'unknown-signer': true,
      'signer-expired': true,
      'signer-revoked': true,
      'too-few-signers': true,
      'older-version': true,
      'other-prompt': true,
      'other-references': true,
      'other-context': true,
      'other-settings': true,
      'other-scope': true,
      'other-agent': true,
      'changed-agent': true,
      'base-changed': true,
      'session-not-accepted': true,
      'too-old': true,
      'in-the-future': true,
      'excluded-path': true,
      'idle-pattern': true,
      'waiver-missing': true,
      'drawn-for-audit': true,
    };
    expect([...new Set([...refusals.map(([, why]) => why), ...callerReasons])].sort()).toEqual(Object.keys(ALL).sort());
  });

  test('the statement that came closest is named, with its signer', () => {
    const old = passStatement({ passedAt: '2026-01-01T00:00:00.000Z' });
    const editedPass = passStatement({ promptDigest: digest('x') });
    expect(decide({ passes: [unusable, [editedPass, lead], [old, dev], [pass, stranger]] })).toEqual({
      kind: 'refused',
      why: 'too-old',
      statement: old,
      signers: [vouch(dev, 'dev@example.com')],
    });
  });

  test('the words of an unknown signer are not shown, only the key', () => {
    expect(decide({ passes: [[pass, stranger]] })).toEqual({
      kind: 'refused',
      why: 'unknown-signer',
      statement: null,
      keyFingerprint: stranger.fingerprint,
    });
  });

  test('a pass that is drawn for audit names everyone who vouches for it', () => {
    expect(
      decide({
        passes: [
          [pass, dev],
          [pass, lead],
        ],
        policy: { audit: 1 },
      }),
    ).toMatchObject({
      why: 'drawn-for-audit',
      statement: pass,
      signers: [vouch(dev, 'dev@example.com'), vouch(lead, 'lead@example.com')],
    });
  });
});

describe('findBaseChange', () => {
  const [cart, total] = [passFile('src/cart.ts'), passFile('src/total.ts')];
  const onOther = { ...cart, baseBlob: 'c'.repeat(40) };
  const mergedFile = { ...onOther, headBlob: 'd'.repeat(40) };
  const editedFile = { ...cart, headBlob: 'd'.repeat(40) };
  const find = (files: PassRequest['files'], key: TestKey, changes: Partial<PassStatement> = {}) =>
    findBaseChange(
      requestFor(passStatement({ files })),
      [{ key: '', file: signedFile(passStatement(changes), key) }],
      trust,
      NOW,
    );
  const rows: readonly [
    title: string,
    files: PassRequest['files'],
    key: TestKey,
    changes: Partial<PassStatement>,
    isFound: boolean,
  ][] = [
    ['the base changed a file', [onOther, total], dev, {}, true],
    ['the base changed a file and git merged both changes', [mergedFile, total], dev, {}, true],
    ['the base changed the mode of a file', [{ ...cart, baseMode: '100755' }, total], dev, {}, true],
    ['the author edited a file', [editedFile, total], dev, {}, false],
    [
      'the base changed one file and the author another',
      [onOther, { ...total, headBlob: 'e'.repeat(40) }],
      dev,
      {},
      false,
    ],
    ['the change has another file', [onOther, passFile('src/x.ts')], dev, {}, false],
    ['the change has a file less', [onOther], dev, {}, false],
    ['nothing changed', [cart, total], dev, {}, false],
    ['an unknown signer', [onOther, total], stranger, {}, false],
    ['another gate', [onOther, total], dev, { gate: 'review:src:security' }, false],
    ['another slot', [onOther, total], dev, { slot: 2 }, false],
  ];
  test.each(rows)('%s', (_title, files, key, changes, isFound) => {
    expect(find(files, key, changes)?.why ?? null).toBe(isFound ? 'base-changed' : null);
  });
});
