import { filesDigest } from '@onceover/base/kernel/ids';
import {
  bytesOf,
  carrierOf,
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
import { armor, makeKey, type SignatureChanges, type TestKey } from '@onceover/testing/ssh-signing.ts';
import { describe, expect, test } from 'vitest';
import { openCarriedPasses } from '../src/open-passes.ts';
import { readSigners } from '../src/signers.ts';
import type { PassPolicy, PassStatement, PassTrust, RefusalReason, SignedFile } from '../src/types.ts';

const dev = makeKey('ed25519');
const lead = makeKey('p256');
const mallory = makeKey('ed25519');
const hardware = makeKey('sk-ed25519');
const small = makeKey('small-rsa');
const rsa = makeKey('rsa');
const line = (key: TestKey, name: string, options = '') => `${name} ${options} ${key.line}`.replace(/ +/g, ' ');
const SIGNERS = [
  line(dev, 'dev@example.com'),
  line(lead, 'lead@example.com'),
  line(hardware, 'token@example.com'),
  line(rsa, 'rsa@example.com'),
];
const pass = passStatement();
const good = signedFile(pass, dev);
const text = good.statement.toString();
const finding = digest('finding');

/** Signs bytes that may not be a statement. */
const raw = (words: string | Buffer, key = dev, changes: SignatureChanges = {}): SignedFile => {
  const bytes = Buffer.from(words);
  return { statement: bytes, signature: key.sign(bytes, changes) };
};
const signedPass = (changes: Partial<PassStatement>, key = dev): SignedFile => signedFile(passStatement(changes), key);
/** The statement `pass` with another word in it, and the signature of the original. */
const forgedFile = (from: string, to: string): SignedFile => ({
  ...good,
  statement: Buffer.from(text.replaceAll(from, to)),
});
const signedAs = (changes: SignatureChanges, key = dev): SignedFile => raw(text, key, changes);

type Attack = {
  readonly title: string;
  readonly why: RefusalReason;
  /** The files that the store serves for the gate's content. */
  readonly files: readonly SignedFile[];
  readonly waivers?: readonly SignedFile[];
  readonly trust?: Partial<PassTrust>;
  readonly policy?: Partial<PassPolicy>;
  readonly now?: string;
};

const attack = (
  title: string,
  why: RefusalReason,
  files: readonly SignedFile[],
  overrides: Partial<Attack> = {},
): Attack => ({
  title,
  why,
  files,
  ...overrides,
});
const signers = (...lines: string[]) => ({ signers: readSigners(lines.join('\n')) });

const FORGED = [
  attack('the verdict of another model', 'bad-signature', [forgedFile('claude-sonnet-5-5', 'claude-opus-9-9')]),
  attack('a later date', 'bad-signature', [forgedFile('2026-11-17T12', '2026-11-18T11')]),
  attack('another session', 'bad-signature', [forgedFile('"session":"new"', '"session":"resumed"')]),
  attack('a space more', 'bad-signature', [forgedFile('"slot":1', '"slot": 1')]),
  attack('a line end more', 'bad-signature', [{ ...good, statement: Buffer.from(`${text}\n`) }]),
  attack('the signature of another statement', 'bad-signature', [
    { ...good, signature: signedPass({ slot: 2 }).signature },
  ]),
  attack('no signature', 'bad-signature', [{ ...good, signature: '' }]),
  attack('a signature of mallory', 'unknown-signer', [signedFile(pass, mallory)]),
  attack('a signature of mallory with the key of dev in it', 'bad-signature', [signedAs({ blob: dev.blob }, mallory)]),
  attack('a signature for git', 'bad-signature', [signedAs({ namespace: 'git' })]),
  attack('a signature for git, relabelled', 'bad-signature', [signedAs({ signedNamespace: 'git' })]),
  attack('a signature for files', 'bad-signature', [signedAs({ namespace: 'file' })]),
  attack('a truncated signature', 'bad-signature', [signedAs({ armor: (base64) => armor(base64.slice(0, 120)) })]),
  attack('bytes after the signature', 'bad-signature', [signedAs({ after: Buffer.from('x') })]),
  attack('two signatures in one file', 'bad-signature', [{ ...good, signature: good.signature + good.signature }]),
  attack('a signature of megabytes', 'bad-signature', [{ ...good, signature: armor('A'.repeat(4_000_000)) }]),
  attack('version 2 of the signature', 'bad-signature', [signedAs({ version: 2 })]),
  attack('SHA-1 over the statement', 'bad-signature', [signedAs({ hash: 'sha1' })]),
  attack('an RSA signature with SHA-1', 'bad-signature', [signedAs({ signatureType: 'ssh-rsa' }, rsa)]),
  attack('a key of 1024 bits', 'bad-signature', [signedFile(pass, small)], {
    trust: signers(line(small, 'dev@example.com')),
  }),
  attack('a hardware key without a touch', 'bad-signature', [signedAs({ flags: 0 }, hardware)]),
  attack('a hardware key used for a web site', 'bad-signature', [
    signedAs({ application: 'https://example.com' }, hardware),
  ]),
] as const;

const REPLAYED = [
  attack('for another gate', 'no-statement', [signedPass({ gate: 'review:src:security' })]),
  attack('for a gate whose name begins alike', 'no-statement', [signedPass({ gate: 'review:src:code-quality-2' })]),
  attack('for a gate with a space at the end', 'no-statement', [signedPass({ gate: 'review:src:code-quality ' })]),
  attack('for a gate with a homoglyph', 'no-statement', [signedPass({ gate: 'review:src:cоde-quality' })]),
  attack('for a rule in place of a review', 'no-statement', [signedPass({ gate: 'rule:src:code-quality' })]),
  attack('for another slot', 'no-statement', [signedPass({ slot: 2 })]),
  attack('for another prompt', 'other-prompt', [signedPass({ promptDigest: digest('easy prompt') })]),
  attack('for another path', 'no-statement', [
    signedPass({ files: [passFile('src/carts.ts'), passFile('src/total.ts')] }),
  ]),
  attack('for one file of two', 'no-statement', [signedPass({ files: [passFile('src/cart.ts')] })]),
  attack('for another mode', 'no-statement', [
    signedPass({ files: [passFile('src/cart.ts', { mode: '100755' }), passFile('src/total.ts')] }),
  ]),
  attack('for another head', 'no-statement', [
    signedPass({ files: [passFile('src/cart.ts', { headBlob: 'e'.repeat(40) }), passFile('src/total.ts')] }),
  ]),
  attack('for another base', 'no-statement', [
    signedPass({ files: [passFile('src/cart.ts', { baseBlob: null }), passFile('src/total.ts')] }),
  ]),
  attack('for a part of the change', 'other-scope', [signedPass({ scope: 'files 12ab' })]),
  attack('for uncommitted changes', 'other-scope', [signedPass({ scope: 'uncommitted' })]),
  attack('by an agent that the gate does not allow', 'other-agent', [signedPass({ agent: 'echo' })]),
  attack('by an agent with a name of JavaScript', 'other-agent', [signedPass({ agent: '__proto__' })]),
  attack('with another reference file', 'other-references', [signedPass({ referencesDigest: digest('lax standard') })]),
  attack('with other files in the prompt', 'other-context', [signedPass({ contextDigest: digest('other files') })]),
  attack('with convergence only in the settings of the signer', 'other-settings', [
    signedPass({ settings: { convergence: '{"unchangedCode":"must_fix_only"}' } }),
  ]),
  attack('with fail_on raised', 'other-settings', [signedPass({ settings: { failOn: '"critical"' } })]),
  attack('with the settings of another model', 'other-settings', [
    signedPass({ settingsDigest: digest('model: small') }),
  ]),
  attack('from a year ago', 'too-old', [signedPass({ passedAt: '2025-11-17T12:00:00.000Z' })]),
  attack('from a year ahead', 'in-the-future', [signedPass({ passedAt: '2027-11-17T12:00:00.000Z' })]),
  attack('after the clock was set back', 'in-the-future', [good], { now: '2026-11-17T11:00:00.000Z' }),
  attack('in a resumed session', 'session-not-accepted', [signedPass({ session: 'resumed' })], {
    policy: { accept: ['new'] },
  }),
  attack('of other people, from a store that mixes up its keys', 'no-statement', [
    signedPass({ files: [passFile('docs/a.md')] }),
  ]),
] as const;

const REWRITTEN = [
  attack('nothing', 'unusable-statement', [raw('')]),
  attack('a mark', 'unusable-statement', [raw(text.replace('pass/v2', 'mark/v2'))]),
  attack('a pass with a field "marked"', 'unusable-statement', [
    raw(text.replace('"slot":1', '"marked":true,"slot":1')),
  ]),
  attack('a session that is a mark', 'unusable-statement', [raw(text.replace('"session":"new"', '"session":"mark"'))]),
  attack('the gate twice', 'unusable-statement', [
    raw(text.replace('"slot":1', '"slot":1,"gate":"review:src:code-quality"')),
  ]),
  attack('the content twice, hidden by an escape', 'unusable-statement', [
    raw(text.replace('"slot":1', `"slot":1,"c\\u006fntent":"${pass.content}"`)),
  ]),
  attack('the predicate twice', 'unusable-statement', [
    raw(text.replace('"predicateType"', '"predicate":{},"predicateType"')),
  ]),
  attack('a prototype', 'unusable-statement', [raw(text.replace('"slot":1', '"slot":1,"__proto__":{}'))]),
  attack('a subject that is not the content', 'unusable-statement', [raw(text.replace(pass.content, digest('x')))]),
  attack('content that is not that of its files', 'unusable-statement', [
    raw(text.replaceAll('src/total.ts', 'src/auth.ts')),
  ]),
  attack('two subjects', 'unusable-statement', [raw(text.replace(/"subject":\[(.*?)\]/, '"subject":[$1,$1]'))]),
  attack('64 KiB', 'unusable-statement', [raw(text + ' '.repeat(64 * 1024))]),
  attack('megabytes of brackets', 'unusable-statement', [raw('['.repeat(2_000_000))]),
  attack('bytes that are not UTF-8', 'unusable-statement', [
    raw(Buffer.concat([Buffer.from(text), Buffer.from([0xff])])),
  ]),
  attack('a path with ..', 'unusable-statement', [raw(text.replaceAll('src/total.ts', 'src/../a.ts'))]),
  attack('slot 1 as text', 'unusable-statement', [raw(text.replace('"slot":1', '"slot":"1"'))]),
  attack('version 3', 'unusable-statement', [raw(text.replace('pass/v2', 'pass/v3'))]),
  attack('a waiver in place of a pass', 'no-statement', [raw(bytesOf(waiverStatement({ finding: pass.content })))]),
  attack('two halves, one in each file', 'unusable-statement', [raw(text.slice(0, 300)), raw(text.slice(300))]),
] as const;

const two = { policy: { minSigners: 2 } };
const UNTRUSTED = [
  attack('a key that was removed', 'unknown-signer', [good], { trust: signers(...SIGNERS.slice(1)) }),
  attack('a key that is only in a comment', 'unknown-signer', [good], { trust: signers(`# ${SIGNERS[0]}`) }),
  attack('a key that expired', 'signer-expired', [good], {
    trust: signers(line(dev, 'dev@example.com', 'valid-before="20261118Z"')),
  }),
  attack(
    'a pass that is dated before the key expired',
    'signer-expired',
    [signedPass({ passedAt: '2026-11-01T00:00:00.000Z' })],
    {
      trust: signers(line(dev, 'dev@example.com', 'valid-before="20261110Z"')),
    },
  ),
  attack('a pass from before the key was allowed', 'signer-expired', [good], {
    trust: signers(line(dev, 'dev@example.com', 'valid-after="20261118Z"')),
  }),
  attack('a revoked key', 'signer-revoked', [good], { trust: { signers: readSigners(SIGNERS.join('\n'), dev.line) } }),
  attack('a list of revoked keys that cannot be read', 'unknown-signer', [good], {
    trust: { signers: readSigners(SIGNERS.join('\n'), 'SSHKRL\n') },
  }),
  attack('a key for git only', 'unknown-signer', [good], {
    trust: signers(line(dev, 'dev@example.com', 'namespaces="git"')),
  }),
  attack('a certificate authority', 'unknown-signer', [good], {
    trust: signers(line(dev, 'dev@example.com', 'cert-authority')),
  }),
  attack('a name with a homoglyph', 'unknown-signer', [good], { trust: signers(line(dev, 'dеv@example.com')) }),
  attack('a name with an invisible character', 'unknown-signer', [good], {
    trust: signers(line(dev, 'dev\u200b@example.com')),
  }),
  attack('an option that is not known', 'unknown-signer', [good], {
    trust: signers(line(dev, 'dev@example.com', 'trust-me')),
  }),
  attack('one signer twice', 'too-few-signers', [good, signedPass({ durationMs: 1 })], two),
  attack('one signer and mallory', 'too-few-signers', [good, signedFile(pass, mallory)], two),
  attack('one person with two keys', 'too-few-signers', [good, signedFile(pass, lead)], {
    ...two,
    trust: signers(line(dev, 'dev@example.com'), line(lead, 'DEV@example.com')),
  }),
  attack(
    'two signers of different prompts',
    'too-few-signers',
    [good, signedPass({ promptDigest: digest('x') }, lead)],
    two,
  ),
  attack('a file that is always reviewed here', 'excluded-path', [good], { policy: { neverFor: ['**/cart.ts'] } }),
  attack('a finding that no one waived', 'waiver-missing', [signedPass({ waived: [finding] })]),
  attack('a finding that mallory waived', 'waiver-missing', [signedPass({ waived: [finding] })], {
    waivers: [signedFile(waiverStatement({ finding }), mallory)],
  }),
  attack('a finding that was waived for another gate', 'waiver-missing', [signedPass({ waived: [finding] })], {
    waivers: [signedFile(waiverStatement({ finding, gate: 'review:docs:style' }), dev)],
  }),
  attack('a finding with a changed waiver', 'waiver-missing', [signedPass({ waived: [finding] })], {
    waivers: [
      { ...raw(bytesOf(waiverStatement({ finding }))), statement: bytesOf(waiverStatement({ finding, why: 'x' })) },
    ],
  }),
] as const;

describe.each([
  ['a forged statement', FORGED],
  ['a replayed pass', REPLAYED],
  ['a rewritten statement', REWRITTEN],
  ['someone who may not vouch', UNTRUSTED],
] as const)('%s is refused', (_group, attacks) => {
  test.each(attacks.map((attack) => [attack.title, attack.why, attack] as const))(
    '%s: %s',
    async (_title, why, attack) => {
      const files = [
        ...attack.files.map((file) => ({ key: pass.content, file })),
        ...(attack.waivers ?? []).map((file) => ({ key: finding, file })),
      ];
      const trust = trusting(SIGNERS, { policy: { ...POLICY, ...attack.policy }, ...attack.trust });
      const clock = { now: () => (attack.now === undefined ? NOW : new Date(attack.now)) };
      const { passes } = await openCarriedPasses(carrierOf(files), trust, clock).accept([requestFor(pass)], []);
      expect(passes).toMatchObject([{ kind: 'refused', why }]);
    },
  );
});

test('the pass that all attacks begin with is accepted', async () => {
  expect(pass.content).toBe(filesDigest(pass.files));
  const carrier = carrierOf([{ key: pass.content, file: good }]);
  const { passes } = await openCarriedPasses(carrier, trusting(SIGNERS), { now: () => NOW }).accept(
    [requestFor(pass)],
    [],
  );
  expect(passes).toMatchObject([{ kind: 'accepted', signers: [{ principal: 'dev@example.com' }] }]);
  expect([FORGED, REPLAYED, REWRITTEN, UNTRUSTED].flat().length).toBeGreaterThanOrEqual(60);
});
