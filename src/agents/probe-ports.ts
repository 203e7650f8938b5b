import { randomBytes, randomUUID } from 'node:crypto';
import type { ProbePorts } from '../domain/capability.ts';
import type { Usage } from '../domain/usage.ts';
import { makeScratch } from '../io/scratch.ts';
import { dispatch } from './dispatch.ts';
import type { KnownAgent } from './inspect.ts';

/** A probe of an agent in a folder of its own, which goes when it is closed. */
type AgentProbe = ProbePorts & { close(): void };

const STABLE = 'You review a short text and answer questions about your review. Answer with JSON and nothing else.';
const TIMEOUT_SECONDS = 180;

/** Opens a probe of an installed agent. */
export function openProbe(
  known: KnownAgent & { readonly program: string },
  schemas: { readonly schema: object; readonly strictSchema: object },
  options: { readonly scratchBase?: string; readonly signal: AbortSignal | null },
): AgentProbe {
  const scratch = makeScratch(options.scratchBase);
  let usedBefore: Usage | null = null;
  return {
    async ask(prompt, sessionId) {
      const end = await dispatch({
        agent: known.agent,
        program: known.program,
        cwd: scratch.folder,
        env: known.env,
        question: {
          stable: STABLE,
          dynamic: prompt,
          ...schemas,
          sessionId,
          newSessionId: randomUUID(),
          usedBefore: sessionId === null ? null : usedBefore,
          model: known.settings?.model ?? null,
          cacheTtl: '5m',
          timeoutSeconds: TIMEOUT_SECONDS,
        },
        idleSeconds: TIMEOUT_SECONDS,
        signal: options.signal,
        ...(options.scratchBase === undefined ? {} : { scratchBase: options.scratchBase }),
      });
      if (!end.ok) return { ok: false, failure: end.failure };
      usedBefore = end.reply.sessionUsage;
      const { text, structured, sessionId: session } = end.reply;
      return { ok: true, text, structured, sessionId: session, durationMs: end.durationMs };
    },
    writeFile: (text) => scratch.put('spec.md', text),
    randomLine: () => `Export ${randomBytes(8).toString('hex')}`,
    close: () => scratch.remove(),
  };
}
