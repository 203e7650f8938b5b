import { quoteName } from '@onceover/base/kernel/escape';
import { isRecord, objectsIn } from '@onceover/base/kernel/json';
import { sentText } from '@onceover/base/kernel/prompt';
import { isAmount } from '@onceover/base/kernel/shape';
import { type Agent, type AgentEvents, NO_EVENTS } from './agent.ts';
import { numberAt, readEvent, stringAt } from './parse-output.ts';

/** Returns an agent that runs a custom command. The command prints its answer as a JSON object on standard output. */
export function commandAgent(definition: {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly resume: boolean;
}): Agent {
  const [program, ...args] = definition.command;
  return {
    name: definition.name,
    program,
    testedVersion: null,
    abilities: {
      schema: false,
      readOnly: 'nothing',
      usage: 'if-told',
      stablePart: 'not-cached',
      stopHook: 'none',
      fork: 'none',
    },
    canFix: true,
    diffLimit: 400_000,
    priceProvider: null,
    install: null,
    variables: ['*'],
    sessionLost: null,

    invoke(question, putFile) {
      const session: Record<string, string> =
        definition.resume && question.sessionId !== null ? { ONCEOVER_SESSION: question.sessionId } : {};
      return {
        args,
        env: {
          ONCEOVER_SCHEMA: putFile('schema.json', JSON.stringify(question.schema)),
          ...(question.root === undefined ? {} : { ONCEOVER_ROOT: question.root }),
          ...session,
        },
        input: `${question.startsFromBase === true ? whereFilesAre(question.root) : ''}${sentText(question)}`,
      };
    },

    hear: (events) => events,
    conclude: (stdout, question) => ({
      ...NO_EVENTS,
      ...answerFacts(stdout, question.sessionId),
      text: stdout,
      done: true,
    }),
  };
}

// Without this sentence, the model behind the command would read the files of the base branch instead of the change.
function whereFilesAre(root = ''): string {
  return `The working directory contains the base branch. The files under review are in ${quoteName(root)}.\n\n`;
}

/**
 * Returns the session id and the usage in the answer. If the answer has no session id, returns that of the question
 * (`requestedId`).
 */
function answerFacts(stdout: string, requestedId: string | null): Pick<AgentEvents, 'sessionId' | 'usage'> {
  const jsonObjects = objectsIn(stdout);
  const answer = jsonObjects.kind === 'found' ? readEvent(jsonObjects.texts.at(-1) ?? '') : null;
  const usage = answer?.['usage'];
  return {
    sessionId: stringAt(answer, 'session_id') ?? requestedId,
    usage: isRecord(usage)
      ? {
          inputTokens: numberAt(usage, 'input_tokens'),
          cachedInputTokens: numberAt(usage, 'cached_input_tokens'),
          cacheWriteTokens: numberAt(usage, 'cache_write_tokens'),
          outputTokens: numberAt(usage, 'output_tokens'),
          costUsd: isAmount(usage['cost_usd']) ? usage['cost_usd'] : null,
        }
      : null,
  };
}
