import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { continuePhase, startPhase } from '../app.ts';
import { PHASES } from '../domain/phase.ts';
import type { Result } from '../domain/result.ts';
import { startedPhaseSchema } from '../report/phase-schema.ts';
import { startedPhaseDocument } from '../report/started-phase-document.ts';
import { tellStartedPhase } from '../text/started-phase.ts';
import { answered, rejected } from './answer.ts';
import { onlyInput, waitSeconds } from './inputs.ts';
import { waitingWith } from './progress.ts';

/** The tools that play a phase round by round; the agent that calls them mends in between. */
export function addPhaseTools(server: McpServer, root: string): void {
  server.registerTool(
    'start_phase',
    {
      title: 'Have a feature reviewed',
      description:
        'Has spec.md (specify), design.md (design), plan.md (create-plan), tasks.md (create-tasks) or the code (implement) of a feature reviewed, round by round: you mend what is open, and say so with continue_phase. A loop that waits for a fix is told again instead of beginning anew. The round goes on by itself if it takes longer than wait_seconds.',
      inputSchema: onlyInput({
        phase: z.enum(PHASES),
        feature: z.string().min(1).describe('The folder of the feature, from the root of the repository.'),
        wait_seconds: waitSeconds('the round'),
      }),
      outputSchema: startedPhaseSchema,
    },
    async ({ phase, feature, wait_seconds }, context) =>
      told(await startPhase(root, { phase, feature }, waitingWith(context, wait_seconds))),
  );

  server.registerTool(
    'continue_phase',
    {
      title: 'Go on with a review loop',
      description:
        'With a summary of what you did about the open issues: has them looked at again, in the next round. Without one: waits for the round that is going on, and plays one again that ended without a verdict.',
      inputSchema: onlyInput({
        loop_id: z.string().describe('As start_phase gave it.'),
        summary: z
          .string()
          .trim()
          .min(1)
          .nullish()
          .describe('What was done about the issues, and what was left and why.'),
        wait_seconds: waitSeconds('the round'),
      }),
      outputSchema: startedPhaseSchema,
    },
    async ({ loop_id, summary, wait_seconds }, context) => {
      const said = { loopId: loop_id, summary: summary ?? null };
      return told(await continuePhase(root, said, waitingWith(context, wait_seconds)));
    },
  );
}

function told(started: Result<Parameters<typeof startedPhaseDocument>[0]>) {
  if (!started.ok) return rejected(started.failure);
  const document = startedPhaseDocument(started.value);
  const answer = answered(tellStartedPhase(document), document);
  // A round that could not be played is refused, like what is refused before it is begun.
  return document.error === null ? answer : { ...answer, isError: true };
}
