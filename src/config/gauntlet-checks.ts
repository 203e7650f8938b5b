import type { output } from 'zod';
import type { ForeignCheck } from '../domain/carry-over.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { type Findings, type ForeignFile, ignoreOthers, readForeignYaml, secondsOf } from './foreign-file.ts';
import { notePlaces, readFolder, YAML_ENDINGS } from './gauntlet-files.ts';
import { CARRIED, gauntletCheck } from './gauntlet-shape.ts';

/** The checks in files of their own, by name. */
export async function readChecks(
  files: ProjectFiles,
  folder: string,
  findings: Findings,
): Promise<Result<Map<string, ForeignCheck>>> {
  const checks: Map<string, ForeignCheck> = new Map();
  for (const ending of YAML_ENDINGS) {
    const texts = await readFolder(files, `${folder}/checks`, ending);
    if (!texts.ok) return texts;
    for (const { file, name, text } of texts.value) {
      const found = readForeignYaml(file, text, gauntletCheck, findings);
      if (found === null) continue;
      checks.set(found.value.name ?? name, toCheck(found.value.name ?? name, found, [], found.value, findings));
    }
  }
  return done(checks);
}

/** A check in our words. */
export function toCheck(
  name: string,
  found: ForeignFile<unknown>,
  at: readonly PropertyKey[],
  value: output<typeof gauntletCheck>,
  findings: Findings,
): ForeignCheck {
  const place = found.place(at);
  ignoreOthers(found, at, value, CARRIED.check, findings, 'checks');
  notePlaces(name, place, value, findings);
  if (value.command.trim() === '') findings.wrong(found.place([...at, 'command']), 'command', 'says nothing');
  const folder = value.working_directory ?? null;
  return {
    at: place,
    name,
    command: value.command,
    folder: folder === 'entrypoint' || folder === '' ? null : folder,
    timeoutSeconds: secondsOf(value.timeout ?? undefined),
  };
}
