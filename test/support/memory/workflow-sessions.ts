import type { RepoPath, SessionId } from '@onceover/base/kernel/ids';
import { err, ok } from '@onceover/base/kernel/result';
import type { WorkflowSessions } from '@onceover/loops/src/workflows/record/sessions.ts';
import type { WorkflowSession } from '@onceover/loops/workflows/types';

export type MemorySessions = WorkflowSessions & {
  /** Written outputs by session and step. */
  readonly instructions: Map<string, string>;
  /** Makes a session unreadable. */
  damage(id: SessionId): void;
};

/** Sessions in memory. */
export function memorySessions(): MemorySessions {
  const sessions = new Map<string, string>();
  const damaged = new Set<string>();
  const instructions = new Map<string, string>();
  const read = (id: string) => {
    const text = sessions.get(id);
    return text === undefined ? null : (JSON.parse(text) as WorkflowSession);
  };
  const putAside = (id: string) => {
    if (!damaged.delete(id)) return null;
    sessions.delete(id);
    return `aside_${id}.json`;
  };
  return {
    instructions,
    damage: (id) => damaged.add(id),
    async all() {
      const readable = [...sessions.keys()].filter((id) => !damaged.has(id)).flatMap((id) => read(id) ?? []);
      return ok({
        sessions: readable.sort((a, b) => (b.startedAt + b.id > a.startedAt + a.id ? 1 : -1)),
        unreadable: [...damaged].map((id) => ({ id, path: pathOf(id) })),
      });
    },
    async create(session) {
      if (sessions.has(session.id)) return ok('taken');
      sessions.set(session.id, JSON.stringify(session));
      return ok('written');
    },
    async update(id, change) {
      if (damaged.has(id)) return err({ kind: 'unreadable-session', id, path: pathOf(id), aside: putAside(id) });
      const now = read(id);
      if (now === null) return err({ kind: 'unknown-session', id, active: [] });
      const changed = change(now);
      if (!changed.ok) return changed;
      sessions.set(id, JSON.stringify(changed.value));
      return changed;
    },
    async putAside(id) {
      return ok(putAside(id));
    },
    async writeInstructions(id, step, text) {
      instructions.set(`${id} ${step}`, text);
      return ok(`.deepwork/tmp/quality_review_${id}_${step}.md` as RepoPath);
    },
  };
}

function pathOf(id: string): string {
  return `.deepwork/tmp/session_${id}.json`;
}
