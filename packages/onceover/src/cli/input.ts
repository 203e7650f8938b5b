import { fstatSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { GivenFiles } from '@onceover/gates/rules/select-files';

/**
 * Returns all of standard input; null if nothing arrives within `patience` milliseconds. Fails if there is a read
 * error.
 */
export function readStdin(patience: number | null, stdin: Readable = process.stdin): Promise<Result<string | null>> {
  // Node.js treats a folder as empty input, so report it as a failure.
  if (stdin === process.stdin && stdinStats()?.isDirectory() === true)
    return Promise.resolve(err({ kind: 'input-cut-off', code: 'EISDIR' }));
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const giveUp = () => {
      stdin.destroy();
      resolve(ok(null));
    };
    const timer = patience === null ? undefined : setTimeout(giveUp, patience);
    for (const event of ['data', 'end', 'error']) stdin.once(event, () => clearTimeout(timer));
    stdin.on('data', (chunk: Buffer) => chunks.push(chunk));
    stdin.on('end', () => resolve(ok(Buffer.concat(chunks).toString('utf8'))));
    stdin.on('error', (error: NodeJS.ErrnoException) =>
      resolve(err({ kind: 'input-cut-off', code: error.code ?? error.message })),
    );
  });
}

function stdinStats(): Stats | null {
  try {
    return fstatSync(0);
  } catch {
    return null;
  }
}

/**
 * Returns the names in a list of files, which are separated by NULs or one per line. Names that git put in quotes are
 * decoded.
 */
export function readFileList(text: string): readonly string[] {
  if (text.includes('\0')) return text.split('\0').filter((name) => name !== '');
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line.trim() !== '')
    .map((line) => unquote(line) ?? line);
}

const ESCAPE = /\\([abtnvfr"\\]|[0-3][0-7]{2})/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

/** Returns the real name for a name that git put in quotes, such as `"\303\244.py"`; null if the line has no quotes. */
function unquote(line: string): string | null {
  if (!/^"(?:[^"\\]|\\(?:[abtnvfr"\\]|[0-3][0-7]{2}))*"$/u.test(line)) return null;
  // git escapes each byte of a character separately, so decode the name byte by byte: in latin1, each byte is one
  // character.
  const bytes = Buffer.from(line.slice(1, -1), 'utf8').toString('latin1');
  const plain = bytes.replace(ESCAPE, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (SHORT_ESCAPES[code] ?? code),
  );
  return Buffer.from(plain, 'latin1').toString('utf8');
}

const PATIENCE_MS = 300;

/**
 * Returns the files that the user named as arguments, or in a list on standard input ("-" or a pipe); null if the user
 * named none.
 */
export async function givenFiles(names: readonly string[]): Promise<Result<GivenFiles | null>> {
  const isListed = names.includes('-');
  if (!isListed && names.length > 0) return ok({ names, source: 'arguments' });
  const stats = stdinStats();
  const isPiped = stats !== null && (stats.isFIFO() || stats.isSocket() || stats.isFile());
  if (!isListed && !isPiped) return ok(null);
  // Many programs start onceover with an open pipe to which they never write, so wait only a short time.
  const input = await readStdin(isListed ? null : PATIENCE_MS);
  if (!input.ok) return input;
  const stdinNames = readFileList(input.value ?? '');
  if (isListed) return ok({ names: [...names.filter((name) => name !== '-'), ...stdinNames], source: 'list' });
  return ok(stdinNames.length === 0 ? null : { names: stdinNames, source: 'pipe' });
}

/** Returns the files that the option `--files` names; null if the option is missing. */
export async function filesOption(
  names: readonly string[] | undefined,
  command: string,
): Promise<Result<GivenFiles | null>> {
  if (names === undefined) return ok(null);
  const files = await givenFiles(names);
  if (!files.ok || (files.value !== null && files.value.names.length > 0)) return files;
  return err({ kind: 'wrong-usage', said: '--files names no file.', command });
}

/** Returns the names of the flags that the user set. */
export function givenFlags(flags: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(flags).filter((name) => flags[name] !== undefined);
}

/** Returns the message of the first rule that the flags break; null if they break none. */
export function firstWrong(rules: readonly (readonly [isWrong: boolean, said: string])[]): string | null {
  return rules.find(([isWrong]) => isWrong)?.[1] ?? null;
}
