import type { output, ZodType } from 'zod';
import type { RepoPath } from '../domain/brand.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import type { Position } from '../domain/problem.ts';
import { done, type Result } from '../domain/result.ts';
import type { Findings, ForeignFile } from './foreign-file.ts';
import { keyName } from './key-name.ts';
import { checkShape } from './yaml-file.ts';

/** How names of YAML files end there. */
export const YAML_ENDINGS = ['.yml', '.yaml'];

/** A gate that is written down inside of an entry point; null where it is not one, which is noted. */
export function inlineGate<T extends ZodType>(
  found: ForeignFile<unknown>,
  at: readonly PropertyKey[],
  given: Readonly<Record<string, unknown>>,
  schema: T,
  findings: Findings,
): { readonly name: string; readonly value: output<T>; readonly at: readonly PropertyKey[] } | null {
  const [name, ...more] = Object.keys(given);
  if (name === undefined || more.length > 0) {
    findings.wrong(found.place(at), keyName(at), 'must be a name, or one name with what it stands for');
    return null;
  }
  const path = [...at, name];
  const checked = checkShape(schema, given[name] ?? {}, { place: found.place }, path);
  if (checked.ok) return { name, value: checked.value, at: path };
  const { file } = found.place(path);
  findings.problems.push(...checked.problems.map((problem) => ({ file, ...problem })));
  return null;
}

/** Notes that a gate runs in one place alone. */
export function notePlaces(
  name: string,
  at: Position,
  value: { readonly run_in_ci?: boolean | null | undefined; readonly run_locally?: boolean | null | undefined },
  findings: Findings,
): void {
  if (value.run_in_ci === false) findings.leave(at, { kind: 'one-place', name, where: 'here' });
  if (value.run_locally === false) findings.leave(at, { kind: 'one-place', name, where: 'ci' });
}

type NamedText = { readonly file: string; readonly name: string; readonly text: string };

/** The files of a folder whose names end so, with their texts. */
export async function readFolder(
  files: ProjectFiles,
  folder: string,
  ending: string,
): Promise<Result<readonly NamedText[]>> {
  const listed = await files.list(folder as RepoPath);
  if (!listed.ok) return listed;
  const texts: NamedText[] = [];
  for (const file of listed.value.filter((one) => one.endsWith(ending))) {
    const read = await files.read(`${folder}/${file}` as RepoPath);
    if (!read.ok) return read;
    texts.push({ file: `${folder}/${file}`, name: file.slice(0, -ending.length), text: read.value ?? '' });
  }
  return done(texts);
}
