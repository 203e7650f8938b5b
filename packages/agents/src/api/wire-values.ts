import { isRecord } from '@onceover/base/kernel/json';
import type { WireObject } from './types.ts';

/** Returns the object in a field; an empty object if the field has none. */
export function fieldObject(value: unknown, key: string): WireObject {
  const field = isRecord(value) ? value[key] : undefined;
  return isRecord(field) ? field : {};
}

export function fieldText(value: unknown, key: string): string {
  const field = isRecord(value) ? value[key] : undefined;
  return typeof field === 'string' ? field : '';
}

/** Returns the number in a field; 0 if it is missing or negative. */
export function fieldNumber(value: unknown, key: string): number {
  const field = isRecord(value) ? value[key] : undefined;
  return typeof field === 'number' && Number.isFinite(field) && field > 0 ? field : 0;
}

/** Returns the objects in the list in a field; all other items are left out. */
export function fieldObjects(value: unknown, key: string): readonly WireObject[] {
  const field = isRecord(value) ? value[key] : undefined;
  return Array.isArray(field) ? field.filter(isRecord) : [];
}

/**
 * Parses the JSON arguments of a tool call. Empty text means no arguments; returns `null` if the text is not a JSON
 * object.
 */
export function parseArguments(text: string): WireObject | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
