import { describe, expect, test } from 'vitest';
import type { AgentQuestion } from '../../src/adapters/agent.ts';
import { loadAgents } from '../../src/adapters/table.ts';

const AGENTS = await loadAgents();

const QUESTION: AgentQuestion = {
  stable: 'stable',
  dynamic: 'dynamic',
  schema: {},
  sessionId: null,
  newSessionId: 'new-one',
  usedBefore: null,
  cacheTtl: '5m',
  timeoutSeconds: 1,
  model: 'model',
};

/** Removes the options that name a session, new or resumed. */
const SESSION = ['--session-id', 'new-one', '--title', 'onceover review', '--resume', 'resume', '--session', 's1'];

describe.each(AGENTS)('$name', ({ invoke }) => {
  test.each([
    ['reads', false],
    ['writes', true],
  ])(
    'resumed, who %s has the tools, settings and environment of a fresh dispatch [REUSE-C/same-tools]',
    (_title, writes) => {
      const invocationOf = (sessionId: string | null) => {
        const files: string[] = [];
        const putFile = (name: string, text: string) => {
          files.push(`${name}: ${text}`);
          return `/${name}`;
        };
        const { args, env } = invoke({ ...QUESTION, sessionId, writes }, putFile, '/repo');
        return { args, env, files };
      };
      const [freshCall, resumedCall] = [invocationOf(null), invocationOf('s1')];
      expect({ env: resumedCall.env, files: resumedCall.files }).toEqual({
        env: freshCall.env,
        files: freshCall.files,
      });
      const withoutSession = (args: readonly string[]) => args.filter((arg) => !SESSION.includes(arg));
      expect(withoutSession(resumedCall.args)).toEqual(withoutSession(freshCall.args));
      expect(resumedCall.args).toContain('s1');
    },
  );
});
