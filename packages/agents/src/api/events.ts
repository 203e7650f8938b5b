import { isRecord } from '@onceover/base/kernel/json';
import type { WireObject } from './types.ts';

/** The maximum number of characters of a line or a stream. Nothing longer can be a model's answer. */
const LONGEST_CHARACTERS = 32 * 1024 * 1024;

/** One event of an answer stream: a JSON object, OpenAI's end mark, or a line that cannot be parsed. */
export type StreamEvent =
  | { readonly kind: 'data'; readonly data: WireObject }
  | { readonly kind: 'end-mark' }
  | { readonly kind: 'broken'; readonly said: string };

/**
 * Returns a function that takes the next piece of a stream of server-sent events, and returns the events that are now
 * complete.
 */
export function openEventReader(): (piece: string) => readonly StreamEvent[] {
  let incompleteLine = '';
  let total = 0;
  let data: string[] = [];
  return (piece) => {
    total += piece.length;
    if (total > LONGEST_CHARACTERS) return [{ kind: 'broken', said: 'the stream is too long' }];
    const lines = (incompleteLine + piece).split(/\r\n|\n|\r(?!$)/);
    incompleteLine = lines.pop() ?? '';
    const events: StreamEvent[] = [];
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push(eventOf(data.join('\n')));
        data = [];
      } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
    return events;
  };
}

function eventOf(text: string): StreamEvent {
  if (text.trim() === '[DONE]') return { kind: 'end-mark' };
  try {
    const data: unknown = JSON.parse(text);
    if (isRecord(data)) return { kind: 'data', data };
  } catch {
    // Return this event as broken instead of ignoring it: it may contain a part of the answer.
  }
  return { kind: 'broken', said: text.slice(0, 200) };
}
