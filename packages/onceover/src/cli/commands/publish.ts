import { resolve } from 'node:path';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { describePublished, publishDocument } from '@onceover/forges/describe-publish';
import type { PublishedRun } from '@onceover/forges/describe-summary';
import { openPublication, publish } from '../../api.ts';
import { firstWrong } from '../input.ts';
import { type Flags, finish, printFailure, workingDirectory, wrongUsage } from '../output.ts';

/** The flags that `publish` and `run --publish` have in common. */
export type PublishFlags = Flags<'from' | 'commit' | 'summary' | 'reportUrl', 'dryRun' | 'checks' | 'untrusted'> & {
  readonly pull?: number;
};

export async function publishCommand(flags: PublishFlags): Promise<void> {
  const { from, json = false } = flags;
  const wrong =
    wrongPublishFlags(flags) ?? (from === undefined ? 'Name the result of a run with --from run.json.' : null);
  if (wrong !== null || from === undefined) return wrongUsage('publish', wrong ?? '', json);
  await finish(await publish(resolve(workingDirectory(), from), wishOf(flags)), json, {
    document: publishDocument,
    text: (outcome) => describePublished(outcome, flags.dryRun === true),
  });
}

/** Returns why these flags cannot be used; null if they can. */
export function wrongPublishFlags({ summary, reportUrl, commit }: PublishFlags): string | null {
  return firstWrong([
    [summary !== undefined && !['always', 'quiet'].includes(summary), '--summary is "always" or "quiet".'],
    [
      reportUrl !== undefined && !/^https:\/\/[\w.-]+(?::\d+)?(?:\/[\w./%?=&+~-]*)?$/.test(reportUrl),
      '--report-url is an https address without special characters.',
    ],
    [commit !== undefined && !/^[0-9a-f]{40,64}$/.test(commit), '--commit is the full id of a commit.'],
  ]);
}

/** Returns the choices that the flags express, with defaults. */
export function wishOf(flags: PublishFlags) {
  return {
    pull: flags.pull ?? null,
    commit: flags.commit ?? null,
    summary: flags.summary === 'quiet' ? 'quiet' : 'always',
    checks: flags.checks !== false,
    isUntrusted: flags.untrusted === true,
    reportUrl: flags.reportUrl ?? null,
    isDry: flags.dryRun === true,
    token: null,
  } as const;
}

/**
 * Returns a function that publishes the result of a run and prints to stderr what it published. It returns a warning if
 * something failed, otherwise null.
 */
export async function publicationOfRun(): Promise<(run: PublishedRun) => Promise<string | null>> {
  const send = await openPublication(wishOf({}));
  return async (run) => {
    const publication = await send(run);
    if (publication.ok) {
      process.stderr.write(`${describePublished(publication.value, false)}\n`);
      return null;
    }
    const { what, next } = describeFailure(publication.failure);
    printFailure({ what: `The result is not published: ${what}`, next });
    return `the result is not published: ${what}`;
  };
}
