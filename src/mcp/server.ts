import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { instructions, pass, rules } from '../app.ts';
import { instructionsDocument, passDocument, rulesDocument } from '../report/documents.ts';
import { instructionsSchema, passSchema, rulesSchema } from '../report/schemas.ts';
import { nextOfInstructions, tellInstructions } from '../text/instructions.ts';
import { tellNotice } from '../text/notice.ts';
import { tellPass } from '../text/pass.ts';
import { tellRules } from '../text/rules.ts';
import { version } from '../version.ts';
import { answered, rejected, withWarnings } from './answer.ts';
import { onlyInput, pathList } from './inputs.ts';
import { addPhaseTools } from './phase-tools.ts';
import { addRunTools } from './run-tools.ts';
import { addWorkflowTools } from './workflow-tools.ts';

/** Which repository is served, whose personas are named, and who reviews the outputs of workflows. */
export type ServeOptions = {
  readonly root: string;
  readonly platform: string;
  /** Null: Claude Code where it is here. */
  readonly reviewer: string | null;
  readonly selfReview: boolean;
};

/** Serves the tools on standard input and output until the client goes, or it is told to stop. */
export async function serve(options: ServeOptions, stop: AbortSignal): Promise<void> {
  // Reviewers that nobody hears any more are ended with the client.
  const gone = new AbortController();
  const server = serveStdio(() => buildServer(options, gone.signal), {
    onerror: (error) => process.stderr.write(`onceover mcp: ${tellError(error)}\n`),
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

// What is no message is told by a list of all that it could have been.
function tellError({ message }: Error): string {
  if (message.startsWith('[')) return 'what the client sent is no message of the protocol, and was left aside';
  return message.split('\n', 1)[0] ?? '';
}

/** The server with its tools; docs/mcp.md is made from it too. */
export function buildServer(options: ServeOptions, gone: AbortSignal): McpServer {
  const { root, platform } = options;
  const server = new McpServer({ name: 'onceover', version }, { instructions: INSTRUCTIONS });

  server.registerTool(
    'get_review_instructions',
    {
      title: 'Reviews to do',
      description:
        'Writes one instruction file for each review that the present change asks for and lists what to dispatch. Reviews that passed and whose files have not changed since are skipped.',
      inputSchema: onlyInput({
        files: pathList('Files to review instead of the change'),
      }),
      outputSchema: instructionsSchema.extend({ next: z.string().describe('What to do now.') }),
    },
    async (input) => {
      const outcome = await instructions(root, { files: given(input.files), base: null });
      if (!outcome.ok) return rejected(outcome.failure);
      const next = nextOfInstructions(outcome.value);
      const told = tellInstructions(outcome.value, platform);
      const text = withWarnings(
        told.endsWith(next) ? told : `${told}\n\n${next}`,
        outcome.value.notices.map(tellNotice),
      );
      return answered(text, { ...instructionsDocument(outcome.value, platform), next });
    },
  );

  server.registerTool(
    'get_configured_reviews',
    {
      title: 'Configured review rules',
      description: 'Lists the review rules of this repository, whether or not their reviews have passed.',
      inputSchema: onlyInput({
        only_rules_matching_files: pathList('Only rules that match one of these files'),
      }),
      outputSchema: rulesSchema,
      annotations: { readOnlyHint: true },
    },
    async (input) => {
      const asked = given(input.only_rules_matching_files);
      const found = await rules(root, asked);
      if (!found.ok) return rejected(found.failure);
      const text = withWarnings(
        tellRules(found.value.rules, asked?.names ?? null),
        found.value.notices.map(tellNotice),
      );
      return answered(text, rulesDocument(found.value.rules, found.value.notices));
    },
  );

  server.registerTool(
    'mark_review_as_passed',
    {
      title: 'Mark a review as passed',
      description:
        'Marks a review as passed, so that it is not asked for again until one of its files changes. Call it only after doing the review and finding nothing that has to change.',
      inputSchema: onlyInput({ review_id: z.string().describe('The id exactly as the instruction file gives it.') }),
      outputSchema: passSchema,
      annotations: { idempotentHint: true },
    },
    async (input) => {
      const marked = await pass(root, input.review_id, 'mcp');
      if (!marked.ok) return rejected(marked.failure);
      return answered(tellPass(marked.value), passDocument(marked.value));
    },
  );
  addRunTools(server, root);
  addPhaseTools(server, root);
  addWorkflowTools(server, options, gone);
  return server;
}

const INSTRUCTIONS =
  "Reviews of the present change. To have the gates of onceover.yml run: start_run, then get_run until its state is no longer running; mend what is open and start it again. To review with sub-agents of your own: get_review_instructions, give each listed file to a reviewer of its own, mend what they find, and call it again until nothing is left to do. To have a feature's spec, design, plan, tasks or code reviewed in a loop: start_phase, mend what is open, and continue_phase with a summary until it has ended. To work through the steps of a workflow: get_workflows, start_workflow, do the step and call finished_step, until the workflow is complete.";

function given(names: readonly string[] | null | undefined) {
  return names === null || names === undefined ? null : ({ names, source: 'tool' } as const);
}
