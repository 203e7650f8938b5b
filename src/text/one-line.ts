import { showUnseen } from '../domain/quote-name.ts';

/** A command or text of several lines in one, with nothing in it that a terminal would act on. */
export function oneLine(text: string): string {
  return showUnseen(text.trim().replace(/\s*\n\s*/g, '; '));
}

/** Sentences that were written over several lines, in one. */
export function folded(text: string): string {
  return showUnseen(text.replace(/\s+/g, ' ').trim());
}
