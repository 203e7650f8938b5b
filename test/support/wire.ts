import { contentOf } from './model-sim/cache/anthropic-blocks.ts';
import { type JsonObject, objectAt, objectsIn, parseObject, stringAt } from './model-sim/json.ts';
import type { LoggedRequest } from './model-sim/log.ts';

/** Returns the session of a request of Claude Code or Codex. */
export function sessionOf(request: LoggedRequest | undefined): string {
  const body = bodyOf(request);
  if (!isAnthropic(request)) return stringAt(body, 'prompt_cache_key');
  return stringAt(parseObject(stringAt(objectAt(body, 'metadata'), 'user_id')) ?? {}, 'session_id');
}

/**
 * Returns the stable part of the agent's text: in Claude Code's system prompt, or at the beginning of Codex's prompt.
 */
export function stableText(request: LoggedRequest | undefined): string {
  if (!isAnthropic(request)) return questions(request).join('');
  return stringAt(contentOf(bodyOf(request)['system']).at(-1) ?? {}, 'text');
}

/** Returns all text of the user's messages. */
export function usersText(request: LoggedRequest | undefined): string {
  return questions(request).join('\n');
}

/** Returns the user's text in a request that is not in an earlier request of the same conversation. */
export function addedText(earlier: LoggedRequest, later: LoggedRequest): string {
  return questions(later).slice(questions(earlier).length).join('\n');
}

/** Groups requests by call: each group begins where its session gets a new prompt. */
export function dispatchesOf(requests: readonly LoggedRequest[]): readonly (readonly LoggedRequest[])[] {
  const dispatches: LoggedRequest[][] = [];
  const last = new Map<string, { readonly own: LoggedRequest[]; readonly asked: number }>();
  for (const request of requests) {
    const session = sessionOf(request);
    const asked = questions(request).length;
    const before = last.get(session);
    if (before !== undefined && before.asked === asked) {
      before.own.push(request);
    } else {
      const own = [request];
      dispatches.push(own);
      last.set(session, { own, asked });
    }
  }
  return dispatches;
}

/** Returns the schema of the answer in a request. */
export function schemaOf(request: LoggedRequest | undefined) {
  const body = bodyOf(request);
  if (!isAnthropic(request)) return objectAt(objectAt(body, 'text'), 'format')['schema'];
  return objectsIn(body['tools']).find(({ name }) => name === 'StructuredOutput')?.['input_schema'];
}

/** Returns the reported output tokens of the model. */
export function outputTokens(requests: readonly LoggedRequest[]): number {
  return requests.reduce((sum, { usage }) => sum + Number(usage?.['output_tokens'] ?? 0), 0);
}

/** Returns the texts of the user's messages, without those that an agent adds before a prompt. */
function questions(request: LoggedRequest | undefined): readonly string[] {
  const body = bodyOf(request);
  return objectsIn(isAnthropic(request) ? body['messages'] : body['input'])
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => contentOf(content))
    .map((part) => stringAt(part, 'text'))
    .filter((text) => text !== '' && !/^<[a-z_-]+>/.test(text));
}

function isAnthropic(request: LoggedRequest | undefined): boolean {
  return request?.target.kind === 'generate' && request.target.provider === 'anthropic';
}

function bodyOf(request: LoggedRequest | undefined): JsonObject {
  return request?.body ?? {};
}
