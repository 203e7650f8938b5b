import { isRecord } from '@onceover/base/kernel/json';
import type { AskEnd } from '@onceover/base/kernel/ports';
import { removeOldest } from '@onceover/base/platform/files';
import { openFolder } from '@onceover/base/platform/private-files';

const ANSWERS = 'onceover/prove/answers';
const CHECKED = 'onceover/prove/checked';
const MOST_FILES = 20_000;
const LARGEST = 8 * 1024 * 1024;

type GoodAnswer = Extract<AskEnd, { readonly ok: true }>;

/**
 * The answers that earlier runs of `onceover prove` stored in this clone, and whether the checks passed on edited code.
 */
export type KeptAnswers = ReturnType<typeof openKeptAnswers>;

/** Opens the stored answers in the git folder. Only `onceover prove` uses them, never `onceover run`. */
export function openKeptAnswers(commonDir: string) {
  const answers = openFolder(commonDir, ANSWERS);
  const checkResults = openFolder(commonDir, CHECKED);
  return {
    /** Returns the answer that is stored under this key; `null` if there is none, or if its file is damaged. */
    answer(key: string): GoodAnswer | null {
      const value = answers.cache(`${key}.json`, LARGEST);
      return isRecord(value) && value['ok'] === true && isRecord(value['reply']) ? (value as GoodAnswer) : null;
    },
    keepAnswer(key: string, answer: GoodAnswer): void {
      // If the answer cannot be stored, continue. The next run of `onceover prove` only has to pay for the answer
      // again.
      answers.writeCache(`${key}.json`, answer);
    },
    /** Returns whether the checks passed on the code with this digest; `null` if that is not known. */
    checksPass(state: string): boolean | null {
      const value = checkResults.cache(`${state}.json`, LARGEST);
      return typeof value === 'boolean' ? value : null;
    },
    keepChecks(state: string, pass: boolean): void {
      checkResults.writeCache(`${state}.json`, pass);
    },
    /** Deletes the oldest files until at most `maxFiles` answers and `maxFiles` check results are left. */
    cleanUp(maxFiles = MOST_FILES): void {
      for (const folder of [answers, checkResults]) removeOldest(folder.path, maxFiles, new Set());
    },
  };
}
