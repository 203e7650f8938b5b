import * as z from 'zod';
import { AGENT_NAMES } from '../../agents/table.ts';
import { PRIORITIES } from '../../config/settings.ts';
import type { Position, UnusableFile } from '../../kernel/failure.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import { repoPath } from '../../kernel/paths.ts';
import type { Result } from '../../kernel/result.ts';
import type { ProjectFiles } from '../types.ts';
import { openSourceReader, plainReview, type SourceFile, type SourceReader } from './source-file.ts';
import type { SourceCheck, SourceConfig, SourceEntry, SourceReview } from './types.ts';

/** The file that every configuration folder of agent gauntlet contains. */
export const GAUNTLET_FILE = 'config.yml';

const names = z.array(z.string());

const runsIn = z.looseObject({ run_in_ci: z.boolean().nullish(), run_locally: z.boolean().nullish() });

/** A check: a file in `checks/`, or inline in an entry point. */
const checkSchema = z.looseObject({
  ...runsIn.shape,
  name: z.string().min(1).nullish(),
  command: z.string().min(1),
  working_directory: z.string().nullish(),
  timeout: z.number().nullish(),
});

/** A review: the front matter of a file in `reviews/`, a YAML file there, or inline in an entry point. */
const reviewSchema = z.looseObject({
  ...runsIn.shape,
  cli_preference: names.nullish(),
  reviewers: names.nullish(),
  num_reviews: z.number().nullish(),
  timeout: z.number().nullish(),
  model: z.string().nullish(),
  prompt_file: z.string().min(1).nullish(),
  skill_name: z.string().min(1).nullish(),
  builtin: z.string().min(1).nullish(),
  enabled: z.boolean().nullish(),
});

/** A name, or one name with its settings. */
const gateSchema = z.union([z.string().min(1), z.record(z.string(), z.unknown())]);

const configSchema = z.looseObject({
  name: z.unknown().optional(),
  base_branch: z.string().min(1).nullish(),
  max_retries: z.number().nullish(),
  // Old versions have a number of issues here.
  rerun_new_issue_threshold: z.unknown().optional(),
  cli: z
    .looseObject({
      default_preference: names.nullish(),
      adapters: z.record(z.string(), z.looseObject({ model: z.string().nullish() }).nullable()).nullish(),
    })
    .nullish(),
  stop_hook: z.looseObject({ enabled: z.boolean().nullish() }).nullish(),
  entry_points: z.array(
    z.looseObject({
      path: z.string().min(1),
      exclude: z.array(z.string()).nullish(),
      checks: z.array(gateSchema).nullish(),
      reviews: z.array(gateSchema).nullish(),
    }),
  ),
});

type Gauntlet = SourceFile<z.output<typeof configSchema>>;

/** Reads the configuration of agent gauntlet: entry points with their checks and reviews. */
export async function readGauntlet(files: ProjectFiles, folder: string): Promise<Result<SourceConfig>> {
  const file = `${folder}/${GAUNTLET_FILE}`;
  const read = await files.read(file as RepoPath);
  if (!read.ok) return read;
  const reader = openSourceReader(files);
  const found = reader.yaml({ file, text: read.value ?? '' }, configSchema);
  const gates = openGates(reader, folder);
  for (const ending of ['.yml', '.yaml']) {
    const texts = await reader.folder(`${folder}/checks`, ending);
    if (!texts.ok) return texts;
    for (const text of texts.value) {
      const check = reader.yaml(text, checkSchema, 'checks');
      if (check !== null) gates.addCheck(check.value.name ?? text.name, check, [], check.value);
    }
  }
  for (const ending of ['.md', '.yml', '.yaml']) {
    const texts = await reader.folder(`${folder}/reviews`, ending);
    if (!texts.ok) return texts;
    for (const text of texts.value) {
      const markdown = ending === '.md' ? reader.markdown(text, reviewSchema, 'reviews') : null;
      const review = ending === '.md' ? markdown : reader.yaml(text, reviewSchema, 'reviews');
      if (review !== null) await gates.addReview(text.name, review, [], review.value, markdown?.body);
    }
  }
  if (found === null) return reader.finish('gauntlet', folder, { entries: [], spare: [] });
  const { entry_points: points } = found.value;
  // Every entry point can name the inline gates of every other one, so all of them are read first.
  for (const [i, point] of points.entries()) {
    for (const [n, given] of (point.checks ?? []).entries()) {
      if (typeof given === 'string') continue;
      const check = reader.namedEntry(found, ['entry_points', i, 'checks', n], given, checkSchema, 'checks');
      if (check !== null) gates.addCheck(check.name, found, check.at, check.value);
    }
    for (const [n, given] of (point.reviews ?? []).entries()) {
      if (typeof given === 'string') continue;
      const review = reader.namedEntry(found, ['entry_points', i, 'reviews', n], given, reviewSchema, 'reviews');
      if (review !== null) await gates.addReview(review.name, found, review.at, review.value);
    }
  }
  const entries = points.map((point, i): SourceEntry => {
    const place = (...path: readonly PropertyKey[]) => found.place(['entry_points', i, ...path]);
    return {
      at: place('path'),
      path: { kind: 'entry', text: point.path },
      exclude: (point.exclude ?? []).map((glob, n) => ({ at: place('exclude', n), glob })),
      leavesOutWritten: false,
      checks: namesIn(point.checks).flatMap((name, n) => gates.useCheck(name, place('checks', n))),
      reviews: namesIn(point.reviews).flatMap((name, n) => gates.useReview(name, place('reviews', n))),
    };
  });
  return reader.finish('gauntlet', folder, { ...toSettings(found, reader), entries, spare: gates.spare() });
}

