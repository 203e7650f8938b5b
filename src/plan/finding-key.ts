import type { Finding } from '../domain/finding.ts';

/** What a finding is about, whatever its number: the same mistake reported again has the same key. */
export function findingKey({ id, gate, file, anchor, code }: Finding): string {
  const text = anchor === null ? code : `${anchor.text}\0${anchor.occurrence}`;
  return text === null || file === null ? id : JSON.stringify([gate, file, text]);
}
