import type { LoopOutcome } from '../domain/loop.ts';
import { loopDocument } from '../report/loop-document.ts';
import { tellLoop } from '../text/loop.ts';
import { shownOn } from './looks.ts';

/** The story of a loop as wide as the terminal. */
export function tellStory(loop: LoopOutcome | null, stream: NodeJS.WriteStream = process.stdout): string {
  const { width, paint } = shownOn(stream, process.env);
  return loop === null ? '' : tellLoop(loop, width ?? undefined, paint);
}

export function loopField(loop: LoopOutcome | null): object {
  return loop === null ? {} : { loop: loopDocument(loop) };
}
