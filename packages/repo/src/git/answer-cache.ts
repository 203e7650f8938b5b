import { isRecord } from '@onceover/base/kernel/json';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { hasShape, isString } from '@onceover/base/kernel/shape';
import { removeOldest } from '@onceover/base/platform/files';
import { openFolder } from '@onceover/base/platform/private-files';
import type { GitAnswer } from './git.ts';
import { indexName } from './private-index.ts';

/**
 * Caches git's last answer to each question, such as `diff`. The key of an answer contains everything on which the
 * answer depends.
 */
export type AnswerCache = ReturnType<typeof openAnswerCache>;

const FOLDER = 'onceover/answers';

// The maximum number of cache files; there is one per working tree. Above this number the oldest are deleted, because
// their working trees may no longer exist.
const MOST_FILES = 64;

const LARGEST_ANSWER = 256 * 1024;

const LARGEST_FILE = 2 * 1024 * 1024;

type Answers = Readonly<Record<string, { readonly key: string; readonly answer: string }>>;

/** Opens the cache file of a working tree. It stores one answer per question. */
export function openAnswerCache({ root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>) {
  const name = `${indexName(root)}.json`;
  const folder = openFolder(commonDir, FOLDER);
  const savedAnswers = readAnswers(folder.cache(name, LARGEST_FILE));
  const newAnswers: Record<string, { key: string; answer: string }> = {};
  /** Returns the cached answer to this question; `null` if it was cached under another key or not at all. */
  const get = (question: string, key: string): Buffer | null => {
    const savedAnswer = Object.hasOwn(savedAnswers, question) ? savedAnswers[question] : undefined;
    return savedAnswer?.key === key ? Buffer.from(savedAnswer.answer, 'latin1') : null;
  };
  const put = (question: string, key: string, answer: Buffer): void => {
    if (answer.length <= LARGEST_ANSWER) newAnswers[question] = { key, answer: answer.toString('latin1') };
  };
  return {
    get,
    put,
    /** Returns the cached answer; if there is none, calls `ask` and caches the output of git. */
    async getOrAsk(question: string, key: string, ask: () => Promise<GitAnswer>): Promise<Buffer> {
      const cachedAnswer = get(question, key);
      if (cachedAnswer !== null) return cachedAnswer;
      const { stdout } = await ask();
      put(question, key, stdout);
      return stdout;
    },
    /** Writes the new answers to disk. A failed write only means that git has to be asked again next time. */
    save(): void {
      if (Object.keys(newAnswers).length === 0) return;
      const writeResult = folder.writeCache(name, { ...savedAnswers, ...newAnswers });
      if (writeResult.ok) removeOldest(folder.path, MOST_FILES, new Set([name]));
    },
  };
}

/** Returns the name of the last run's base branch, which the next run will probably use too; `null` if unknown. */
export function cachedBase(cache: AnswerCache): string | null {
  return cache.get('base', '')?.toString('utf8') ?? null;
}

export function cacheBase(cache: AnswerCache, name: string): void {
  if (cachedBase(cache) !== name) cache.put('base', '', Buffer.from(name, 'utf8'));
}

const isAnswer = hasShape({ key: isString, answer: isString });

function readAnswers(content: unknown): Answers {
  return isRecord(content) && Object.values(content).every(isAnswer) ? (content as Answers) : {};
}