function namesIn(given: readonly z.output<typeof gateSchema>[] | null | undefined): readonly string[] {
  return [...new Set((given ?? []).map((one) => (typeof one === 'string' ? one : (Object.keys(one)[0] ?? ''))))];
}

/** Built-in prompts that our own code-quality prompt can replace, because it covers the same ground. */
const REPLACEABLE = ['code-quality', 'all-reviewers'];

/** Collects the checks and reviews that entry points can name. */
function openGates(reader: SourceReader, folder: string) {
  const checks = new Map<string, SourceCheck>();
  /** A review without a text that can be imported is null. */
  const reviews = new Map<string, { readonly review: SourceReview | null; readonly enabled: boolean }>();
  const used = new Set<string>();

  function use<T>(gate: 'check' | 'review', name: string, at: Position, all: ReadonlyMap<string, T>): T | undefined {
    used.add(`${gate} ${name}`);
    if (!all.has(name)) reader.leave(at, { kind: 'undefined-gate', name, gate });
    return all.get(name);
  }

  function noteWhereItRuns(name: string, at: Position, value: z.output<typeof runsIn>): void {
    if (value.run_in_ci === false) reader.leave(at, { kind: 'one-place', name, where: 'here' });
    if (value.run_locally === false) reader.leave(at, { kind: 'one-place', name, where: 'ci' });
  }

  /** Returns the text of a review, null if our own prompt replaces it, or undefined if there is none. */
  async function textOf(name: string, at: Position, value: z.output<typeof reviewSchema>, body: string) {
    const { prompt_file: path, skill_name: skill, builtin } = value;
    if (path != null) {
      const file = repoPath(path, folder);
      const read = file === null || file === '' ? null : await reader.files.read(file);
      const text = read?.ok === true ? read.value : null;
      if (file !== null && text !== null) {
        if (text.trim() === '') reader.leave(at, { kind: 'empty', name });
        else if (reader.isWritable(text, { file, line: 1, column: 1 }, 'the file')) return text;
        return undefined;
      }
      const why: UnusableFile = read === null ? 'outside' : read.ok ? 'missing' : 'unreadable';
      reader.leave(at, { kind: 'prompt-file', name, path, why });
    }
    if (skill != null) reader.leave(at, { kind: 'skill', name, skill });
    if (body.trim() !== '') return body;
    if (path != null || skill != null) return undefined;
    const standsIn = REPLACEABLE.includes(builtin ?? '');
    reader.leave(at, builtin == null ? { kind: 'empty', name } : { kind: 'own-text', name: builtin, standsIn });
    return standsIn ? null : undefined;
  }

  return {
    addCheck(
      name: string,
      { place }: SourceFile<unknown>,
      path: readonly PropertyKey[],
      value: z.output<typeof checkSchema>,
    ): void {
      noteWhereItRuns(name, place(path), value);
      const { command, working_directory: directory, timeout } = value;
      if (command.trim() === '') reader.wrong(place([...path, 'command']), 'command', 'is empty');
      const isEntry = directory == null || directory === '' || directory === 'entrypoint';
      const check = { name, command, folder: isEntry ? null : directory, timeoutSeconds: toSeconds(timeout) };
      checks.set(name, { at: place(path), ...check });
    },

    async addReview(
      name: string,
      { place }: SourceFile<unknown>,
      path: readonly PropertyKey[],
      value: z.output<typeof reviewSchema>,
      body = '',
    ): Promise<void> {
      const at = place(path);
      const { model, timeout } = value;
      if (model != null) reader.leave(place([...path, 'model']), { kind: 'model', name, model });
      noteWhereItRuns(name, at, value);
      const text = await textOf(name, at, value, body);
      const placeholder = /\{\{\s*CONTEXT\s*\}\}/.exec(text ?? '')?.[0];
      if (placeholder !== undefined) reader.leave(at, { kind: 'placeholder', name, placeholder });
      const agents = value.cli_preference ?? value.reviewers ?? null;
      const enabled = value.enabled !== false;
      const review = text !== undefined && {
        ...plainReview(at, name, text),
        numReviews: Math.min(20, Math.max(1, Math.round(value.num_reviews ?? 1) || 1)),
        agents: agents === null ? null : knownAgentsOf(agents, at, reader),
        timeoutSeconds: toSeconds(timeout),
      };
      reviews.set(name, { review: review === false ? null : review, enabled });
    },

    useCheck(name: string, at: Position): readonly SourceCheck[] {
      const check = use('check', name, at, checks);
      return check === undefined ? [] : [check];
    },

    useReview(name: string, at: Position): readonly SourceReview[] {
      const found = use('review', name, at, reviews);
      return found?.review == null || !found.enabled ? [] : [found.review];
    },

    /** Returns the reviews that are not in use, and notes the checks that are not. */
    spare(): readonly SourceReview[] {
      for (const [name, { at }] of checks) {
        if (!used.has(`check ${name}`)) reader.leave(at, { kind: 'not-in-use', name, prompt: null });
      }
      return [...reviews].flatMap(([name, { review, enabled }]) =>
        review?.text != null && !(enabled && used.has(`review ${name}`)) ? [review] : [],
      );
    },
  };
}

