import { join } from 'node:path';
import { type Finding, isSameWord, type KnownFinding, type Resolution, refuted } from '../domain/finding.ts';
import type { Findings } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { checkFolder, listFolder, lookAt, makeFolder, removeFile, removeForgotten, writeWhole } from '../io/files.ts';
import { parseJson } from '../io/json-file.ts';
import { readOwn, takeFile, writeNew } from '../io/own-file.ts';
import { isFindingId, readFinding, readResolution } from './finding-shape.ts';

const FOLDER = 'onceover/findings';
const MOST_CLOSED = 200;
const LAST_NUMBER = 999_999_999;
const ADDED_BETWEEN_TIDYINGS = 50;

/** Findings in the folder that all working trees of the clone share; what was said of one is in a file apart. */
export function openFindings(commonDir: string): Findings {
  const path = join(commonDir, FOLDER);
  let added = 0;
  const all = (): Result<readonly KnownFinding[]> => {
    const there = checkFolder(commonDir, FOLDER);
    return there.ok ? readAll(path) : there;
  };
  return {
    async all() {
      return all();
    },
    async add(finding) {
      const folder = makeFolder(commonDir, FOLDER);
      if (!folder.ok) return folder;
      const kept = addNext(path, finding);
      if (kept.ok && added++ % ADDED_BETWEEN_TIDYINGS === 0) tidy(path);
      return kept;
    },
    async update(finding) {
      const kept = keepable(path, finding);
      if (!kept.ok) return kept;
      const folder = makeFolder(commonDir, FOLDER);
      return folder.ok ? writeWhole(path, fileOf(finding.id), JSON.stringify(kept.value)) : folder;
    },
    async resolve(id, resolution) {
      const there = checkFolder(commonDir, FOLDER);
      if (!there.ok) return there;
      if (isFindingId(id) && lookAt(join(path, fileOf(id))) !== null) return say(path, id, resolution);
      const known = all();
      if (!known.ok) return known;
      const open = known.value.filter((one) => one.kept === 'open').map((one) => one.id);
      return failed({ kind: 'unknown-finding', id, known: open });
    },
    async refute(id, claim) {
      const there = checkFolder(commonDir, FOLDER);
      if (!there.ok) return there;
      return isFindingId(id) ? replaceWord(path, id, claim, refuted(claim)) : done(undefined);
    },
  };
}

const fileOf = (id: string) => `${id}.json`;
const saidFileOf = (id: string) => `${id}.said.json`;

function readAll(folder: string): Result<readonly KnownFinding[]> {
  const numbers = numbersIn(folder);
  if (!numbers.ok) return numbers;
  const found: KnownFinding[] = [];
  for (const number of numbers.value.findings) {
    const finding = readOne(folder, `F${number}`);
    if (!finding.ok) return finding;
    const resolution = numbers.value.said.has(number) ? readSaid(folder, `F${number}`) : null;
    if (finding.value !== null) found.push({ ...finding.value, resolution });
  }
  return done(found);
}

/** Null where it was removed since it was listed. */
function readOne(folder: string, id: string): Result<Finding | null> {
  const path = join(folder, fileOf(id));
  const text = readOwn(path);
  if (!text.ok || text.value === null) return text.ok ? done(null) : text;
  const finding = readFinding(parseJson(text.value));
  if (finding?.id === id) return done(finding);
  return failed({ kind: 'disk', action: 'read', path, code: 'not a finding' });
}

function readSaid(folder: string, id: string): Resolution | null {
  const text = readOwn(join(folder, saidFileOf(id)));
  return text.ok && text.value !== null ? readResolution(parseJson(text.value)) : null;
}

type Numbers = {
  /** In order. */
  readonly findings: readonly number[];
  readonly said: ReadonlySet<number>;
  /** Of both, so that nobody inherits a waiver. */
  readonly highest: number;
};

function numbersIn(folder: string): Result<Numbers> {
  const listed = listFolder(folder);
  if (!listed.ok) return listed;
  const findings: number[] = [];
  const said = new Set<number>();
  let highest = 0;
  for (const { name } of listed.value) {
    const [, digits, word] = /^F([1-9]\d{0,8})(\.said)?\.json$/.exec(name) ?? [];
    if (digits === undefined) continue;
    const number = Number(digits);
    if (word === undefined) findings.push(number);
    else said.add(number);
    highest = Math.max(highest, number);
  }
  return done({ findings: findings.sort((a, b) => a - b), said, highest });
}

function addNext(folder: string, finding: Omit<Finding, 'id'>): Result<Finding> {
  const numbers = numbersIn(folder);
  if (!numbers.ok) return numbers;
  for (let number = numbers.value.highest + 1; number <= LAST_NUMBER; number++) {
    const kept = keepable(folder, { ...finding, id: `F${number}` });
    if (!kept.ok) return kept;
    const written = writeNew(folder, fileOf(kept.value.id), JSON.stringify(kept.value));
    if (!written.ok) return written;
    // Taken: another working tree was quicker.
    if (written.value === 'written') return kept;
  }
  return failed({ kind: 'disk', action: 'write', path: folder, code: 'no number left' });
}

// What could not be read back would stop every later run.
function keepable(folder: string, finding: Finding): Result<Finding> {
  const kept = readFinding(finding);
  if (kept !== null) return done(kept);
  return failed({ kind: 'disk', action: 'write', path: join(folder, fileOf(finding.id)), code: 'not a finding' });
}

function say(folder: string, id: string, resolution: Resolution): Result<void> {
  const kept = readResolution(resolution);
  if (kept !== null) return writeWhole(folder, saidFileOf(id), JSON.stringify(kept));
  const path = join(folder, saidFileOf(id));
  return failed({ kind: 'disk', action: 'write', path, code: 'not a resolution' });
}

/** Puts a word in the place of another. What was said is taken first, so that what somebody says meanwhile is not written over. */
function replaceWord(folder: string, id: string, was: Resolution, by: Resolution): Result<void> {
  const present = readSaid(folder, id);
  if (present === null || !isSameWord(present, was)) return done(undefined);
  const taken = takeFile(folder, saidFileOf(id));
  if (!taken.ok || taken.value === null) return taken.ok ? done(undefined) : taken;
  const word = readResolution(parseJson(taken.value));
  const next = word !== null && isSameWord(word, was) ? JSON.stringify(by) : taken.value;
  const written = writeNew(folder, saidFileOf(id), next);
  return written.ok ? done(undefined) : written;
}

// The finding is kept by then: what cannot be removed now is left to the next time.
function tidy(folder: string): void {
  removeForgotten(folder, Date.now());
  const numbers = numbersIn(folder);
  if (!numbers.ok || numbers.value.findings.length <= MOST_CLOSED) return;
  const ids = numbers.value.findings.map((number) => `F${number}`).reverse();
  const closed = ids.filter((id) => {
    const finding = readOne(folder, id);
    return finding.ok && finding.value?.kept === 'closed';
  });
  // The highest number is never among them, so it is not given again.
  for (const id of closed.slice(MOST_CLOSED)) {
    removeFile(join(folder, fileOf(id)));
    removeFile(join(folder, saidFileOf(id)));
  }
}
