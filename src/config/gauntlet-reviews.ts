import type { output } from 'zod';
import { AGENT_NAMES } from '../domain/agent.ts';
import type { RepoPath } from '../domain/brand.ts';
import type { ForeignReview } from '../domain/carry-over.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import type { Position, UnusableFile } from '../domain/problem.ts';
import { repoPath } from '../domain/repo-path.ts';
import { done, type Result } from '../domain/result.ts';
import {
  type Findings,
  type ForeignFile,
  ignoreOthers,
  isWritable,
  readForeignYaml,
  secondsOf,
} from './foreign-file.ts';
import { readForeignMarkdown } from './foreign-markdown.ts';
import { notePlaces, readFolder, YAML_ENDINGS } from './gauntlet-files.ts';
import { CARRIED, gauntletReview } from './gauntlet-shape.ts';

/** A review as it is written down: in use unless it is switched off; without one where nothing can be carried over. */
export type GauntletReview = { readonly review: ForeignReview | null; readonly enabled: boolean };

/** The reviews in files of their own, by name: Markdown with its front matter, or YAML that names a text. */
export async function readReviews(
  files: ProjectFiles,
  folder: string,
  findings: Findings,
): Promise<Result<Map<string, GauntletReview>>> {
  const reviews: Map<string, GauntletReview> = new Map();
  for (const ending of ['.md', ...YAML_ENDINGS]) {
    const texts = await readFolder(files, `${folder}/reviews`, ending);
    if (!texts.ok) return texts;
    for (const { file, name, text } of texts.value) {
      const markdown = ending === '.md' ? readForeignMarkdown(file, text, gauntletReview, findings) : null;
      const found = ending === '.md' ? markdown : readForeignYaml(file, text, gauntletReview, findings);
      if (found === null) continue;
      const reading = { files, folder, findings };
      reviews.set(name, await toReview(reading, name, found, [], found.value, markdown?.body));
    }
  }
  return done(reviews);
}

type Reading = { readonly files: ProjectFiles; readonly folder: string; readonly findings: Findings };

/** A review in our words, with the text that it names. */
export async function toReview(
  reading: Reading,
  name: string,
  found: ForeignFile<unknown>,
  at: readonly PropertyKey[],
  value: output<typeof gauntletReview>,
  body = '',
): Promise<GauntletReview> {
  const { findings } = reading;
  const place = found.place(at);
  ignoreOthers(found, at, value, CARRIED.review, findings, 'reviews');
  notePlaces(name, place, value, findings);
  const enabled = value.enabled !== false;
  if (value.model != null) findings.leave(found.place([...at, 'model']), { kind: 'model', name, model: value.model });
  const text = await textOf(reading, name, place, value, body);
  if (text === undefined) return { review: null, enabled };
  const placeholder = /\{\{\s*CONTEXT\s*\}\}/.exec(text ?? '')?.[0];
  if (placeholder !== undefined) findings.leave(place, { kind: 'placeholder', name, placeholder });
  const wanted = value.cli_preference ?? value.reviewers ?? null;
  const review: ForeignReview = {
    at: place,
    name,
    text,
    about: null,
    numReviews: Math.min(20, Math.max(1, Math.round(value.num_reviews ?? 1) || 1)),
    agents: wanted === null ? null : sharedAgents(wanted, place, findings),
    timeoutSeconds: secondsOf(value.timeout ?? undefined),
  };
  return { review, enabled };
}

/** Those that both know; the others are noted. Null where none is left. */
export function sharedAgents(names: readonly string[], at: Position, findings: Findings): readonly string[] | null {
  for (const name of new Set(names)) {
    const isNoted = findings.left.some(({ what }) => what.kind === 'agent' && what.name === name);
    if (!isShared(name) && !isNoted) findings.leave(at, { kind: 'agent', name });
  }
  const shared = [...new Set(names)].filter(isShared);
  return shared.length === 0 ? null : shared;
}

/** Whether both know the agent. */
export function isShared(name: string): boolean {
  return AGENT_NAMES.some((one) => one === name);
}

/** Texts of the tool's own for which ours can stand in: they look at all that ours does. */
const STOOD_IN = ['code-quality', 'all-reviewers'];

/** The text of a review: null where ours stands in for it; undefined where there is none, which is noted. */
async function textOf(
  { files, folder, findings }: Reading,
  name: string,
  at: Position,
  { prompt_file: path, skill_name: skill, builtin }: output<typeof gauntletReview>,
  body: string,
): Promise<string | null | undefined> {
  if (path != null) {
    const inside = repoPath(path, folder);
    const read = inside === null || inside === '' ? null : await files.read(inside);
    const why: UnusableFile | null =
      read === null ? 'outside' : !read.ok ? 'unreadable' : read.value === null ? 'missing' : null;
    if (why !== null) findings.leave(at, { kind: 'prompt-file', name, path, why });
    else if (read?.ok === true && read.value !== null && read.value.trim() !== '') {
      return isWritable(read.value, { file: inside as RepoPath, line: 1, column: 1 }, 'the file', findings)
        ? read.value
        : undefined;
    } else findings.leave(at, { kind: 'empty', name });
    if (why === null) return undefined;
  }
  if (skill != null) findings.leave(at, { kind: 'skill', name, skill });
  if (body.trim() !== '') return body;
  if (path != null || skill != null) return undefined;
  if (builtin == null) findings.leave(at, { kind: 'empty', name });
  else {
    const standsIn = STOOD_IN.includes(builtin);
    findings.leave(at, { kind: 'own-text', name: builtin, standsIn });
    if (standsIn) return null;
  }
  return undefined;
}
