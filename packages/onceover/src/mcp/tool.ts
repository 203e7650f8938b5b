import type { ServerContext } from '@modelcontextprotocol/server';
import type { WaitOptions } from '@onceover/base/kernel/ports';
import type { Result } from '@onceover/base/kernel/result';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { someNames } from '@onceover/base/ui/wording';
import * as z from 'zod';

/**
 * Returns the result of a tool as text and as JSON, because some clients show only one of them. A failure is only text.
 */
export function answer<Value, Document>(
  result: Result<Value>,
  show: (value: Value) => readonly [text: string, document: Document, warnings?: readonly string[]],
) {
  if (!result.ok) {
    const { what, next } = describeFailure(result.failure);
    return { content: [{ type: 'text' as const, text: `${what}\n${next}` }], isError: true };
  }
  const [text, structuredContent, warnings = []] = show(result.value);
  const paragraphs = [text, ...warnings.map((warning) => `Warning: ${warning}`)];
  return { content: [{ type: 'text' as const, text: paragraphs.join('\n\n') }], structuredContent };
}

/**
 * Returns an input schema that rejects unknown parameters. If a misspelt filter were ignored, the tool would apply to
 * everything.
 */
export function onlyInput<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const parameterNames = Object.keys(shape).join(', ') || 'nothing';
  const error = (issue: z.core.$ZodRawIssue) =>
    issue.code === 'unrecognized_keys'
      ? `${someNames(issue.keys)} is unknown; the tool takes: ${parameterNames}`
      : undefined;
  return z.strictObject(shape, { error });
}

/** Returns the schema of the parameter that says how long a tool waits for background work. */
export function waitSeconds(work: string) {
  return z.number().min(0).max(600).default(50).describe(`How long to wait for the end of ${work}, in seconds.`);
}

/** Returns the schema of a parameter with a list of paths. */
export function pathList(description: string) {
  return z.array(z.string()).nullish().describe(`${description}. Paths are relative to the repository root.`);
}

type Progress = { readonly progress: number; readonly total?: number; readonly message: string };

/** Sends progress if the client asked for it. Many clients extend their timeout when they get progress. */
export function sendProgress({ mcpReq }: ServerContext, progress: Progress): void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...progress } }).catch(() => {});
}

/**
 * Returns the options to wait at most `seconds`, or until the client cancels. Each new progress line is sent to the
 * client.
 */
export function waitingWith(context: ServerContext, seconds: number): WaitOptions {
  let lines = 0;
  const sendMessage = (message: string) => sendProgress(context, { progress: ++lines, message });
  return { seconds, stop: context.mcpReq.signal, heard: sendMessage };
}
