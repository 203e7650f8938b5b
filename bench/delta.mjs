// Compares the delta encodings and the two size guards in review loops of five rounds: how much is sent compared with a
// new session in every round, and how many rounds the guard sends in a new session. The documents and their revisions
// are generated from a seed; the prompts, the rules and the diffs are the real ones.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from './support/build.mjs';
import { median } from './support/measure.mjs';
import { ENCODINGS, playLoop, ROLES, SPEC } from './support/play-loop.mjs';
import { makeSequences } from './support/revisions.mjs';
import { report } from './support/rows.mjs';

const SEED = Number(process.env.DELTA_SEED ?? 1);
const SEQUENCES = Number(process.env.DELTA_SEQUENCES ?? 100);
const GUARDS = ['prompt', 'effective'];
const FIGURES = GUARDS.flatMap((guard) => [`guard ${guard}: sent`, 'sent+read', 'guarded']);

const { sentenceDiff } = await load('packages/base/src/text-diff/sentence-diff.ts');
const { sentencesOf } = await load('packages/base/src/text-diff/sentences.ts');
const { findRepository } = await load('packages/repo/src/git/locate.ts');
const { openSnapshots } = await load('packages/repo/src/git/snapshot.ts');

const sequences = makeSequences(SEED, SEQUENCES);
await addDeltas();
const loops = await playAll();

printSample();
for (const role of ROLES) printEncodings(role);
for (const role of ROLES) printProfiles(role);
const promised = loops.filter(
  ({ role, guard, encoding }) => role === ROLES[0] && guard === 'prompt' && encoding === 'chosen',
);
report({
  id: 'sent',
  what: `five rounds of the ${ROLES[0]}, resumed with deltas (${SEQUENCES} generated sequences): characters sent`,
  figure: total(promised, ({ sent }) => sent),
  unit: 'characters',
  beside: [{ what: 'a new session in every round', figure: total(promised, ({ fresh }) => fresh.sent) }],
  limit: { ratio: 0.5 },
});
report({
  id: 'lost',
  what: 'changed sentences that are missing from the delta by sentence',
  figure: total(sequences, ({ lost }) => lost),
  unit: '',
  limit: { most: 0 },
});

