import type { GateId } from '@onceover/base/kernel/ids';
import { sha256 } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import type { Result } from '@onceover/base/kernel/result';
import { hasShape, isString, isTime, type Shape } from '@onceover/base/kernel/shape';
import { openFolder } from '@onceover/base/platform/private-files';
import type { CountedShare, GateProof } from '../types.ts';

const FOLDER = 'onceover/prove/proofs';
const LARGEST = 4 * 1024 * 1024;

/** Opens the stored scores in the git folder: for each gate, its last scores. */
export function openProofs(commonDir: string) {
  const folder = openFolder(commonDir, FOLDER);
  return {
    write: (proof: GateProof): Result<void> => folder.writeCache(nameOf(proof.gate), proof),
    /** Returns the last scores of a gate; `null` if there are none, or if the file is damaged. */
    read(gate: GateId): GateProof | null {
      const value = folder.cache(nameOf(gate), LARGEST);
      return isProof(value) && value.gate === gate ? value : null;
    },
  };
}

function nameOf(gate: GateId): string {
  return `${sha256(gate).slice(0, 40)}.json`;
}

const isShare = hasShape<CountedShare>({ count: isNumber, of: isNumber, low: isNumber, high: isNumber });

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

const HEAD: Shape<Pick<GateProof, 'gate' | 'promptDigest' | 'agentsDigest' | 'at'>> = {
  gate: isString,
  promptDigest: isString,
  agentsDigest: isString,
  at: isTime,
};

// The file has a checksum, so validate only the fields that other commands use.
function isProof(value: unknown): value is GateProof {
  if (!hasShape(HEAD)(value)) return false;
  const { scores } = value as Partial<GateProof>;
  return (
    isRecord(scores) &&
    Array.isArray((value as Partial<GateProof>).agents) &&
    isShare(scores.found) &&
    isShare(scores.falseAlarms) &&
    isShare(scores.falsePasses)
  );
}
