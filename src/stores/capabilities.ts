import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResumeResult } from '../domain/capability.ts';
import type { Capabilities } from '../domain/ports.ts';
import type { Result } from '../domain/result.ts';
import { makeFolder, writeWhole } from '../io/files.ts';

const FOLDER = 'onceover';
const NAME = 'capabilities.json';

/** What agents were seen to do on this machine, in the clone's own folder. */
export function openCapabilities(commonDir: string): Capabilities {
  return {
    async probed() {
      return read(join(commonDir, FOLDER, NAME));
    },
    async keep(result): Promise<Result<void>> {
      const others = read(join(commonDir, FOLDER, NAME)).filter(
        (one) => one.agent !== result.agent || one.version !== result.version,
      );
      const folder = makeFolder(commonDir, FOLDER);
      return folder.ok ? writeWhole(folder.value, NAME, `${JSON.stringify([...others, result], null, 2)}\n`) : folder;
    },
  };
}

// Missing or broken: nothing is known, so a probe is run again.
function read(path: string): readonly ResumeResult[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(value) ? value.filter(isResult) : [];
  } catch {
    return [];
  }
}

function isResult(value: unknown): value is ResumeResult {
  if (typeof value !== 'object' || value === null) return false;
  const { agent, version, failed, freshMs, resumedMs } = value as Readonly<Record<string, unknown>>;
  const isTime = (time: unknown) => time === null || typeof time === 'number';
  return (
    typeof agent === 'string' && typeof version === 'string' && isFailed(failed) && isTime(freshMs) && isTime(resumedMs)
  );
}

function isFailed(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && value !== undefined && 'test' in value && 'how' in value;
}
