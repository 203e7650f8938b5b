import type { KeptSession, Usage } from '@onceover/base/kernel/agent';
import type { CommitId, SnapshotId } from '@onceover/base/kernel/ids';
import type { GateContent } from '@onceover/gates/gate-types';
import type { CheckRecord, RecordMetadata, SlotRecord, Violation } from '@onceover/gates/run/record-types';
import fc from 'fast-check';

/** The fields that only our own records have. */
export function ownFacts(differs: Partial<RecordMetadata> = {}): RecordMetadata {
  return {
    content: 'c1' as GateContent,
    snapshot: 't1' as SnapshotId,
    branch: 'work',
    mergeBase: 'b1' as CommitId,
    scope: 'full',
    promptDigest: 'p1',
    session: null,
    dispatch: 'fresh',
    why: 'first-look',
    parts: 1,
    usage: null,
    durationMs: 12,
    error: null,
    opened: undefined,
    handed: undefined,
    reading: undefined,
    cycle: { start: 1, base: 'b1', head: 'h1' as CommitId, mark: null },
    ...differs,
  };
}

/** Our own record: slot 1 passed in iteration 1. */
export function slotRecord(differs: Partial<SlotRecord> = {}): SlotRecord {
  return {
    gate: 'review:src:code-quality',
    slot: 1,
    iteration: 1,
    adapter: 'codex',
    timestamp: '2026-03-01T12:00:00.000Z',
    status: 'pass',
    rawOutput: 'fine',
    violations: [],
    passIteration: null,
    own: ownFacts(),
    ...differs,
  };
}

/** A passed check in iteration 1. */
export function checkRecord(differs: Partial<CheckRecord> = {}): CheckRecord {
  return {
    gate: 'check:.:lint',
    iteration: 1,
    timestamp: '2026-03-01T12:00:00.000Z',
    status: 'pass',
    command: 'npm run lint',
    exitCode: 0,
    durationMs: 34,
    tree: 't1',
    branch: 'work',
    mergeBase: 'b1' as CommitId,
    scope: 'full',
    why: null,
    iterationTookPlace: true,
    ...differs,
  };
}

const oddCharacter = fc.constantFrom(
  'a',
  ' ',
  '\n',
  '"',
  '\\',
  '\0',
  '\u2028',
  '\ufeff',
  'ä',
  '😀',
  '\ud800',
  '{',
  '/',
);
const text = fc.string({ unit: oddCharacter, maxLength: 20 });
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null });
const amount = fc.nat();
const ordinal = fc.integer({ min: 1, max: 999_999_999 });

const usage: fc.Arbitrary<Usage> = fc.record({
  inputTokens: amount,
  cachedInputTokens: amount,
  cacheWriteTokens: amount,
  outputTokens: amount,
  costUsd: maybe(fc.double({ min: 0, max: 1e6, noNaN: true }).map((usd) => usd + 0)),
});

const session: fc.Arbitrary<KeptSession> = fc.record({
  id: text,
  agent: text,
  model: maybe(text),
  version: text,
  toolsDigest: text,
  firstPromptLength: amount,
  saw: text.map((tree) => tree as SnapshotId),
  stableDigest: text,
  usedBefore: maybe(usage),
  contextTokens: maybe(amount),
  freshTokens: maybe(amount),
  lastUsedAt: text,
  warmMinutes: amount,
  shown: fc.array(text),
});

const own: fc.Arbitrary<RecordMetadata> = fc.record({
  content: text.map((content) => content as GateContent),
  snapshot: maybe(text.map((tree) => tree as SnapshotId)),
  branch: maybe(text),
  mergeBase: maybe(text.map((commit) => commit as CommitId)),
  scope: text,
  promptDigest: text,
  session: maybe(session),
  dispatch: fc.constantFrom('fresh', 'resumed', 'none'),
  why: text,
  parts: amount,
  usage: maybe(usage),
  durationMs: maybe(amount),
  error: maybe(text),
  opened: fc.option(fc.array(text), { nil: undefined }),
  handed: fc.option(fc.array(text), { nil: undefined }),
  reading: fc.option(fc.record({ session: text, leader: text, opened: fc.array(text) }), { nil: undefined }),
  cycle: fc.option(
    fc.record({
      start: ordinal,
      base: text,
      head: maybe(text.map((commit) => commit as CommitId)),
      mark: maybe(text),
    }),
    { nil: undefined },
  ),
});

const violation: fc.Arbitrary<Violation> = fc.record({
  file: text,
  line: maybe(ordinal),
  issue: text,
  fix: maybe(text),
  priority: fc.constantFrom('critical', 'high', 'medium', 'low'),
  status: fc.constantFrom('new', 'fixed', 'skipped'),
  result: maybe(text),
  id: maybe(text),
  code: maybe(text),
  state: maybe(fc.constantFrom('open', 'fixed_claimed', 'warning', 'waived', 'closed', 'gone')),
});

/** Generates any slot record that we could write. */
export const anySlotRecord: fc.Arbitrary<SlotRecord> = fc
  .record({
    gate: fc.constant('review:src:code-quality'),
    slot: ordinal,
    iteration: ordinal,
    adapter: text,
    timestamp: text,
    status: fc.constantFrom('pass', 'fail', 'error', 'skipped_prior_pass'),
    rawOutput: text,
    violations: fc.array(violation, { maxLength: 3 }),
    passIteration: maybe(ordinal),
    own: maybe(own),
  })
  .map((record) => ({
    ...record,
    passIteration: record.status === 'skipped_prior_pass' ? record.passIteration : null,
    violations: record.own === null ? record.violations.map(foreign) : record.violations,
  }));

/** Generates any check record that we could write. */
export const anyCheckRecord: fc.Arbitrary<CheckRecord> = fc.record({
  gate: fc.constant('check:.:lint'),
  iteration: ordinal,
  timestamp: text,
  status: fc.constantFrom('pass', 'fail', 'error'),
  command: text,
  exitCode: maybe(fc.nat()),
  durationMs: amount,
  tree: text,
  branch: maybe(text),
  mergeBase: maybe(text.map((commit) => commit as CommitId)),
  scope: text,
  why: maybe(text),
  iterationTookPlace: fc.constantFrom(true, false, undefined),
});

// The fields of a finding that only our own records have.
function foreign(one: Violation): Violation {
  return { ...one, id: null, code: null, state: null };
}
