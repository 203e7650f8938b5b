import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { version } from '@onceover/base/version';
import { addPhaseTools, addRunTools } from './background-tools.ts';
import { addRuleTools } from './rule-tools.ts';
import { addWorkflowTools } from './workflow-tools.ts';

/** The options of the MCP server: the repository, the platform of the client, and the reviewer of workflow outputs. */
export type ServeOptions = {
  readonly root: string;
  readonly platform: string;
  /** The agent that reviews workflow outputs; null for Claude Code, if it is installed. */
  readonly reviewer: string | null;
  readonly selfReview: boolean;
};

/** Serves the MCP tools on standard input and output, until the client disconnects or `stop` is aborted. */
export async function serve(options: ServeOptions, stop: AbortSignal): Promise<void> {
  // If the client disconnects, this aborts the workflow reviews that still run, because no one would read their
  // results.
  const disconnection = new AbortController();
  const server = serveStdio(() => buildServer(options, disconnection.signal), {
    onerror: (error) => process.stderr.write(`onceover mcp: ${describeError(error)}\n`),
  });
  await new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    process.stdin.once('close', resolve);
    process.stdin.once('end', resolve);
    process.stdout.once('error', () => resolve());
    process.stdout.once('close', resolve);
  });
  disconnection.abort();
  await server.close();
}

// Returns the message of an error. For an invalid MCP message, the SDK's text is a long list of schema issues, so one
// sentence replaces it.
function describeError({ message }: Error): string {
  if (message.startsWith('[')) return 'ignored an invalid message from the client';
  return message.split('\n', 1)[0] ?? '';
}

/** Returns the MCP server with its tools. The page docs/mcp.md is generated from this server. */
export function buildServer(options: ServeOptions, disconnection: AbortSignal): McpServer {
  const { root, platform } = options;
  const server = new McpServer({ name: 'onceover', version }, { instructions: INSTRUCTIONS });

  addRuleTools(server, root, platform);
  addRunTools(server, root);
  addPhaseTools(server, root);
  addWorkflowTools(server, options, disconnection);
  return server;
}

const INSTRUCTIONS =
  "onceover reviews the current change. To run the gates of onceover.yml: call start_run, then get_run until its state is no longer running; fix the open findings and start again. To review with your own sub-agents: call get_review_instructions, give each listed file to its own sub-agent, fix what they find, and call it again until no review is left. To review a feature's spec, design, plan, tasks or code in a loop: call start_phase, fix the open issues, and call continue_phase with a summary until the loop has ended. To work through a workflow: call get_workflows and start_workflow, do the step and call finished_step, until the workflow is complete.";
