import type { ReportedFinding } from '@onceover/gates/findings/types';
import type { RunDocument } from '@onceover/gates/result/json';
import { documentWith, findingOn, publishOptions } from '@onceover/testing/forges/documents.ts';
import { memoryForge } from '@onceover/testing/forges/memory-forge.ts';
import { openWorld, type World } from '@onceover/testing/forges/world.ts';
import { waiver } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { markerOf, withMarker } from '../src/describe-marker.ts';
import { describePublished } from '../src/describe-publish.ts';
import { publishRun } from '../src/publish.ts';

const LINE = 'const added = 1;';
const FIX = `\`\`\`\n${LINE.replace('1', '2')}\n\`\`\``;

/** Findings of two reviewers that quote the same code, so that they have the same fingerprint. */
const FIRST = findingOn('src/a.ts', LINE, 'open', { fix: FIX });
const SECOND = findingOn('src/a.ts', LINE, 'open', { id: 'F2', slot: 2, agent: 'codex', issue: 'It is unused.' });

const shop = () => openWorld({ base: {}, files: { 'src/a.ts': `${LINE}\n` } });

const closed = ({ finding }: ReportedFinding, why: string): ReportedFinding => ({
  finding: { ...finding, closed: { how: 'fixed', why, iteration: 2 } },
  state: 'closed',
});

async function publish(world: World, document: RunDocument) {
  const outcome = await publishRun(memoryForge(world), publishOptions(document, world.data.head), async () => {});
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
  return outcome.value;
}

const bodies = ({ data }: World) => data.threads.map(({ comments }) => comments.map(({ body }) => body));

describe('a thread of two reviewers that quote the same code', () => {
  test('a finding of a second reviewer in a later run is added to the thread', async () => {
    const world = shop();
    await publish(world, documentWith([FIRST]));
    expect(bodies(world)[0]?.[0]).toContain('suggestion');
    const { steps } = await publish(world, documentWith([FIRST, SECOND]));
    expect(steps.map(({ action }) => action.kind)).toContain('edit-thread');
    const [[body = ''] = []] = bodies(world);
    expect(bodies(world)).toHaveLength(1);
    expect(body).toContain('**F1 high** · `review:src:code-quality`, reviewer 1 (`claude`)');
    expect(body).toContain('**F2 high** · `review:src:code-quality`, reviewer 2 (`codex`)');
    expect(body).toContain('`onceover resolve F1 F2 --skip "why"`');
    expect((await publish(world, documentWith([FIRST, SECOND]))).steps).toEqual([]);
  });

  test('it stays open until both findings are closed', async () => {
    const world = shop();
    await publish(world, documentWith([FIRST, SECOND]));
    await publish(world, documentWith([closed(FIRST, 'It is 2.'), SECOND]));
    expect(world.data.threads[0]?.resolvedBy).toBeNull();
    expect(bodies(world)[0]).toHaveLength(1);
  });

  test.each<[string, readonly ReportedFinding[], string]>([
    [
      'both confirmed',
      [closed(FIRST, 'It is 2.'), closed(SECOND, 'It is used.')],
      [
        '**F1** fixed, as reviewer 1 (`claude`) confirmed: It is 2.',
        '**F2** fixed, as reviewer 2 (`codex`) confirmed: It is used.',
      ].join('\n\n'),
    ],
    [
      'one confirmed, and a person waived the other',
      [closed(FIRST, 'It is 2.'), { finding: { ...SECOND.finding, resolution: waiver() }, state: 'waived' }],
      '**F1** fixed, as reviewer 1 (`claude`) confirmed: It is 2.\n\n**F2** waived by `ann`: It has to be so.',
    ],
    [
      'the newest answer of each reviewer counts',
      [
        closed({ ...FIRST, finding: { ...FIRST.finding, id: 'F9' } }, 'It is 2 again.'),
        closed(SECOND, 'It is used.'),
        closed(FIRST, 'It is 2.'),
      ],
      [
        '**F9** fixed, as reviewer 1 (`claude`) confirmed: It is 2 again.',
        '**F2** fixed, as reviewer 2 (`codex`) confirmed: It is used.',
      ].join('\n\n'),
    ],
  ])('the closing reply says who closed each finding: %s', async (_title, findings, expected) => {
    const world = shop();
    await publish(world, documentWith([FIRST, SECOND]));
    await publish(world, documentWith(findings));
    expect(world.data.threads[0]?.resolvedBy).toBe(world.viewer);
    expect(bodies(world)[0]?.[1]).toBe(withMarker({ kind: 'closed' }, `${expected}\n`));
  });
});

