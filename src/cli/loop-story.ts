import type { LoopOutcome } from '../domain/loop.ts';
import { loopDocument } from '../report/loop-document.ts';
import { tellLoop } from '../text/loop.ts';
import { shownOn } from './looks.ts';

/** The story of a loop as wide as the terminal. */
export function tellStory(loop: LoopOutcome | null, stream: NodeJS.WriteStream = process.stdout): string {
  return loop === null ? '' : tellLoop(loop, shownOn(stream, process.env));
}

export function loopField(loop: LoopOutcome | null): object {
  return loop === null ? {} : { loop: loopDocument(loop) };
}
