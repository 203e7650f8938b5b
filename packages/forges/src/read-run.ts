import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { duplicateKey } from '@onceover/base/kernel/json';
import { errorSchema } from '@onceover/base/kernel/json-schema';
import { repoPath } from '@onceover/base/kernel/paths';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { RunDocument } from '@onceover/gates/result/json';
import { runSchema } from '@onceover/gates/result/json-schema';
import type { PublishedRun } from './describe-summary.ts';

const MOST_BYTES = 32 * 1024 * 1024;

/** Reads a document of `onceover run --json` from a file that another CI job made. Nothing in the file is trusted. */
export function readRunFile(path: string): Result<PublishedRun> {
  try {
    const file = openSync(path, 'r');
    try {
      if (fstatSync(file).size > MOST_BYTES) return unusable(path, 'it is larger than 32 MB');
      return parseRun(readFileSync(file, 'utf8'), path);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return err({ kind: 'disk', action: 'read', path, code });
  }
}

/** Parses the JSON document of a run or of an error. `path` is the file name for error messages. */
export function parseRun(text: string, path: string): Result<PublishedRun> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unusable(path, 'it is not JSON');
  }
  const twice = duplicateKey(text);
  if (twice !== null) return unusable(path, `the key "${twice}" is there twice`);
  const errorDocument = errorSchema.safeParse(value);
  if (errorDocument.success) {
    const { message, next } = errorDocument.data.error;
    return ok({ kind: 'error', message, next });
  }
  const runDocument = runSchema.safeParse(value);
  if (!runDocument.success) {
    const [issue] = runDocument.error.issues;
    return unusable(path, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const wrong = contradiction(runDocument.data);
  return wrong === null ? ok({ kind: 'run', document: runDocument.data }) : unusable(path, wrong);
}

/** Returns why a document that matches the schema is still not valid; null if it is valid. */
function contradiction(document: RunDocument): string | null {
  const { gates, findings, settled, exit_code, status } = document;
  for (const { id, fingerprint, file, line } of [...findings, ...settled]) {
    if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(id)) return 'a finding has no valid id';
    if (!/^[0-9a-f]{32}$/.test(fingerprint)) return `${id} has no valid fingerprint`;
    if (file !== null && repoPath(file) !== file) return `${id} names a file outside the repository`;
    if (line !== null && !Number.isSafeInteger(line)) return `${id} has no valid line`;
  }
  const isPassing = gates.every((gate) => gate.status === 'pass' || gate.status === 'holds');
  const isOpen = findings.some(({ state }) => state === 'open' || state === 'fixed_claimed');
  if (exit_code === 0 && (!isPassing || isOpen || !PASSED.includes(status))) {
    return 'the exit code is 0 although a gate does not pass or a finding is open';
  }
  return null;
}

const PASSED: readonly string[] = ['passed', 'passed_with_warnings', 'no_changes', 'no_applicable_gates'];

function unusable(path: string, reason: string) {
  return err({ kind: 'unusable-run', path, said: reason });
}
