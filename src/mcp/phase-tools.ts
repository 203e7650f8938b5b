import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { continuePhase, startPhase } from '../api.ts';
import { PHASES } from '../kernel/review-loops.ts';
import { describeStartedPhase, startedPhaseDocument } from '../phases/describe/background.ts';
import { startedPhaseSchema } from '../phases/json-schema.ts';
import { answer, onlyInput, waitingWith, waitSeconds } from './tool.ts';

/** Adds the tools that run a phase round by round. The calling agent fixes the issues between rounds. */
export function addPhaseTools(server: McpServer, root: string): void {
  server.registerTool(
    'start_phase',
    {
      title: 'Review a feature',
      description:
        'Reviews spec.md (specify), design.md (design), plan.md (create-plan), tasks.md (create-tasks) or the code (implement) of a feature, round by round. Fix the open issues, then call continue_phase. If a loop already waits for a fix, its open issues are returned again. A round that takes longer than wait_seconds continues in the background.',
      inputSchema: onlyInput({
        phase: z.enum(PHASES),
        feature: z.string().min(1).describe('The folder of the feature, relative to the repository root.'),
        wait_seconds: waitSeconds('the round'),
      }),
      outputSchema: startedPhaseSchema,
    },
    async ({ phase, feature, wait_seconds }, context) =>
      answerPhase(await startPhase(root, { phase, feature }, waitingWith(context, wait_seconds))),
  );

  server.registerTool(
    'continue_phase',
    {
      title: 'Continue a review loop',
      description:
        'With a summary of your fixes: runs the next review round. Without a summary: waits for the current round, or repeats a round that ended without a verdict.',
      inputSchema: onlyInput({
        loop_id: z.string().describe('The loop_id that start_phase returned.'),
        summary: z.string().trim().min(1).nullish().describe('What you fixed, and which issues you left open and why.'),
        wait_seconds: waitSeconds('the round'),
      }),
      outputSchema: startedPhaseSchema,
    },
    async ({ loop_id, summary, wait_seconds }, context) => {
      const request = { loopId: loop_id, summary: summary ?? null };
      return answerPhase(await continuePhase(root, request, waitingWith(context, wait_seconds)));
    },
  );
}

function answerPhase(started: Awaited<ReturnType<typeof startPhase>>) {
  const answered = answer(started, (value) => {
    const document = startedPhaseDocument(value);
    return [describeStartedPhase(document), document];
  });
  // A round that could not run is an error for the client, like a request that is rejected before it starts.
  const couldNotRun = 'structuredContent' in answered && answered.structuredContent.error !== null;
  return couldNotRun ? { ...answered, isError: true } : answered;
}
