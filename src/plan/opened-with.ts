import { digestOf } from '../domain/digest.ts';

/** What a session is opened with and cannot change: tools, schema, and the stable part of its prompt. */
export function openedWith(tools: string, schema: object, stable: string): string {
  return digestOf([tools, schema, stable]);
}
