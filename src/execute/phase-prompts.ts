import type { RepoPath } from '../domain/brand.ts';
import type { Ask, Measured } from '../domain/phase-step.ts';
import type { DiffSection, ReviewerFacts } from '../domain/ports.ts';
import { modelFor, roleName } from '../domain/role.ts';
import { chooseDelta, type DeltaCandidate, type DeltaEncoding } from '../plan/delta.ts';
import { diffStat } from '../plan/diff-stat.ts';
import { coldCost } from '../plan/estimate.ts';
import { openedWith } from '../plan/opened-with.ts';
import { sentenceDiff } from '../plan/sentence-diff.ts';
import type { ComposedPrompt } from '../prompt/compose.ts';
import { type LoopMaterial, loopAnswer, loopMustRead, loopPrompt } from '../prompt/loop.ts';
import type { LoopDelta } from '../prompt/loop-resumed.ts';
import { isCode } from './phase-look.ts';
import type { Playing } from './phase-play.ts';

/** The prompt for a question that begins anew. */
export function freshPrompt(playing: Playing, ask: Ask): ComposedPrompt {
  return loopPrompt(ask, materialFor(playing, null));
}

/** How long a fresh prompt would be at this moment. */
export function freshLength(playing: Playing, ask: Ask): number {
  return freshPrompt(playing, { ...ask, template: freshTemplate(ask), session: null, delta: null }).length;
}

function freshTemplate({ role, template }: Ask): Ask['template'] {
  if (template === null) return null;
  return role === 'implementer' ? 'I7-fresh' : 'I1-R4';
}

function materialFor({ request, feature, memory }: Playing, resumed: LoopMaterial['resumed']): LoopMaterial {
  return {
    roles: request.roles,
    phase: request.phase,
    feature: feature.paths,
    document: memory.sight.document,
    files: memory.sight.files,
    deleted: memory.sight.deleted,
    resumed,
    outline: memory.outline,
  };
}

/** Who would be asked: what must be the same for a session to go on. */
export function askedNow(playing: Playing, ask: Ask, facts: ReviewerFacts): Measured['now'] {
  const { stable } = freshPrompt(playing, { ...ask, template: freshTemplate(ask) });
  const { schema } = loopAnswer(ask, playing.request.roles);
  return {
    agent: ask.agent,
    model: modelOf(playing, ask),
    version: facts.version,
    toolsDigest: openedWith(facts.toolsDigest, schema, stable),
  };
}

/** The model that is asked for; null: the agent's own choice. */
export function modelOf({ request }: Playing, { role, part, agent }: Ask): string | null {
  const { roles, settings } = request;
  return modelFor(roles[roleName(role, part)], agent, settings.agent[agent]?.model ?? null);
}

/** Finds out what a resumed prompt would be, and whether it can be sent; the prompt is kept until it is. */
export async function measure(playing: Playing, ask: Ask): Promise<Measured> {
  const { ports, request, memory } = playing;
  const facts = await ports.reviewers.describe(ask.agent);
  const now = askedNow(playing, ask, facts);
  const { session, delta } = ask;
  const memo = memory.sessions.get(ask.role);
  const nothing = { now, canResume: false, lost: null, cost: null, deltaLength: 0 };
  if (session === null || delta === null || session.agent !== ask.agent) return nothing;
  if (!(await facts.canResume())) {
    await noteDeferred(playing, ask.agent, facts);
    return nothing;
  }
  if (memory.resuming.kind === 'unknown') memory.resuming = { kind: 'works' };
  const able = { ...nothing, canResume: true };
  const prompt = await resumedPrompt(playing, ask);
  if (typeof prompt === 'string' || memo === undefined) {
    return { ...able, lost: typeof prompt === 'string' ? prompt : 'session' };
  }
  memory.measured.set(ask.role, prompt);
  const lengths = { delta: prompt.dynamic.length, fresh: freshLength(playing, ask) };
  const cold = () => coldCost({ ...memo, firstPromptLength: session.firstPromptLength }, lengths, ports.clock.now());
  return {
    ...able,
    cost: request.settings.resumeWhenCold ? null : cold(),
    deltaLength: lengths.delta,
    mustReadLength:
      request.settings.deltaGuard === 'effective'
        ? await mustReadLength(playing, ask, 2 * lengths.delta - session.firstPromptLength)
        : 0,
  };
}

/** How long a resumed prompt would be; 0 where none can be made. */
export async function resumedLength(playing: Playing, ask: Ask): Promise<number> {
  const prompt = await resumedPrompt(playing, ask);
  return typeof prompt === 'string' ? 0 : prompt.dynamic.length;
}

