import { ACTIVE } from '../domain/active.ts';
import type { BadReviewId, Failure, InTheWay } from '../domain/failure.ts';
import { USUAL_LOG_DIR } from '../domain/generated.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { diskNext, tellDiskCode } from './disk.ts';
import { someNames } from './names.ts';
import { tellPhaseFailure } from './phase-failure.ts';
import { tellProblem } from './problem.ts';
import { quoted } from './quoted.ts';
import type { Told } from './told.ts';
import { cut } from './width.ts';
import { tellWorkflowFailure } from './workflow-failure.ts';

/** The sentences for a failure. */
export function tellFailure(failure: Failure): Told {
  switch (failure.kind) {
    case 'not-a-repository':
      return {
        what: `${quoteName(failure.folder)} is not inside a git repository, so there is no change to look at.`,
        next: 'Run onceover inside a repository, or make one with "git init".',
      };
    case 'odd-root':
      return {
        what: `The path of the repository at ${quoteName(failure.folder)} has a line break in it, which onceover cannot work with.`,
        next: 'Rename the folder and run again.',
      };
    case 'bare-repository':
      return {
        what: `${quoteName(failure.folder)} has no working tree (a bare repository, or the inside of .git).`,
        next: 'Run onceover in a working tree of the repository.',
      };
    case 'git-missing':
      return {
        what: 'git was not found, and onceover reads changes through git.',
        next: 'Install git 2.31 or newer and make sure that it is on PATH.',
      };
    case 'git-too-old':
      return { what: 'This git is too old for onceover.', next: 'Install git 2.31 or newer.' };
    case 'git-failed':
      return {
        what: `git could not answer, so nothing can be said about the change.\n  ${showUnseen(failure.command)}\n  ${showLines(failure.said)}`,
        next: 'Put right what git complains about and run again.',
      };
    case 'unknown-base':
      return {
        what: `The base ${quoted(failure.base)} is not a branch, tag or commit of this repository.`,
        next: 'Fetch it, or name another one with --base or as "base" in onceover.yml.',
      };
    case 'ambiguous-name':
      return {
        what: `More than one branch or tag is called ${quoted(failure.name)}, so it does not tell what the change is measured from.`,
        next: `Remove or rename one of them, or name yours in full: refs/heads/${quoteName(failure.name)} for a branch, refs/remotes/${quoteName(failure.name)} for one of a remote.`,
      };
    case 'no-base':
      return {
        what: `There is no branch to measure the change from: looked for ${failure.tried.join(', ')}.`,
        next: 'Name one with --base or as "base" in onceover.yml.',
      };
    case 'no-merge-base':
      return failure.shallow
        ? {
            what: `This is a shallow clone, and its history does not reach the commit it shares with ${quoteName(failure.base)}.`,
            next: 'Fetch more history: "git fetch --unshallow", or a larger fetch-depth in CI.',
          }
        : {
            what: `HEAD and ${quoteName(failure.base)} share no commit, so the change cannot be worked out.`,
            next: 'Name a base that this branch comes from, with --base or as "base" in onceover.yml.',
          };
    case 'several-merge-bases':
      return {
        what: `This branch and ${quoteName(failure.base)} were merged into each other, so there is not one commit that the change could be measured from.`,
        next: `Merge ${quoteName(failure.base)} into this branch, and run again.`,
      };
    case 'broken-config':
      return {
        what: failure.problems.map(tellProblem).join('\n'),
        next: 'Mend the configuration and run again; nothing was run.',
      };
    case 'log-dir-hides': {
      const hidden = `git tracks files that are no records (${someNames(failure.files)}); nobody would review changes to them.`;
      if (failure.logDir === USUAL_LOG_DIR)
        return {
          what: `In ${USUAL_LOG_DIR}, where the records are kept unless told, ${hidden}`,
          next: 'Move them elsewhere, or name another folder as "log_dir" in onceover.yml.',
        };
      return {
        what: `"log_dir" in onceover.yml is ${quoteName(failure.logDir)}, where ${hidden}`,
        next: `Name a folder that holds nothing else, or leave "log_dir" out: then it is ${USUAL_LOG_DIR}.`,
      };
    }
    case 'bad-review-id':
      return {
        what: `${quoted(cut(failure.id, LONGEST_NAME))} cannot be the id of a review: ${BAD_ID[failure.why]}.`,
        next: 'Pass the review_id exactly as the instruction file gives it.',
      };
    case 'unknown-agent':
      return {
        what: `${quoted(failure.name)} is no agent that onceover knows.`,
        next: `Name one of these: ${failure.known.map(quoteName).join(', ')}; or define it under "agent" in onceover.yml.`,
      };
    case 'cannot-fix':
      return {
        what: `${quoteName(failure.name)} cannot be a fixer: it would not be kept inside the working tree, or is kept from writing ("sandbox: true").`,
        next:
          failure.able.length === 0
            ? 'Install Claude Code, Codex or Gemini CLI, or define a command under "agent" in onceover.yml.'
            : `Name one of these: ${failure.able.map(quoteName).join(', ')}.`,
      };
    case 'agent-not-tried':
      return {
        what: `${quoteName(failure.agent)} ${tellAgentFailure(failure.failure)}. Whether it can be resumed was not found out.`,
        next:
          failure.failure.kind === 'not-logged-in'
            ? 'Log in with the agent itself and run again.'
            : 'Put that right and run again.',
      };
    case 'path-outside':
      return {
        what: `${quoteName(failure.path)} is outside the repository.`,
        next: 'Name files inside the repository only.',
      };
    case 'path-in-the-way':
      return {
        what: `${quoteName(failure.path)} is ${IN_THE_WAY[failure.found]}, and onceover writes only to files and folders of its own.`,
        next: 'Look at what it is, move it away, and run again.',
      };
    case 'disk':
      return {
        what: `${quoteName(failure.path)} could not be ${failure.action === 'read' ? 'read' : 'written'}: ${tellDiskCode(failure.code)}.`,
        next: diskNext(failure.code),
      };
    case 'input-cut-off':
      return {
        what: `Standard input could not be read to its end: ${tellDiskCode(failure.code)}. What is missing of it nobody knows.`,
        next: 'Look at what writes it, and run again.',
      };
    case 'wrong-usage':
      return {
        what: showUnseen(failure.said),
        next: `See "onceover ${failure.command === null ? '' : `${failure.command} `}--help".`,
      };
    case 'lock-held':
      return {
        what: `Another run is going on in this working tree (process ${failure.pid} on ${showUnseen(failure.host)}, since ${failure.since}).`,
        next: 'Wait until it has ended, or end that process.',
      };
    case 'inside-a-run':
      return {
        what: `This was started by a run of onceover (${ACTIVE} is set), so nothing was judged here.`,
        next: 'Leave "onceover run" out of what a check or a reviewer starts.',
      };
    case 'waived-inside-a-run':
      return {
        what: `This was started by a run of onceover (${ACTIVE} is set), and whoever is judged cannot waive what was found.`,
        next: 'Say in the answer why the finding is wrong: the reviewer decides. A person can waive it with "onceover resolve".',
      };
    case 'agreed-inside-a-run':
      return {
        what: `This was started by a run of onceover (${ACTIVE} is set), and only a person agrees to commands.`,
        next: 'A person does so with "onceover trust" or "onceover run", in a terminal.',
      };
    case 'unknown-path':
      return {
        what: `${quoteName(failure.path)} is neither in the working tree nor in the change.`,
        next: 'Name files or folders that are there; paths count from where you are.',
      };
    case 'config-changed':
      return {
        what: 'The settings, rules or prompts changed while the run was going on, so what was judged is not what is asked for now.',
        next: 'Run again.',
      };
    case 'unknown-commit':
      return {
        what: `${quoted(failure.commit)} is no commit of this repository.`,
        next: 'Name a commit that "git log" shows.',
      };
    case 'unknown-gate':
      return {
        what: `No gate is called ${quoted(failure.gate)}.`,
        next:
          failure.known.length === 0
            ? 'No gate is configured: "onceover init" writes a first onceover.yml.'
            : `Name one of these: ${failure.known.map(quoteName).join(', ')}.`,
      };
    case 'unknown-finding':
      return {
        what: `There is no finding ${quoted(failure.id)}.`,
        next:
          failure.known.length === 0
            ? 'Nothing is open: "onceover status" shows how the gates stand.'
            : `These are open: ${failure.known.join(', ')}. See them with "onceover status".`,
      };
    case 'finding-closed':
      return {
        what: `${failure.id} is closed already.`,
        next: `See why with "onceover explain ${failure.id}".`,
      };
    case 'unknown-subject':
      return {
        what: `${quoted(cut(failure.name, LONGEST_NAME))} is no gate, slot, finding or review that is known here.`,
        next: 'Name a gate ("review:src:code-quality"), a slot ("review:src:code-quality@1"), a finding ("F1") or a review id; "onceover status" lists them.',
      };
    case 'ambiguous-subject':
      return {
        what: `${quoted(cut(failure.name, LONGEST_NAME))} is the name of several gates.`,
        next: `Name one of these: ${failure.gates.map(quoteName).join(', ')}.`,
      };
    case 'not-trusted':
      return {
        what: `This configuration was not yet agreed to in this clone, and it runs commands of its own: ${failure.commands.map((one) => quoteName(one)).join(', ')}.`,
        next: 'A person who has read onceover.yml runs "onceover trust", or "onceover run" in a terminal.',
      };
    case 'unknown-run':
      return {
        what: failure.id === null ? 'No run was started here.' : `There is no run ${quoted(failure.id)}.`,
        next: 'Start one with start_run.',
      };
    case 'feature-without-loops':
      return {
        what: `No review loop of ${failure.feature === '' ? 'the root' : quoteName(failure.feature)} is in the ledger of this clone.`,
        next:
          failure.known.length === 0
            ? 'No feature has gone through "onceover phase" here yet.'
            : `These features have some: ${someNames(failure.known.map((known) => known || '.'))}. Name the folder of one, as seen from where you are.`,
      };
    case 'unknown-phase':
    case 'no-feature':
    case 'unusable-artifact':
    case 'artifact-too-long':
    case 'nothing-to-implement':
    case 'unnameable-code':
    case 'no-reviewer':
    case 'no-waiting-loop':
    case 'unjudged-round':
    case 'unknown-loop':
    case 'round-goes-on':
    case 'unreadable-loop':
      return tellPhaseFailure(failure);
    case 'unreadable-json':
      return {
        what: `${quoteName(failure.path)} is not valid JSON (${showUnseen(failure.said)}); it was left as it is.`,
        next: 'Mend the file and run again.',
      };
    default:
      return tellWorkflowFailure(failure);
  }
}

const LONGEST_NAME = 120;

const BAD_ID: Readonly<Record<BadReviewId, string>> = {
  empty: 'it is empty',
  dots: 'it contains ".."',
  absolute: 'it starts with "/"',
  separator: 'it contains "/"',
  nul: 'it contains a NUL character',
  'too-long': 'it is longer than a file name can be',
};

const IN_THE_WAY: Readonly<Record<InTheWay, string>> = {
  symlink: 'a symlink',
  folder: 'a folder',
  file: 'a file',
  repository: 'a repository of its own',
  other: 'not a plain file or folder',
};

function showLines(text: string): string {
  return text.split('\n').map(showUnseen).join('\n  ');
}
