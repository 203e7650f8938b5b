import type { RepoPath } from '../../../src/domain/brand.ts';
import type { Job } from '../../../src/domain/job.ts';
import type { WorkflowSessions } from '../../../src/domain/ports.ts';
import { QualityGateError, type QualityGateResult, type StepOutputs } from '../../../src/domain/quality.ts';
import { repoPath } from '../../../src/domain/repo-path.ts';
import { done, failed, type Result } from '../../../src/domain/result.ts';
import type { SessionId, SessionReviewer, WorkflowSession } from '../../../src/domain/workflow.ts';
import type { StepEnd } from '../../../src/domain/workflow-outcome.ts';
import { finishWorkflowStep } from '../../../src/execute/finish-step.ts';
import { startWorkflow } from '../../../src/execute/workflow.ts';
import type { FinishRequest, WorkflowPorts } from '../../../src/execute/workflow-ports.ts';
import { outputFiles } from '../../../src/plan/quality-tasks.ts';
import { memoryContents } from '../memory/contents.ts';
import { type MemorySessions, memorySessions } from '../memory/workflow-sessions.ts';
import { BY_ONE } from './samples.ts';

/** What a reviewer in memory is asked. */
type Asked = {
  readonly files: readonly string[];
  readonly criteria: readonly string[];
  readonly notes: string | null;
};

/** Passes, fails, or crashes. */
export type Verdict = 'pass' | 'fail' | 'crash';

/** A project in memory with one job, in which somebody works through workflows. */
export type WorkflowWorld = {
  job: Job;
  readonly files: Map<string, string>;
  readonly asked: Asked[];
  readonly sessions: MemorySessions;
  readonly progress: string[];
  /** What the reviewer says; it passes everything unless told. */
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
    newId: () => `s${++ids}` as SessionId,
    async job(name) {
      return name === world.job.name ? done(world.job) : failed({ kind: 'unknown-job', name, known: [world.job.name] });
    },
    async judge() {
      return done({
        async evaluate(given): Promise<QualityGateResult> {
          const one = {
            files: outputFiles(given.outputs).map(({ path }) => path),
            criteria: Object.keys(given.qualityCriteria),
            notes: given.notes,
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
      const [workflow] = world.job.workflows;
      if (workflow === undefined) throw new Error('no workflow');
      const started = await startWorkflow(ports, { job: world.job, workflow, goal: 'Find out.', reviewer });
      if (!started.ok) throw new Error(started.failure.kind);
      return started.value.session.id;
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

/** What came of a call, in a word: the kind of its end, or of its failure. */
export function kindOf(end: Result<StepEnd>): string {
  return end.ok ? end.value.kind : end.failure.kind;
}
