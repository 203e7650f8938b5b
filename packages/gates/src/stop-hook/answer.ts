import type { WorktreePaths } from '@onceover/base/kernel/repository';
import { isPullRequest } from '@onceover/repo/config/pull-request';
import { matchesFingerprints, statusFingerprint } from '@onceover/repo/git/fingerprints';
import { findWorktreePaths } from '@onceover/repo/git/worktree-paths';
import { hasTeamStore } from '@onceover/store/has-store';
import { decideStop, type StopAnswer, type StopMemory, type StopRequest } from './decide.ts';
import { describeAllowedStop } from './describe.ts';
import { countBlocks, readMemory, snoozedUntil } from './memory.ts';

/**
 * Returns the answer in the JSON form that Claude Code, Codex and Gemini CLI expect; `null` if nothing should be
 * printed.
 */
function stopDocument(answer: StopAnswer): object | null {
  if (answer.kind === 'block') return { decision: 'block', reason: answer.reason };
  return answer.why === null ? null : { systemMessage: describeAllowedStop(answer.why) };
}

/**
 * Returns the answer to an agent that wants to stop; `null` if nothing should be printed. If nothing changed since the
 * last verdict, it repeats that verdict. This is faster, because the code that checks the gates is not loaded.
 */
export async function answerStop(event: StopEvent | null, deadlineSeconds: number): Promise<object | null> {
  // A run started this agent and waits for its answer, so the agent must not wait for the run.
  if (process.env['ONCEOVER_ACTIVE'] !== undefined) return null;
  const request = readRequest(event, deadlineSeconds);
  return stopDocument(fromMemory(request) ?? (await (await import('./check-gates.ts')).judgeStop(request)));
}

function fromMemory({ cwd, session }: StopRequest): StopAnswer | null {
  const worktree = findWorktreePaths(cwd, process.env);
  if (worktree === null) return null;
  const until = snoozedUntil(worktree, Date.now());
  if (until !== null) return { kind: 'let-go', why: { kind: 'asleep', until: new Date(until) } };
  const memory = readMemory(worktree);
  const { judged } = memory;
  // In a pull request, do not use a stored verdict, because it was made with the configuration of the working tree and
  // not of the base branch. With a store for teams, another clone may have found something since.
  if (judged === null || isPullRequest(process.env) || hasTeamStore() || !isUnchanged(worktree, judged)) return null;
  const decision = decideStop(judged.verdict, memory.sessions[session] ?? null);
  const nothingToCount = decision.blocks === null && memory.sessions[session] === undefined;
  return nothingToCount ? decision.answer : countBlocks(worktree, memory, session, decision);
}

/** Whether the working tree, and all other files on which the verdict depends, are unchanged since the verdict. */
function isUnchanged(worktree: WorktreePaths, { traces, index, print }: NonNullable<StopMemory['judged']>): boolean {
  return matchesFingerprints(traces) && statusFingerprint(worktree, index)?.print === print;
}

/** The JSON that the agent's program, such as Claude Code, sends to the hook. */
export type StopEvent = Readonly<Record<string, unknown>>;

// Returns the request of the agent's program. If its event is not valid (`null`), the agent still wants to stop, so use
// defaults.
function readRequest(input: StopEvent | null, deadlineSeconds: number): StopRequest {
  const session = typeof input?.['session_id'] === 'string' ? input['session_id'].slice(0, 100) : '';
  // If the agent is in a folder outside any repository, use the project in which it was started.
  const folders = [input?.['cwd'], process.env['CLAUDE_PROJECT_DIR'], process.env['GEMINI_PROJECT_DIR'], '.'];
  const startFolders = folders.filter((folder) => typeof folder === 'string' && folder !== '') as string[];
  return {
    cwd: startFolders.find((folder) => findWorktreePaths(folder, process.env) !== null) ?? startFolders[0] ?? '.',
    // The prefix is needed because a session id such as "constructor" would be the name of an inherited property of
    // `sessions`.
    session: `session ${session}`,
    deadlineSeconds,
  };
}
