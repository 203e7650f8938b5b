import { quoteName, showInvisible } from '../kernel/escape.ts';
import type { BadReviewId, Failure, InTheWay } from '../kernel/failure.ts';
import { DEFAULT_LOG_DIR } from '../kernel/paths.ts';
import { ACTIVE } from '../kernel/ports.ts';
import { describeAgentFailure, describeMissingAgent } from './describe-agent-failure.ts';
import { describeCarrierFailure } from './describe-carrier-failure.ts';
import { FORGE_FAILURES } from './describe-forge-failure.ts';
import { PHASE_FAILURES } from './describe-phase-failure.ts';
import { describeProblem } from './describe-problem.ts';
import { SIGNING_FAILURES } from './describe-signing-failure.ts';
import { describeStoreFailure } from './describe-store-failure.ts';
import { WORKFLOW_FAILURES } from './describe-workflow-failure.ts';
import { cut } from './layout.ts';
import { type ByKind, byKind, type Message, quoted, someNames } from './wording.ts';

/** For each error code of the operating system, its meaning and what the user can do. */
const CODES: Readonly<Record<string, readonly [what: string, next: string]>> = {
  ENOENT: ['it does not exist', 'Check the path and run again.'],
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

/** Returns the message for a failure: what happened, and what to do next. */
export function describeFailure(failure: Failure): Message {
  return byKind(MESSAGES, failure);
}

const MESSAGES: ByKind<Failure, Message> = {
  ...FORGE_FAILURES,
  ...PHASE_FAILURES,
  ...SIGNING_FAILURES,
  ...WORKFLOW_FAILURES,
  'not-a-repository': ({ folder }) => ({
    what: `${quoteName(folder)} is not in a git repository, so there is no change to review.`,
    next: 'Run onceover in a git repository, or create one with "git init".',
  }),
  'odd-root': ({ folder }) => ({
    what: `The path of the repository at ${quoteName(folder)} contains a line break, which onceover does not support.`,
    next: 'Rename the folder and run again.',
  }),
  'bare-repository': ({ folder }) => ({
    what: `${quoteName(folder)} has no working tree (a bare repository, or the inside of .git).`,
    next: 'Run onceover in a working tree of the repository.',
  }),
  'other-worktree': ({ folder, root }) => ({
    what: `git is configured to read ${quoteName(root)} instead of ${quoteName(folder)} (core.worktree or GIT_WORK_TREE), so it does not see changes here.`,
    next: 'Run "git config --unset core.worktree" and "unset GIT_WORK_TREE GIT_DIR", or run onceover in that folder.',
  }),
  'git-missing': () => ({
    what: 'git was not found, and onceover needs git to read changes.',
    next: 'Install git 2.31 or newer and make sure that it is on PATH.',
  }),
  'git-too-old': () => ({ what: 'This version of git is too old for onceover.', next: 'Install git 2.31 or newer.' }),
  'git-failed': ({ command, said }) => ({
    what: `A git command failed, so onceover cannot read the change.\n  ${showInvisible(command)}\n  ${showLines(said)}`,
    next: 'Fix the error that git reports and run again.',
  }),
  'unknown-base': ({ base }) => ({
    what: `The base ${quoted(base)} is not a branch, tag or commit of this repository.`,
    next: 'Fetch the base with "git fetch", or choose another base with --base or "base" in onceover.yml.',
  }),
  'ambiguous-name': ({ name }) => ({
    what: `More than one branch or tag is called ${quoted(name)}, so onceover cannot tell which one is the base.`,
    next: `Rename one of the branches or tags, or use the full name: refs/heads/${quoteName(name)} for a branch, refs/tags/${quoteName(name)} for a tag, refs/remotes/${quoteName(name)} for a remote branch.`,
  }),
  'no-base': ({ tried }) => ({
    what: `There is no base branch to compare with${tried.length === 0 ? '' : ` (tried ${tried.join(', ')})`}.`,
    next: 'Choose a base with --base or "base" in onceover.yml.',
  }),
  'unknown-target': ({ guess }) => ({
    what: `This CI job belongs to a pull request, and nothing says to which branch the pull request goes.${guess === null ? '' : ` ${quoteName(guess)} would be a guess.`} Nothing was reviewed.`,
    next: 'Name the target branch with --base or the variable ONCEOVER_BASE, or set "base" in the onceover.yml of the default branch.',
  }),
  'other-head': ({ head }) => ({
    what: `HEAD does not contain ${quoteName(head)}, the newest commit of the pull request, so a result would be about other code. Nothing was reviewed.`,
    next: 'Check out the pull request in the CI job. On GitHub, use the event "pull_request", or set "ref" of actions/checkout to github.event.pull_request.head.sha.',
  }),
  'no-merge-base': ({ shallow, base }) =>
    shallow
      ? {
          what: `This is a shallow clone, and its history does not reach the commit it shares with ${quoteName(base)}.`,
          next: 'Fetch the history with "git fetch --unshallow", or set a larger fetch-depth in CI.',
        }
      : {
          what: `HEAD and ${quoteName(base)} have no common commit, so onceover cannot compare them.`,
          next: 'Choose a base that this branch started from, with --base or "base" in onceover.yml.',
        },
  'several-merge-bases': ({ base }) => ({
    what: `This branch and ${quoteName(base)} were merged into each other, so they have more than one merge base.`,
    next: `Merge ${quoteName(base)} into this branch and run again.`,
  }),
  'broken-config': ({ problems }) => ({
    what: problems.map(describeProblem).join('\n'),
    next: 'No gate ran. Fix the configuration and run again.',
  }),
  'own-files-committed': ({ files }) => ({
    what: `The change commits files in a folder in which onceover writes its own files (${someNames(files)}). Reviewers do not see them.`,
    next: 'Remove them from git with "git rm -r --cached" and the names of the files, commit, and run again.',
  }),
  'not-configured': ({ base }) =>
    base === null
      ? {
          what: 'This repository has no configuration: there is no gate in onceover.yml and no .deepreview rule, so nothing was reviewed.',
          next: 'Create a first configuration with "onceover init".',
        }
      : {
          what: `A pull request is reviewed with the configuration of its target branch, and ${quoteName(base)} has no gate and no rule. Nothing was reviewed.`,
          next: 'Merge a first configuration ("onceover init" writes one). To let this job succeed until then, run "onceover run --allow-unconfigured".',
        },
  'log-dir-hides': ({ files, logDir }) => {
    const fault = `contains tracked files that are not records (${someNames(files)}), and changes to them would not be reviewed.`;
    if (logDir === DEFAULT_LOG_DIR)
      return {
        what: `${DEFAULT_LOG_DIR}, the default folder for records, ${fault}`,
        next: 'Move these files, or set "log_dir" in onceover.yml to another folder.',
      };
    return {
      what: `${quoteName(logDir)}, the "log_dir" in onceover.yml, ${fault}`,
      next: `Choose a folder for records only, or remove "log_dir" to use the default (${DEFAULT_LOG_DIR}).`,
    };
  },
  'bad-review-id': ({ id, why }) => ({
    what: `${quoted(cut(id, LONGEST_NAME))} is not a review id: ${BAD_ID[why]}.`,
    next: 'Pass the review_id exactly as the instruction file gives it.',
  }),
  'unknown-agent': ({ name, known }) => ({
    what: `${quoted(name)} is not a known agent.`,
    next: `Use one of these agents: ${known.map(quoteName).join(', ')}. Or define the agent under "agent" in onceover.yml.`,
  }),
  'agent-not-installed': ({ agent }) => {
    const { what, next } = describeMissingAgent(agent);
    return { what: `${what}.`, next: `Run "${next}".` };
  },
  'cannot-fix': ({ name, able }) => ({
    what: `${quoteName(name)} cannot be a fixer: it could write outside the working tree (opencode, pi), or it cannot write at all (a command with "sandbox: true").`,
    next:
      able.length === 0
        ? 'Install Claude Code, Codex or Gemini CLI, or define a command under "agent" in onceover.yml.'
        : `Use one of these agents: ${able.map(quoteName).join(', ')}.`,
  }),
  'agent-not-tried': ({ agent, failure }) => ({
    what: `${quoteName(agent)} ${describeAgentFailure(failure)}. So onceover could not test whether the agent can resume sessions.`,
    next:
      failure.kind === 'not-logged-in' ? 'Log in to the agent and run again.' : 'Fix the error above and run again.',
  }),
  'path-outside': ({ path }) => ({
    what: `${quoteName(path)} is outside the repository.`,
    next: 'Use paths inside the repository.',
  }),
  'path-in-the-way': ({ path, found }) => ({
    what: `${quoteName(path)} is ${IN_THE_WAY[found]}, and onceover writes only to its own files and folders.`,
    next: 'Move the file or folder away and run again.',
  }),
  disk: ({ path, action, code }) => ({
    what: `${quoteName(path)} could not be ${action === 'read' ? 'read' : 'written'}: ${describeDisk(code).what}.`,
    next: describeDisk(code).next,
  }),
  'input-cut-off': ({ code }) => ({
    what: `Standard input could not be read to its end: ${describeDisk(code).what}. The list of files may be incomplete.`,
    next: 'Check the command that writes to the pipe and run again.',
  }),
  'wrong-usage': ({ said, command }) => ({
    what: showInvisible(said),
    next: `Run "onceover ${command === null ? '' : `${command} `}--help" for details.`,
  }),
  'lock-held': ({ pid, host, since }) => ({
    what: `Another run is in progress in this working tree (process ${pid} on ${showInvisible(host)}, since ${since}).`,
    next: 'Wait until the other run ends, or stop its process.',
  }),
  'inside-a-run': () => ({
    what: `A run of onceover started this command (${ACTIVE} is set), so no gate ran.`,
    next: 'Remove "onceover run" from the commands that a check or a reviewer starts.',
  }),
  'confirmed-by-agent': ({ id, isInRun }) => ({
    what: isInRun
      ? `A run of onceover started this command (${ACTIVE} is set), and only a person can confirm a waiver.`
      : 'Only a person can confirm a waiver, in a terminal. An agent started this command, or its input is not a terminal.',
    next: `Run "onceover resolve ${id} --confirm" yourself in a terminal.`,
  }),
  'not-proposed': ({ id }) => ({
    what: `No one has proposed to waive ${id}, so there is nothing to confirm.`,
    next: `To waive it yourself, run "onceover resolve ${id} --skip WHY".`,
  }),
  'agreed-inside-a-run': () => ({
    what: `A run of onceover started this command (${ACTIVE} is set), and only a person can approve commands.`,
    next: 'Run "onceover trust" or "onceover run" yourself in a terminal.',
  }),
  'unknown-path': ({ path }) => ({
    what: `${quoteName(path)} is neither in the working tree nor in the change.`,
    next: 'Use existing files or folders, relative to the current folder.',
  }),
  'config-changed': () => ({
    what: 'The settings, rules or prompts changed during the run, so its result does not apply to them.',
    next: 'Run again.',
  }),
  'unknown-commit': ({ commit }) => ({
    what: `${quoted(commit)} is not a commit of this repository.`,
    next: 'Use a commit that "git log" lists.',
  }),
  'unknown-gate': ({ gate, known }) => ({
    what: `No gate is called ${quoted(gate)}.`,
    next:
      known.length === 0
        ? 'No gate is configured. Create a first onceover.yml with "onceover init".'
        : `Use one of these gates: ${known.map(quoteName).join(', ')}.`,
  }),
  'unknown-finding': ({ id, known }) => ({
    what: `There is no finding ${quoted(id)}.`,
    next:
      known.length === 0
        ? 'No finding is open. Run "onceover status" to see the gates.'
        : `Open findings: ${known.join(', ')}. Run "onceover status" to see the findings.`,
  }),
  'finding-closed': ({ id }) => ({
    what: `${id} is already closed.`,
    next: `Run "onceover explain ${id}" to see why.`,
  }),
  'unknown-subject': ({ name }) => ({
    what: `${quoted(cut(name, LONGEST_NAME))} is not a gate, reviewer, finding or review id.`,
    next: 'Use a gate ("review:src:code-quality"), a reviewer ("review:src:code-quality@1"), a finding ("F1") or a review id. Run "onceover status" to list gates and findings.',
  }),
  'ambiguous-subject': ({ name, gates }) => ({
    what: `Several gates are called ${quoted(cut(name, LONGEST_NAME))}.`,
    next: `Use one of these gates: ${gates.map(quoteName).join(', ')}.`,
  }),
  'not-trusted': ({ commands }) => ({
    what: `This configuration runs commands that are not approved in this clone: ${commands.map(quoteName).join(', ')}.`,
    next: 'Read onceover.yml, then approve the commands with "onceover trust", or with "onceover run" in a terminal.',
  }),
  'unknown-run': ({ id }) => ({
    what: id === null ? 'No run was started here.' : `There is no run ${quoted(id)}.`,
    next: 'Start a run with start_run.',
  }),
  'feature-without-loops': ({ feature, known }) => ({
    what: `No phase was run on ${feature === '' ? 'the root folder' : quoteName(feature)} in this clone, so there is no cost to show.`,
    next:
      known.length === 0
        ? 'Run one with "onceover phase".'
        : `Use the folder of one of these features: ${someNames(known.map((folder) => folder || '.'))}.`,
  }),
  'unreadable-json': ({ path, said }) => ({
    what: `${quoteName(path)} is not valid JSON (${showInvisible(said)}), so onceover did not change it.`,
    next: 'Fix the file and run again.',
  }),
  'passes-carrier': describeCarrierFailure,
  'store-failed': describeStoreFailure,
};

const LONGEST_NAME = 120;

/** Explains why a file could not be read or written, with the system's error code, and what the user can do. */
function describeDisk(code: string): Message {
  const explanation = CODES[code];
  if (explanation !== undefined) return { what: `${explanation[0]} (${code})`, next: explanation[1] };
  const isSystem = /^E[A-Z0-9]+$/.test(code);
  const next = isSystem ? 'Check its permissions and the free disk space' : 'Fix the file';
  return { what: showInvisible(code), next: `${next} and run again.` };
}

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
