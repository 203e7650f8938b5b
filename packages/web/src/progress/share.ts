import type { ReporterOf } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import type { Event, Reporter } from './state.ts';

/**
 * Returns a reporter that also writes the progress to a file, from which `onceover ui` shows it. The code for the file
 * is loaded only at the first event, so that short commands start faster.
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
          for (const queuedEvent of waiting ?? []) file.tell(queuedEvent);
        });
      }
    },
  };
}
