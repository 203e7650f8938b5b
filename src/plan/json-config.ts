import { isRecord } from '../domain/is-record.ts';

/** What becomes of a configuration file in JSON. */
export type JsonChange =
  | { readonly kind: 'write'; readonly text: string; readonly added: string }
  | { readonly kind: 'leave' }
  | { readonly kind: 'unreadable'; readonly said: string };

/** What to change in a configuration: the whole as it is to be, and what was added to it. */
export type JsonEdit =
  | { readonly config: Record<string, unknown>; readonly added: unknown }
  | 'leave'
  | { readonly wrong: string };

/** Changes a configuration and keeps everything else in it; null is a file that is not there yet. */
export function editJson(present: string | null, edit: (config: Record<string, unknown>) => JsonEdit): JsonChange {
  const config = present === null || present.trim() === '' ? {} : parse(present);
  if (config instanceof Error) return { kind: 'unreadable', said: config.message };
  if (!isRecord(config)) return { kind: 'unreadable', said: 'it holds no object' };
  const edited = edit(config);
  if (edited === 'leave') return { kind: 'leave' };
  if ('wrong' in edited) return { kind: 'unreadable', said: edited.wrong };
  return { kind: 'write', text: `${JSON.stringify(edited.config, null, 2)}\n`, added: JSON.stringify(edited.added) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
