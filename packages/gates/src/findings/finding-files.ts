import { join } from 'node:path';
import { isRecord } from '@onceover/base/kernel/json';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { isOrdinal, orMissing, readShape } from '@onceover/base/kernel/shape';
import {
  checkFolder,
  listFolder,
  makeFolder,
  removeFile,
  removeLeftovers,
  statIfPresent,
  writeAtomically,
} from '@onceover/base/platform/files';
import { claimFile, parseJson, readPrivateFile, writeNew } from '@onceover/base/platform/private-files';
import { FINDING, isFindingId, RESOLUTION } from './shapes.ts';
import { type Actor, asRefuted, type Finding, isSameResolution, type KnownFinding, type Resolution } from './types.ts';
import { UNKNOWN_ACTOR } from './waivers.ts';

/** Returns the finding in a parsed document, without unknown fields; `null` if it is not a finding. */
export function readFinding(value: unknown): Finding | null {
  return readShape<Finding>(value, {
    ...FINDING,
    onRerun: (flag) => flag === undefined || flag === true,
    seenBefore: orMissing(isOrdinal),
    flips: orMissing(isOrdinal),
  });
}

/** Returns the answer to a finding (its resolution) in a parsed document; `null` if it is not one. */
export function readResolution(value: unknown): Resolution | null {
  if (!isRecord(value)) return null;
  // Files of older versions do not say who answered, so assume an agent. They also use the word `disputed` for a
  // proposed waiver.
  const how = value['how'] === 'disputed' ? 'proposed' : value['how'];
  return readShape<Resolution>({ by: NO_ACTOR, proposedBy: null, ...value, how }, RESOLUTION);
}

const NO_ACTOR: Actor = { kind: 'agent', name: UNKNOWN_ACTOR };

const FOLDER = 'onceover/findings';
export const MOST_CLOSED = 200;
const LAST_NUMBER = 999_999_999;
const ADDED_BETWEEN_CLEANUPS = 50;

export type FindingStore = ReturnType<typeof openFindingFiles>;

/**
 * Opens the findings, which are files in the git folder that all worktrees share. The answer to a finding (its
 * resolution) is a separate file.
 */
export function openFindingFiles(commonDir: string) {
  const path = join(commonDir, FOLDER);
  let untilCleanup = 0;
  const listFindings = (): Result<readonly KnownFinding[]> => {
    const folderCheck = checkFolder(commonDir, FOLDER);
    return folderCheck.ok ? readAll(path) : folderCheck;
  };
  return {
    all: async () => listFindings(),
    /** Stores the findings with the next free ids. If `stop` is aborted, returns those stored before. */
    async add(
      findings: readonly Omit<Finding, 'id'>[],
      stop: AbortSignal | null = null,
    ): Promise<Result<readonly Finding[]>> {
      if (findings.length === 0) return ok([]);
      const folder = makeFolder(commonDir, FOLDER);
      if (!folder.ok) return folder;
      const numbers = numbersIn(path);
      if (!numbers.ok) return numbers;
      let last = numbers.value.highest;
      const storedFindings: Finding[] = [];
      for (const finding of findings) {
        if (stop?.aborted === true) break;
        const addition = addAfter(path, finding, last);
        if (!addition.ok) return addition;
        storedFindings.push(addition.value);
        last = Number(addition.value.id.slice(1));
        await handleSignals();
      }
      untilCleanup -= storedFindings.length;
      if (untilCleanup < 0) {
        cleanUp(path);
        // A cleanup reads all findings, so it runs less often the more of them there are.
        untilCleanup = Math.max(ADDED_BETWEEN_CLEANUPS, numbers.value.findings.length) - 1;
      }
      return ok(storedFindings);
    },
    async update(finding: Finding): Promise<Result<void>> {
      await handleSignals();
      const folder = makeFolder(commonDir, FOLDER);
      return folder.ok ? replace(path, fileOf(finding.id), readFinding(finding)) : folder;
    },
    async resolve(id: string, resolution: Resolution): Promise<Result<void>> {
      const folderCheck = checkFolder(commonDir, FOLDER);
      if (!folderCheck.ok) return folderCheck;
      if (isFindingId(id) && statIfPresent(join(path, fileOf(id))) !== null) {
        return replace(path, resolutionFileOf(id), readResolution(resolution));
      }
      const findings = listFindings();
      if (!findings.ok) return findings;
      const open = findings.value.filter((finding) => finding.kept === 'open').map((finding) => finding.id);
      return err({ kind: 'unknown-finding', id, known: open });
    },
    /**
     * Records that a reviewer rejected the claim that a finding is fixed. A newer answer to the finding is not changed.
     */
    async refute(id: string, claim: Resolution): Promise<Result<void>> {
      const folderCheck = checkFolder(commonDir, FOLDER);
      if (!folderCheck.ok) return folderCheck;
      return isFindingId(id) ? replaceResolution(path, id, claim, asRefuted(claim)) : ok(undefined);
    },
  };
}

