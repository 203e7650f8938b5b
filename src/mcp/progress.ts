import type { ServerContext } from '@modelcontextprotocol/server';
import type { Waiting } from '../domain/waiting.ts';

type Progress = { readonly progress: number; readonly total?: number; readonly message: string };

/** Tells a client that wants to hear it how far something is; many wait longer for one that is at work. */
export function progressTo({ mcpReq }: ServerContext): (progress: Progress) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  return (progress) => {
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...progress } }).catch(() => {});
  };
}

/** Waits for as long as the client does at most, and tells it the latest line. */
export function waitingWith(context: ServerContext, seconds: number): Waiting {
  const tell = progressTo(context);
  let lines = 0;
  return {
    seconds,
    stop: context.mcpReq.signal,
    heard(message) {
      lines += 1;
      tell({ progress: lines, message });
    },
  };
}
