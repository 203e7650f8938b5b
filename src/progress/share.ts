import type { ReporterOf } from '../kernel/ports.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import type { Event, Reporter } from './state.ts';

/**
 * Returns a reporter that also writes the progress to a file, which `onceover ui` follows. The code for the file is
 * loaded with the first event, so a run without reviewers and checks does not pay for it.
 */
export function sharedReporter<E extends Event>(repository: RepositoryPaths, reporter: ReporterOf<E>): ReporterOf<E> {
  let waiting: Event[] | null = null;
  let file: Reporter | null = null;
  return {
    tell(event) {
      reporter.tell(event);
      if (file !== null) file.tell(event);
      else if (waiting !== null) waiting.push(event);
      else {
        waiting = [event];
        void import('./progress-file.ts').then(({ openProgressWriter }) => {
          file = openProgressWriter(repository);
          for (const one of waiting ?? []) file.tell(one);
        });
      }
    },
  };
}
