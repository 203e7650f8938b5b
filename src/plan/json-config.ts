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
  const text = `${JSON.stringify(edited.config, null, indentOf(present ?? ''))}\n`;
  return { kind: 'write', text, added: JSON.stringify(edited.added) };
}

/** Takes something out of a configuration, and what is empty without it; `null` is a file with nothing left in it. */
export function takeOut(
  present: string,
  edit: (config: Record<string, unknown>) => Record<string, unknown> | 'leave',
): { readonly kind: 'write'; readonly text: string | null } | { readonly kind: 'leave' | 'unreadable' } {
  const config = present.trim() === '' ? {} : parse(present);
  if (config instanceof Error || !isRecord(config)) return { kind: 'unreadable' };
  const edited = edit(config);
  if (edited === 'leave') return { kind: 'leave' };
  const isEmpty = Object.keys(edited).length === 0;
  return { kind: 'write', text: isEmpty ? null : `${JSON.stringify(edited, null, indentOf(present))}\n` };
}

/** A record without a key, or with another value there; without the key too where that value is empty. */
export function withoutEmpty(
  record: Record<string, unknown>,
  key: string,
  value: Record<string, unknown> | readonly unknown[],
): Record<string, unknown> {
  const { [key]: _, ...others } = record;
  return Object.keys(value).length === 0 ? others : { ...record, [key]: value };
}

// As the file is written, so that nothing else in it changes.
function indentOf(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
