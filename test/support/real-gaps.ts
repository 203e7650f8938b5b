import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, objectsIn, stringAt } from './model-sim/json.ts';
import type { LoggedRequest } from './model-sim/log.ts';
import type { RequestSummary, Script } from './model-sim/script.ts';
import type { ModelSim } from './model-sim/server.ts';
import { slotsOf } from './real-expect.ts';
import { type AgentName, realAgent } from './real-person.ts';
import { answering, CHANGE, FINDINGS } from './real-review.ts';
import { type RealRun, realRun } from './real-run.ts';

/** Three reviewers with different rubrics. */
const GATES = `  - path: src
    reviews:
      code: { prompt: .onceover/reviews/code.md }
      more: { prompt: .onceover/reviews/more.md }
      last: { prompt: .onceover/reviews/last.md }
`;

const MINUTE_MS = 60_000;

/** A loop of rounds in which three reviewers fail, and one file changes before each round. */
export type GapLoop = {
  /** Input tokens of the loop, weighted: uncached 1, written 1.25, written for an hour 2, read 0.1. */
  readonly weighted: number;
  /** The rounds: the weighted tokens, and how its three reviewers were called. */
  readonly rounds: readonly { readonly weighted: number; readonly how: readonly string[] }[];
};

/** Plays loops of five rounds in one repository, with a pause before each round but the first. */
export async function playGaps(
  sim: ModelSim,
  given: {
    readonly who: AgentName;
    /** How many files a reviewer in a new session opens. A resumed one opens the changed file, unless its prompt shows it. */
    readonly opens: number;
    readonly minutes: number;
    readonly loops?: number;
    /** Whether they may share a reading. Each opens the same files in its fork again. Default: they read for themselves. */
    readonly shares?: boolean;
    /** Whether every review gets a new session. */
    readonly fresh?: boolean;
    readonly settings?: string;
  },
): Promise<{ readonly user: RealRun; readonly loops: readonly GapLoop[] }> {
  sim.forgetCache();
  const user = realRun(sim, {
    agents: [given.who],
    gates: `${GATES}${given.shares === true ? '' : 'share_reading: off\n'}${given.settings ?? ''}`,
  });
  user.write('.onceover/reviews/last.md', 'Look for missing tests.\n');
  user.write('src/long.ts', text('long', 520));
  for (const n of EIGHT) user.write(`lib/file${n}.ts`, text(`file${n}`, 110));
  const script = reviewer(user, given);
  const loops: GapLoop[] = [];
  for (let n = 1; n <= (given.loops ?? 1); n++) {
    if (n > 1) {
      timePasses(sim, user, 180);
      user.git('checkout', '-q', '-b', `loop-${n}`);
    }
    const rounds: GapLoop['rounds'][number][] = [];
    for (let round = 1; round <= 5; round++) {
      if (round > 1 && given.minutes > 0) timePasses(sim, user, given.minutes);
      user.write('src/cart.ts', `${CHANGE.cart}export const round = '${n}.${round}';\n`);
      const done = await user.run({ [given.who]: script }, given.fresh === true ? ['--fresh'] : []);
      const how = slotsOf(done).map((slot) => `${slot.dispatch} ${slot.why}`);
      rounds.push({ weighted: weightOf(done.sent(given.who)), how });
    }
    loops.push({ weighted: rounds.reduce((sum, { weighted }) => sum + weighted, 0), rounds });
  }
  return { user, loops };
}

const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8];

function text(name: string, lines: number): string {
  const line = (_: unknown, i: number) =>
    `export const ${name}Value${i} = 'The value number ${i} of the file ${name}, in words';\n`;
  return Array.from({ length: lines }, line).join('');
}

const READ = { kind: 'structured', value: { status: 'read' } } as const;

/**
 * Opens its files one by one, except those that its prompt contains, then fails with the same finding. If reviewers share a
 * reading, each opens all of them.
 */
function reviewer(user: RealRun, { who, opens, shares }: Parameters<typeof playGaps>[1]): Script {
  return ({ body }: RequestSummary) => {
    const { prompt, opened } = callIn(body);
    const isShown = prompt.includes('The difference shows these files as a whole');
    const start = JSON.stringify(body);
    const isGiven = (path: string) => shares !== true && start.includes(`### ${path}`);
    const files = prompt.startsWith('The change is ')
      ? ['src/cart.ts'].filter(() => !isShown)
      : EIGHT.slice(0, opens)
          .map((n) => `lib/file${n}.ts`)
          .filter((path) => !isGiven(path));
    const next = files[opened];
    if (next === undefined && prompt.includes('judge nothing yet')) return READ;
    if (next === undefined) return answering(who, 'fail', [FINDINGS.tax]);
    return { kind: 'tools', calls: [realAgent(who).read(join(user.root, next))] };
  };
}

/** Returns the prompt of the current call, and how many tools have answered since. */
function callIn(body: JsonObject): { readonly prompt: string; readonly opened: number } {
  const items = [...objectsIn(body['messages']), ...objectsIn(body['input'])];
  let opened = 0;
  for (const item of [...items].reverse()) {
    const blocks = objectsIn(item['content']);
    const isResult = (one: JsonObject) => /_output$|^tool_result$/.test(stringAt(one, 'type'));
    if (isResult(item) || blocks.some(isResult)) opened += 1;
    else if (stringAt(item, 'role') === 'user') {
      const texts = blocks.map((one) => stringAt(one, 'text'));
      const prompt = texts.length > 0 ? texts.join('\n') : stringAt(item, 'content');
      return { prompt, opened };
    }
  }
  return { prompt: '', opened };
}

function weightOf(requests: readonly LoggedRequest[]): number {
  const weights = requests.map(({ use }) =>
    use === null ? 0 : use.input + use.read * 0.1 + (use.write - use.write1h) * 1.25 + use.write1h * 2,
  );
  return Math.round(weights.reduce((sum, one) => sum + one, 0));
}

/** Advances the simulator's clock, and moves the times in records and in the ledger to the past. */
function timePasses(sim: ModelSim, user: RealRun, minutes: number): void {
  sim.clock.advance(minutes * MINUTE_MS);
  const earlier = (time: string) => new Date(Date.parse(time) - minutes * MINUTE_MS).toISOString();
  const moved = (json: string) =>
    json.replace(/"(timestamp|lastUsedAt|at)": ?"(\d{4}-[^"]+Z)"/g, (_, key, time) => `"${key}":"${earlier(time)}"`);
  for (const folder of ['.deepwork/logs', '.git/onceover/ledger'].map((one) => join(user.root, one))) {
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
      const json = moved(readFileSync(join(folder, name), 'utf8'));
      writeFileSync(join(folder, name), json);
      const at = /"at":"([^"]+)"/.exec(json)?.[1];
      if (folder.endsWith('ledger') && at !== undefined) {
        renameSync(join(folder, name), join(folder, `${at.replace(/[-:.]/g, '')}${name.slice(19)}`));
      }
    }
  }
}
