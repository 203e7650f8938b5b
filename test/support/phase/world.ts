import type { AgentFailure } from '@onceover/base/kernel/agent';
import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type { ReviewerRole } from '@onceover/base/kernel/review-loops';
import { fallbackAsk } from '@onceover/loops/src/phases/decide/calls.ts';
import { beginPhase, checkpoint, resumePhase, stepPhase } from '@onceover/loops/src/phases/decide/machine.ts';
import type {
  Ask,
  Measured,
  PhaseAction,
  PhaseEvent,
  PhaseState,
  PhaseStep,
  Replied,
} from '@onceover/loops/src/phases/state.ts';
import type { LoopAnswer, LoopIssue, PhaseEnd, PhaseSetup } from '@onceover/loops/src/phases/types.ts';
import { ARTIFACT, called, sessionAs } from './player.ts';
import { Watch } from './watch.ts';

/** The result of a phase and its event counts. */
export type Played = { readonly end: PhaseEnd; readonly seen: readonly string[] };

const FAILURES: readonly AgentFailure[] = [
  { kind: 'agent-error', said: 'boom' },
  { kind: 'session-lost', said: 'gone' },
  { kind: 'unreadable-answer', why: 'empty', said: '' },
  { kind: 'limit', said: 'enough', resetAt: null },
  { kind: 'timeout', seconds: 1 },
  { kind: 'no-tokens' },
];

const MOST_EVENTS = 1500;
const MOST_CRASHES = 4;
const PROMPT = 1000;

/** Plays a phase to its end; the choices decide what happens. Without remaining choices, every step succeeds. */
export function playPhase(setup: PhaseSetup, choices: readonly number[]): Played {
  const watch = new Watch(setup);
  const seen: string[] = [];
  let used = 0;
  const pick = (of: number) => (choices[used++] ?? 0) % of;
  let [content, snapshots, sessions, crashes] = [1, 0, 0, 0];
  const first = beginPhase(setup);
  let state: PhaseState = first.state;
  let pending: PhaseAction[] = [];

  const took = (step: PhaseStep) => {
    ({ state } = step);
    for (const action of step.actions) {
      watch.sees(action);
      if (action.kind.startsWith('record')) continue;
      pending.push(action);
      seen.push(action.kind === 'dispatch' || action.kind === 'fix' ? `${action.ask.template}` : action.kind);
    }
  };
  const send = (event: PhaseEvent) => took(stepPhase(state, event));

  const aFailure = () => FAILURES[pick(FAILURES.length)] as AgentFailure;

  const reply = (first: Ask): Replied => {
    const fellBack = first.session !== null && pick(6) === 5 ? aFailure() : null;
    const ask = fellBack === null ? first : fallbackAsk(first);
    const { role, agent, session } = ask;
    if (fellBack !== null) seen.push(`${ask.template}`);
    const started = pick(6) === 5 ? null : sessionAs(`s${++sessions}`, { agent, model: null });
    const resumed = session && { ...session, id: pick(2) === 0 ? session.id : `s${++sessions}` };
    const kept = session === null ? started : resumed;
    return { role, call: called(ask), fellBack, by: 'agent', session: kept, readsConfirmed: pick(4) !== 3 };
  };
  /** The facts about sessions after an answer. */
  const keeps = ({ role, session }: Replied) => {
    if (session === null) watch.sessions.delete(role);
    else watch.sessions.set(role, session.id);
    watch.firstLength.set(role, PROMPT);
  };

  const answer = (): LoopAnswer => {
    const severities: readonly LoopIssue['severity'][] = ['suggestion', 'warning', 'blocker'];
    const kind = pick(5);
    if (kind < 2) return { approved: true, issues: [], summary: '' };
    const issues = Array.from({ length: pick(3) }, () => ({
      severity: severities[pick(3)] ?? 'blocker',
      description: '',
    }));
    return { approved: kind === 2, issues, summary: 'so' };
  };

  const measure = ({ agent }: Ask): Measured => {
    const odd = pick(10);
    return {
      now: { agent, model: null, version: odd === 9 ? '2' : '1', toolsDigest: 't' },
      canResume: odd !== 8,
      lost: odd === 7 ? 'session' : odd === 6 ? 'diff' : null,
      cost: null,
      deltaLength: odd === 5 ? PROMPT / 2 + 1 : PROMPT / 2,
    };
  };

  const changed = (): readonly RepoPath[] => {
    if (pick(4) === 3) return [];
    content += 1;
    return [ARTIFACT];
  };

  const failsNow = (ask: Ask): boolean => {
    if (pick(7) !== 6) return false;
    send({ kind: 'call-failed', role: ask.role, failure: aFailure(), call: called(ask), fellBack: null });
    return true;
  };

  const respond = (action: PhaseAction) => {
    switch (action.kind) {
      case 'take-snapshot': {
        if (pick(12) === 11) content += 1;
        const text = `c${content}`;
        watch.snapshot(text, state.position.at === 'confirming' ? 'confirm' : 'round');
        send({
          kind: 'snapshot-taken',
          seen: { snapshot: `t${++snapshots}` as SnapshotId, content: text },
          artifact: 'present',
        });
        break;
      }
      case 'measure': {
        const measured = measure(action.ask);
        watch.measured.set(action.ask.role, measured);
        send({ kind: 'measured', role: action.ask.role, ...measured });
        break;
      }
      case 'dispatch': {
        if (failsNow(action.ask)) break;
        const role = action.ask.role as ReviewerRole;
        const said = answer();
        const replied = reply(action.ask);
        keeps(replied);
        watch.said.set(role, said);
        send({ kind: 'answered', answer: said, ...replied, role });
        break;
      }
      case 'fix':
      case 'prepare': {
        if (failsNow(action.ask)) break;
        const replied = reply(action.ask);
        if (action.kind === 'fix') {
          keeps(replied);
          watch.fixedSince = true;
        }
        send({ kind: 'fixed', summary: '', changedPaths: changed(), ...replied });
        break;
      }
      case 'wait-for-fix':
        watch.fixedSince = true;
        send({ kind: 'fixed', summary: '', changedPaths: changed(), by: 'caller' });
        break;
      case 'commit':
        send({ kind: 'commit-ended', failed: pick(4) === 3 });
        break;
      default:
        break;
    }
  };

  const crash = () => {
    crashes += 1;
    seen.push('crash');
    watch.crashed();
    pending = [];
    took(resumePhase(JSON.parse(JSON.stringify(checkpoint(state)))));
  };

  took(first);
  for (let events = 0; events < MOST_EVENTS; events += 1) {
    const { position } = state;
    if (position.at === 'ended') return { end: position.end, seen };
    if (crashes < MOST_CRASHES && pick(25) === 24) {
      crash();
      continue;
    }
    if (pick(150) === 149) {
      watch.stopped = true;
      send({ kind: 'stop', why: 'interrupted' });
      continue;
    }
    const [next] = pending.splice(pick(pending.length), 1);
    if (next === undefined) throw new Error('nothing is under way, and it has not ended');
    respond(next);
  }
  throw new Error('it does not end');
}
