import { isObject, type Json, type JsonObject, objectsIn, without } from '../json.ts';
import { charsOf } from '../tokens.ts';

/** Lifetime of an entry at a breakpoint. */
export type Ttl = '5m' | '1h';

/** One content block of a Messages request, in the order in which the cache reads them. */
export type AnthropicBlock = {
  readonly section: 'tools' | 'system' | 'messages';
  /** Name of the block in error messages of the API, such as `messages.0.content.2`. */
  readonly where: string;
  /** The role and the number of its message; empty outside of messages. */
  readonly speaker: string;
  /** The block without its `cache_control`. */
  readonly block: JsonObject;
  readonly chars: number;
  /** Set if the block is a breakpoint. */
  readonly ttl: Ttl | null;
};

/** Returns the blocks of tools, system and messages; a top-level `cache_control` makes the last one a breakpoint. */
export function anthropicBlocks(body: JsonObject): readonly AnthropicBlock[] {
  const blocks = [
    ...objectsIn(body['tools']).map((tool, i) => blockOf('tools', `tools.${i}`, '', tool)),
    ...contentOf(body['system']).map((block, i) => blockOf('system', `system.${i}`, '', block)),
    ...objectsIn(body['messages']).flatMap((message, i) =>
      contentOf(message['content']).map((block, j) =>
        blockOf('messages', `messages.${i}.content.${j}`, `${i}:${String(message['role'])}`, block),
      ),
    ),
  ];
  const automatic = ttlOf(body['cache_control']);
  const last = blocks.at(-1);
  if (automatic === null || last === undefined || last.ttl !== null) return blocks;
  return [...blocks.slice(0, -1), { ...last, ttl: automatic }];
}

/** Returns content as blocks: a string is one text block. */
export function contentOf(content: Json | undefined): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
}

function blockOf(
  section: AnthropicBlock['section'],
  where: string,
  speaker: string,
  block: JsonObject,
): AnthropicBlock {
  const bare = without(block, 'cache_control');
  const text = bare['text'];
  const chars = charsOf(bare['type'] === 'text' && typeof text === 'string' ? text : bare);
  return { section, where, speaker, block: bare, chars, ttl: ttlOf(block['cache_control']) };
}

function ttlOf(control: Json | undefined): Ttl | null {
  if (!isObject(control)) return null;
  return control['ttl'] === '1h' ? '1h' : '5m';
}
