import { AGENT_NAMES } from '@onceover/base/kernel/agent-names';
import { quoteName } from '@onceover/base/kernel/escape';
import type { Position } from '@onceover/base/kernel/failure';
import { repoPath } from '@onceover/base/kernel/paths';
import { UNUSABLE } from '@onceover/base/ui/describe-problem';
import { PRIORITIES } from '@onceover/repo/config/settings';
import * as z from 'zod';
import type { SourceReader, SourceValue } from './source-reader.ts';
import type { SourceCheck, SourceConfig, SourceReview } from './types.ts';

/** The file that every configuration folder of agent gauntlet (another review tool) contains. */
export const GAUNTLET_FILE = 'config.yml';

const names = z.array(z.string());

/** The schema of a check's settings, in a file in `checks/` or inside an element of `entry_points`. */
const checkSchema = z.object({
  name: z.string().min(1).nullish(),
  command: z.string().min(1),
  working_directory: z.string().nullish(),
  timeout: z.number().nullish(),
});

/**
 * The schema of a review's settings, in a file in `reviews/` (YAML or front matter) or inside an element of
 * `entry_points`.
 */
const reviewSchema = z.object({
  cli_preference: names.nullish(),
  reviewers: names.nullish(),
  num_reviews: z.number().nullish(),
  timeout: z.number().nullish(),
  prompt_file: z.string().min(1).nullish(),
  builtin: z.string().min(1).nullish(),
  enabled: z.boolean().nullish(),
});

/** The schema of a check or review in an element of `entry_points`: its name, or `{ name: settings }`. */
const gateSchema = z
  .union([z.string().min(1), z.record(z.string(), z.unknown())])
  .refine((gate) => typeof gate === 'string' || Object.keys(gate).length === 1, {
    message: 'must be a name, or one name with its settings',
  });

const configSchema = z.object({
  base_branch: z.string().min(1).nullish(),
  max_retries: z.number().nullish(),
  // In old versions of agent gauntlet, this value is a number of issues. onceover has no such setting, so ignore a
  // number.
  rerun_new_issue_threshold: z.enum(PRIORITIES).optional().catch(undefined),
  cli: z
    .object({
      default_preference: names.nullish(),
      adapters: z.record(z.string(), z.object({ model: z.string().nullish() }).nullable()).nullish(),
    })
    .nullish(),
  entry_points: z.array(
    z.object({
      path: z.string().min(1),
      exclude: z.array(z.string()).nullish(),
      checks: z.array(gateSchema).nullish(),
      reviews: z.array(gateSchema).nullish(),
    }),
  ),
});

type Found<T extends z.ZodType> = SourceValue<z.output<T>> & { readonly name: string; readonly body?: string };

/** A review of agent gauntlet; null if it has no text to import. */
type GauntletReview = (SourceReview & { readonly isOn: boolean }) | null;

/** Returns the entry points of agent gauntlet with their checks and reviews; null if `config.yml` is not valid. */
export async function readGauntlet(reader: SourceReader, folder: string): Promise<SourceConfig | null> {
  const foundChecks: Found<typeof checkSchema>[] = [];
  const foundReviews: Found<typeof reviewSchema>[] = [];
  for (const source of await reader.folder(`${folder}/checks`, '.yml', '.yaml')) {
    const checkFile = reader.parse(source, checkSchema, 'checks');
    if (checkFile !== null) foundChecks.push({ ...checkFile, name: checkFile.value.name ?? source.name });
  }
  for (const source of await reader.folder(`${folder}/reviews`, '.md', '.yml', '.yaml')) {
    const reviewFile = reader.parse(source, reviewSchema, 'reviews');
    if (reviewFile !== null) foundReviews.push({ ...reviewFile, name: source.name });
  }
  const file = `${folder}/${GAUNTLET_FILE}`;
  const config = reader.parse({ file, text: await reader.read(file) }, configSchema);
  if (config === null) return null;
  const { entry_points: points } = config.value;
  // An entry point can name the inline checks and reviews of any other entry point, so read all of them first.
  for (const [i, point] of points.entries()) {
    const path = ['entry_points', i];
    foundChecks.push(...reader.inline(config, [...path, 'checks'], point.checks ?? [], checkSchema));
    foundReviews.push(...reader.inline(config, [...path, 'reviews'], point.reviews ?? [], reviewSchema));
  }
  const checks = new Map(foundChecks.map((check) => [check.name, toCheck(reader, check)]));
  const reviews = new Map<string, GauntletReview>();
  for (const review of foundReviews) reviews.set(review.name, await toReview(reader, folder, review));

  const usedGates = new Set<unknown>();
  /** Returns the checks or reviews that entry point `i` names. Adds a note for each name that does not exist. */
  const use = <T>(i: number, gate: 'check' | 'review', gates: ReadonlyMap<string, T>): readonly T[] => {
    const names = (points[i]?.[`${gate}s`] ?? []).map((entry) =>
      typeof entry === 'string' ? entry : Object.keys(entry)[0],
    );
    return names.flatMap((name = '', n) => {
      const definition = gates.get(name);
      usedGates.add(definition);
      if (definition !== undefined) return [definition];
      reader.note(config.place(['entry_points', i, `${gate}s`, n]), `there is no ${gate} ${quoteName(name)}`);
      return [];
    });
  };
  const entries = points.map(({ path, exclude }, i) => ({
    at: config.place(['entry_points', i, 'path']),
    path,
    exclude: (exclude ?? []).map((glob, n) => ({ at: config.place(['entry_points', i, 'exclude', n]), glob })),
    checks: use(i, 'check', checks),
    reviews: use(i, 'review', reviews)
      .filter((review) => review !== null)
      .filter(({ isOn }) => isOn),
  }));
  for (const check of checks.values()) {
    if (!usedGates.has(check)) reader.note(check.at, `${quoteName(check.name)} is not in use`);
  }
  const spare = [...reviews.values()]
    .filter((review) => review !== null)
    .filter((review) => review.text !== null && !(review.isOn && usedGates.has(review)));
  return { source: folder, settings: toSettings(config, reader), entries, spare };
}

