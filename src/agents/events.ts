import { isRecord } from '../domain/is-record.ts';

/** A line as a JSON object; null where it is none: agents also print other things. */
export function readEvent(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** A part of an event, as an object; empty where there is none. */
export function part(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}

export function text(value: unknown, key: string): string | null {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : null;
}

/** An amount, a status: 0 where there is none. */
export function number(value: unknown, key: string): number {
  const found = isRecord(value) ? value[key] : undefined;
  return isAmount(found) ? found : 0;
}

/** Whether it is so much of something; less than nothing is not. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

export function list(value: unknown, key: string): readonly unknown[] {
  const found = isRecord(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}