test('no password that a reviewer quotes is published, and its thread is still on its line', async () => {
  const world = shop();
  const secret = 'postgres://onceover:correct-horse@db.example.com';
  const leak = findingOn('src/a.ts', LINE, 'open', { issue: `It uses ${secret}`, fix: `Not ${secret}` });
  const document = documentWith([leak]);
  const gates = document.gates.map((gate) => ({ ...gate, detail: `failed at ${secret}` }));
  await publish(world, { ...document, gates });
  expect(JSON.stringify(world.data)).not.toContain('correct-horse');
  expect(JSON.stringify(world.data.threads)).toContain('masked');
  expect(world.data.threads).toMatchObject([{ line: 1 }]);
});

describe('a forge that refuses', () => {
  test('a thread that the token may not create is created by the next publication that may', async () => {
    const world = shop();
    const refusing = { ...memoryForge(world), createThreads: async () => ({ ok: true, value: ['refused'] }) as const };
    const options = publishOptions(documentWith([FIRST]), world.data.head);
    const waits: number[] = [];
    const first = await publishRun(refusing, options, async (ms) => waits.push(ms));
    expect(first).toMatchObject({ ok: true, value: { isVisible: true } });
    expect([world.data.threads.length, world.data.comments.length, waits]).toEqual([0, 1, []]);
    expect(first.ok ? describePublished(first.value, false) : '').toContain('Hint: threads need the permission');
    const again = await publishRun(refusing, options, async (ms) => waits.push(ms));
    expect(again).toMatchObject({ ok: true, value: { steps: [{ end: 'refused' }] } });
    expect(again.ok ? describePublished(again.value, false) : '').toMatch(/^Nothing is published on house\/shop#7\.\n/);
    await publish(world, documentWith([FIRST]));
    expect(world.data.threads).toHaveLength(1);
    expect((await publish(world, documentWith([FIRST]))).steps).toEqual([]);
  });

  test('a thread that the token may not reopen gets the reply, once', async () => {
    const world = shop();
    await publish(world, documentWith([FIRST]));
    await publish(world, documentWith([closed(FIRST, 'It is 2.')]));
    world.permissions.contents = false;
    const waits: number[] = [];
    const options = publishOptions(documentWith([FIRST]), world.data.head);
    const outcome = await publishRun(memoryForge(world), options, async (ms) => waits.push(ms));
    expect(outcome).toMatchObject({ ok: true, value: { isVisible: true } });
    expect(waits).toEqual([]);
    expect(outcome.ok ? describePublished(outcome.value, false) : '').toContain('contents: write');
    expect(bodies(world)[0]?.map((body) => markerOf(body)?.kind)).toEqual(['thread', 'closed', 'reopened']);
    expect((await publish(world, documentWith([FIRST]))).steps).toEqual([]);
  });

  test('a thread that was open again and cannot be resolved ends with a reply that says it is closed', async () => {
    const world = shop();
    const kindsOfReplies = () => bodies(world)[0]?.map((body) => markerOf(body)?.kind);
    await publish(world, documentWith([FIRST]));
    await publish(world, documentWith([closed(FIRST, 'It is 2.')]));
    await publish(world, documentWith([FIRST]));
    world.permissions.contents = false;
    for (let round = 0; round < 2; round++) {
      await publish(world, documentWith([closed(FIRST, 'It is 2.')]));
      expect(kindsOfReplies()?.slice(-1)).toEqual(['closed']);
      expect(world.data.threads[0]?.comments[0]?.isMinimized).toBe(true);
      expect((await publish(world, documentWith([closed(FIRST, 'It is 2.')]))).steps).toEqual([]);
      await publish(world, documentWith([FIRST]));
      expect(kindsOfReplies()?.slice(-1)).toEqual(['reopened']);
      expect(world.data.threads[0]?.comments[0]?.isMinimized).toBe(false);
      expect((await publish(world, documentWith([FIRST]))).steps).toEqual([]);
    }
  });

  test('nothing to write is said without changing the name of the repository', async () => {
    const world = shop();
    await publish(world, documentWith([FIRST]));
    expect(describePublished(await publish(world, documentWith([FIRST])), false)).toBe(
      'Nothing to write, house/shop#7 is up to date.',
    );
  });
});