/** The prompt that a session goes on with; else what is missing for it. */
async function resumedPrompt(playing: Playing, ask: Ask): Promise<ComposedPrompt | 'session' | 'snapshot' | 'diff'> {
  const memo = playing.memory.sessions.get(ask.role);
  if (memo === undefined || ask.session === null) return 'session';
  const change = await deltaOf(playing, ask, ask.session.firstPromptLength);
  if (typeof change === 'string') return change;
  return loopPrompt(ask, materialFor(playing, { opening: memo.opening, ...change }));
}

/** Remembers why an agent is not resumed, where that is known from V1 to V4. */
async function noteDeferred({ memory }: Playing, agent: string, facts: ReviewerFacts): Promise<void> {
  const why = await facts.deferredReason();
  if (why === null || memory.resuming.kind === 'deferred') return;
  memory.resuming = { kind: 'deferred', why };
  memory.notices.push({ kind: 'not-resumed', agent, why });
}

/** Characters of what somebody who begins anew has to read: the documents and, of code, the files; no more is read than is `enough`. */
async function mustReadLength({ ports, request, feature, memory }: Playing, ask: Ask, enough: number): Promise<number> {
  const { roles, phase, root } = request;
  const documents = loopMustRead(ask, { roles, phase, feature: feature.paths });
  const paths = documents.map((path) => path.slice(root.length + 1) as RepoPath);
  let length = 0;
  for (const path of [...paths, ...(feature.documents.artifact === null ? memory.sight.files : [])]) {
    if (length >= enough) break;
    const text = await ports.snapshots.textIn(memory.sight.seen.snapshot, path);
    length += text.ok ? (text.value?.length ?? 0) : 0;
  }
  return length;
}

type Change = { readonly delta: LoopDelta; readonly changedFiles: readonly string[] };

/** What changed since the role looked, in the shortest way that serves; else what is missing to tell it. */
async function deltaOf(playing: Playing, ask: Ask, firstPromptLength: number): Promise<Change | 'snapshot' | 'diff'> {
  const { ports, request, feature } = playing;
  const { from, to } = ask.delta ?? { from: '', to: '' };
  const made = new Map<number, readonly DiffSection[] | null>();
  const sections = async (lines: number) => {
    const known = made.get(lines);
    if (known !== undefined) return known;
    const diff = await ports.snapshots.sections(from, to, lines);
    made.set(lines, diff.ok ? diff.value : null);
    return diff.ok ? diff.value : null;
  };
  const first = await sections(CONTEXTS['context-3']);
  if (first === null) return 'snapshot';
  const { artifact, all } = feature.documents;
  const isUnderReview = ({ paths }: DiffSection) =>
    artifact === null ? paths.some((path) => isCode(request, path)) : paths.includes(artifact);
  const upstream = new Set(all.filter((path) => path !== artifact));
  const isUpstream = (section: DiffSection) =>
    !isUnderReview(section) && section.paths.some((path) => upstream.has(path));
  const byLines = (encoding: keyof typeof CONTEXTS): DeltaCandidate => ({
    encoding,
    make: async () => joined((await sections(CONTEXTS[encoding]))?.filter(isUnderReview) ?? null),
  });
  const bySentence: DeltaCandidate = { encoding: 'sentences', make: () => sentences(playing, ask, artifact) };
  const candidates = [byLines('context-3'), byLines('context-1'), byLines('context-0')];
  const delta = await chooseDelta(artifact === null ? candidates : [...candidates, bySentence], firstPromptLength);
  if (delta === null) return 'diff';
  const lines = delta.encoding === 'sentences' ? 0 : CONTEXTS[delta.encoding];
  const changed = first.filter((section) => isUnderReview(section) || isUpstream(section));
  return {
    delta: {
      stat: artifact === null ? diffStat(first.filter(isUnderReview)) : null,
      diff: delta.text,
      upstream: joined((await sections(lines))?.filter(isUpstream) ?? null) ?? '',
    },
    changedFiles: [...new Set(changed.flatMap(({ paths }) => paths))],
  };
}

const CONTEXTS: Readonly<Record<Exclude<DeltaEncoding, 'sentences'>, number>> = {
  'context-3': 3,
  'context-1': 1,
  'context-0': 0,
};

function joined(sections: readonly DiffSection[] | null): string | null {
  return sections === null ? null : sections.map(({ text }) => text).join('');
}

async function sentences({ ports }: Playing, { delta }: Ask, artifact: RepoPath | null): Promise<string | null> {
  if (artifact === null || delta === null) return null;
  const [before, after] = await Promise.all(
    [delta.from, delta.to].map((tree) => ports.snapshots.textIn(tree, artifact)),
  );
  if (before?.ok !== true || after?.ok !== true || before.value === null || after.value === null) return null;
  return sentenceDiff(before.value, after.value);
}