/** Pauses between thousands of synchronous writes, so that Node.js can handle Ctrl-C. */
function handleSignals(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const fileOf = (id: string) => `${id}.json`;

const resolutionFileOf = (id: string) => `${id}.said.json`;

function readAll(folder: string): Result<readonly KnownFinding[]> {
  const numbers = numbersIn(folder);
  if (!numbers.ok) return numbers;
  const findings: KnownFinding[] = [];
  for (const number of numbers.value.findings) {
    const finding = readOne(folder, `F${number}`);
    if (!finding.ok) return finding;
    const resolution = numbers.value.resolutions.has(number) ? resolutionIn(folder, `F${number}`) : null;
    if (finding.value !== null) findings.push({ ...finding.value, resolution });
  }
  return ok(findings);
}

/**
 * Reads a finding; `null` if its file was removed after listing. An unreadable finding is an error, because it may be
 * open.
 */
function readOne(folder: string, id: string): Result<Finding | null> {
  const path = join(folder, fileOf(id));
  const text = readPrivateFile(path);
  if (!text.ok || text.value === null) return text.ok ? ok(null) : text;
  const finding = readFinding(parseJson(text.value));
  return finding?.id === id ? ok(finding) : err({ kind: 'disk', action: 'read', path, code: 'not a finding' });
}

function resolutionIn(folder: string, id: string): Resolution | null {
  const text = readPrivateFile(join(folder, resolutionFileOf(id)));
  return text.ok && text.value !== null ? readResolution(parseJson(text.value)) : null;
}

function numbersIn(folder: string) {
  const listing = listFolder(folder);
  if (!listing.ok) return listing;
  const findings: number[] = [];
  const resolutions = new Set<number>();
  for (const { name } of listing.value) {
    const [, digits, isResolution] = /^F([1-9]\d{0,8})(\.said)?\.json$/.exec(name) ?? [];
    if (digits === undefined) continue;
    if (isResolution === undefined) findings.push(Number(digits));
    else resolutions.add(Number(digits));
  }
  // A new finding gets a number above those of all stored findings and answers, so that an old waiver cannot apply to
  // it.
  const highest = [...findings, ...resolutions].reduce((a, b) => Math.max(a, b), 0);
  return ok({ findings: findings.sort((a, b) => a - b), resolutions, highest });
}

/** Stores a finding under the first number above `last` that no finding and no answer has. */
function addAfter(folder: string, finding: Omit<Finding, 'id'>, last: number): Result<Finding> {
  for (let number = last + 1; number <= LAST_NUMBER; number++) {
    const id = `F${number}`;
    if (statIfPresent(join(folder, resolutionFileOf(id))) !== null) continue;
    const readable = requireReadable(folder, fileOf(id), readFinding({ ...finding, id }));
    if (!readable.ok) return readable;
    const writeResult = writeNew(folder, fileOf(id), JSON.stringify(readable.value));
    if (!writeResult.ok) return writeResult;
    // If the number is taken, another worktree has used it in the meantime, so try the next one.
    if (writeResult.value === 'written') return readable;
  }
  return err({ kind: 'disk', action: 'write', path: folder, code: 'no number left' });
}

function replace(folder: string, name: string, document: object | null): Result<void> {
  const readable = requireReadable(folder, name, document);
  return readable.ok ? writeAtomically(folder, name, JSON.stringify(readable.value)) : readable;
}

/** Returns a failure if the document is invalid. Once written, it would make every later run fail. */
function requireReadable<T>(folder: string, name: string, document: T | null): Result<T> {
  if (document !== null) return ok(document);
  const code = name.includes('.said.') ? 'not a resolution' : 'not a finding';
  return err({ kind: 'disk', action: 'write', path: join(folder, name), code });
}

/**
 * Replaces the stored answer `old` by `next`. Moves the file away before checking that it contains `old`, so that no
 * newer answer is overwritten.
 */
function replaceResolution(folder: string, id: string, old: Resolution, next: Resolution): Result<void> {
  const current = resolutionIn(folder, id);
  if (current === null || !isSameResolution(current, old)) return ok(undefined);
  const claimedFile = claimFile(folder, resolutionFileOf(id));
  if (!claimedFile.ok || claimedFile.value === null) return claimedFile.ok ? ok(undefined) : claimedFile;
  const resolution = readResolution(parseJson(claimedFile.value));
  const text = resolution !== null && isSameResolution(resolution, old) ? JSON.stringify(next) : claimedFile.value;
  const writeResult = writeNew(folder, resolutionFileOf(id), text);
  return writeResult.ok ? ok(undefined) : writeResult;
}

// Failures do not matter here: the new finding is already stored, and the next cleanup tries again.
function cleanUp(folder: string): void {
  removeLeftovers(folder, Date.now());
  const numbers = numbersIn(folder);
  if (!numbers.ok || numbers.value.findings.length <= MOST_CLOSED) return;
  const ids = numbers.value.findings.map((number) => `F${number}`).reverse();
  const closedIds = ids.filter((id) => {
    const finding = readOne(folder, id);
    return finding.ok && finding.value?.kept === 'closed';
  });
  // Keep the newest closed findings. Otherwise the highest number could be deleted and used again.
  for (const id of closedIds.slice(MOST_CLOSED)) {
    removeFile(join(folder, fileOf(id)));
    removeFile(join(folder, resolutionFileOf(id)));
  }
}
