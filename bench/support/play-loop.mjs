import { load } from './build.mjs';

/** Paths of the reviewed document and of its upstream document. */
const FEATURE = { folder: 'docs/features/007-export', prd: 'docs/features/007-export/prd.md' };
export const SPEC = `${FEATURE.folder}/spec.md`;
export const ROLES = ['spec-reviewer', 'phase-reviewer'];
export const ENCODINGS = ['context-3', 'context-1', 'context-0', 'sentences'];

const { chooseDelta } = await load('packages/loops/src/phases/do/build-prompt.ts');
const { beginPhase, stepPhase } = await load('packages/loops/src/phases/decide/machine.ts');
const { loopMustRead, loopPrompt } = await load('packages/loops/src/phases/prompt/prompt.ts');
const { parseRole } = await load('packages/loops/src/phases/roles/load.ts');
const { BUILT_IN_ROLES } = await load('packages/loops/src/phases/roles/load.ts');

const roles = Object.fromEntries(
  Object.entries(BUILT_IN_ROLES).map(([name, text]) => [name, parseRole(name, text, null).role]),
);
const AGENT = { agent: 'a', model: null, version: '1', toolsDigest: 't' };
const PASS = { approved: true, issues: [], summary: '' };

/**
 * Plays a specify loop in which `role` reviews every version and never passes, with the rules and the prompts of
 * phases. `encoding`: one of the encodings, `chosen`, or null for a new session in every round. Returns the characters
 * sent, the characters that reviewers in new sessions had to read, how many rounds the size guard sent in a new
 * session, and how often each encoding was sent.
 */
export async function playLoop({ sequence, role, encoding, guard }) {
  const loop = { sequence, role, encoding, guard, version: 0, looks: 0, resumed: null };
  const told = { sent: 0, read: 0, guarded: 0, used: {} };
  let step = beginPhase(SETUP);
  while (loop.looks < sequence.versions.length) {
    const action = step.actions.find(({ kind }) => Object.hasOwn(DOING, kind));
    if (action === undefined) throw new Error(`the loop ended after ${loop.looks} looks`);
    step = stepPhase(step.state, await DOING[action.kind](loop, action.ask, told));
  }
  return told;
}

/** Handles each action of a phase and returns the event that ends the action. */
const DOING = {
  'take-snapshot': ({ sequence, version }) => ({
    kind: 'snapshot-taken',
    seen: { snapshot: sequence.snapshots[version], content: `${version}` },
    artifact: 'present',
  }),
  async measure(loop, ask) {
    const canResume = loop.encoding !== null;
    const known = { kind: 'measured', role: ask.role, now: AGENT, canResume, lost: null, cost: null };
    if (ask.role !== loop.role || !canResume) return { ...known, deltaLength: 0 };
    const { encoding, text } = await deltaFor(loop, ask.session.firstPromptLength);
    const opening = promptFor(loop, { ...ask, template: 'I1-R4' }, null).stable;
    const delta = { stat: null, diff: text, upstream: '' };
    const { dynamic } = promptFor(loop, ask, { opening, delta, changedFiles: [SPEC] });
    loop.resumed = { encoding, length: dynamic.length };
    const mustReadLength = loop.guard === 'effective' ? mustRead(loop, ask) : 0;
    return { ...known, deltaLength: dynamic.length, mustReadLength };
  },
  dispatch(loop, ask, told) {
    const isFresh = ask.session === null;
    const promptChars = isFresh ? promptFor(loop, ask, null).length : loop.resumed.length;
    const answered = { kind: 'answered', ...repliedTo(ask, promptChars) };
    if (ask.role !== loop.role) return { ...answered, answer: PASS };
    loop.looks++;
    told.sent += promptChars;
    if (isFresh) told.read += mustRead(loop, ask);
    else told.used[loop.resumed.encoding] = (told.used[loop.resumed.encoding] ?? 0) + 1;
    if (ask.why === 'delta-too-large') told.guarded++;
    return { ...answered, answer: { approved: false, issues: loop.sequence.issues[loop.version], summary: '' } };
  },
  fix(loop, ask) {
    loop.version++;
    const summary = loop.sequence.fixes[loop.version];
    return { kind: 'fixed', summary, changedPaths: [SPEC], ...repliedTo(ask, 0) };
  },
  commit: () => ({ kind: 'commit-ended', failed: false }),
};

/** Returns the facts of an answered call. A new session remembers the length of its first prompt. */
function repliedTo(ask, promptChars) {
  const use = { usedBefore: null, contextTokens: null, freshTokens: null, lastUsedAt: '', warmMinutes: 5 };
  return {
    role: ask.role,
    call: {
      agent: ask.agent,
      template: ask.template ?? 'I1-R4',
      why: ask.why,
      spent: { asks: 1, promptChars, freshChars: 0, usage: null },
    },
    fellBack: null,
    by: 'agent',
    session: ask.session ?? { id: 's', ...AGENT, firstPromptLength: promptChars, opening: '', ...use },
    readsConfirmed: null,
  };
}

function promptFor({ sequence, version }, ask, resumed) {
  const document = sequence.versions[version];
  return loopPrompt(ask, {
    roles,
    phase: 'specify',
    feature: FEATURE,
    document,
    files: [SPEC],
    resumed,
    outline: null,
  });
}

/** Characters of the documents that a reviewer in a new session has to open. */
function mustRead({ sequence, version }, ask) {
  const paths = loopMustRead(ask, { roles, phase: 'specify', feature: FEATURE });
  const texts = paths.map((path) => (path === SPEC ? sequence.versions[version] : sequence.upstream));
  return texts.reduce((sum, text) => sum + text.length, 0);
}

async function deltaFor({ sequence, version, encoding }, firstPromptLength) {
  const deltas = sequence.deltas[version - 1];
  if (encoding !== 'chosen') return { encoding, text: deltas[encoding] };
  const candidates = ENCODINGS.map((format) => ({ format, make: async () => deltas[format] }));
  const { format, text } = await chooseDelta(candidates, firstPromptLength);
  return { encoding: format, text };
}

const SETUP = {
  phase: 'specify',
  loop: 'loop-1',
  assigned: Object.fromEntries([...ROLES, 'implementer'].map((role) => [role, { agent: 'a', others: [] }])),
  mostIterations: 5,
  fixing: 'fixer',
  keepSessions: false,
  commits: true,
  acceptWithNotes: false,
  recheckDomain: false,
  finalValidation: 'all',
  preparations: [],
  edits: { documents: [SPEC], kept: [], only: null },
};
