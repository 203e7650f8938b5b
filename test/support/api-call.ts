import { createServer, type ServerResponse } from 'node:http';
import { callApi } from '@onceover/agents/src/api/call-api.ts';
import { openTranscripts } from '@onceover/agents/src/api/transcripts.ts';
import type { TreeReader } from '@onceover/agents/src/api/types.ts';
import type { ApiSettings } from '@onceover/base/kernel/agent';
import type { AskEnd, AskOptions, Question } from '@onceover/base/kernel/ports';
import { ok } from '@onceover/base/kernel/result';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './repo.ts';

const QUESTION: Question = {
  stable: 'Rules of the review. '.repeat(300),
  dynamic: 'Look for what is wrong.',
  schema: {
    type: 'object',
    properties: { status: { type: 'string' }, note: { type: 'string' } },
    required: ['status'],
    additionalProperties: false,
  },
  sessionId: null,
  usedBefore: null,
  cacheTtl: '5m',
  timeoutSeconds: 20,
  idleSeconds: 20,
};

/** Files in memory, each with its path as content. */
function memoryTree(paths: readonly string[]): TreeReader {
  const entries = paths.map((path, at) => ({ path, mode: '100644', id: String(at), bytes: 10 }));
  return {
    list: async () => ok(entries),
    blobs: async (ids) => ok(ids.map((id) => Buffer.from(`content of ${paths[Number(id)]}\n`))),
    diff: async () => ok(''),
  };
}

/** A reviewer that is an API at this address, with its waits between attempts. */
export function apiCaller(settings: Partial<ApiSettings> & Pick<ApiSettings, 'dialect' | 'baseUrl'>) {
  const transcripts = openTranscripts(temporaryFolder());
  const waits: number[] = [];
  const whole: ApiSettings = {
    model: settings.dialect === 'anthropic' ? 'claude-sonnet-5' : 'gpt-5.6-sol',
    ...{ isProvider: false, endpoint: 'responses', key: 'KEY', headers: {}, maxOutputTokens: 1000, tier: 'standard' },
    ...settings,
  };
  return {
    waits,
    transcripts,
    ask: (question: Partial<Question> = {}, options: Partial<AskOptions> = {}): Promise<AskEnd> =>
      callApi({
        settings: whole,
        key: 'dummy-key-0123456789',
        question: { ...QUESTION, ...question },
        options: { stop: null, watch: () => {}, ...options },
        files: memoryTree(['src/a.ts', 'src/b.ts']),
        transcripts,
        fetch,
        isProvider: whole.isProvider,
        price: () => null,
        wait: async (ms) => {
          waits.push(ms);
        },
      }),
  };
}

/** Starts a server that answers each request with the next of these functions, the last one for ever. */
export async function chatServer(...answers: readonly ((response: ServerResponse) => void)[]) {
  const bodies: Record<string, unknown>[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>);
    headers.push(request.headers);
    (answers[bodies.length - 1] ?? answers.at(-1))?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { bodies, headers, baseUrl: `http://127.0.0.1:${port}/v1` };
}

/** Returns an answer of Chat Completions as a stream of these chunks. */
export function chatStream(chunks: readonly object[], { done = true } = {}) {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunks) response.write(`data: ${JSON.stringify({ model: 'local-1', ...chunk })}\n\n`);
    if (done) response.end('data: [DONE]\n\n');
    else response.destroy();
  };
}
