import { quoteName, showInvisible } from '../kernel/escape.ts';
import type { BadReviewId, Failure, InTheWay } from '../kernel/failure.ts';
import { DEFAULT_LOG_DIR } from '../kernel/paths.ts';
import { ACTIVE } from '../kernel/ports.ts';
import { describeAgentFailure } from './describe-agent-failure.ts';
import { describePhaseFailure, isPhaseFailure } from './describe-phase-failure.ts';
import { describeProblem } from './describe-problem.ts';
import { describeWorkflowFailure } from './describe-workflow-failure.ts';
import { cut } from './layout.ts';
import { type Message, quoted, someNames } from './wording.ts';

/** The meaning of a system error code, and what to do about it. */
const CODES: Readonly<Record<string, readonly [what: string, next: string]>> = {
  ENOSPC: ['the disk is full', 'Free some space and run again.'],
  EDQUOT: ['your disk quota is used up', 'Free some space and run again.'],
  EACCES: ['permission was denied', 'Check its owner and permissions with "ls -l" and run again.'],
  EPERM: ['permission was denied', 'Check its owner and permissions with "ls -l" and run again.'],
  EROFS: ['the disk is read-only', 'Run onceover on a disk that it can write to.'],
  EIO: ['the disk reported an error', 'Check the disk and run again.'],
  EMFILE: ['too many files are open', 'Close some programs or raise the limit ("ulimit -n 4096"), and run again.'],
  ENFILE: ['too many files are open', 'Close some programs or raise the limit ("ulimit -n 4096"), and run again.'],
  EFBIG: ['it is too large', 'Move the file or folder away and run again.'],
  ELOOP: ['it is a symlink', 'Move the file or folder away and run again.'],
  EISDIR: ['it is a folder', 'Move the file or folder away and run again.'],
  ENOTDIR: ['part of its path is not a folder', 'Check the path, move the file away, and run again.'],
};

/** Returns why the disk refused, with the system's error code. */
function describeDiskCode(code: string): string {
  const known = CODES[code];
  return known === undefined ? showInvisible(code) : `${known[0]} (${code})`;
}

/** Returns what to do after the disk refused. */
function diskNext(code: string): string {
  const isSystem = /^E[A-Z0-9]+$/.test(code);
  const otherwise = isSystem ? 'Check its permissions and the free disk space' : 'Fix the file';
  return CODES[code]?.[1] ?? `${otherwise} and run again.`;
}