function isKnownAgent(name: string): boolean {
  return AGENT_NAMES.some((one) => one === name);
}

/** Returns the agents that onceover knows, null if it knows none. It notes every other name once. */
function knownAgentsOf(given: readonly string[], at: Position, reader: SourceReader): readonly string[] | null {
  for (const name of new Set(given)) {
    const isNoted = reader.left.some(({ what }) => what.kind === 'agent' && what.name === name);
    if (!isKnownAgent(name) && !isNoted) reader.leave(at, { kind: 'agent', name });
  }
  const known = [...new Set(given)].filter(isKnownAgent);
  return known.length === 0 ? null : known;
}

/** Returns a timeout that onceover accepts; null if the given one makes no sense. */
function toSeconds(given: number | null | undefined): number | null {
  return given == null || !(given > 0) ? null : Math.min(86_400, Math.max(1, Math.ceil(given)));
}

function toSettings({ value, place }: Gauntlet, reader: SourceReader) {
  const { cli, max_retries: retries, rerun_new_issue_threshold: threshold, stop_hook: hook } = value;
  const priority = PRIORITIES.find((one) => one === threshold) ?? null;
  if (threshold != null && priority === null) {
    reader.noteUnknownKey(place(['rerun_new_issue_threshold'], 'key'), 'rerun_new_issue_threshold');
  }
  if (hook != null && hook.enabled !== false) reader.leave(place(['stop_hook'], 'key'), { kind: 'stop-hook' });
  const agents = cli?.default_preference ?? Object.keys(cli?.adapters ?? {});
  return {
    base: value.base_branch ?? null,
    maxRetries: retries == null || !(retries >= 0) ? null : Math.min(1000, Math.floor(retries)),
    rerunNewIssueThreshold: priority,
    agents: agents.length === 0 ? null : knownAgentsOf(agents, place(['cli']), reader),
    models: Object.entries(cli?.adapters ?? {}).flatMap(([name, adapter]) =>
      isKnownAgent(name) && adapter?.model != null ? [[name, adapter.model] as const] : [],
    ),
  };
}
