import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { pass } from '../api.ts';
import {
  describeInstructions,
  describeNotice,
  describePass,
  describeRules,
  nextOfInstructions,
} from '../rules/describe.ts';
import { instructions, rules } from '../rules/instructions.ts';
import { instructionsDocument, passDocument, rulesDocument } from '../rules/json.ts';
import { instructionsSchema, passSchema, rulesSchema } from '../rules/json-schema.ts';
import { version } from '../version.ts';
import { addPhaseTools, addRunTools } from './background-tools.ts';
import { answer, onlyInput, pathList } from './tool.ts';
import { addWorkflowTools } from './workflow-tools.ts';

/** The repository to serve, the platform of the client, and the reviewer of workflow outputs. */
export type ServeOptions = {
  readonly root: string;
  readonly platform: string;
  /** Null: Claude Code, if installed. */
  readonly reviewer: string | null;
  readonly selfReview: boolean;
};

/** Serves the tools on standard input and output until the client disconnects or `stop` aborts. */
export async function serve(options: ServeOptions, stop: AbortSignal): Promise<void> {
  // Stop running reviewers when the client disconnects, because no one would read their result.
  const gone = new AbortController();
  const server = serveStdio(() => buildServer(options, gone.signal), {
    onerror: (error) => process.stderr.write(`onceover mcp: ${describeError(error)}\n`),
  });
  await new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    process.stdin.once('close', resolve);
    process.stdin.once('end', resolve);
    process.stdout.once('error', () => resolve());
    process.stdout.once('close', resolve);
  });
  gone.abort();
  await server.close();
}

// For an invalid message the SDK's error is a long list of schema issues.
function describeError({ message }: Error): string {
  if (message.startsWith('[')) return 'ignored an invalid message from the client';
  return message.split('\n', 1)[0] ?? '';
}

/** Returns the server with its tools. docs/mcp.md is generated from it. */
export function buildServer(options: ServeOptions, gone: AbortSignal): McpServer {
  const { root, platform } = options;
  const server = new McpServer({ name: 'onceover', version }, { instructions: INSTRUCTIONS });

  server.registerTool(
    'get_review_instructions',
    {
      title: 'Get the reviews to do',
      description:
        'Writes one instruction file for each review that the current change needs, and lists what to run. Skips reviews that passed and whose files have not changed.',
      inputSchema: onlyInput({ files: pathList('Files to review instead of the change') }),
      outputSchema: instructionsSchema.extend({ next: z.string().describe('What to do next.') }),
    },
    async (input) =>
      answer(await instructions(root, { files: given(input.files), base: null }), (outcome) => {
        const next = nextOfInstructions(outcome);
        const listed = describeInstructions(outcome, platform);
        const text = listed.endsWith(next) ? listed : `${listed}\n\n${next}`;
        const document = { ...instructionsDocument(outcome, platform), next };
        return [text, document, outcome.notices.map(describeNotice)];
      }),
  );

  server.registerTool(
    'get_configured_reviews',
    {
      title: 'List the review rules',
      description: 'Lists the review rules of this repository, whether or not their reviews passed.',
      inputSchema: onlyInput({ only_rules_matching_files: pathList('Only rules that match one of these files') }),
      outputSchema: rulesSchema,
      annotations: { readOnlyHint: true },
    },
    async (input) => {
      const files = given(input.only_rules_matching_files);
      return answer(await rules(root, files), (found) => [
        describeRules(found.rules, files?.names ?? null),
        rulesDocument(found.rules, found.notices),
        found.notices.map(describeNotice),
      ]);
    },
  );

  server.registerTool(
    'mark_review_as_passed',
    {
      title: 'Mark a review as passed',
      description:
        'Marks a review as passed, so that it is skipped until one of its files changes. Call it only after you did the review and found nothing to change.',
      inputSchema: onlyInput({ review_id: z.string().describe('The id exactly as the instruction file gives it.') }),
      outputSchema: passSchema,
      annotations: { idempotentHint: true },
    },
    async (input) =>
      answer(await pass(root, input.review_id, 'mcp'), (marked) => [describePass(marked), passDocument(marked)]),
  );
  addRunTools(server, root);
  addPhaseTools(server, root);
  addWorkflowTools(server, options, gone);
  return server;
}

const INSTRUCTIONS =
  "onceover reviews the current change. To run the gates of onceover.yml: call start_run, then get_run until its state is no longer running; fix the open findings and start again. To review with your own sub-agents: call get_review_instructions, give each listed file to its own sub-agent, fix what they find, and call it again until no review is left. To review a feature's spec, design, plan, tasks or code in a loop: call start_phase, fix the open issues, and call continue_phase with a summary until the loop has ended. To work through a workflow: call get_workflows and start_workflow, do the step and call finished_step, until the workflow is complete.";

function given(names: readonly string[] | null | undefined) {
  return names === null || names === undefined ? null : ({ names, source: 'tool' } as const);
}
