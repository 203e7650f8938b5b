import type { Failure } from '../domain/failure.ts';
import { GENERATED_FOLDER } from '../domain/generated.ts';
import { type DocumentPhase, PHASES } from '../domain/phase.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import { commandWord } from './command-word.ts';
import { quoted } from './quoted.ts';
import type { Told } from './told.ts';
import { tellNoAgent } from './trouble.ts';

type FailureOf<Kind extends Failure['kind']> = Extract<Failure, { kind: Kind }>;

/** The sentences for a failure that only a phase can have. */
export function tellPhaseFailure(
  failure: FailureOf<
    | 'unknown-phase'
    | 'no-feature'
    | 'unusable-artifact'
    | 'artifact-too-long'
    | 'nothing-to-implement'
    | 'unnameable-code'
    | 'no-reviewer'
    | 'no-waiting-loop'
    | 'unjudged-round'
    | 'unknown-loop'
    | 'round-goes-on'
    | 'unreadable-loop'
  >,
): Told {
  switch (failure.kind) {
    case 'unknown-phase':
      return {
        what: `${quoted(failure.name)} is no phase.`,
        next: `Name one of these: ${PHASES.join(', ')}.`,
      };
    case 'no-feature':
      return {
        what: `${quoteName(failure.path)} is ${failure.why === 'missing' ? 'not there' : 'not a folder'}; a phase reviews what is in the folder of a feature.`,
        next: 'Name the folder that holds spec.md; paths count from where you are.',
      };
    case 'unusable-artifact':
      return tellArtifact(failure);
    case 'artifact-too-long':
      return {
        what: `${quoteName(failure.path)} has ${failure.characters} characters, more than the ${failure.limit} that ${quoteName(failure.agent)} takes in one prompt.`,
        next: 'Split the document, or put an agent that takes more first under "agents" in onceover.yml.',
      };
    case 'nothing-to-implement':
      return {
        what: `No file that is to be looked at differs from ${failure.base === null ? 'the base' : quoteName(failure.base)}, so there is no code to review.`,
        next: 'Write the code first, or name another base with --base, or other files with --files.',
      };
    case 'unnameable-code':
      return {
        what: `The name of a changed file is not UTF-8, so no reviewer can be told to open it: ${failure.names.map(showUnseen).join(', ')}.`,
        next: 'Rename it, or have git ignore it, and play it again.',
      };
    case 'no-reviewer':
      return {
        what: `Nobody can review: ${tellNoAgent(failure)}.`,
        next:
          failure.cooling.length > 0
            ? 'Wait until then, or name another agent under "agents" in onceover.yml.'
            : 'Install one of the agents that "onceover doctor" lists, or define a command under "agent" in onceover.yml.',
      };
    case 'no-waiting-loop':
      return {
        what: `No loop of ${failure.phase} on ${quoteName(failure.feature)} waits for a summary, so there is nothing to go on with.`,
        next: `Begin one with start_phase ("onceover phase ${failure.phase} ${commandWord(failure.feature)} --step").`,
      };
    case 'unjudged-round':
      return {
        what: `The last round of ${failure.phase} on ${quoteName(failure.feature)} came to no verdict, so it cannot be told of another fix yet.`,
        next: `Play it again on what is there now: continue_phase without a summary ("onceover phase ${failure.phase} ${commandWord(failure.feature)} --step").`,
      };
    case 'unknown-loop':
      return { what: `There is no loop ${quoted(failure.id)}.`, next: 'Start one with start_phase.' };
    case 'round-goes-on':
      return {
        what: `The loop ${quoted(failure.id)} is in the middle of a round, so it cannot be told of a fix.`,
        next: 'Call continue_phase without a summary: it waits for the end of the round.',
      };
    case 'unreadable-loop':
      return {
        what: `What was kept of the loop of ${failure.phase} on ${quoteName(failure.feature)} cannot be read, so it cannot go on.`,
        next: `Begin anew with "onceover phase ${failure.phase} ${commandWord(failure.feature)} --rerun".`,
      };
  }
}

/** What each phase writes, for whoever misses it. */
const ABOUT: Readonly<Record<DocumentPhase, string>> = {
  specify: 'what is wanted',
  design: 'how it will work',
  'create-plan': 'the order of the work',
  'create-tasks': 'the single tasks',
};

function tellArtifact({ path, why, phase, needs }: FailureOf<'unusable-artifact'>): Told {
  const file = quoteName(path);
  const purpose = phase === null ? '' : ` (${ABOUT[phase]})`;
  const wants = phase === needs ? 'reviews it' : 'rests on it';
  const review = phase === null || phase === needs ? '' : ` and have it reviewed with "onceover phase ${phase}"`;
  const write = `Write it first${review}.`;
  switch (why) {
    case 'missing':
      return { what: `${file}${purpose} is not there, and "onceover phase ${needs}" ${wants}.`, next: write };
    case 'empty':
      return { what: `${file}${purpose} is empty, and "onceover phase ${needs}" ${wants}.`, next: write };
    case 'not-text':
      return {
        what: `${file}${purpose} is no UTF-8 text, and "onceover phase ${needs}" ${wants}.`,
        next: 'Save it as UTF-8 text and run again.',
      };
    case 'ignored':
      return {
        what: `${file}${purpose} is ignored by git, so onceover cannot tell what changes in it; "onceover phase ${needs}" ${wants}.`,
        next: 'Take it out of .gitignore and run again; "git check-ignore -v" shows which line it is.',
      };
    case 'withheld':
      return {
        what: `${file}${purpose} is withheld from reviewers: it is untracked and over 5 MB, or looks like a secret; "onceover phase ${needs}" ${wants}.`,
        next: 'Split it, or commit it if it is meant to be read, and run again.',
      };
    case 'generated':
      return {
        what: `${file}${purpose} is in ${GENERATED_FOLDER}, which is onceover's own and never reviewed; "onceover phase ${needs}" ${wants}.`,
        next: 'Put the feature into another folder and run again.',
      };
    case 'symlink':
      return {
        what: `${file}${purpose} is a symlink, which is not followed; "onceover phase ${needs}" ${wants}.`,
        next: 'Put the document itself there and run again.',
      };
  }
}
