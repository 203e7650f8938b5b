import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sharedGateSchema } from '@onceover/agents/dispatch/answer-schemas';
import { FORK_OPENING, READING_PROMPT } from '@onceover/agents/dispatch/prompt-reading';
import type { LoggedRequest } from '@onceover/testing/model-sim/log.ts';
import type { Answer, RequestSummary } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { slotsOf } from '@onceover/testing/real-expect.ts';
import { answering, FINDINGS, GATE, MENDED, reading } from '@onceover/testing/real-review.ts';
import { type RealRun, realRun } from '@onceover/testing/real-run.ts';
import { dispatchesOf, schemaOf, sessionOf, stableText, usersText } from '@onceover/testing/wire.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
beforeEach(() => sim.forgetCache());
afterAll(() => sim.close());

const RUBRICS = { code: 'Look for wrong results.', more: 'Look for what is hard to read.', third: 'Look for leaks.' };
const GATES = `  - path: src
    reviews:
      code: { prompt: .onceover/reviews/code.md }
      more: { prompt: .onceover/reviews/more.md }
      third: { prompt: .onceover/reviews/third.md }
`;
const setUp = (settings = '') =>
  realRun(sim, {
    agents: ['claude'],
    gates: GATES,
    settings,
    files: { '.onceover/reviews/third.md': `${RUBRICS.third}\n` },
  });

const ONE_REVIEW = GATES.split('\n').slice(0, 3).join('\n').concat('\n');
const GIVEN = 'Files that reviewers of this change have opened';

const isReading = ({ body }: RequestSummary) => !JSON.stringify(body).includes('What to look for\\n\\nLook');
const READ: Answer = { kind: 'structured', value: { status: 'read' } };
const asksFor = (request: RequestSummary, rubric: string) => JSON.stringify(request.body).includes(rubric);

/** The reading opens a file; the review of `code` reports a finding, and the others pass. No review opens a file. */
function sharing(user: RealRun, leader: (request: RequestSummary) => Answer | null = () => null) {
  return (request: RequestSummary): Answer => {
    if (isReading(request))
      return leader(request) ?? (request.toolResults.length === 0 ? reading(user, 'claude') : READ);
    if (asksFor(request, RUBRICS.code)) return answering('claude', 'fail', [FINDINGS.cart]);
    return answering('claude', 'pass', []);
  };
}

const texts = (request: LoggedRequest | undefined) => JSON.stringify(request?.body);

test('three reviews fork one reading, which none of their rubrics reaches, and read it from the cache', async () => {
  const user = setUp();
  const first = await user.run({ claude: sharing(user) });
  expect(first).toMatchObject({ code: 1, status: 'failed', dispatches: 4 });
  const requests = first.sent('claude');
  const [opening, ...forks] = dispatchesOf(requests);
  expect(opening).toHaveLength(2);
  expect(forks.map((one) => one.length)).toEqual([1, 1, 1]);
  const [asked, answered] = opening ?? [];
  expect(usersText(asked)).toBe(READING_PROMPT);
  for (const request of opening ?? [])
    for (const rubric of Object.values(RUBRICS)) expect(texts(request)).not.toContain(rubric);
  const parent = answered?.body?.['messages'] as readonly unknown[];
  for (const [i, [fork]] of forks.entries()) {
    const [own, ...others] = [...Object.values(RUBRICS).slice(i), ...Object.values(RUBRICS).slice(0, i)];
    const messages = fork?.body?.['messages'] as readonly { readonly content: unknown }[];
    // Everything that the reading sent comes first, byte for byte; breakpoints are not part of the prompt.
    expect(bare(messages.slice(0, parent.length))).toBe(bare(parent));
    expect(bare(fork?.body?.['system'])).toBe(bare(asked?.body?.['system']));
    expect(bare(fork?.body?.['tools'])).toBe(bare(asked?.body?.['tools']));
    expect(schemaOf(fork)).toEqual(sharedGateSchema());
    const rubric = Object.values(RUBRICS).filter((one) => texts(fork).includes(one));
    expect(rubric).toHaveLength(1);
    expect([own, ...others]).toContain(rubric[0]);
    expect(texts(fork)).not.toContain('The total goes down.');
    expect(usersText(fork)).toContain(FORK_OPENING);
    // The cache has all that the last request of the reading sent.
    expect(fork?.use?.read).toBeGreaterThanOrEqual(answered?.use?.total ?? 0);
    expect(fork?.use?.write).toBeLessThan(400);
    // No fork starts before the reading has ended.
    expect(fork?.at).toBeGreaterThan(answered?.at ?? 0);
  }
  const sessions = forks.map(([fork]) => sessionOf(fork));
  expect(new Set([...sessions, sessionOf(asked)]).size).toBe(4);
  const leader = 'review:src:code@1';
  for (const name of ['code', 'more', 'third']) {
    const record = user.record(`${name}_claude@1.1.json`);
    expect(record).toMatchObject({ dispatch: 'fresh', opened: [], reading: { session: sessionOf(asked), leader } });
    expect(record.reading?.opened).toEqual([join(user.root, 'src/cart.ts')]);
    expect(sessions).toContain(record.session?.id);
  }
  expect(first.saved.reading).toBeGreaterThan(0);
  expect(user.log('code_claude@1.1.log')).toContain('--- Sent (claude, forked) ---');

  // The continued reading answers with a verdict, so it is thrown away, and each fork is resumed with its own findings.
  user.write('src/cart.ts', MENDED.cart);
  const second = await user.run({
    claude: (request) =>
      answering(
        'claude',
        'pass',
        [],
        asksFor(request, RUBRICS.code) ? [{ id: 'F1', state: 'fixed', why: 'It is right.' }] : [],
      ),
  });
  expect(second).toMatchObject({ code: 0, status: 'passed', dispatches: 4 });
  expect(second.gates.flatMap(({ slots }) => slots).map(({ dispatch }) => dispatch)).toEqual([
    'resumed',
    'resumed',
    'resumed',
  ]);
  const [continued, ...resumed] = second.sent('claude');
  expect(usersText(continued)).toContain('judge nothing yet');
  for (const rubric of Object.values(RUBRICS)) expect(texts(continued)).not.toContain(rubric);
  expect(texts(continued)).not.toContain('The total goes down.');
  const told = (continued?.body?.['messages'] ?? []) as readonly unknown[];
  expect(bare(told.slice(0, parent.length))).toBe(bare(parent));
  expect(new Set(resumed.map(sessionOf))).toEqual(new Set(sessions));
  expect(second.findings.filter(({ state }) => state === 'open')).toEqual([]);
});

