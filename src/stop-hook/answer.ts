import { isPullRequest } from '../config/pull-request.ts';
import { matchesFingerprints, statusFingerprint } from '../git/change-detection.ts';
import { findWorktreePaths } from '../git/worktree-paths.ts';
import type { WorktreePaths } from '../kernel/repository.ts';
import { decideStop, type StopAnswer, type StopMemory, type StopRequest } from './decide.ts';
import { describeAllowedStop } from './describe.ts';
import { countBlocks, readMemory, snoozedUntil } from './memory.ts';

/** Returns the answer in the form that Claude Code, Codex and Gemini CLI read; `null` to print nothing. */
function stopDocument(answer: StopAnswer): object | null {
  if (answer.kind === 'block') return { decision: 'block', reason: answer.reason };
  return answer.why === null ? null : { systemMessage: describeAllowedStop(answer.why) };
}

/**
 * Answers an agent that wants to stop; `null` to print nothing. A verdict on the same content comes from memory, before
 * any other code is loaded. No error in here may trap the agent.
 */
export async function answerStop(text: string, deadlineSeconds: number): Promise<object | null> {
  // An agent that a run started must not wait for that run.
  if (process.env['ONCEOVER_ACTIVE'] !== undefined) return null;
  const request = readRequest(text, deadlineSeconds);
  return stopDocument(fromMemory(request) ?? (await (await import('./check-gates.ts')).judgeStop(request)));
}

function fromMemory({ cwd, session }: StopRequest): StopAnswer | null {
  const worktree = findWorktreePaths(cwd, process.env);
  if (worktree === null) return null;
  const until = snoozedUntil(worktree, Date.now());
  if (until !== null) return { kind: 'let-go', why: { kind: 'asleep', until: new Date(until) } };
  const memory = readMemory(worktree);
  // In a pull request, the configuration of the base branch counts and not the one in the working tree.
  if (isPullRequest(process.env) || !isUnchanged(worktree, memory)) return null;
  const decided = decideStop(memory.judged.verdict, memory.sessions[session] ?? null);
  const nothingToCount = decided.blocks === null && memory.sessions[session] === undefined;
  return nothingToCount ? decided.answer : countBlocks(worktree, memory, session, decided);
}

type Judged = StopMemory & { readonly judged: NonNullable<StopMemory['judged']> };

/** Whether the working tree and everything else that the verdict depends on are unchanged. */
function isUnchanged(worktree: WorktreePaths, memory: StopMemory): memory is Judged {
  const { judged } = memory;
  return (
    judged !== null &&
    matchesFingerprints(judged.traces) &&
    statusFingerprint(worktree, judged.index)?.print === judged.print
  );
}

// An unreadable request still counts as a stop.
function readRequest(text: string, deadlineSeconds: number): StopRequest {
  const input = parse(text);
  const session = typeof input?.['session_id'] === 'string' ? input['session_id'].slice(0, 100) : '';
  // An agent that changed to a folder outside any repository is judged by the project that it was started in.
  const folders = [input?.['cwd'], process.env['CLAUDE_PROJECT_DIR'], process.env['GEMINI_PROJECT_DIR'], '.'];
  const given = folders.filter((one) => typeof one === 'string' && one !== '') as string[];
  return {
    cwd: given.find((folder) => findWorktreePaths(folder, process.env) !== null) ?? given[0] ?? '.',
    // The prefix keeps ids like "constructor" from naming an inherited property of the sessions object.
    session: `session ${session}`,
    deadlineSeconds,
  };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null;
  } catch {
    return null;
  }
}
