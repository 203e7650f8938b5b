import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { gitProgram } from '@onceover/base/platform/program';
import { gitEnvironment, NO_USER_PROGRAMS, withConfig } from '@onceover/repo/git/environment';
import { type GitError, gitFailed } from '@onceover/repo/git/git';

/**
 * The result of looking up a git object. 'missing' means that no object has this name. 'too-large' means that the
 * object exceeds the size limit, so its content was not read.
 */
export type FoundObject =
  | { readonly id: string; readonly type: string; readonly content: Buffer }
  | 'missing'
  | 'too-large';

/** Reads git objects through a `git cat-file --batch` process that keeps running between two reads. */
export type ObjectReader = {
  /** Returns one result per name, in the same order. Throws a `GitError` if git fails or takes too long. */
  read(names: readonly string[], largest: number): Promise<readonly FoundObject[]>;
  close(): void;
};

type Waiting = {
  readonly name: string;
  readonly largest: number;
  readonly resolve: (found: FoundObject) => void;
  readonly reject: (error: GitError) => void;
};

const COMMAND = ['cat-file', '--batch'];

// In a partial clone, git would contact the network for each missing object, so forbid that. Older git versions ignore
// the variable; with them, the request fails at once because no protocol is allowed.
const SETTINGS = {
  env: { GIT_NO_LAZY_FETCH: '1' },
  config: [...NO_USER_PROGRAMS, 'protocol.allow=never'],
};

/**
 * The maximum number of times that git is restarted; then reading fails. git is restarted after each object that is too
 * large.
 */
const MOST_RESTARTS = 8;

/** Opens a reader of git objects. git starts with the first `read` and is killed after `limitMs` milliseconds. */
export function openObjectReader(folder: string, limitMs: number): ObjectReader {
  let waiting: Waiting[] = [];
  let running: ChildProcessWithoutNullStreams | null = null;
  let restarts = 0;
  let failure: GitError | null = null;
  let timer: NodeJS.Timeout | null = null;

  const fail = (message: string) => {
    failure ??= gitFailed(COMMAND, message);
    const requests = waiting;
    waiting = [];
    stop();
    for (const request of requests) request.reject(failure);
  };
  const stop = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    running?.kill('SIGKILL');
    running = null;
  };

  const start = () => {
    timer ??= setTimeout(() => fail('git took too long'), limitMs);
    const child = spawnGit(folder);
    running = child;
    let stderr = '';
    const output = answerParser((answer) => {
      const next = waiting[0];
      if (next === undefined) return fail('git answered more than it was asked');
      if (answer === 'broken') return fail('git gave an answer that onceover cannot read');
      waiting.shift();
      next.resolve(answer);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      if (running !== child || output.add(chunk, () => waiting[0]?.largest ?? 0)) return;
      // git would print the whole large object, so stop it and start another git process for the remaining names.
      const large = waiting.shift();
      child.kill('SIGKILL');
      running = null;
      large?.resolve('too-large');
      restarts++;
      if (restarts > MOST_RESTARTS) return fail('too many objects are too large');
      if (waiting.length > 0) ask(waiting);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-4096);
    });
    child.stdin.on('error', () => {});
    child.on('error', (error) => running === child && fail(error.message));
    child.on('close', () => running === child && fail(stderr === '' ? 'git ended early' : stderr));
    return child;
  };

  const ask = (names: readonly Waiting[]) => {
    const child = running ?? start();
    child.stdin.write(names.map(({ name }) => `${name}\n`).join(''));
  };

  return {
    async read(names, largest) {
      if (failure !== null) throw failure;
      if (names.length === 0) return [];
      const requests: Waiting[] = [];
      const answers = names.map(
        (name) => new Promise<FoundObject>((resolve, reject) => requests.push({ name, largest, resolve, reject })),
      );
      waiting.push(...requests);
      ask(requests);
      return Promise.all(answers);
    },
    close() {
      failure ??= gitFailed(COMMAND, 'the reader is closed');
      stop();
    },
  };
}

function spawnGit(folder: string): ChildProcessWithoutNullStreams {
  try {
    return spawn(gitProgram(), withConfig(COMMAND, SETTINGS), { cwd: folder, env: gitEnvironment(SETTINGS) });
  } catch (error) {
    throw gitFailed(COMMAND, error instanceof Error ? error.message : String(error));
  }
}

const LONGEST_HEADER = 4096;

/** Splits git's output into objects. `add` returns false if the next object is larger than `largest`. */
function answerParser(onAnswer: (answer: FoundObject | 'broken') => void) {
  let chunks: Buffer[] = [];
  let length = 0;
  let header: { readonly id: string; readonly type: string; readonly size: number } | null = null;
  const joinChunks = () => {
    const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    chunks = [bytes];
    return bytes;
  };
  const keepFrom = (bytes: Buffer, from: number) => {
    const remainder = bytes.subarray(from);
    chunks = remainder.length === 0 ? [] : [remainder];
    length = remainder.length;
  };
  return {
    add(chunk: Buffer, largest: () => number): boolean {
      chunks.push(chunk);
      length += chunk.length;
      while (length > 0) {
        if (header === null) {
          const bytes = joinChunks();
          const end = bytes.indexOf(10);
          if (end === -1 && length > LONGEST_HEADER) onAnswer('broken');
          if (end === -1) return true;
          const line = bytes.toString('latin1', 0, end);
          keepFrom(bytes, end + 1);
          const [, id, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
          if (id !== undefined && type !== undefined) {
            header = { id, type, size: Number(size) };
            if (header.size > largest()) return false;
          } else onAnswer(/ (?:missing|ambiguous|submodule|dangling|loop|notdir)\b/.test(line) ? 'missing' : 'broken');
          if (header === null) continue;
        }
        // In git's output, a newline follows the content.
        if (length < header.size + 1) return true;
        const { id, type, size } = header;
        header = null;
        const bytes = joinChunks();
        // Copy the content, so that a small object does not keep a large buffer in memory.
        const content = Buffer.from(bytes.subarray(0, size));
        keepFrom(bytes, size + 1);
        onAnswer({ id, type, content });
      }
      return true;
    },
  };
}
