import type { McpServer } from '@modelcontextprotocol/server';
import { PHASES } from '@onceover/base/kernel/review-loops';
import { UNKNOWN_ACTOR } from '@onceover/gates/findings/waivers';
import { describeStartedRun, startedRunDocument } from '@onceover/gates/result/describe/background';
import { describeResolved } from '@onceover/gates/result/describe/messages';
import { resolvedDocument } from '@onceover/gates/result/json';
import { findingSchema, startedRunSchema } from '@onceover/gates/result/json-schema';
import { describeStartedPhase, startedPhaseDocument } from '@onceover/loops/phases/describe/background';
import { startedPhaseSchema } from '@onceover/loops/phases/json-schema';
import * as z from 'zod';
import { continuePhase, getRun, resolve, startPhase, startRun } from '../api.ts';
import { answer, onlyInput, pathList, waitingWith, waitSeconds } from './tool.ts';

/** Adds the tools that run the gates and resolve findings. */
export function addRunTools(server: McpServer, root: string): void {
  server.registerTool(
    'start_run',
    {
      title: 'Run the gates',
      description:
        'Starts the checks and reviews of this repository on the current change, in the background. Call get_run for progress and result. If every gate already passes, nothing runs.',
      inputSchema: onlyInput({
        paths: pathList('Run only gates with changes in these files or folders'),
        gate: z.string().nullish().describe('Run only this gate, by name or id.'),
      }),
      outputSchema: startedRunSchema,
    },
    async (input) => answer(await startRun(root, { paths: input.paths ?? [], gate: input.gate ?? null }), showRun),
  );

  server.registerTool(
    'get_run',
    {
      title: 'Get the progress or result of a run',
      description:
        'Returns the progress of a run, or its result: which gates pass and which findings are open. Waits up to wait_seconds for the end; call this tool again while the run is in progress.',
      inputSchema: onlyInput({
        run_id: z.string().nullish().describe('The run_id that start_run returned. Default: the newest run.'),
        wait_seconds: waitSeconds('the run'),
      }),
      outputSchema: startedRunSchema,
      annotations: { readOnlyHint: true },
    },
    async (input, context) =>
      answer(await getRun(root, input.run_id ?? null, waitingWith(context, input.wait_seconds)), showRun),
  );

  server.registerTool(
    'resolve_finding',
    {
      title: 'Resolve a finding',
      description:
        'Marks a finding as fixed (its reviewer has to confirm it in the next run), or proposes to waive it with a reason. A person has to confirm the waiver; until then the finding stays open. Propose a waiver only for findings that are wrong or that must stay; fix all others.',
      inputSchema: onlyInput({
        id: z.string().describe('The id of the finding, such as F1.'),
        how: z
          .enum(['fixed', 'skip'])
          .describe(
            'fixed: you fixed the finding, and its reviewer has to confirm the fix. skip: you propose to waive the finding.',
          ),
        why: z.string().trim().min(1).describe('What you fixed, or why the finding should be waived.'),
      }),
      outputSchema: findingSchema,
    },
    async (input) => {
      const how = input.how === 'skip' ? 'skipped' : 'fixed';
      const by = { kind: 'agent', name: server.server.getClientVersion()?.name || UNKNOWN_ACTOR } as const;
      return answer(await resolve(root, input.id, { how, why: input.why }, by), (finding) => [
        describeResolved([finding]),
        resolvedDocument(finding),
      ]);
    },
  );
}

function showRun(run: Parameters<typeof startedRunDocument>[0]) {
  const document = startedRunDocument(run);
  return [describeStartedRun(document), document] as const;
}

/**
 * Adds the tools that review a feature in rounds. Between two rounds, the calling agent or a fixing agent fixes the
 * issues.
 */
export function addPhaseTools(server: McpServer, root: string): void {
  server.registerTool(
    'start_phase',
    {
      title: 'Review a feature',
      description:
        'Reviews spec.md (specify), design.md (design), plan.md (create-plan), tasks.md (create-tasks) or the code (implement) of a feature, until issues are open or the reviewers approve. Fix the open issues, then call continue_phase. If a loop already waits for a fix, its open issues are returned again. Reviews that take longer than wait_seconds continue in the background.',
      inputSchema: onlyInput({
        phase: z.enum(PHASES).describe('What to review.'),
        feature: z.string().min(1).describe('The folder of the feature, relative to the repository root.'),
        fixer: z
          .string()
          .min(1)
          .nullish()
          .describe('An agent that fixes the issues instead of you, in a new loop that runs to its end.'),
        simplify: z
          .boolean()
          .nullish()
          .describe('Only for the phase implement with a fixer. The fixer simplifies the code before the reviews.'),
        deepen_tests: z
          .boolean()
          .nullish()
          .describe('Only for the phase implement with a fixer. The fixer adds missing tests before the reviews.'),
        keep_sessions: z
          .boolean()
          .nullish()
          .describe(
            'If false, onceover does not store the sessions of the reviewers, so each call starts new sessions. Default: true.',
          ),
        wait_seconds: waitSeconds('the reviews'),
      }),
      outputSchema: startedPhaseSchema,
    },
    async ({ phase, feature, wait_seconds, ...input }, context) => {
      const options = {
        ...{ phase, feature, fixer: input.fixer ?? null, keepSessions: input.keep_sessions !== false },
        preparations: [
          ...(input.simplify === true ? (['--simplify'] as const) : []),
          ...(input.deepen_tests === true ? (['--deepen-tests'] as const) : []),
        ],
      };
      return answerPhase(await startPhase(root, options, waitingWith(context, wait_seconds)));
    },
  );

  server.registerTool(
    'continue_phase',
    {
      title: 'Continue a review loop',
      description:
        'Reviews again after you fixed issues, if you give a summary of your fixes. The reviewers get the summary and judge the new content. The call returns when issues are open or the reviewers approve. Without a summary, the call waits for the current reviews, and returns the open issues or the result. Reviews that ended without a verdict run again.',
      inputSchema: onlyInput({
        loop_id: z.string().describe('The loop_id that start_phase returned.'),
        summary: z.string().trim().min(1).nullish().describe('What you fixed, and which issues you left open and why.'),
        accept_with_notes: z
          .boolean()
          .nullish()
          .describe(
            'Accepts the open issues of a loop that ended at its limit of reviews (end: cap). The issues are recorded, and the loop does not become approved. Set this only if the user asked for it.',
          ),
        wait_seconds: waitSeconds('the reviews'),
      }),
      outputSchema: startedPhaseSchema,
    },
    async ({ loop_id, summary, accept_with_notes, wait_seconds }, context) => {
      const request = { loopId: loop_id, summary: summary ?? null, acceptWithNotes: accept_with_notes === true };
      return answerPhase(await continuePhase(root, request, waitingWith(context, wait_seconds)));
    },
  );
}

function answerPhase(startResult: Awaited<ReturnType<typeof startPhase>>) {
  const reply = answer(startResult, (value) => {
    const document = startedPhaseDocument(value);
    return [describeStartedPhase(document), document];
  });
  // If a round of reviews could not run, that is an error for the MCP client, like a request that is rejected at once.
  const couldNotRun = 'structuredContent' in reply && reply.structuredContent.error !== null;
  return couldNotRun ? { ...reply, isError: true } : reply;
}
