import { join } from 'node:path';
import type { Place } from '../domain/change.ts';
import { isRecord } from '../domain/is-record.ts';
import { makeFolder, removeOldest, writeWhole } from './files.ts';
import { indexName } from './index-name.ts';
import { readJsonFile } from './json-file.ts';

/** What git answered before, under keys that tell everything that the answers depend on. */
export type KeptAnswers = {
  /** The answer that is kept under this key, where it is the one that was kept last. */
  get(question: string, key: string): Buffer | null;
  put(question: string, key: string, answer: Buffer): void;
  /** Writes what is new; that it cannot be written costs time later and nothing else. */
  save(): void;
};

const FOLDER = 'onceover/answers';
const MOST_KEPT = 64;
const LARGEST_ANSWER = 256 * 1024;
const LARGEST_FILE = 2 * 1024 * 1024;

type Kept = Readonly<Record<string, { readonly key: string; readonly answer: string }>>;

/** The answers about one working tree; one a question. */
export function openKeptAnswers({ root, commonDir }: Pick<Place, 'root' | 'commonDir'>): KeptAnswers {
  const name = `${indexName(root)}.json`;
  const kept = read(join(commonDir, FOLDER, name));
  const fresh: Record<string, { key: string; answer: string }> = {};
  return {
    get(question, key) {
      const one = Object.hasOwn(kept, question) ? kept[question] : undefined;
      return one?.key === key ? Buffer.from(one.answer, 'latin1') : null;
    },
    put(question, key, answer) {
      if (answer.length <= LARGEST_ANSWER) fresh[question] = { key, answer: answer.toString('latin1') };
    },
    save() {
      if (Object.keys(fresh).length === 0) return;
      const folder = makeFolder(commonDir, FOLDER);
      if (!folder.ok) return;
      writeWhole(folder.value, name, JSON.stringify({ ...kept, ...fresh }));
      // Working trees come and go.
      removeOldest(folder.value, MOST_KEPT, new Set([name]));
    },
  };
}

/** What the change was measured from last time: most likely it is this time. */
export function lastBase(kept: KeptAnswers): string | null {
  return kept.get('base', '')?.toString('utf8') ?? null;
}

export function keepBase(kept: KeptAnswers, name: string): void {
  if (lastBase(kept) !== name) kept.put('base', '', Buffer.from(name, 'utf8'));
}

function read(path: string): Kept {
  const kept = readJsonFile(path, LARGEST_FILE);
  return isRecord(kept) && Object.values(kept).every(isAnswer) ? (kept as Kept) : {};
}

function isAnswer(value: unknown): boolean {
  return isRecord(value) && typeof value['key'] === 'string' && typeof value['answer'] === 'string';
}