/** Adds the deltas to every sequence: `deltas[n]` has all encodings of the diff from version n to the next. */
async function addDeltas() {
  const root = mkdtempSync(join(tmpdir(), 'onceover-bench-'));
  try {
    const commits = importVersions(root);
    const snapshots = openSnapshots((await findRepository(root)).value);
    for (const [n, sequence] of sequences.entries()) {
      Object.assign(sequence, { snapshots: commits[n], deltas: [], lost: 0 });
      for (let v = 1; v < sequence.versions.length; v++) {
        const [before, after] = sequence.versions.slice(v - 1, v + 1);
        const made = { sentences: sentenceDiff(before, after) };
        for (const context of [3, 1, 0]) {
          const sections = await snapshots.sections(commits[n][v - 1], commits[n][v], context);
          if (!sections.ok) throw new Error(JSON.stringify(sections.failure));
          made[`context-${context}`] = sections.value.map(({ text }) => text).join('');
        }
        sequence.deltas.push(made);
        sequence.lost += lostIn(made.sentences, before, after);
      }
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Commits all versions of all sequences in one process and returns the commit ids. */
function importVersions(root) {
  execFileSync('git', ['init', '-q', '-b', 'main', root]);
  let mark = 0;
  const stream = sequences.flatMap(({ versions }) =>
    versions.map((text) => {
      mark++;
      const commit = `commit refs/heads/v${mark}\nmark :${mark}\ncommitter bench <bench@example.invalid> 0 +0000\ndata 0\n`;
      return `${commit}M 100644 inline ${SPEC}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    }),
  );
  const marks = join(root, '.git/marks');
  execFileSync('git', ['fast-import', '--quiet', `--export-marks=${marks}`], { cwd: root, input: stream.join('') });
  const lines = readFileSync(marks, 'utf8').trim().split('\n');
  const ids = new Map(lines.map((line) => [line.slice(1, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
  mark = 0;
  return sequences.map(({ versions }) => versions.map(() => ids.get(String(++mark))));
}

/** Counts the added and removed sentences that do not appear in the delta. */
function lostIn(delta, before, after) {
  const lines = delta.split('\n').slice(1);
  const marked = (mark) =>
    lines
      .filter((line) => line.startsWith(mark))
      .map((line) => line.slice(1).trim())
      .join('\n');
  const [old, now] = [before, after].map((text) => new Set(sentencesOf(text).map((one) => one.text.trim())));
  const [goneText, comeText] = [marked('-'), marked('+')];
  const isLost = (text, among, other) => !other.has(text) && !among.includes(text);
  return (
    [...now].filter((text) => isLost(text, comeText, old)).length +
    [...old].filter((text) => isLost(text, goneText, now)).length
  );
}

/**
 * Plays every sequence as a loop of every role: with a new session in every round, and with every encoding and guard.
 */
async function playAll() {
  const played = [];
  for (const sequence of sequences) {
    for (const role of ROLES) {
      const fresh = await playLoop({ sequence, role, encoding: null, guard: 'prompt' });
      for (const guard of GUARDS) {
        for (const encoding of [...ENCODINGS, 'chosen']) {
          const loop = await playLoop({ sequence, role, encoding, guard });
          const rounds = sequence.deltas.length;
          played.push({ profile: sequence.profile, role, encoding, guard, fresh, rounds, ...loop });
        }
      }
    }
  }
  return played;
}

function printSample() {
  const middle = (list, of) => Math.round(median(list.map(of)));
  const size = middle(sequences, ({ versions }) => versions[0].length).toLocaleString('en');
  console.log(`Review loops of five rounds on generated documents: ${SEQUENCES} sequences of versions, seed ${SEED};
the first versions have ${size} characters (median). In % of a new session in every round:
sent: characters of prompts; sent+read: including the documents that a reviewer in a new session has to open;
guarded: how many of the rounds after the first the size guard sends in a new session.
By profile also: rounds that were resumed with each encoding, guard prompt.
`);
  table(
    ['characters of a delta (median)', 'sequences', 'rounds', ...ENCODINGS],
    [...groups(sequences, 'profile'), ['all', sequences]].map(([profile, own]) => {
      const deltas = own.flatMap((one) => one.deltas);
      return [
        profile,
        own.length,
        deltas.length,
        ...ENCODINGS.map((one) => middle(deltas, (made) => made[one].length)),
      ];
    }),
  );
}

function printEncodings(role) {
  const own = loops.filter((loop) => loop.role === role);
  table(
    [role, ...FIGURES],
    groups(own, 'encoding').map(([encoding, some]) => [encoding, ...figures(some)]),
  );
}

function printProfiles(role) {
  const own = loops.filter((loop) => loop.role === role && loop.encoding === 'chosen');
  const usedIn = (some, one) => total(some, ({ guard, used }) => (guard === 'prompt' ? (used[one] ?? 0) : 0));
  table(
    [`${role}, chosen`, ...FIGURES, ...ENCODINGS],
    groups(own, 'profile').map(([profile, some]) => [
      profile,
      ...figures(some),
      ...ENCODINGS.map((one) => usedIn(some, one)),
    ]),
  );
}

function figures(loopsOfAll) {
  return GUARDS.flatMap((guard) => {
    const some = loopsOfAll.filter((loop) => loop.guard === guard);
    const guarded = total(some, (loop) => loop.guarded) / total(some, ({ rounds }) => rounds);
    const shares = [shareOf(some, ({ sent }) => sent), shareOf(some, ({ sent, read }) => sent + read), guarded];
    return shares.map((share) => (share * 100).toFixed(1));
  });
}

/** Returns the totals of the loops as a share of the totals with a new session in every round. */
function shareOf(some, of) {
  return total(some, of) / total(some, ({ fresh }) => of(fresh));
}

function total(list, of) {
  return list.reduce((sum, one) => sum + of(one), 0);
}

function groups(list, key) {
  const found = new Map();
  for (const one of list) found.set(one[key], [...(found.get(one[key]) ?? []), one]);
  return [...found];
}

function table(head, rows) {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.toLocaleString('en')));
  const widths = head.map((_, n) => Math.max(...cells.map((row) => row[n].length)));
  for (const [first, ...rest] of cells) {
    console.log([first.padEnd(widths[0]), ...rest.map((cell, n) => cell.padStart(widths[n + 1]))].join('  '));
  }
  console.log('');
}
