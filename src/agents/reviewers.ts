import { randomUUID } from 'node:crypto';
import type { ResumeAbility } from '../domain/capability.ts';
import { digestOf } from '../domain/digest.ts';
import type { AskEnd, AskOptions, Question, Reviewers } from '../domain/ports.ts';
import type { Usage } from '../domain/usage.ts';
import type { AgentQuestion } from './agent.ts';
import { commandAgent } from './command.ts';
import { dispatch } from './dispatch.ts';
import { programVersion } from './find.ts';
import { isOwn, type KnownAgent } from './inspect.ts';
import { spaced } from './spaced.ts';
import { openTurns } from './turns.ts';
import { openVersions, type Versions } from './versions.ts';

type Options = {
  readonly known: readonly KnownAgent[];
  readonly root: string;
  readonly commonDir: string;
  /** The agents that the settings name; null: those that are found. */
  readonly preference: readonly string[] | null;
  /** Whether this version may be resumed; finding out may mean trying it. Null: nothing could be found out. */
  resumable(name: string, version: string): Promise<ResumeAbility | null>;
  readonly scratchBase?: string;
};

/** Of an agent that does not tell; such a one is never resumed, since it could be another every time. */
const UNKNOWN_VERSION = 'unknown';
const WATCH_PAUSE_MS = 100;

/**
 * The agents of this machine as reviewers, one dispatch at a time a session. Every agent that is found may be asked, also
 * one that is not among the preferred; asking one that is not there says so.
 */
export function openReviewers(options: Options): Reviewers {
  const { known, root } = options;
  const versions = openVersions(options.commonDir);
  const turns = openTurns();
  const tried = new Map<string, ReturnType<Options['resumable']>>();
  const find = (name: string) => known.find(({ agent }) => agent.name === name) ?? stranger(name);
  const abilityOf = (name: string, version: string) => {
    const key = JSON.stringify([name, version]);
    const ability = tried.get(key) ?? options.resumable(name, version);
    tried.set(key, ability);
    return ability;
  };
  return {
    names: preferred(known, options.preference),
    found: foundNames(known),
    async describe(name) {
      const one = find(name);
      const version = (await versionOf(one, versions, root)) ?? UNKNOWN_VERSION;
      return {
        model: one.settings?.model ?? null,
        version,
        toolsDigest: toolsDigest(one),
        async canResume() {
          if (isOwn(one)) return one.settings?.resume === true;
          return version !== UNKNOWN_VERSION && (await abilityOf(name, version))?.kind === 'yes';
        },
        async deferredReason() {
          if (isOwn(one) || version === UNKNOWN_VERSION) return null;
          const ability = await abilityOf(name, version);
          return ability?.kind === 'no' ? ability.why : null;
        },
        diffLimit: one.agent.diffLimit,
        sharesPrefix: one.agent.abilities.stablePart === 'cached',
        timeoutSeconds: one.settings?.timeoutSeconds ?? null,
        canFix: one.agent.canFix && one.settings?.sandbox !== true,
        warmMinutes: one.agent.warmMinutes,
      };
    },
    async ask(name, question, { stop, watch }) {
      const send = () => sendTo(find(name), options, { ...question, stop, watch });
      const { sessionId } = question;
      return sessionId === null ? send() : turns.take(JSON.stringify([name, sessionId]), stop, send);
    },
  };
}

/** The names of all agents that are found, whether preferred or not. */
function foundNames(known: readonly KnownAgent[]): readonly string[] {
  return known.filter(({ program }) => program !== null).map(({ agent }) => agent.name);
}

// A command of the user's own is asked where it is named, or where there is nobody else.
function preferred(known: readonly KnownAgent[], preference: readonly string[] | null): readonly string[] {
  const found = foundNames(known);
  if (preference !== null) return preference.filter((name) => found.includes(name));
  const usual = foundNames(known.filter((one) => !isOwn(one)));
  return usual.length > 0 ? usual : found;
}

/** A name that nobody has. */
function stranger(name: string): KnownAgent {
  return { agent: commandAgent({ name, command: [name], resume: false }), settings: null, program: null, env: {} };
}

// A command of the user's own is never started to find something out: it is another when it is written otherwise.
async function versionOf(one: KnownAgent, versions: Versions, root: string): Promise<string | null> {
  const { program, env, settings } = one;
  if (program === null) return null;
  if (settings?.command != null) return digestOf(settings.command).slice(0, 16);
  return versions.of(program, () => programVersion(program, env, root));
}

async function sendTo(
  { agent, settings, program, env }: KnownAgent,
  { root, scratchBase }: Options,
  { stop, watch, idleSeconds, ...question }: Question & AskOptions,
): Promise<AskEnd> {
  if (program === null) {
    const failure = { kind: 'not-found', program: settings?.path ?? agent.program } as const;
    return { ok: false, failure, usage: null, said: '', durationMs: 0 };
  }
  const sharesPrefix = agent.abilities.stablePart === 'cached';
  const told = spaced<readonly [string | null, Usage | null]>(WATCH_PAUSE_MS, (one) => watch(...one));
  try {
    const end = await dispatch({
      agent,
      program,
      cwd: root,
      env,
      question: { ...question, newSessionId: randomUUID(), model: question.model ?? settings?.model ?? null },
      // An agent without events may be silent until it answers.
      idleSeconds: agent.conclude === undefined ? idleSeconds : question.timeoutSeconds,
      sandbox: settings?.sandbox === true,
      signal: stop,
      ...(scratchBase === undefined ? {} : { scratchBase }),
      watch(heard, usage) {
        // Others wait for this one's first sign to read what it wrote to the cache: that it was started is not enough.
        if (heard.begun || !sharesPrefix) told.tell([heard.doing, usage]);
      },
    });
    const durationMs = Math.round(end.durationMs);
    return end.ok ? { ok: true, reply: end.reply, model: end.model, durationMs } : { ...end, durationMs };
  } finally {
    told.end();
  }
}

const NO_QUESTION: Omit<AgentQuestion, 'model'> = {
  stable: 'stable',
  dynamic: 'dynamic',
  schema: {},
  strictSchema: {},
  sessionId: null,
  newSessionId: 'new',
  usedBefore: null,
  cacheTtl: '5m',
  timeoutSeconds: 1,
};

/** Everything that an agent is started with whatever it is asked: arguments, environment and files of ours. */
function toolsDigest({ agent, settings }: KnownAgent): string {
  const files: (readonly [string, string])[] = [];
  const model = settings?.model ?? null;
  const { args, env } = agent.invoke({ ...NO_QUESTION, model }, (name, text) => {
    files.push([name, text]);
    return `/${name}`;
  });
  return digestOf([agent.name, model, args, env, files]);
}
