import type { JsonObject } from '../json.ts';

/** Returns a server-sent event named by the `type` of its data, as Anthropic and OpenAI send them. */
export function namedEvent(data: JsonObject & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Returns a server-sent event without a name, as Gemini sends them. */
export function plainEvent(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** Splits a text in two, so that a stream reader has something to join. */
export function inTwo(text: string): readonly string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== '');
}
