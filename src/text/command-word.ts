import { showUnseen } from '../domain/quote-name.ts';
import { shellWord } from '../domain/shell-word.ts';

/** A name as a word of a command that people copy: whatever it holds, a shell takes it for nothing else. */
export function commandWord(name: string): string {
  return shellWord(showUnseen(name));
}
