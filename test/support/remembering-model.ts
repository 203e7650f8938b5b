import type { RealAgent } from './agent-clis.ts';
import type { JsonObject } from './model-sim/json.ts';
import type { Answer, RequestSummary } from './model-sim/script.ts';

/** A model for the probe of V1 to V4: it knows only the text in the request, so it remembers only repeated text. */
export function rememberingModel(real: RealAgent): (request: RequestSummary) => Answer {
  return (request) =>
    probedAnswer(request, real.read) ?? { kind: 'structured', value: { reply: 'nothing', issues: [] } };
}

/** Returns the answer to a question of the probe; `null` for every other question. */
export function probedAnswer(
  request: RequestSummary,
  read: (path: string) => { readonly name: string; readonly input: JsonObject },
): Answer | null {
  const sent = JSON.stringify(request.body)
    .replaceAll('\\\\n', '\n')
    .replaceAll('\\n', '\n')
    .replaceAll('\\\\"', '"')
    .replaceAll('\\"', '"');
  const line = /# Export [0-9a-f]{16}/.exec(sent)?.[0] ?? 'nothing';
  const say = (reply: string, issues: number): Answer => ({
    kind: 'structured',
    value: { reply, issues: Array.from({ length: issues }, () => ({ description: 'It is unclear.' })) },
  });
  const asked = request.lastUserText;
  if (asked.includes('Repeat verbatim')) return say(line, 0);
  if (asked.includes('How many issues')) return say(String(sent.match(/It is unclear\./g)?.length ?? 0), 0);
  if (asked.includes('Confirm ')) return say('Yes.', 0);
  const told = /The code word is "([^"]+)"/.exec(sent)?.[1] ?? 'none';
  if (asked.includes('What is the code word')) return say(told, 0);
  const path = /Review this file: (\S+)\. List/.exec(sent)?.[1];
  if (line === 'nothing' && path !== undefined) return { kind: 'tools', calls: [read(path)] };
  return path === undefined ? null : say(line, 3);
}
