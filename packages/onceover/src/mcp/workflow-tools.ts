import type { McpServer } from '@modelcontextprotocol/server';
import type { SessionId } from '@onceover/base/kernel/ids';
import {
  describeSessionState,
  describeStepEnd,
  describeWorkflowStart,
  describeWorkflows,
} from '@onceover/loops/workflows/describe';
import {
  sessionDocument,
  stepEndDocument,
  workflowStartDocument,
  workflowsDocument,
} from '@onceover/loops/workflows/json';
import {
  stepEndSchema,
  workflowAbortSchema,
  workflowStartSchema,
  workflowsSchema,
} from '@onceover/loops/workflows/json-schema';
import * as z from 'zod';
import { abortWorkflow, finishStep, startWorkflow, workflows } from '../api.ts';
import { answer, onlyInput, sendProgress } from './tool.ts';

type Options = { readonly root: string; readonly reviewer: string | null; readonly selfReview: boolean };

const sessionId = z
  .string()
  .nullish()
  .describe('The id of the session. Default: the session that you started, or the only open one.');

/** Adds the tools that list and start workflows, finish a step, and end a workflow. */
export function addWorkflowTools(
  server: McpServer,
  { root, reviewer, selfReview }: Options,
  disconnection: AbortSignal,
): void {
  // The workflow session that this client started or used last. A call without a session id means this session.
  let ownSessionId: SessionId | null = null;
  const caller = { startedBy: 'agent', reviewer, stop: disconnection } as const;

  server.registerTool(
    'get_workflows',
    {
      title: 'List workflows',
      description:
        'Lists the jobs of this repository with their workflows, and the open sessions with their open steps.',
      inputSchema: onlyInput({}),
      outputSchema: workflowsSchema,
      annotations: { readOnlyHint: true },
    },
    async () =>
      answer(await workflows(root), (offer) => {
        const document = workflowsDocument(offer);
        return [describeWorkflows(offer, 'tools'), document, document.warnings];
      }),
  );

  server.registerTool(
    'start_workflow',
    {
      title: 'Start a workflow',
      description:
        'Starts a workflow and returns its first step: what to do, what to make, and the criteria for it. Do the step, then call finished_step.',
      inputSchema: onlyInput({
        job_name: z.string().describe('The name of a job that get_workflows lists.'),
        workflow_name: z
          .string()
          .nullish()
          .describe('The workflow of the job. Optional if the job has only one workflow.'),
        goal: z.string().trim().min(1).describe('What the user wants to achieve.'),
      }),
      outputSchema: workflowStartSchema,
    },
    async ({ job_name, workflow_name, goal }) => {
      const request = { ...caller, job: job_name, workflow: workflow_name ?? null, goal, selfReview };
      return answer(await startWorkflow(root, request), (start) => {
        ownSessionId = start.session.id;
        return [describeWorkflowStart(start, 'tools'), workflowStartDocument(start)];
      });
    },
  );

  server.registerTool(
    'finished_step',
    {
      title: 'Finish a step',
      description:
        'Finishes a step: checks and reviews its outputs. Returns what needs work, or the next step, or that the workflow is complete. Outputs that passed and have not changed are not reviewed again. The call can take minutes. If the call times out, repeat it with the same input.',
      inputSchema: onlyInput({
        outputs: z
          .record(z.string(), z.union([z.string(), z.array(z.string())]))
          .describe(
            'For each output name a path, or a list of paths if the output has several files. Paths are relative to the repository root.',
          ),
        notes: z.string().nullish().describe('Notes for the reviewers.'),
        quality_review_override_reason: z
          .string()
          .nullish()
          .describe(
            'Why the step is finished although its review failed. You may give a reason only after a review. The reason is stored with the step.',
          ),
        session_id: sessionId,
        step_id: z
          .string()
          .nullish()
          .describe(
            'The id of the step. Needed only if several steps are open and the output names do not identify the step.',
          ),
      }),
      outputSchema: stepEndSchema,
    },
    async (input, context) => {
      const result = await finishStep(root, {
        ...caller,
        progress: (progress, total) =>
          sendProgress(context, { progress, total, message: `${progress} of ${total} reviews are done` }),
        named: input.session_id ?? null,
        own: ownSessionId,
        step: input.step_id ?? null,
        outputs: { values: input.outputs, typed: true },
        pathsFrom: 'tool',
        notes: input.notes ?? null,
        override: input.quality_review_override_reason ?? null,
      });
      return answer(result, (end) => {
        ownSessionId = end.session.id;
        const document = stepEndDocument(end);
        return [describeStepEnd(end, 'tools'), document, document.warnings];
      });
    },
  );

  server.registerTool(
    'abort_workflow',
    {
      title: 'End a workflow',
      description: 'Ends a workflow before its last step. The files of the workflow stay as they are.',
      inputSchema: onlyInput({
        explanation: z.string().trim().min(1).describe('The reason why the workflow ends.'),
        session_id: sessionId,
      }),
      outputSchema: workflowAbortSchema,
    },
    async ({ explanation, session_id }) =>
      answer(await abortWorkflow(root, { named: session_id ?? null, own: ownSessionId, explanation }), (session) => [
        describeSessionState({ session }),
        sessionDocument(session),
      ]),
  );
}
