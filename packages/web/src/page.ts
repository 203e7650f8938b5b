import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { errorCode } from '@onceover/base/platform/files';
import { previewGates, type RunOptions } from '@onceover/gates/run/open-run';
import { fillTemplate } from './describe-page.ts';
import { type PageSubject, readPage } from './read.ts';

/** Returns a page as a single HTML file that makes no requests. It contains the transcripts of the current change. */
export async function reportPage(
  repository: RepositoryPaths,
  options: RunOptions | null,
  subject: PageSubject,
): Promise<Result<string>> {
  const template = readTemplate();
  if (!template.ok) return template;
  const preview = options === null ? null : await previewGates(repository, { ...options, allowUnconfigured: true });
  return ok(fillTemplate(template.value, await readPage(repository, preview, subject, true)));
}

// In the built program, the page is next to the code. Tests run the source, and use the page at the root.
const PLACES = ['./page.html', '../../../dist/page.html'];

/** Returns the built HTML page without data. */
export function readTemplate(): Result<string> {
  let code = 'ENOENT';
  const paths = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  for (const path of paths) {
    try {
      return ok(readFileSync(path, 'utf8'));
    } catch (error) {
      code = errorCode(error);
    }
  }
  return err({ kind: 'disk', action: 'read', path: paths[0] ?? '', code });
}
