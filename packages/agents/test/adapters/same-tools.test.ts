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
      const started = (sessionId: string | null) => {
        const files: string[] = [];
        const put = (name: string, text: string) => {
          files.push(`${name}: ${text}`);
          return `/${name}`;
        };
        const { args, env } = invoke({ ...QUESTION, sessionId, writes }, put, '/repo');
        return { args, env, files };
      };
      const [fresh, resumed] = [started(null), started('s1')];
      expect({ env: resumed.env, files: resumed.files }).toEqual({ env: fresh.env, files: fresh.files });
      const other = (args: readonly string[]) => args.filter((one) => !SESSION.includes(one));
      expect(other(resumed.args)).toEqual(other(fresh.args));
      expect(resumed.args).toContain('s1');
    },
  );
});
