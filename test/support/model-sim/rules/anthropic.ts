import { type AnthropicBlock, anthropicBlocks, contentOf } from '../cache/anthropic-blocks.ts';
import { type JsonObject, objectsIn, stringAt } from '../json.ts';
import type { Rejection, Rule } from '../wire/wire.ts';

const MAX_BREAKPOINTS = 4;

/** At most four blocks may have `cache_control`. */
export const fourBreakpoints: Rule = (body) => {
  const found = breakpoints(body).length;
  if (found <= MAX_BREAKPOINTS) return null;
  return invalid(`A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${found}.`);
};

/** Breakpoints with a lifetime of an hour come before those with five minutes. */
export const longerTtlFirst: Rule = (body) => {
  const points = breakpoints(body);
  const short = points.findIndex(({ ttl }) => ttl === '5m');
  const late = short === -1 ? undefined : points.slice(short).find(({ ttl }) => ttl === '1h');
  if (late === undefined) return null;
  return invalid(
    `${late.where}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control ` +
      'block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.',
  );
};

/** A conversation begins with the user. */
export const firstMessageFromUser: Rule = (body) => {
  const first = objectsIn(body['messages'])[0];
  if (first === undefined) return invalid('messages: at least one message is required');
  return first['role'] === 'user' ? null : invalid('messages: first message must use the "user" role');
};

/** A tool result answers a call in the message before it. */
export const resultsHaveCalls: Rule = (body) => {
  for (const { message, index, before } of turns(body)) {
    const calls = idsIn(before, 'tool_use', 'id');
    for (const [j, block] of contentOf(message['content']).entries()) {
      const id = stringAt(block, 'tool_use_id');
      if (block['type'] !== 'tool_result' || calls.includes(id)) continue;
      return invalid(
        `messages.${index}.content.${j}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each ` +
          '`tool_result` block must have a corresponding `tool_use` block in the previous message.',
      );
    }
  }
  return null;
};

/** The message after a tool call answers the call. */
export const callsHaveResults: Rule = (body) => {
  for (const { message, before, beforeIndex } of turns(body)) {
    const results = idsIn(message, 'tool_result', 'tool_use_id');
    const open = idsIn(before, 'tool_use', 'id').filter((id) => !results.includes(id));
    if (open.length === 0) continue;
    return invalid(
      `messages.${beforeIndex}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
        `${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
  return null;
};

/** Every request that Anthropic's API is known to reject, in the order of its checks. */
export const anthropicRules: readonly Rule[] = [
  firstMessageFromUser,
  fourBreakpoints,
  longerTtlFirst,
  resultsHaveCalls,
  callsHaveResults,
];

function breakpoints(body: JsonObject): readonly AnthropicBlock[] {
  return anthropicBlocks(body).filter(({ ttl }) => ttl !== null);
}

type Turn = {
  readonly message: JsonObject;
  readonly index: number;
  readonly before: JsonObject;
  readonly beforeIndex: number;
};

/** Returns each message with the one before it; messages with the role system are not part of the turns. */
function turns(body: JsonObject): readonly Turn[] {
  const spoken = objectsIn(body['messages'])
    .map((message, index) => ({ message, index }))
    .filter(({ message }) => message['role'] !== 'system');
  return spoken.map(({ message, index }, i) => {
    const before = spoken[i - 1];
    return { message, index, before: before?.message ?? {}, beforeIndex: before?.index ?? -1 };
  });
}

function idsIn(message: JsonObject, type: string, key: string): readonly string[] {
  return contentOf(message['content'])
    .filter((block) => block['type'] === type)
    .map((block) => stringAt(block, key));
}

function invalid(message: string): Rejection {
  return { status: 400, type: 'invalid_request_error', message };
}
