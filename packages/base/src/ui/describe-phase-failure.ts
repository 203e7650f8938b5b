import { quoteName, showInvisible } from '../kernel/escape.ts';
import type { Failure } from '../kernel/failure.ts';
import { GENERATED_FOLDER } from '../kernel/paths.ts';
import { type DocumentPhase, PHASES } from '../kernel/review-loops.ts';
import { describeNoAgent } from './describe-agent-failure.ts';
import { asShellWord, type ByKind, type Message, quoted } from './wording.ts';

/** The messages for failures that only `onceover phase` can have, by the kind of the failure. */
export const PHASE_FAILURES = {
  'unknown-phase': ({ name }) => ({
    what: `${quoted(name)} is not a phase.`,
    next: `Use one of these phases: ${PHASES.join(', ')}.`,
  }),
  'no-feature': ({ path, why }) => ({
    what: `The feature folder ${quoteName(path)} ${why === 'missing' ? 'does not exist' : 'is not a folder'}.`,
    next: 'Use the folder that contains spec.md, relative to the current folder.',
  }),
  'unusable-artifact': describeArtifact,
  'artifact-too-long': ({ path, characters, agent, limit }) => ({
    what: `${quoteName(path)} has ${characters} characters, and a prompt for ${quoteName(agent)} has room for ${limit}.`,
    next: 'Split the document, or put an agent with a larger limit first under "agents" in onceover.yml.',
  }),
  'nothing-to-implement': ({ base }) => ({
    what: `No selected file differs from ${base === null ? 'the base' : quoteName(base)}, so there is no code to review.`,
    next: 'Write the code first, or choose another base with --base or other files with --files.',
  }),
  'unnameable-code': ({ names }) => ({
    what: `The name of a changed file is not UTF-8, so no reviewer could open it: ${names.map(showInvisible).join(', ')}.`,
    next: 'Rename the file and run the phase again. If git does not track the file, you can add it to .gitignore instead.',
  }),
  'no-reviewer': (failure) => ({
    what: `No reviewer is available: ${describeNoAgent(failure)}.`,
    next:
      failure.cooling.length > 0
        ? 'Wait until then, or add another agent under "agents" in onceover.yml.'
        : 'Install an agent that "onceover doctor" lists, or define a command under "agent" in onceover.yml.',
  }),
  'no-waiting-loop': ({ phase, feature }) => ({
    what: `The ${phase} phase on ${quoteName(feature)} is not waiting for a fix, so there is nothing to continue.`,
    next: `Start the phase with start_phase ("onceover phase ${phase} ${asShellWord(feature)} --step").`,
  }),
  'unjudged-round': ({ phase, feature }) => ({
    what: `The last round of the ${phase} phase on ${quoteName(feature)} ended without a verdict, so it cannot accept a summary of a fix yet.`,
    next: `Repeat the round on the current content: call continue_phase without a summary ("onceover phase ${phase} ${asShellWord(feature)} --step").`,
  }),
  'nothing-to-accept': ({ phase, feature }) => ({
    what: `The ${phase} phase on ${quoteName(feature)} did not stop at its limit of reviews, so there is nothing to accept.`,
    next: 'Call continue_phase without accept_with_notes to see the state of the loop.',
  }),
  'unknown-loop': ({ id }) => ({
    what: `There is no loop ${quoted(id)}.`,
    next: 'Start a loop with start_phase.',
  }),
  'round-goes-on': ({ id }) => ({
    what: `The loop ${quoted(id)} is in the middle of a round, so it cannot accept a summary of a fix.`,
    next: 'Call continue_phase without a summary to wait for the end of the round.',
  }),
  'unreadable-loop': ({ phase, feature }) => ({
    what: `The saved state of the ${phase} phase on ${quoteName(feature)} is unreadable, so the phase cannot continue.`,
    next: `Start again with "onceover phase ${phase} ${asShellWord(feature)} --rerun".`,
  }),
} satisfies Partial<ByKind<Failure, Message>>;

/** For each phase, what the document that it reviews is about. */
const ABOUT: Readonly<Record<DocumentPhase, string>> = {
  specify: 'the requirements',
  design: 'the design',
  'create-plan': 'the order of the work',
  'create-tasks': 'the list of tasks',
};

type UnusableArtifact = Extract<Failure, { kind: 'unusable-artifact' }>;

function describeArtifact({ path, why, phase, needs }: UnusableArtifact): Message {
  const about = phase === null ? '' : ` (${ABOUT[phase]})`;
  const { what, next } = ARTIFACTS[why];
  const review = phase === null || phase === needs ? '' : ` and have it reviewed with "onceover phase ${phase}"`;
  return {
    what: `"onceover phase ${needs}" ${phase === needs ? 'reviews' : 'needs'} ${quoteName(path)}${about}, which ${what}.`,
    next: next ?? `Write the document first${review}.`,
  };
}

/**
 * For each reason why a document cannot be used, the message. `next` is missing if the user first has to write the
 * document.
 */
const ARTIFACTS: Readonly<Record<UnusableArtifact['why'], { readonly what: string; readonly next?: string }>> = {
  missing: { what: 'does not exist' },
  empty: { what: 'is empty' },
  'not-text': { what: 'is not UTF-8 text', next: 'Save it as UTF-8 text and run again.' },
  ignored: {
    what: 'is ignored by git, so onceover cannot see its changes',
    next: 'Remove it from .gitignore and run again. "git check-ignore -v" shows the line that ignores it.',
  },
  withheld: {
    what: 'is withheld from reviewers, because it is untracked and either over 5 MiB or looks like a secret',
    next: 'Split it, or commit it if reviewers may read it, and run again.',
  },
  generated: {
    what: `is in ${GENERATED_FOLDER}, which belongs to onceover and is never reviewed`,
    next: 'Move the feature to another folder and run again.',
  },
  symlink: {
    what: 'is a symlink, which onceover does not follow',
    next: 'Replace it with the document and run again.',
  },
};
