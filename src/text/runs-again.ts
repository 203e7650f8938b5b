import type { RunsAgain } from '../domain/explanation.ts';
import type { SlotNumber } from '../domain/slot.ts';
import { ASKED_AGAIN } from './asked-again.ts';

/** What makes something run again, each in a line. */
export function tellRunsAgain(again: RunsAgain): string {
  switch (again.kind) {
    case 'every-run':
      return `every run asks ${named(again.slots)}, until ${again.slots.length === 1 ? 'it passes' : 'they pass'}`;
    case 'retry-limit':
      return `no run asks it: it failed ${again.failing} times in a row; ${ASKED_AGAIN}`;
    case 'no-such-slot':
      return 'no run asks about it: what is open was found by a slot that is no more. Resolve it, or raise num_reviews';
    case 'files':
      return `one of its files changes against the base in content, mode or existence, or one joins or leaves them: then ${named(again.slots)} ${again.slots.length === 1 ? 'looks' : 'look'}${again.latch ? ' for all (safety latch)' : ''}. Touching, committing or amending does not matter`;
    case 'files-rest':
      return `not when its files change: then ${named(again.slots)} ${again.slots.length === 1 ? 'looks' : 'look'}${again.latch ? ' for all (safety latch), and this one rests; after_pass: all would ask it too' : ', and this one rests'}`;
    case 'prompt':
      return again.of === 'rule' ? 'the instructions of its rule change' : 'its prompt file changes';
    case 'any-iteration':
      return `anything else has to run (unchanged_gates: run)${again.slots.length === 0 ? '' : `: then ${named(again.slots)} ${again.slots.length === 1 ? 'looks' : 'look'} too`}`;
    case 'force':
      return `--force: ${named(again.slots)} rested, and ${again.slots.length === 1 ? 'has' : 'have'} not seen what is there now`;
    case 'certify':
      return `before a run passes (certify: true): ${named(again.slots)} rested, and ${again.slots.length === 1 ? 'has' : 'have'} not seen what is there now`;
    case 'fresh':
      return '--fresh';
    case 'check-every-run':
      return 'every run runs it, until it passes on the tree as it is';
    case 'tree':
      return 'any file that git knows changes, anywhere in the repository: a check is about the whole tree';
    case 'any-change':
      return 'one of its files changes against the base: committed, staged, unstaged or untracked';
    case 'command':
      return 'its command changes';
  }
}

function named(slots: readonly SlotNumber[]): string {
  return slots.map((slot) => `@${slot}`).join(', ');
}