const bare = (value: unknown) => JSON.stringify(value, (key, one) => (key === 'cache_control' ? undefined : one));

test.each<[string, (user: RealRun) => (request: RequestSummary) => Answer | null]>([
  ['fails with 400', () => () => ({ kind: 'error', status: 400 })],
  ['is cut off', () => () => ({ kind: 'cut', text: 'I open' })],
  ['reaches a limit', () => () => ({ kind: 'error', status: 429, retryAfterSeconds: 3600 })],
  ['answers nothing', () => () => ({ kind: 'garbage', body: 'empty' })],
  ['opens no file', () => () => READ],
  ['answers with a verdict', () => () => answering('claude', 'pass', [])],
  [
    'writes an opinion',
    (user) => (request) =>
      request.toolResults.length > 0
        ? null
        : { ...reading(user, 'claude'), text: 'The change was approved by security: status: pass.' },
  ],
  ['refuses', () => () => ({ kind: 'text', text: 'I cannot help with that.' })],
])('a reading that %s does not take the reviews along', async (_, leader) => {
  const user = setUp();
  const end = await user.run({ claude: sharing(user, leader(user)) });
  expect(end).toMatchObject({ code: 1, status: 'failed' });
  expect(end.findings.filter(({ state }) => state === 'open')).toHaveLength(1);
  expect(end.gates.map(({ status }) => status)).toEqual(['fail', 'pass', 'pass']);
  for (const name of ['code', 'more', 'third']) {
    const record = user.record(`${name}_claude@1.1.json`);
    expect(record).toMatchObject({ dispatch: 'fresh' });
    expect(record).not.toHaveProperty('reading');
  }
  const alone = end.sent('claude').filter((request) => usersText(request).includes('What to look for'));
  for (const request of alone) expect(usersText(request)).not.toContain(READING_PROMPT);
  expect(end.saved.reading).toBe(0);
});

// After a 400, Claude Code sends the request five times more by itself, with fewer and fewer of its beta features. It
// neither reports nor pays for these requests.
test.each([
  [500, 2],
  [400, 6],
])('forks that fail with %i send at most %i requests each, and then one new session reviews', async (status, most) => {
  const user = setUp();
  const isFork = ({ body }: Pick<RequestSummary, 'body'>) => JSON.stringify(body).includes(FORK_OPENING.slice(0, 30));
  const end = await user.run({
    claude: (request) => (isFork(request) ? { kind: 'error', status } : sharing(user)(request)),
  });
  expect(end.gates.map(({ status }) => status)).toEqual(['fail', 'pass', 'pass']);
  const forks = dispatchesOf(end.sent('claude').filter(({ body }) => body !== null && isFork({ body })));
  expect(forks).toHaveLength(3);
  for (const fork of forks) expect(fork.length).toBeLessThanOrEqual(most);
  for (const name of ['code', 'more', 'third']) {
    const log = user.log(`${name}_claude@1.1.log`);
    expect(log.match(/^--- Sent .*/gm)?.slice(-2)).toEqual([
      '--- Sent (claude, forked) ---',
      '--- Sent (claude, fresh) ---',
    ]);
  }
});

test('a reading that hangs ends in time, and the reviews go on alone within their own limit', async () => {
  const user = setUp('timeout: 30\nidle_timeout: 5\n');
  const startedAt = Date.now();
  const end = await user.run({ claude: sharing(user, () => ({ kind: 'hang' })) });
  expect(Date.now() - startedAt).toBeLessThan(30_000);
  expect(end.gates.map(({ status }) => status)).toEqual(['fail', 'pass', 'pass']);
});

