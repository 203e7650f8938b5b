import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import type { AgentQuestion } from '../../src/adapters/agent.ts';
import { callAgent } from '../../src/adapters/call-agent.ts';
import { commandAgent } from '../../src/adapters/command.ts';

const QUESTION: AgentQuestion = {
  stable: 'Rules.',
  dynamic: 'Look at this.',
  schema: { type: 'object' },
  sessionId: null,
  newSessionId: 'new',
  usedBefore: null,
  model: null,
  cacheTtl: '5m',
  timeoutSeconds: 60,
};

test('an agent that prints 500 MB before it answers', async () => {
  const before = process.memoryUsage().rss;
  const script = `const b=Buffer.alloc(1<<20,"x");let n=500;(function w(){while(n-->0)if(!process.stdout.write(b))return process.stdout.once("drain",w);console.log("\\n{}")})()`;
  const agent = commandAgent({ name: 'house', command: [process.execPath, '-e', script], resume: true });
  const end = await callAgent({
    agent,
    program: agent.program,
    cwd: temporaryFolder(),
    env: { PATH: process.env['PATH'] ?? '' },
    question: QUESTION,
    idleSeconds: 10,
    signal: null,
  });
  expect(end).toMatchObject({ failure: { kind: 'unreadable-answer', why: 'truncated' } });
  expect(process.memoryUsage().rss - before).toBeLessThan(300e6);
});
