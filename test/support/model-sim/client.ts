import { isObject, type JsonObject } from './json.ts';
import type { ModelSim } from './server.ts';

/** A server-sent event as a client reads it. */
export type ReadEvent = { readonly event: string | null; readonly data: JsonObject };

/** Sends a JSON body under a label; default: the same key for all requests. */
export function post(
  sim: ModelSim,
  path: string,
  body: JsonObject | string,
  options: { readonly label?: string; readonly key?: string; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${sim.baseUrl(options.label ?? 'test')}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': options.key ?? 'dummy' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: options.signal ?? AbortSignal.timeout(10_000),
  });
}

/** Returns the events of a stream that ended. */
export async function eventsOf(response: Response): Promise<readonly ReadEvent[]> {
  return readEvents(await response.text());
}

/** Returns the events in a text. */
export function readEvents(text: string): readonly ReadEvent[] {
  return text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => {
      const event = /^event: (.*)$/m.exec(part)?.[1] ?? null;
      const data: unknown = JSON.parse(/^data: (.*)$/m.exec(part)?.[1] ?? 'null');
      return { event, data: isObject(data) ? data : {} };
    });
}

/** Returns the JSON object in a response. */
export async function objectOf(response: Response): Promise<JsonObject> {
  const body: unknown = await response.json();
  if (!isObject(body)) throw new Error('The response is no JSON object.');
  return body;
}

/** Returns a text of exactly this many tokens by the simulator's rule. */
export function textOfTokens(tokens: number, begin = ''): string {
  return begin.padEnd(tokens * 4, 'abcdefg ').slice(0, tokens * 4);
}
