import * as z from 'zod';
import type { RepoPath } from '../domain/brand.ts';
import type { ForeignConfig, ForeignReview } from '../domain/carry-over.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { type Findings, ignoreOthers, NO_SETTINGS, openFindings, PLAIN_REVIEW } from './foreign-file.ts';
import { readForeignMarkdown } from './foreign-markdown.ts';

/** The folders that its checks may be in. */
export const CONTINUE_FOLDERS = ['.continue/checks', '.agents/checks'];

const frontMatter = z.looseObject({
  name: z.string().nullish(),
  description: z.string().nullish(),
  model: z.string().nullish(),
});

/** Reads the checks of Continue: each is a review of everything that changed. */
export async function readContinue(files: ProjectFiles): Promise<Result<ForeignConfig>> {
  const findings = openFindings();
  const reviews: ForeignReview[] = [];
  const sources: string[] = [];
  for (const folder of CONTINUE_FOLDERS) {
    const listed = await files.list(folder as RepoPath);
    if (!listed.ok) return listed;
    for (const name of listed.value.filter((one) => one.endsWith('.md'))) {
      const file = `${folder}/${name}`;
      const read = await files.read(file as RepoPath);
      if (!read.ok) return read;
      const review = readCheck(file, name.slice(0, -'.md'.length), read.value ?? '', findings);
      if (review !== null) reviews.push(review);
      if (!sources.includes(folder)) sources.push(folder);
    }
  }
  if (findings.problems.length > 0) return failed({ kind: 'broken-config', problems: findings.problems });
  const source = sources.join(', ');
  const entry = {
    at: { file: sources[0] ?? '', line: 1, column: 1 },
    path: { kind: 'entry', text: '.' },
    exclude: [],
    leavesOutWritten: false,
    checks: [],
    reviews,
  } as const;
  return done({
    tool: 'continue',
    source,
    ...NO_SETTINGS,
    entries: reviews.length === 0 ? [] : [entry],
    spare: [],
    left: findings.allLeft(),
  });
}

function readCheck(file: string, name: string, markdown: string, findings: Findings): ForeignReview | null {
  const found = readForeignMarkdown(file, markdown, frontMatter, findings);
  if (found === null) return null;
  const { value, body, top } = found;
  const { description, model } = value;
  if (model != null && model !== '') findings.leave(found.place(['model']), { kind: 'model', name, model });
  ignoreOthers(found, [], value, ['name', 'description', 'model'], findings);
  // What it is for can be all that is said of it.
  const hasBody = body.trim() !== '';
  const text = hasBody ? body : (description ?? '');
  if (text.trim() === '') {
    findings.leave(top, { kind: 'empty', name });
    return null;
  }
  const about = [hasBody ? description : null, value.name].find((one) => one != null && one.trim() !== '') ?? null;
  return { ...PLAIN_REVIEW, at: top, name, text, about };
}
