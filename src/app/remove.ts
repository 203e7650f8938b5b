import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { Repository } from '../domain/ports.ts';
import type { Removal } from '../domain/removal.ts';
import type { Result } from '../domain/result.ts';
import { removeSetUp } from '../execute/remove.ts';
import { CODE_QUALITY } from '../prompt/starter-gates.ts';
import { openBelongings } from '../stores/belongings.ts';
import { openProjectFiles } from '../stores/project-files.ts';
import { openSetUpNotes } from '../stores/set-up-notes.ts';

/** What is known of a repository that onceover is to leave. */
type Leaving = {
  readonly place: Place;
  readonly repository: Repository;
  readonly logDir: RepoPath;
};

/** Takes away what onceover has written in a repository and its clone, or only tells it. */
export async function removeProject(
  { place, repository, logDir }: Leaving,
  options: { readonly isDone: boolean },
): Promise<Result<Removal>> {
  const there = await repository.listing();
  if (!there.ok) return there;
  const { listing } = there.value;
  const notes = openSetUpNotes(place.commonDir);
  return removeSetUp(
    {
      files: openProjectFiles(place.root),
      listing,
      belongings: openBelongings(place, logDir, new Set<string>(listing.tracked)),
      isOurs: (path, text) => (path.endsWith('.md') && text === CODE_QUALITY) || notes.has(path, text),
    },
    options,
  );
}