function toCheck(reader: SourceReader, { name, value, place }: Found<typeof checkSchema>): SourceCheck {
  const { command, working_directory: directory, timeout } = value;
  const at = place([]);
  if (command.trim() === '') reader.wrong(place(['command']), 'command', 'is empty');
  const isEntry = directory == null || directory === '' || directory === 'entrypoint';
  return { at, name, command, folder: isEntry ? null : directory, timeout: toSeconds(timeout) };
}

async function toReview(
  reader: SourceReader,
  folder: string,
  review: Found<typeof reviewSchema>,
): Promise<GauntletReview> {
  const { name, value, place } = review;
  const { cli_preference: preferredAgents, reviewers, num_reviews: count } = value;
  const at = place([]);
  const text = await reviewText(reader, folder, review);
  const placeholder = /\{\{\s*CONTEXT\s*\}\}/.exec(text ?? '')?.[0];
  if (placeholder !== undefined) reader.note(at, `${placeholder} in ${quoteName(name)} is not replaced here`);
  const reviews = Math.min(20, Math.max(1, Math.round(count ?? 1) || 1));
  const settings = {
    num_reviews: reviews === 1 ? undefined : reviews,
    agents: supportedAgents(reader, at, preferredAgents ?? reviewers ?? []),
    timeout: toSeconds(value.timeout),
  };
  return text === undefined ? null : { at, name, text, settings, isOn: value.enabled !== false };
}

/**
 * Built-in prompts of agent gauntlet that onceover's code-quality prompt replaces, because it looks for the same
 * problems.
 */
const REPLACEABLE = ['code-quality', 'all-reviewers'];

/** Returns the prompt of a review; null if onceover's own prompt replaces it, undefined if it has no usable text. */
async function reviewText(
  reader: SourceReader,
  folder: string,
  { name, value, place, body = '' }: Found<typeof reviewSchema>,
): Promise<string | null | undefined> {
  const { prompt_file: path, builtin } = value;
  const at = place([]);
  if (path != null) {
    const file = repoPath(path, folder) || null;
    const content = file === null ? null : await reader.files.read(file);
    if (content?.ok === true && content.value !== null) {
      return reader.isPrompt(content.value, name, at) ? content.value : undefined;
    }
    const why = UNUSABLE[content === null ? 'outside' : content.ok ? 'missing' : 'unreadable'];
    reader.note(at, `the text of ${quoteName(name)} is in ${quoteName(path)}, which ${why}`);
  }
  if (body.trim() !== '' || builtin == null) return reader.isPrompt(body, name, at) ? body : undefined;
  const isReplaced = REPLACEABLE.includes(builtin);
  const next = isReplaced ? 'our code-quality review replaces it' : 'write a prompt and use it in a review';
  reader.note(at, `the text of ${quoteName(builtin)} is part of the tool and not in this repository; ${next}`);
  return isReplaced ? null : undefined;
}

const KNOWN_AGENTS: readonly string[] = AGENT_NAMES;

/** Returns those of the given agents that onceover knows; undefined if it knows none. Adds a note about the others. */
function supportedAgents(reader: SourceReader, at: Position, names: readonly string[]): string[] | undefined {
  const uniqueNames = [...new Set(names)];
  for (const name of uniqueNames.filter((agent) => !KNOWN_AGENTS.includes(agent))) {
    const remark = `onceover does not know the agent ${quoteName(name)}; you can set its command under "agent"`;
    reader.note(at, remark, 'once');
  }
  const knownNames = uniqueNames.filter((name) => KNOWN_AGENTS.includes(name));
  return knownNames.length === 0 ? undefined : knownNames;
}

/** Returns a timeout within the limits that onceover accepts; undefined if it is missing or not positive. */
function toSeconds(seconds: number | null | undefined): number | undefined {
  return seconds == null || !(seconds > 0) ? undefined : Math.min(86_400, Math.max(1, Math.ceil(seconds)));
}

function toSettings({ value, place }: SourceValue<z.output<typeof configSchema>>, reader: SourceReader) {
  const { cli, max_retries: retries } = value;
  const adapters = Object.entries(cli?.adapters ?? {});
  const agents = supportedAgents(reader, place(['cli']), cli?.default_preference ?? adapters.map(([name]) => name));
  const models = adapters.flatMap(([name, adapter]) =>
    KNOWN_AGENTS.includes(name) && adapter?.model != null ? [[name, { model: adapter.model }] as const] : [],
  );
  return {
    base: value.base_branch ?? undefined,
    ...(agents && { agents }),
    agent: models.length === 0 ? undefined : Object.fromEntries(models),
    max_retries: retries == null || !(retries >= 0) ? undefined : Math.min(1000, Math.floor(retries)),
    rerun_new_issue_threshold: value.rerun_new_issue_threshold,
  };
}
