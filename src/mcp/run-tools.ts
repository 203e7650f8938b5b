import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { getRun, resolve, startRun } from '../app.ts';
import type { Result } from '../domain/result.ts';
import { resolvedDocument } from '../report/run-document.ts';
import { findingSchema, startedRunSchema } from '../report/run-schema.ts';
import { startedRunDocument } from '../report/started-run-document.ts';
import { tellResolved } from '../text/resolved.ts';
import { tellStartedRun } from '../text/started-run.ts';
import { answered, rejected } from './answer.ts';
import { onlyInput, pathList, waitSeconds } from './inputs.ts';
import { waitingWith } from './progress.ts';

/** The tools that run the gates and settle findings. */
export function addRunTools(server: McpServer, root: string): void {
  server.registerTool(
    'start_run',
    {
      title: 'Run the gates',
      description:
        'Starts the checks and review gates of this repository on the present change. It goes on by itself: ask get_run how far it is. What passed and has not changed is not run again.',
      inputSchema: onlyInput({
        paths: pathList('Only gates with changes at or below these; they are judged whole'),
        gate: z.string().nullish().describe('Only this gate, by name or id.'),
      }),
      outputSchema: startedRunSchema,
    },
    async (input) => told(await startRun(root, { paths: input.paths ?? [], gate: input.gate ?? null })),
  );

  server.registerTool(
    'get_run',
    {
      title: 'How far a run is',
      description:
        'Tells how far a run is, and its result once it is done: which gates hold, what is open. Waits for the end for a while; call it again if the run is still going on.',
      inputSchema: onlyInput({
        run_id: z.string().nullish().describe('As start_run gave it; without it, the newest.'),
        wait_seconds: waitSeconds('the run'),
      }),
      outputSchema: startedRunSchema,
      annotations: { readOnlyHint: true },
    },
    async (input, context) => told(await getRun(root, input.run_id ?? null, waitingWith(context, input.wait_seconds))),
  );

  server.registerTool(
    'resolve_finding',
    {
      title: 'Say what became of a finding',
      description:
        'Says of a finding that it is fixed (a reviewer has to confirm it in the next run), or waives it: it stays as it is, for a reason. Waive only what is wrong or must stay; mend the rest.',
      inputSchema: onlyInput({
        id: z.string().describe('The id of the finding, such as F1.'),
        how: z.enum(['fixed', 'skip']).describe('fixed: mended, to be confirmed. skip: waived, it stays as it is.'),
        why: z.string().trim().min(1).describe('What was done, or why it stays.'),
      }),
      outputSchema: findingSchema,
    },
    async (input) => {
      const how = input.how === 'skip' ? 'skipped' : 'fixed';
      const resolved = await resolve(root, input.id, { how, why: input.why });
      if (!resolved.ok) return rejected(resolved.failure);
      const { finding } = resolved.value;
      return answered(tellResolved(finding), resolvedDocument(finding));
    },
  );
}

function told(started: Result<Parameters<typeof startedRunDocument>[0]>) {
  if (!started.ok) return rejected(started.failure);
  const document = startedRunDocument(started.value);
  return answered(tellStartedRun(document), document);
}
