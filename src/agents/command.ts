import { isRecord } from '../domain/is-record.ts';
import { lastObject } from '../domain/last-object.ts';
import { type Agent, type Heard, NOTHING_HEARD, oneText } from './agent.ts';
import { isAmount, number, readEvent, text } from './events.ts';

/** An agent of the user's own: prompt on standard input, the last object on standard output is its answer. */
export function commandAgent(given: {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly resume: boolean;
}): Agent {
  const [program, ...args] = given.command;
  return {
    name: given.name,
    program,
    testedVersion: null,
    abilities: { schema: false, readOnly: 'nothing', usage: 'if-told', stablePart: 'not-cached', stopHook: 'none' },
    canFix: true,
    diffLimit: 400_000,
    warmMinutes: { '5m': 5, '1h': 5 },
    install: null,
    variables: ['*'],

    invoke(question, put) {
      const session: Record<string, string> =
        given.resume && question.sessionId !== null ? { ONCEOVER_SESSION: question.sessionId } : {};
      return {
        args,
        env: { ONCEOVER_SCHEMA: put('schema.json', JSON.stringify(question.schema)), ...session },
        input: oneText(question),
      };
    },

    hear: (heard) => heard,
    conclude: (stdout, question) => ({
      ...NOTHING_HEARD,
      ...answerFacts(stdout, question.sessionId),
      text: stdout,
      done: true,
    }),
    explain: () => null,
  };
}

/** What an answer says beside the answer itself: its session, which it keeps by saying nothing, and its usage. */
function answerFacts(stdout: string, asked: string | null): Pick<Heard, 'sessionId' | 'usage'> {
  const found = lastObject(stdout);
  const answer = found.kind === 'object' ? readEvent(found.text) : null;
  const usage = answer?.['usage'];
  return {
    sessionId: text(answer, 'session_id') ?? asked,
    usage: isRecord(usage)
      ? {
          inputTokens: number(usage, 'input_tokens'),
          cachedInputTokens: number(usage, 'cached_input_tokens'),
          cacheWriteTokens: number(usage, 'cache_write_tokens'),
          outputTokens: number(usage, 'output_tokens'),
          costUsd: isAmount(usage['cost_usd']) ? usage['cost_usd'] : null,
        }
      : null,
  };
}
