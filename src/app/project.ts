import { loadRules } from '../config/load-rules.ts';
import { loadSettings } from '../config/load-settings.ts';
import { openParsedFiles, type ParsedFiles } from '../config/parsed-files.ts';
import type { Listing, Place } from '../domain/change.ts';
import type { Notice } from '../domain/instructions.ts';
import type { Repository } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import type { Rule } from '../domain/rule.ts';
import type { Settings } from '../domain/settings.ts';
import { openRepository } from '../io/repository.ts';
import { sparseFiles } from '../io/text-files.ts';
import { version } from '../version.ts';
import { placeOf } from './ahead.ts';

/** The repository that somebody is in, with its settings as they are in the working tree. */
type Project = {
  readonly place: Place;
  readonly repository: Repository;
  readonly settings: Settings;
  readonly parsed: ParsedFiles;
};

/** Opens the repository that a folder is in. */
export async function openProject(cwd: string): Promise<Result<Project>> {
  const place = await placeOf(cwd);
  if (!place.ok) return place;
  const parsed = openParsedFiles(place.value.commonDir, version);
  const settings = await loadSettings(sparseFiles(place.value), parsed);
  if (!settings.ok) return settings;
  const repository = openRepository(place.value);
  return done({ place: place.value, repository, settings: settings.value, parsed });
}

/** The rules of the files that are there; what is wrong in them is noticed. */
export async function rulesOf(
  project: Project,
  listing: Listing,
): Promise<{ readonly rules: readonly Rule[]; readonly notices: readonly Notice[] }> {
  const loaded = await loadRules(sparseFiles(project.place), listing, project.parsed);
  project.parsed.save();
  return { rules: loaded.rules, notices: loaded.problems.map((problem) => ({ kind: 'problem', problem })) };
}
