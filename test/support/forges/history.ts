import { type PublishOutcome, publishRun } from '@onceover/forges/publish';
import { markerOf } from '@onceover/forges/src/describe-marker.ts';
import type { Forge } from '@onceover/forges/src/types.ts';
import type { FindingState, ReportedFinding } from '@onceover/gates/findings/types';
import fc from 'fast-check';
import { waiver } from '../run-samples.ts';
import { documentWith, findingOn, GATE, publishOptions } from './documents.ts';
import { removeThreadComment } from './memory-forge.ts';
import { commitOf, openWorld, type World } from './world.ts';

/** One event in the life of a pull request. The numbers choose a line, a finding or a thread. */
export type HistoryEvent =
  | { readonly kind: 'push' | 'force-push' | 'rebase' | 'rename' | 'open' | 'reword'; readonly n: number }
  | { readonly kind: 'close' | 'waive' | 'reopen' | 'forget'; readonly n: number }
  | { readonly kind: 'reply' | 'resolve' | 'unresolve' | 'delete' | 'delete-summary'; readonly n: number }
  | { readonly kind: 'forbid' | 'allow'; readonly n: number }
  | { readonly kind: 'publish'; readonly n: number };

const kinds = [
  ...[
    'push',
    'force-push',
    'rebase',
    'rename',
    'open',
    'open',
    'open',
    'reword',
    'close',
    'close',
    'waive',
    'reopen',
    'forget',
  ],
  ...['reply', 'resolve', 'unresolve', 'delete', 'delete-summary', 'forbid', 'allow', 'publish', 'publish', 'publish'],
] as HistoryEvent['kind'][];

/** Random histories of a pull request, with publications in between. */
export const histories: fc.Arbitrary<readonly HistoryEvent[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), n: fc.nat({ max: 40 }) }),
  { minLength: 4, maxLength: 30 },
);

type Known = { readonly reported: ReportedFinding; state: FindingState; readonly id: number };

/** Opens the forge of a world. `mostWrites` kills it after that many writes. */
export type OpenForge = (world: World, mostWrites?: number) => Forge;

/** A pull request and the findings of its runs. */
export type Story = {
  readonly open: OpenForge;
  readonly world: World;
  readonly findings: Known[];
  commits: number;
  isDifferent: number;
};

const lineOf = (n: number) => `const value${n} = ${n};`;

export function beginStory(open: OpenForge): Story {
  const base = Array.from({ length: 30 }, (_, n) => lineOf(n)).join('\n');
  const world = openWorld({ base: { 'src/a.ts': `${base}\n` }, files: { 'src/a.ts': `${base}\nconst added = 1;\n` } });
  return { open, world, findings: [], commits: 1, isDifferent: 0 };
}

