import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { abortWorkflow, finishStep, startWorkflow, workflows } from '../app.ts';
import type { SessionId } from '../domain/workflow.ts';
import {
  sessionDocument,
  stepEndDocument,
  workflowStartDocument,
  workflowsDocument,
} from '../report/workflow-document.ts';
import { stepEndSchema, workflowAbortSchema, workflowStartSchema, workflowsSchema } from '../report/workflow-schema.ts';
import { tellStepEnd, tellWorkflowStart } from '../text/workflow-end.ts';
import { tellWorkflowNotice } from '../text/workflow-notice.ts';
import { tellAborted, tellWorkflows, workflowWarnings } from '../text/workflows.ts';
import { answered, rejected, withWarnings } from './answer.ts';
import { onlyInput } from './inputs.ts';
import { progressTo } from './progress.ts';

type Options = { readonly root: string; readonly reviewer: string | null; readonly selfReview: boolean };

const sessionId = z.string().nullish().describe('Which session; without it, the one that you began or the only one.');

/** The tools that work through workflows. */
export function addWorkflowTools(server: McpServer, { root, reviewer, selfReview }: Options, gone: AbortSignal): void {
  // Whoever is connected means the session that they began or worked in last, unless they say otherwise.
  let own: SessionId | null = null;
  const caller = { startedBy: 'agent', reviewer, stop: gone, progress() {} } as const;

  server.registerTool(
    'get_workflows',
    {
      title: 'Workflows',
      description:
        'Lists the jobs of this repository with their workflows, and the sessions that are going on with the steps that are open in them.',
      inputSchema: onlyInput({}),
      outputSchema: workflowsSchema,
      annotations: { readOnlyHint: true },
    },
    async () => {
      const found = await workflows(root);
      if (!found.ok) return rejected(found.failure);
      const text = withWarnings(tellWorkflows(found.value, 'tools'), workflowWarnings(found.value));
      return answered(text, workflowsDocument(found.value));
    },
  );

  server.registerTool(
    'start_workflow',
    {
      title: 'Begin a workflow',
      description:
        'Begins a workflow and tells its first step: what to do, what to make, and by which criteria that is judged. Do the step, then call finished_step.',
      inputSchema: onlyInput({
        job_name: z.string().describe('As get_workflows gives it.'),
        workflow_name: z.string().nullish().describe('Not needed where the job has one workflow.'),
        goal: z.string().trim().min(1).describe('What the user wants to have done.'),
      }),
      outputSchema: workflowStartSchema,
    },
    async ({ job_name, workflow_name, goal }) => {
      const wish = { ...caller, job: job_name, workflow: workflow_name ?? null, goal, selfReview };
      const started = await startWorkflow(root, wish);
      if (!started.ok) return rejected(started.failure);
      own = started.value.session.id;
      return answered(tellWorkflowStart(started.value, 'tools'), workflowStartDocument(started.value));
    },
  );

  server.registerTool(
    'finished_step',
    {
      title: 'Finish a step',
      description:
        'Says that a step is finished. Its outputs are checked and reviewed: the answer says what needs work, or gives the next step, or that the workflow is complete. What passed and is unchanged is not reviewed again. It may take minutes; if you stop waiting, call it again in the same way.',
      inputSchema: onlyInput({
        outputs: z
          .record(z.string(), z.union([z.string(), z.array(z.string())]))
          .describe(
            'A path, or a list of paths for an output of files, by the names of the outputs; from the root of the repository.',
          ),
        notes: z.string().nullish().describe('What the reviewers should know.'),
        quality_review_override_reason: z
          .string()
          .nullish()
          .describe('Why the step counts as finished without a pass; only after a review. It is kept with the step.'),
        session_id: sessionId,
        step_id: z.string().nullish().describe('Which step, where several are open and the outputs do not tell.'),
      }),
      outputSchema: stepEndSchema,
    },
    async (input, context) => {
      const tell = progressTo(context);
      const ended = await finishStep(root, {
        ...caller,
        progress: (progress, total) => tell({ progress, total, message: `${progress} of ${total} reviews are done` }),
        named: input.session_id ?? null,
        own,
        step: input.step_id ?? null,
        outputs: { values: input.outputs, typed: true },
        pathsFrom: 'tool',
        notes: input.notes ?? null,
        override: input.quality_review_override_reason ?? null,
      });
      if (!ended.ok) return rejected(ended.failure);
      own = ended.value.session.id;
      const text = withWarnings(tellStepEnd(ended.value, 'tools'), ended.value.notices.map(tellWorkflowNotice));
      return answered(text, stepEndDocument(ended.value));
    },
  );

  server.registerTool(
    'abort_workflow',
    {
      title: 'End a workflow',
      description: 'Ends a workflow that cannot or shall not be gone on with. What was made stays where it is.',
      inputSchema: onlyInput({
        explanation: z.string().trim().min(1).describe('Why it is not gone on with.'),
        session_id: sessionId,
      }),
      outputSchema: workflowAbortSchema,
    },
    async ({ explanation, session_id }) => {
      const aborted = await abortWorkflow(root, { named: session_id ?? null, own, explanation });
      if (!aborted.ok) return rejected(aborted.failure);
      return answered(tellAborted(aborted.value), sessionDocument(aborted.value));
    },
  );
}
