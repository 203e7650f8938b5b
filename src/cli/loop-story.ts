import type { LoopOutcome } from '../domain/loop.ts';
import { loopDocument } from '../report/loop-document.ts';
import { tellLoop } from '../text/loop.ts';
import { paintFor } from './looks.ts';

/** The story of a loop as wide as the terminal. */
export function tellStory(loop: LoopOutcome | null): string {
  const { stdout, env } = process;
  return loop === null ? '' : tellLoop(loop, stdout.columns || 100, paintFor(stdout, env));
}

export function loopField(loop: LoopOutcome | null): object {
  return loop === null ? {} : { loop: loopDocument(loop) };
}