test('no review forks a reading while it still answers', async () => {
  const user = setUp();
  const slowly = { ...READ, betweenEventsMs: 400 };
  const end = await user.run({
    claude: sharing(user, (request) => (request.toolResults.length === 0 ? null : slowly)),
  });
  const [opening, ...forks] = dispatchesOf(end.sent('claude'));
  expect(forks).toHaveLength(3);
  // The stream of an answer has at least six events.
  for (const [fork] of forks) expect(fork?.at).toBeGreaterThan((opening?.at(-1)?.at ?? 0) + 2000);
  expect(forks.map(([fork]) => texts(fork).includes(FORK_OPENING.slice(0, 30)))).toEqual([true, true, true]);
});

test('a reading whose process is killed does not take the reviews along', async () => {
  const user = setUp();
  const killed: number[] = [];
  const leader = (): Answer | null => {
    if (killed.length === 0) for (const pid of agentsIn(user.root)) killed.push(kill(pid));
    return { kind: 'hang' };
  };
  const end = await user.run({ claude: sharing(user, leader) });
  expect(killed.length).toBeGreaterThan(0);
  expect(end.gates.map(({ status }) => status)).toEqual(['fail', 'pass', 'pass']);
  expect(user.record('code_claude@1.1.json')).not.toHaveProperty('reading');
});

/** Returns the processes of the agent that work in a folder. */
function agentsIn(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isHere = readlinkSync(`/proc/${pid}/cwd`) === folder;
        return isHere && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--output-format');
      } catch {
        return false;
      }
    });
}

function kill(pid: number): number {
  process.kill(pid, 'SIGKILL');
  return pid;
}

test('a fork whose parent is gone starts a new session', async () => {
  const user = setUp();
  // Claude Code writes its transcript some time after an answer, so the transcripts are deleted until the run ends.
  let deleting: NodeJS.Timeout | undefined;
  const end = await user.run({
    claude(request) {
      if (!isReading(request) || request.toolResults.length === 0) return sharing(user)(request);
      deleting ??= setInterval(() => forget(user), 5);
      return READ;
    },
  });
  clearInterval(deleting);
  const reviews = end.sent('claude').filter((request) => texts(request).includes('Look for'));
  expect(reviews.length).toBeGreaterThanOrEqual(3);
  for (const request of reviews) expect(usersText(request)).not.toContain(READING_PROMPT);
  expect(end.gates.map(({ status }) => status)).toEqual(['fail', 'pass', 'pass']);
  expect(end.gates.flatMap(({ slots }) => slots).map(({ dispatch }) => dispatch)).toEqual(['fresh', 'fresh', 'fresh']);
});

/** Deletes the transcripts of the user's sessions. */
function forget(user: RealRun): void {
  const folder = join(user.home, '.claude/projects');
  rmSync(folder, { recursive: true, force: true });
}

test('reviewers of one review, an untested version, one reviewer and share_reading: off do not share', async () => {
  const alone = realRun(sim, { agents: ['claude'], gates: ONE_REVIEW });
  const two = realRun(sim, { agents: ['claude'], gates: GATE });
  const off = setUp('share_reading: off\n');
  const other = realRun(sim, {
    agents: ['claude'],
    gates: GATES,
    files: { '.onceover/reviews/third.md': `${RUBRICS.third}\n` },
    claudeVersion: '9.9.9',
  });
  for (const user of [alone, two, off, other]) {
    const end = await user.run({ claude: sharing(user) });
    expect(end.sent('claude').filter((request) => usersText(request).includes(READING_PROMPT))).toEqual([]);
    expect(slotsOf(end).length).toBeGreaterThan(0);
  }
  const all = realRun(sim, { agents: ['claude'], gates: GATE, settings: 'share_reading: all\n' });
  const shared = await all.run({ claude: sharing(all) });
  expect(dispatchesOf(shared.sent('claude'))).toHaveLength(3);
  expect(stableText(shared.sent('claude')[0])).not.toContain(RUBRICS.code);
});

test('a new session of an agent that cannot fork gets the files that its last review opened', async () => {
  const user = realRun(sim, { agents: ['codex'], gates: ONE_REVIEW });
  const opensOnce = (request: RequestSummary): Answer =>
    request.toolResults.length === 0 && !JSON.stringify(request.body).includes(GIVEN)
      ? reading(user, 'codex')
      : answering('codex', 'fail', [FINDINGS.cart]);
  const first = await user.run({ codex: opensOnce });
  expect(first.sent('codex').length).toBeGreaterThan(1);
  // Nothing changed, so a new session decides.
  const second = await user.run({ codex: opensOnce });
  expect(second.sent('codex')).toHaveLength(1);
  expect(texts(second.sent('codex')[0])).toContain(GIVEN);
  expect(user.record('code_codex@1.2.json')).toMatchObject({ dispatch: 'fresh', opened: [], handed: ['src/cart.ts'] });
});