/** Returns the message for a failure. */
export function describeFailure(failure: Failure): Message {
  if (isPhaseFailure(failure)) return describePhaseFailure(failure);
  switch (failure.kind) {
    case 'not-a-repository':
      return {
        what: `${quoteName(failure.folder)} is not in a git repository, so there is no change to review.`,
        next: 'Run onceover in a git repository, or create one with "git init".',
      };
    case 'odd-root':
      return {
        what: `The path of the repository at ${quoteName(failure.folder)} contains a line break, which onceover does not support.`,
        next: 'Rename the folder and run again.',
      };
    case 'bare-repository':
      return {
        what: `${quoteName(failure.folder)} has no working tree (a bare repository, or the inside of .git).`,
        next: 'Run onceover in a working tree of the repository.',
      };
    case 'git-missing':
      return {
        what: 'git was not found, and onceover needs git to read changes.',
        next: 'Install git 2.31 or newer and make sure that it is on PATH.',
      };
    case 'git-too-old':
      return { what: 'This version of git is too old for onceover.', next: 'Install git 2.31 or newer.' };
    case 'git-failed':
      return {
        what: `A git command failed, so onceover cannot read the change.\n  ${showInvisible(failure.command)}\n  ${showLines(failure.said)}`,
        next: 'Fix the error that git reports and run again.',
      };
    case 'unknown-base':
      return {
        what: `The base ${quoted(failure.base)} is not a branch, tag or commit of this repository.`,
        next: 'Fetch the base with "git fetch", or choose another base with --base or "base" in onceover.yml.',
      };
    case 'ambiguous-name':
      return {
        what: `More than one branch or tag is called ${quoted(failure.name)}, so onceover cannot tell which one is the base.`,
        next: `Rename one of the branches or tags, or use the full name: refs/heads/${quoteName(failure.name)} for a branch, refs/tags/${quoteName(failure.name)} for a tag, refs/remotes/${quoteName(failure.name)} for a remote branch.`,
      };
    case 'no-base':
      return {
        what: `onceover found no base branch to compare with (tried ${failure.tried.join(', ')}).`,
        next: 'Choose a base with --base or "base" in onceover.yml.',
      };
    case 'no-merge-base':
      return failure.shallow
        ? {
            what: `This is a shallow clone, and its history does not reach the commit it shares with ${quoteName(failure.base)}.`,
            next: 'Fetch the history with "git fetch --unshallow", or set a larger fetch-depth in CI.',
          }
        : {
            what: `HEAD and ${quoteName(failure.base)} have no common commit, so onceover cannot compare them.`,
            next: 'Choose a base that this branch started from, with --base or "base" in onceover.yml.',
          };
    case 'several-merge-bases':
      return {
        what: `This branch and ${quoteName(failure.base)} were merged into each other, so they have more than one merge base.`,
        next: `Merge ${quoteName(failure.base)} into this branch and run again.`,
      };
    case 'broken-config':
      return {
        what: failure.problems.map(describeProblem).join('\n'),
        next: 'No gate ran. Fix the configuration and run again.',
      };
    case 'log-dir-hides': {
      const tracked = `contains tracked files that are not records (${someNames(failure.files)}), and changes to them would not be reviewed.`;
      if (failure.logDir === DEFAULT_LOG_DIR)
        return {
          what: `${DEFAULT_LOG_DIR}, the default folder for records, ${tracked}`,
          next: 'Move these files, or set "log_dir" in onceover.yml to another folder.',
        };
      return {
        what: `${quoteName(failure.logDir)}, the "log_dir" in onceover.yml, ${tracked}`,
        next: `Choose a folder for records only, or remove "log_dir" to use the default (${DEFAULT_LOG_DIR}).`,
      };
    }
    case 'bad-review-id':
      return {
        what: `${quoted(cut(failure.id, LONGEST_NAME))} is not a review id: ${BAD_ID[failure.why]}.`,
        next: 'Pass the review_id exactly as the instruction file gives it.',
      };
    case 'unknown-agent':
      return {
        what: `${quoted(failure.name)} is not a known agent.`,
        next: `Use one of these agents: ${failure.known.map(quoteName).join(', ')}. Or define the agent under "agent" in onceover.yml.`,
      };
    case 'cannot-fix':
      return {
        what: `${quoteName(failure.name)} cannot be a fixer: it could write outside the working tree (opencode), or it cannot write at all (a command with "sandbox: true").`,
        next:
          failure.able.length === 0
            ? 'Install Claude Code, Codex or Gemini CLI, or define a command under "agent" in onceover.yml.'
            : `Use one of these agents: ${failure.able.map(quoteName).join(', ')}.`,
      };
    case 'agent-not-tried':
      return {
        what: `${quoteName(failure.agent)} ${describeAgentFailure(failure.failure)}. So onceover could not test whether the agent can resume sessions.`,
        next:
          failure.failure.kind === 'not-logged-in'
            ? 'Log in to the agent and run again.'
            : 'Fix the error above and run again.',
      };
    case 'path-outside':
      return {
        what: `${quoteName(failure.path)} is outside the repository.`,
        next: 'Use paths inside the repository.',
      };
    case 'path-in-the-way':
      return {
        what: `${quoteName(failure.path)} is ${IN_THE_WAY[failure.found]}, and onceover writes only to its own files and folders.`,
        next: 'Move the file or folder away and run again.',
      };
    case 'disk':
      return {
        what: `${quoteName(failure.path)} could not be ${failure.action === 'read' ? 'read' : 'written'}: ${describeDiskCode(failure.code)}.`,
        next: diskNext(failure.code),
      };
    case 'input-cut-off':
      return {
        what: `Standard input could not be read to its end: ${describeDiskCode(failure.code)}. Part of the list may be missing.`,
        next: 'Check the command that writes to the pipe and run again.',
      };
    case 'wrong-usage':
      return {
        what: showInvisible(failure.said),
        next: `Run "onceover ${failure.command === null ? '' : `${failure.command} `}--help" for details.`,
      };
    case 'lock-held':
      return {
        what: `Another run is in progress in this working tree (process ${failure.pid} on ${showInvisible(failure.host)}, since ${failure.since}).`,
        next: 'Wait until the other run ends, or stop its process.',
      };
    case 'inside-a-run':
      return {
        what: `A run of onceover started this command (${ACTIVE} is set), so no gate ran.`,
        next: 'Remove "onceover run" from the commands that a check or a reviewer starts.',
      };
    case 'waived-inside-a-run':
      return {
        what: `A run of onceover started this command (${ACTIVE} is set), and a fixer or reviewer cannot waive findings.`,
        next: 'Explain in your answer why the finding is wrong; the reviewer decides. A person can waive the finding with "onceover resolve".',
      };
    case 'agreed-inside-a-run':
      return {
        what: `A run of onceover started this command (${ACTIVE} is set), and only a person can approve commands.`,
        next: 'Run "onceover trust" or "onceover run" yourself in a terminal.',
      };
    case 'unknown-path':
      return {
        what: `${quoteName(failure.path)} is neither in the working tree nor in the change.`,
        next: 'Use existing files or folders, relative to the current folder.',
      };
    case 'config-changed':
      return {
        what: 'The settings, rules or prompts changed during the run, so its result does not apply to them.',
        next: 'Run again.',
      };
    case 'unknown-commit':
      return {
        what: `${quoted(failure.commit)} is not a commit of this repository.`,
        next: 'Use a commit that "git log" lists.',
      };
    case 'unknown-gate':
      return {
        what: `No gate is called ${quoted(failure.gate)}.`,
        next:
          failure.known.length === 0
            ? 'No gate is configured. Create a first onceover.yml with "onceover init".'
            : `Use one of these gates: ${failure.known.map(quoteName).join(', ')}.`,
      };
    case 'unknown-finding':
      return {
        what: `There is no finding ${quoted(failure.id)}.`,
        next:
          failure.known.length === 0
            ? 'No finding is open. Run "onceover status" to see the gates.'
            : `Open findings: ${failure.known.join(', ')}. Run "onceover status" to see the findings.`,
      };
    case 'finding-closed':
      return {
        what: `${failure.id} is already closed.`,
        next: `Run "onceover explain ${failure.id}" to see why.`,
      };
    case 'unknown-subject':
      return {
        what: `${quoted(cut(failure.name, LONGEST_NAME))} is not a gate, reviewer, finding or review id.`,
        next: 'Use a gate ("review:src:code-quality"), a reviewer ("review:src:code-quality@1"), a finding ("F1") or a review id. Run "onceover status" to list gates and findings.',
      };
    case 'ambiguous-subject':
      return {
        what: `Several gates are called ${quoted(cut(failure.name, LONGEST_NAME))}.`,
        next: `Use one of these gates: ${failure.gates.map(quoteName).join(', ')}.`,
      };
    case 'not-trusted':
      return {
        what: `This configuration runs commands that are not approved in this clone: ${failure.commands.map((one) => quoteName(one)).join(', ')}.`,
        next: 'Read onceover.yml, then approve the commands with "onceover trust", or with "onceover run" in a terminal.',
      };
    case 'unknown-run':
      return {
        what: failure.id === null ? 'No run was started here.' : `There is no run ${quoted(failure.id)}.`,
        next: 'Start a run with start_run.',
      };
    case 'feature-without-loops':
      return {
        what: `No phase was run on ${failure.feature === '' ? 'the root folder' : quoteName(failure.feature)} in this clone, so there is no cost to show.`,
        next:
          failure.known.length === 0
            ? 'Run one with "onceover phase".'
            : `Use the folder of one of these features: ${someNames(failure.known.map((known) => known || '.'))}.`,
      };
    case 'unreadable-json':
      return {
        what: `${quoteName(failure.path)} is not valid JSON (${showInvisible(failure.said)}), so onceover did not change it.`,
        next: 'Fix the file and run again.',
      };
    default:
      return describeWorkflowFailure(failure);
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
  repository: 'a nested repository',
  other: 'a special file',
};

function showLines(text: string): string {
  return text.split('\n').map(showInvisible).join('\n  ');
}
