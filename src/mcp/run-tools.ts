import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { getRun, resolve, startRun } from '../api.ts';
import { describeStartedRun, startedRunDocument } from '../gates/describe/background.ts';
import { describeResolved } from '../gates/describe/messages.ts';
import { resolvedDocument } from '../gates/json.ts';
import { findingSchema, startedRunSchema } from '../gates/json-schema.ts';
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
        'Returns the progress of a run, or its result: which gates pass and which findings are open. Waits up to wait_seconds for the end; call it again while the run is running.',
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
        'Marks a finding as fixed (its reviewer has to confirm it in the next run), or waives it with a reason. Waive only findings that are wrong or that must stay; fix all others.',
      inputSchema: onlyInput({
        id: z.string().describe('The id of the finding, such as F1.'),
        how: z
          .enum(['fixed', 'skip'])
          .describe('fixed: you fixed it, and its reviewer has to confirm that. skip: you waive it.'),
        why: z.string().trim().min(1).describe('What you fixed, or why you waive the finding.'),
      }),
      outputSchema: findingSchema,
    },
    async (input) => {
      const how = input.how === 'skip' ? 'skipped' : 'fixed';
      return answer(await resolve(root, input.id, { how, why: input.why }), ({ finding }) => [
        describeResolved(finding),
        resolvedDocument(finding),
      ]);
    },
  );
}

function showRun(started: Parameters<typeof startedRunDocument>[0]) {
  const document = startedRunDocument(started);
  return [describeStartedRun(document), document] as const;
}
