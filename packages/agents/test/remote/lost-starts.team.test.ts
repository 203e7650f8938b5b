import { randomUUID } from 'node:crypto';
import { addQueues, openWorkerBoss } from '@onceover/store/boss';
import { connect } from '@onceover/store/connect';
import { migrate } from '@onceover/store/migrate';
import { openTakenCalls } from '@onceover/team/src/worker/take-calls.ts';
import { openUnsentAnswers } from '@onceover/team/src/worker/unsent-answers.ts';
import { databaseOfTest, sqlAt } from '@onceover/testing/postgres.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { until } from '@onceover/testing/until.ts';
import { ask, changedRepo, openClient, scriptedAgent, startWorker, subjectOf } from '@onceover/testing/workers.ts';
import { expect, onTestFinished, test } from 'vitest';
import { madeBy, queueName } from '../../src/remote/decide-call.ts';

const HEARTBEAT = { heartbeatSeconds: 60 };

/** Takes the call of a client as a worker does, and can leave it as a killed worker does. */
async function openTakes() {
  const url = await databaseOfTest();
  const connection = await connect(url);
  if (!connection.ok) throw new Error(JSON.stringify(connection.failure));
  const database = connection.value;
  onTestFinished(() => database.close());
  await migrate(database);
  const boss = await openWorkerBoss(url, database, HEARTBEAT);
  if (!boss.ok) throw new Error(JSON.stringify(boss.failure));
  onTestFinished(() => boss.value.stop({ graceful: false }));
  const agent = scriptedAgent();
  const { name, settings } = agent;
  const offer = { agent: name, made: madeBy(settings), version: '1', usualModel: null, account: name };
  await addQueues(boss.value, [queueName(offer)], HEARTBEAT);
  const calls = openTakenCalls(database, boss.value, randomUUID(), HEARTBEAT.heartbeatSeconds);
  await calls.register('worker', [offer], new Map());
  const repo = changedRepo();
  const client = await openClient(url, repo, [agent]);
  const answer = ask(client, subjectOf(repo));
  const take = () => calls.take(offer);
  return {
    ...{ url, agent, asked: answer, calls, take },
    /** Takes the call as soon as it is in the queue. */
    async takeCall() {
      let result = await take();
      await until(async () => {
        if (result.kind !== 'taken') result = await take();
        return result.kind === 'taken';
      });
      if (result.kind !== 'taken') throw new Error(result.kind);
      return result.call;
    },
    /** Does what pg-boss does when the heartbeat of a worker stops. */
    die: () => sqlAt(url)(`UPDATE onceover_queue.job SET state = 'retry' WHERE state = 'active'`),
  };
}

test('a call fails when six workers have died while its agent ran', async () => {
  const { asked, calls, take, takeCall, die } = await openTakes();
  for (let deaths = 0; deaths < 6; deaths++) {
    await calls.calling(await takeCall());
    await die();
  }
  expect(await take()).toEqual({ kind: 'ended' });
  expect(await take()).toEqual({ kind: 'none' });
  expect(await asked).toMatchObject({
    ok: false,
    failure: { kind: 'agent-error', said: 'the workers that called it stopped several times' },
  });
});

test('a worker that dies before the agent starts does not count', async () => {
  const { asked, calls, takeCall, die } = await openTakes();
  for (let deaths = 0; deaths < 5; deaths++) {
    await calls.calling(await takeCall());
    await die();
  }
  for (let deaths = 0; deaths < 10; deaths++) {
    await takeCall();
    await die();
  }
  const call = await takeCall();
  await calls.calling(call);
  const reply = { text: '{}', structured: {}, sessionId: null, usage: null, sessionUsage: null, filesRead: null };
  await calls.end(call, { ok: true, reply, model: null, durationMs: 1 });
  expect(await asked).toMatchObject({ ok: true });
});

test('an answer that a killed worker had on its disk is stored by the next worker, and not paid again', async () => {
  const { url, agent, asked, takeCall } = await openTakes();
  const call = await takeCall();
  const folder = temporaryFolder();
  const reply = {
    text: '{"paid":1}',
    structured: {},
    sessionId: null,
    usage: null,
    sessionUsage: null,
    filesRead: null,
  };
  openUnsentAnswers(folder).keep({ call, end: { ok: true, reply, model: null, durationMs: 1 } });
  await startWorker(url, [agent], { folder });
  expect(await asked).toMatchObject({ ok: true, reply: { text: '{"paid":1}' } });
  expect(agent.calls()).toEqual([]);
  expect(openUnsentAnswers(folder).all()).toEqual([]);
});
