// An agent that speaks ACP. What it does is in the variable ACP_AGENT, as JSON; sessions are files in the folder ACP_HOME.
import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const plan = JSON.parse(process.env.ACP_AGENT ?? '{}');
const home = process.env.ACP_HOME;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const log = (what) => appendFileSync(join(home, 'log.jsonl'), `${JSON.stringify(what)}\n`);
const update = (sessionId, told) => send({ method: 'session/update', params: { sessionId, update: told } });
const say = (sessionId, text, more = {}) =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more });

let asked = 100;
const waiting = new Map();
function ask(method, params) {
  asked += 1;
  send({ id: asked, method, params });
  return new Promise((resolve) => waiting.set(asked, resolve));
}

const GOOD = '{"status":"pass","violations":[],"message":"fine"}';

async function prompt(id, { sessionId, prompt }) {
  log({ prompt: prompt[0].text, cwd: process.cwd(), files: readdirSync('.'), pwd: process.env.PWD });
  appendFileSync(join(home, sessionId), 'turn\n');
  if (plan.hang) return;
  if (plan.exit !== undefined) process.exit(plan.exit);
  for (const line of plan.lines ?? []) process.stdout.write(`${line}\n`);
  for (const [method, params] of plan.requests ?? [])
    log({ method, answer: await ask(method, { sessionId, ...params }) });
  for (const path of plan.writes ?? []) {
    try {
      writeFileSync(path, 'written by the agent');
      log({ wrote: path });
    } catch (error) {
      log({ refused: path, code: error.code });
    }
  }
  update(sessionId, {
    sessionUpdate: 'tool_call',
    toolCallId: 't',
    title: 'Read a.txt',
    kind: 'read',
    locations: [{ path: join(process.cwd(), 'a.txt') }],
  });
  if (plan.repeat !== undefined) say(sessionId, 'x'.repeat(plan.repeat));
  for (const text of plan.answer ?? [GOOD]) say(sessionId, text);
  if (plan.error !== undefined) return send({ id, error: plan.error });
  if (plan.result !== undefined) return send({ id: plan.id ?? id, result: plan.result });
  send({
    id: plan.id ?? id,
    result: { stopReason: plan.stopReason ?? 'end_turn', ...(plan.usage ? { usage: plan.usage } : {}) },
  });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, ...rest } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(rest);
  log({ method, params: method === 'session/prompt' ? null : params });
  if (plan.fails?.[method] !== undefined) return send({ id, error: plan.fails[method] });
  switch (method) {
    case 'initialize':
      return send({
        id,
        result: { protocolVersion: plan.version ?? 1, agentCapabilities: plan.abilities ?? { loadSession: true } },
      });
    case 'session/new':
      return send({ id, result: { sessionId: plan.sessionId ?? 'ses_1', ...plan.offers } });
    case 'session/load':
    case 'session/resume':
      if (!existsSync(join(home, params.sessionId)))
        return send({ id, error: { code: -32603, message: 'no such session' } });
      if (method === 'session/load')
        say(params.sessionId, '{"status":"pass","violations":[],"message":"an old answer"}');
      return send({ id, result: {} });
    case 'session/prompt':
      return void prompt(id, params);
    default:
      return send({ id, result: {} });
  }
});
