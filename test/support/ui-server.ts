import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { dirname } from 'node:path';
import { onTestFinished } from 'vitest';
import { CLI } from './cli.ts';
import { cleanEnvironment } from './repo.ts';

/** A running `onceover ui`. */
export type RunningUi = { readonly address: string; readonly port: number; kill(): Promise<void> };

/** Starts `onceover ui` in a repository, and ends it when the test ends. Without a terminal, it acts for an agent. */
export function startUiIn(root: string, args: readonly string[] = []): Promise<RunningUi> {
  return startServer(root, process.execPath, [CLI, 'ui', '--json', ...args]);
}

/** Starts `onceover ui` in a terminal, as a person does. */
export function startUiAsPerson(root: string): Promise<RunningUi> {
  return startServer(root, 'script', ['-qec', `'${process.execPath}' '${CLI}' ui --json`, '/dev/null']);
}

async function startServer(root: string, program: string, args: readonly string[]): Promise<RunningUi> {
  const child: ChildProcess = spawn(program, args, {
    cwd: root,
    env: cleanEnvironment(dirname(root)),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const kill = () => {
    child.kill('SIGKILL');
    return ended;
  };
  onTestFinished(kill);
  const said = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.trimEnd().endsWith('}')) resolve(text);
    });
    child.stderr?.on('data', (chunk: Buffer) => reject(new Error(chunk.toString('utf8'))));
  });
  return { ...(JSON.parse(said) as { address: string; port: number }), kill };
}

export type HttpAnswer = {
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
};

/** Sends a request to the server with exactly these headers. */
export function askUi(
  { port }: Pick<RunningUi, 'port'>,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<HttpAnswer> {
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const own = {
    host: `127.0.0.1:${port}`,
    ...(body === undefined ? {} : { origin: `http://127.0.0.1:${port}`, 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const method = options.method ?? (body === undefined ? 'GET' : 'POST');
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers: { ...own, ...options.headers } },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString('utf8');
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
