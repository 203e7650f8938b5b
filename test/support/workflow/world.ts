import type { RepoPath, SessionId } from '@onceover/base/kernel/ids';
import { repoPath } from '@onceover/base/kernel/paths';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import {
  type FinishRequest,
  finishWorkflowStep,
  type WorkflowPorts,
} from '@onceover/loops/src/workflows/do/finish-step.ts';
import type { WorkflowSessions } from '@onceover/loops/src/workflows/record/sessions.ts';
import { outputFiles } from '@onceover/loops/workflows/quality/tasks';
import { QualityGateError, type QualityGateResult, type StepOutputs } from '@onceover/loops/workflows/quality/types';
import type { Job, SessionReviewer, StepEnd, WorkflowSession } from '@onceover/loops/workflows/types';
import { memoryContents } from '../memory/contents.ts';
import { type MemorySessions, memorySessions } from '../memory/workflow-sessions.ts';
import { BY_ONE, sessionOf } from './samples.ts';

/** One call to the reviewer in memory. */
type Asked = {
  readonly files: readonly string[];
  readonly criteria: readonly string[];
  readonly notes: string | null;
};

/** The answer of the reviewer in memory. */
export type Verdict = 'pass' | 'fail' | 'crash';

/** A project in memory with one job, and the calls that an agent makes to work through its workflows. */
export type WorkflowWorld = {
  job: Job;
  readonly files: Map<string, string>;
  readonly asked: Asked[];
  readonly sessions: MemorySessions;
  readonly progress: string[];
  /** The answer of the reviewer; default: it passes everything. */
  verdict: (asked: Asked) => Verdict;
  readonly ports: WorkflowPorts;
  start(reviewer?: SessionReviewer): Promise<SessionId>;
  finish(outputs: StepOutputs, more?: Partial<FinishRequest>): Promise<Result<StepEnd>>;
  session(id?: SessionId): Promise<WorkflowSession>;
};

export function workflowWorld(
  job: Job,
  wrap: (sessions: MemorySessions) => WorkflowSessions = (one) => one,
): WorkflowWorld {
  const sessions = memorySessions();
  const files = new Map<string, string>();
  const asked: Asked[] = [];
  const progress: string[] = [];
  let ids = 0;
  let seconds = 0;
  const ports: WorkflowPorts = {
    root: '/project',
    sessions: wrap(sessions),
    contents: () => memoryContents(Object.fromEntries(files)),
    clock: { now: () => new Date(Date.UTC(2026, 2, 1, 12, 0, ++seconds)) },
    job(name) {
      return name === world.job.name ? ok(world.job) : err({ kind: 'unknown-job', name, known: [world.job.name] });
    },
    async judge() {
      return ok({
        async evaluate(given): Promise<QualityGateResult> {
          const one = {
            files: outputFiles(given.outputs).map(({ path }) => path),
            criteria: Object.keys(given.qualityCriteria),
            notes: given.notes ?? null,
          };
          asked.push(one);
          const verdict = world.verdict(one);
          if (verdict === 'crash') throw new QualityGateError('The reviewer crashed.');
          return { passed: verdict === 'pass', feedback: verdict, criteria_results: [] };
        },
        async buildReviewInstructionsFile({ reviews, outputs }) {
          return `${reviews.length} reviews of ${outputFiles(outputs)
            .map(({ path }) => path)
            .join(', ')}`;
        },
      });
    },
    locate: (path) => repoPath(path) as RepoPath | null,
    progress: (ended, of) => progress.push(`${ended}/${of}`),
  };
  const world: WorkflowWorld = {
    job,
    files,
    asked,
    sessions,
    progress,
    verdict: () => 'pass',
    ports,
    async start(reviewer = BY_ONE) {
      const id = `s${++ids}` as SessionId;
      await sessions.create(sessionOf(world.job, { id, reviewer, startedAt: ports.clock.now().toISOString() }));
      return id;
    },
    finish: (outputs, more = {}) =>
      finishWorkflowStep(ports, {
        named: null,
        own: null,
        step: null,
        outputs: { values: outputs, typed: true },
        notes: null,
        override: null,
        reviewer: null,
        ...more,
      }),
    async session(id) {
      const all = await sessions.all();
      const found = all.ok ? all.value.sessions.find((one) => id === undefined || one.id === id) : undefined;
      if (found === undefined) throw new Error('no session');
      return found;
    },
  };
  return world;
}

/** Returns the kind of the result, or of the failure. */
export function kindOf(end: Result<StepEnd>): string {
  return end.ok ? end.value.kind : end.failure.kind;
}
