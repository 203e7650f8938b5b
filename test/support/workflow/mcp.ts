import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepEndDocument, WorkflowStartDocument } from '@onceover/loops/workflows/json';
import { expect } from 'vitest';
import { onceover } from '../cli.ts';
import { type Answer, type Connection, connectNew } from '../mcp-clients.ts';
import { OUTPUTS, type WorkflowRepo, workflowRepo } from './repo.ts';

/** The arguments that start the example's workflow. */
export const START = { job_name: 'research_report', goal: 'Tea or coffee?' };

export const startOf = (answer: Answer) => answer.structured as WorkflowStartDocument;
export const endOf = (answer: Answer) => answer.structured as StepEndDocument;

/** Starts the example's workflow. */
export async function begin(client: Connection): Promise<string> {
  const started = await client.call('start_workflow', START);
  expect(started.isError, started.text).toBe(false);
  return startOf(started).session_id;
}

/** Finishes a step of the example with its outputs. */
export const finish = (client: Connection, step: keyof typeof OUTPUTS, more: Record<string, unknown> = {}) =>
  client.call('finished_step', { outputs: OUTPUTS[step], ...more });

/** Creates a repository with approved commands, and a client of a server with `judge` as the reviewer. */
export async function judged(): Promise<{ readonly repo: WorkflowRepo; readonly client: Connection }> {
  const repo = workflowRepo();
  expect((await onceover(repo.root, ['trust'])).code).toBe(0);
  return { repo, client: await connectNew(repo.root, ['--reviewer', 'judge']) };
}

/** Returns the path of a session's state. */
export const stateFile = (repo: WorkflowRepo, id: string) => join(repo.root, `.deepwork/tmp/session_${id}.json`);
export const stepsOf = (repo: WorkflowRepo, id: string) =>
  (JSON.parse(readFileSync(stateFile(repo, id), 'utf8')) as { session: { steps: Record<string, unknown>[] } }).session
    .steps;