/** Applies an event other than a publication. */
export function happen(story: Story, { kind, n }: HistoryEvent): void {
  const { world, findings } = story;
  const { data } = world;
  const names = Object.keys(data.files);
  const name = names[n % Math.max(1, names.length)] ?? 'src/a.ts';
  const pick = findings[n % Math.max(1, findings.length)];
  const thread = data.threads[n % Math.max(1, data.threads.length)];
  const person = { id: world.nextId(), author: 'ann', body: 'I do not agree.', isMinimized: false };
  switch (kind) {
    case 'push':
    case 'force-push': {
      const lines = (data.files[name] ?? '').split('\n');
      if (kind === 'push') lines.splice(n % lines.length, 0, `const pushed${story.isDifferent++} = ${n};`);
      else lines.splice(n % lines.length, 3);
      data.files[name] = lines.join('\n');
      data.head = commitOf(++story.commits);
      break;
    }
    case 'rebase': {
      // The target branch got a line, and the branch was put on top of it.
      const line = `const merged${story.isDifferent++} = ${n};`;
      if (data.base[name] !== undefined) data.base[name] = `${line}\n${data.base[name]}`;
      data.files[name] = `${line}\n${data.files[name] ?? ''}`;
      data.head = commitOf(++story.commits);
      break;
    }
    case 'rename': {
      const moved = `src/moved${story.isDifferent++}.ts`;
      data.files[moved] = data.files[name] ?? '';
      delete data.files[name];
      data.head = commitOf(++story.commits);
      // The file of a finding is part of its identity: onceover reports it as gone.
      for (const one of findings) if (one.reported.finding.file === name) one.state = 'gone';
      break;
    }
    case 'open': {
      const lines = (data.files[name] ?? '').split('\n').filter((line) => line !== '');
      const text = lines[n % Math.max(1, lines.length)] ?? 'not there';
      const gate = n % 3 === 0 ? 'rule:.:style' : GATE;
      const id = findings.length + 1;
      const differs = { id: `F${id}`, gate, slot: 1 + (n % 2), line: lines.indexOf(text) + 1 };
      findings.push({ reported: findingOn(name, text, 'open', differs), state: 'open', id });
      break;
    }
    case 'reword':
    case 'forget':
      if (pick !== undefined && kind === 'forget') findings.splice(findings.indexOf(pick), 1);
      if (pick !== undefined && kind === 'reword') {
        const reported = { ...pick.reported, finding: { ...pick.reported.finding, issue: `Reworded ${n}.` } };
        findings[findings.indexOf(pick)] = { ...pick, reported };
      }
      break;
    case 'close':
    case 'waive':
    case 'reopen':
      if (pick !== undefined) pick.state = ({ close: 'closed', waive: 'waived', reopen: 'open' } as const)[kind];
      break;
    case 'reply':
      thread?.comments.push(person);
      break;
    case 'resolve':
    case 'unresolve':
      if (thread !== undefined) thread.resolvedBy = kind === 'resolve' ? 'ann' : null;
      break;
    case 'delete':
      if (thread !== undefined) for (const { id } of thread.comments) removeThreadComment(world, id);
      break;
    case 'delete-summary':
      data.comments = data.comments.filter(({ body }) => markerOf(body)?.kind !== 'summary');
      break;
    case 'forbid':
    case 'allow':
      world.permissions.contents = kind === 'allow';
      break;
    case 'publish':
  }
}

/** Publishes the findings of the story. `mostWrites` kills the publication after that many writes. */
export async function publishStory(story: Story, world = story.world, mostWrites?: number): Promise<PublishOutcome> {
  const reported = story.findings.map(({ reported: one, state }): ReportedFinding => {
    const closed = state === 'closed' ? ({ how: 'fixed', why: 'It is gone.', iteration: 2 } as const) : null;
    return { state, finding: { ...one.finding, closed, resolution: state === 'waived' ? waiver() : null } };
  });
  const isSettled = ({ state }: ReportedFinding) => state === 'closed' || state === 'gone';
  const document = documentWith(
    reported.filter((one) => !isSettled(one)),
    { settled: reported.filter(isSettled), gateIds: [GATE, 'rule:.:style'] },
  );
  const forge = story.open(world, mostWrites);
  const published = await publishRun(forge, publishOptions(document, world.data.head), async (ms) => world.tick(ms));
  if (!published.ok) throw new Error(JSON.stringify(published.failure));
  return published.value;
}

/** Returns a copy of a world that can be changed by itself. */
export function copyOf(world: World): World {
  const copy = openWorld(structuredClone(world.data));
  Object.assign(copy.permissions, world.permissions);
  copy.lag = world.lag;
  // The ids of the copy must not meet those of the original.
  for (let i = 0; i < 10_000; i++) copy.nextId();
  return copy;
}

/** Returns what people see, without ids, in an order that does not depend on when things were written. */
export function visible({ data }: World): unknown {
  const comment = ({ author, body, isMinimized }: World['data']['comments'][number]) => ({ author, body, isMinimized });
  const sorted = <T>(items: readonly T[]) => items.map((one) => JSON.stringify(one)).sort();
  return {
    comments: sorted(data.comments.map(comment)),
    threads: sorted(
      data.threads.map(({ path, line, resolvedBy, comments }) => ({
        path,
        line,
        resolvedBy,
        comments: comments.map(comment),
      })),
    ),
    checks: sorted(data.checks.map(({ id: _, ...check }) => check)),
  };
}
