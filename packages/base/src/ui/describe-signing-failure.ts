import { foldLines, quoteName } from '../kernel/escape.ts';
import type { Failure, PassesOff, SigningTrouble } from '../kernel/failure.ts';
import { asShellWord, type ByKind, byKind, type Message, quoted } from './wording.ts';

type SigningFailure = Extract<
  Failure,
  { kind: 'no-signing-key' | 'signing-failed' | 'short-audit-secret' | 'no-audit-secret' | 'passes-off' }
>;

/**
 * The messages for failures to sign passes and waivers, and for an audit secret that is too short. That secret decides
 * which accepted passes are reviewed again.
 */
export const SIGNING_FAILURES = {
  'no-signing-key': ({ format }) => ({
    what:
      format === null
        ? 'git has no SSH key to sign with (user.signingkey), so passes and waivers stay in this clone.'
        : `git signs with ${quoted(format)}, and onceover signs passes and waivers with SSH keys only.`,
    next: 'Run "git config gpg.format ssh" and "git config user.signingkey ~/.ssh/id_ed25519.pub", or set ONCEOVER_SIGNING_KEY to the path of a key file.',
  }),
  'signing-failed': (failure) => {
    const [problem, next] = TROUBLE[failure.why](failure);
    return { what: `Nothing was signed: ${problem}.`, next };
  },
  'passes-off': ({ why }) => ({
    what: `Passes stay in this clone: ${byKind(PASSES_OFF, why)}.`,
    next: 'Set passes up with "onceover init --passes", and merge the files that it writes.',
  }),
  'short-audit-secret': () => ({
    what: 'ONCEOVER_AUDIT_SECRET has fewer than 16 characters, so authors could guess which passes are audited.',
    next: 'Use the output of "openssl rand -hex 32" as the secret.',
  }),
  'no-audit-secret': () => ({
    what: 'passes.audit is set, but this CI job has no ONCEOVER_AUDIT_SECRET, so every job would draw other passes.',
    next: 'Give the job the output of "openssl rand -hex 32" as the secret ONCEOVER_AUDIT_SECRET. Where no secret may be, as for forks, use "onceover run --no-accept".',
  }),
} satisfies ByKind<SigningFailure, Message>;

const PASSES_OFF: ByKind<PassesOff, string> = {
  'not-set': () => 'onceover.yml has no "passes"',
  'no-base': () => 'there is no base branch that decides who may vouch',
  'base-has-none': ({ base }) => `onceover.yml on ${quoteName(base)} has no "passes"`,
  'no-signers': ({ base, path }) => `${quoteName(path)} is missing or unusable on ${quoteName(base)}`,
};

type Trouble = (failure: Extract<Failure, { kind: 'signing-failed' }>) => readonly [what: string, next: string];

const TROUBLE: Readonly<Record<SigningTrouble, Trouble>> = {
  'no-program': ({ key }) => [
    `${quoteName(key)} was not found`,
    'Install the OpenSSH client, which contains ssh-keygen, and run again.',
  ],
  'no-key-file': ({ key }) => [
    `there is no key file ${quoteName(key)}`,
    'Set the path of your key with "git config user.signingkey", or in ONCEOVER_SIGNING_KEY.',
  ],
  passphrase: ({ key }) => [
    `the key ${quoteName(key)} has a passphrase`,
    `Unlock the key with "ssh-add ${asShellWord(key)}" and run again.`,
  ],
  agent: ({ key, said }) => [
    `ssh-agent did not sign with ${quoteName(key)}${words(said)}`,
    'Run "ssh-add -l" to see the keys that ssh-agent has, add yours with "ssh-add", and run again.',
  ],
  timeout: ({ key }) => [
    `no signature of ${quoteName(key)} came in time`,
    'Touch the hardware key when it blinks, or confirm the signature when ssh-agent asks. Then run again.',
  ],
  cancelled: ({ key }) => [`signing with ${quoteName(key)} was cancelled`, 'Run again to sign.'],
  'unusable-signature': ({ key, said }) => [
    `the signature of ${quoteName(key)} is not one that onceover accepts${words(said)}`,
    'Use an ed25519, ECDSA or RSA key of at least 2048 bits, and run again.',
  ],
  other: ({ key, said }) => [
    `ssh-keygen could not sign with ${quoteName(key)}${words(said)}`,
    'Fix the error that ssh-keygen reports and run again.',
  ],
};

function words(output: string): string {
  return output === '' ? '' : ` (${foldLines(output)})`;
}
