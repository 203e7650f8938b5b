import { filesDigest } from '@onceover/base/kernel/ids';
import { ok } from '@onceover/base/kernel/result';
import { writeStatement } from '@onceover/passes/json-statement';
import { readSigners } from '@onceover/passes/src/signers.ts';
import type {
  PassCarrier,
  PassFile,
  PassPolicy,
  PassRequest,
  PassStatement,
  PassTrust,
  SignedFile,
  StoredFile,
  TravellingStatement,
  WaiverStatement,
} from '@onceover/passes/types';
import type { TestKey } from './ssh-signing.ts';

/** The time of the verifier's clock in these tests. */
export const NOW = new Date('2026-11-18T12:00:00.000Z');

/** Returns a digest that is different for each name. */
export function digest(name: string): string {
  return filesDigest([passFile(name)]);
}

/** Returns a changed file whose blobs depend on the path. */
export function passFile(path: string, changes: Partial<PassFile> = {}): PassFile {
  const hex = Buffer.from(path).toString('hex').padEnd(40, '0').slice(0, 40);
  return {
    path,
    mode: '100644',
    baseMode: null,
    baseBlob: hex.replace(/.$/, 'a'),
    headBlob: hex.replace(/.$/, 'b'),
    ...changes,
  };
}

/** Returns a pass of reviewer 1 on two files, given a day before `NOW`. The content follows from the files. */
export function passStatement(changes: Partial<PassStatement> = {}): PassStatement {
  const files = changes.files ?? [passFile('src/cart.ts'), passFile('src/total.ts')];
  return {
    kind: 'pass',
    gate: 'review:src:code-quality',
    slot: 1,
    content: filesDigest(files),
    scope: 'full',
    promptDigest: digest('prompt'),
    referencesDigest: null,
    contextDigest: null,
    settings: {},
    settingsDigest: digest('settings'),
    files,
    agent: 'claude',
    model: 'claude-sonnet-5-5',
    agentVersion: '2.1.0',
    onceoverVersion: '0.1.0',
    session: 'new',
    filesOpened: ['src/cart.ts'],
    usage: { inputTokens: 1200, cachedInputTokens: 0, cacheWriteTokens: 800, outputTokens: 90, costUsd: 0.0123 },
    durationMs: 8123,
    passedAt: '2026-11-17T12:00:00.000Z',
    transcriptDigest: digest('transcript'),
    waived: [],
    ...changes,
  };
}

export function waiverStatement(changes: Partial<WaiverStatement> = {}): WaiverStatement {
  return {
    kind: 'waiver',
    gate: 'review:src:code-quality',
    finding: digest('finding'),
    file: 'src/cart.ts',
    issue: 'The total is not rounded.',
    why: 'Rounding happens in the shop.',
    by: 'Dev',
    onceoverVersion: '0.1.0',
    waivedAt: '2026-11-17T12:00:00.000Z',
    ...changes,
  };
}

/** Returns the bytes of a statement. */
export function bytesOf(statement: TravellingStatement): Buffer {
  const written = writeStatement(statement);
  if (!written.ok) throw new Error(`${written.why}: ${written.field}`);
  return written.bytes;
}

/** Returns the statement with a signature of the key. */
export function signedFile(statement: TravellingStatement, key: TestKey): SignedFile {
  const bytes = bytesOf(statement);
  return { statement: bytes, signature: key.sign(bytes) };
}

/** Returns the gate's facts here that fit a pass. */
export function requestFor(statement: PassStatement, changes: Partial<PassRequest> = {}): PassRequest {
  const { gate, slot, content, scope, promptDigest, files, agent, settingsDigest } = statement;
  const { referencesDigest = null, contextDigest = null, settings = {} } = statement;
  return {
    subject: { gate, slot, content, scope, promptDigest, referencesDigest, contextDigest, settings },
    hasFile: () => true,
    files,
    settingsDigests: new Map([[agent, settingsDigest]]),
    changedAgents: new Set(),
    ...changes,
  };
}

export const POLICY: PassPolicy = {
  remote: 'origin',
  store: null,
  share: 'auto',
  signers: '.onceover/signers',
  accept: ['new', 'resumed'],
  maxAgeDays: 30,
  minSigners: 1,
  neverFor: [],
  audit: 0,
};

/** Returns the trust of a repository whose signers file has these lines. */
export function trusting(signers: readonly string[], changes: Partial<PassTrust> = {}): PassTrust {
  const read = readSigners(`${signers.join('\n')}\n`);
  return {
    policy: POLICY,
    signers: read,
    waiverSigners: read,
    auditSecret: Buffer.from('a secret of the verifier'),
    ...changes,
  };
}

/** A carrier with these files that reaches no other clone, and counts how often it was asked. */
export function carrierOf(files: readonly StoredFile[]): PassCarrier & { readonly asked: string[][] } {
  const asked: string[][] = [];
  const never = () => Promise.reject(new Error('not in this test'));
  return {
    name: 'memory',
    asked,
    isFresh: () => false,
    fetch: never,
    push: never,
    prune: never,
    all: () => Promise.resolve(ok(files)),
    find(keys) {
      asked.push([...keys]);
      const under = (key: string) => files.filter((stored) => stored.key === key).map(({ file }) => file);
      return Promise.resolve(ok(new Map(keys.map((key) => [key, under(key)]))));
    },
  };
}
