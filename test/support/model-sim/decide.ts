import type { CacheEntries, CacheEntry } from './cache/entries.ts';
import type { JsonObject } from './json.ts';
import type { LoggedRequest } from './log.ts';
import { answerReply, contentSaid, errorReply, isGenerated, jsonReply, type Reply, troubleReply } from './reply.ts';
import { type Answer, answerFor, type Provider, type Script } from './script.ts';
import { anthropicWire } from './wire/anthropic.ts';
import { geminiWire } from './wire/gemini.ts';
import { openaiWire } from './wire/openai.ts';
import { firstRejection, type Rejection, type Rule, type Wire } from './wire/wire.ts';

type Verdict = Pick<LoggedRequest, 'outcome' | 'aside' | 'use' | 'usage'>;

/** A request before the simulator decides about it. */
export type Seen = Omit<LoggedRequest, keyof Verdict>;

/** The state that the decision depends on, besides the request. */
export type Situation = {
  /** Unique for each request. */
  readonly id: string;
  readonly entries: CacheEntries;
  readonly script: Script;
  readonly turn: number;
  readonly otherwise: Answer;
  readonly aside: Answer;
  /** Extra rules, besides those that always apply to requests of a provider. */
  readonly moreRules: Readonly<Partial<Record<Provider, readonly Rule[]>>>;
};

/** The reply to a request, its effect on the cache, and whether it used a turn of the script. */
export type Decision = {
  readonly reply: Reply;
  readonly refreshed: readonly CacheEntry[];
  readonly written: readonly CacheEntry[];
  readonly tookTurn: boolean;
  readonly verdict: Verdict;
};

const WIRES: Readonly<Record<Provider, Wire>> = { anthropic: anthropicWire, openai: openaiWire, gemini: geminiWire };

/** Decides about one request, without side effects. */
export function decide(seen: Seen, situation: Situation): Decision {
  const { target, body } = seen;
  switch (target.kind) {
    case 'probe':
      return served({ status: 'ok' });
    case 'models':
      return served({ object: 'list', data: [], models: [] });
    case 'unknown':
      return served({ error: { message: `The simulator has no ${seen.path}.` } }, 404);
    case 'count':
    case 'generate': {
      const wire = WIRES[target.provider];
      if (body === null) return rejected(wire, { status: 400, message: 'The body is no JSON object.' }, situation.id);
      const plan = wire.plan(situation.entries, { body, account: seen.account, now: seen.at });
      if (target.kind === 'count') return served(wire.counted(plan.use.total));
      const rejection = firstRejection([...wire.rules, ...(situation.moreRules[wire.provider] ?? [])], body);
      if (rejection !== null) return rejected(wire, rejection, situation.id);
      const stream = target.stream || body['stream'] === true;
      const aside = wire.isAside(body);
      const summary = { ...wire.summarize(body), provider: wire.provider, label: seen.label, stream, body };
      const answer = aside
        ? situation.aside
        : answerFor(situation.script, { ...summary, turn: situation.turn }, situation.otherwise);
      const outcome = { outcome: answer.kind, aside };
      if (!isGenerated(answer)) {
        const reply = troubleReply(wire, answer, situation.id);
        return { ...nothing, reply, tookTurn: !aside, verdict: { ...outcome, use: null, usage: null } };
      }
      const content = contentSaid(answer, summary.tools);
      const stops = answer.kind === 'text' ? (answer.stops ?? null) : null;
      const made = wire.answer({ id: situation.id, body, content, use: plan.use, stops });
      return {
        reply: answerReply(made, answer, stream),
        refreshed: plan.refreshed,
        written: plan.written,
        tookTurn: !aside,
        verdict: { ...outcome, use: plan.use, usage: made.usage },
      };
    }
  }
}

const nothing = { refreshed: [], written: [], tookTurn: false };

function served(body: JsonObject, status = 200): Decision {
  return {
    ...nothing,
    reply: jsonReply(body, status),
    verdict: { outcome: 'served', aside: false, use: null, usage: null },
  };
}

function rejected(wire: Wire, rejection: Rejection, id: string): Decision {
  return {
    ...nothing,
    reply: errorReply(wire, rejection, id),
    verdict: { outcome: 'rejected', aside: false, use: null, usage: null },
  };
}
