import { findingFingerprint } from '@onceover/gates/src/findings/fingerprint.ts';
import { directGithub } from '@onceover/testing/forges/github-server.ts';
import { directGitlab } from '@onceover/testing/forges/gitlab-server.ts';
import {
  beginStory,
  copyOf,
  happen,
  histories,
  type OpenForge,
  publishStory,
  visible,
} from '@onceover/testing/forges/history.ts';
import { memoryForge } from '@onceover/testing/forges/memory-forge.ts';
import type { World } from '@onceover/testing/forges/world.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markerOf } from '../src/describe-marker.ts';

const runs = Number(process.env['ONCEOVER_HISTORIES'] ?? 150);

const threadMarkers = ({ data }: World) =>
  data.threads.flatMap(({ comments }) => {
    const marker = markerOf(comments[0]?.body ?? '');
    return marker?.kind === 'thread' ? marker.fingerprints : [];
  });

const withReplies = ({ data }: World) =>
  data.threads.filter(({ comments }) => comments.some(({ author }) => author === 'ann'));

/** Returns the reviewers of open findings that the thread of their code does not name. */
const unnamedReviewers = ({ world, findings }: ReturnType<typeof beginStory>) => {
  const isAnswered = new Set(withReplies(world));
  return world.data.threads
    .filter((thread) => !isAnswered.has(thread))
    .flatMap(({ comments }) => {
      const body = comments[0]?.body ?? '';
      const marker = markerOf(body);
      const prints = marker?.kind === 'thread' ? marker.fingerprints : [];
      return findings
        .filter(({ state, reported }) => state === 'open' && prints.includes(findingFingerprint(reported.finding)))
        .map(({ reported }) => `\`${reported.finding.gate}\`, reviewer ${reported.finding.slot} `)
        .filter((name) => !body.includes(name));
    });
};

const FORGES: readonly (readonly [string, OpenForge, number])[] = [
  ['a forge in memory', memoryForge, runs],
  // These go through the program's own requests, which takes longer.
  ['GitHub', directGithub, Math.ceil(runs / 5)],
  ['GitLab', directGitlab, Math.ceil(runs / 3)],
];

describe.each(FORGES)('histories on %s', (_name, open, runCount) => {
  test('a finding has at most one thread, a second publication writes nothing, and replies are never touched', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const story = beginStory(open);
        for (const event of history) {
          if (event.kind !== 'publish') {
            happen(story, event);
            continue;
          }
          const before = JSON.stringify(withReplies(story.world));
          await publishStory(story);
          expect(JSON.stringify(withReplies(story.world))).toBe(before);
          const markers = threadMarkers(story.world);
          expect(new Set(markers).size).toBe(markers.length);
          expect(unnamedReviewers(story)).toEqual([]);
          expect(story.world.rejected).toBe(0);
          const { writes } = story.world;
          expect((await publishStory(story)).steps.filter(({ end }) => end === 'done')).toEqual([]);
          expect(story.world.writes).toBe(writes);
        }
      }),
      { numRuns: runCount },
    );
  });

  test('a publication that is killed after any write and repeated ends in the same state', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat({ max: 12 }), async (history, mostWrites) => {
        const story = beginStory(open);
        for (const event of history) {
          if (event.kind === 'publish') {
            const whole = copyOf(story.world);
            await publishStory(story, whole);
            await publishStory(story, story.world, mostWrites).catch(() => null);
            await publishStory(story);
            expect(visible(story.world)).toEqual(visible(whole));
          } else happen(story, event);
        }
      }),
      { numRuns: runCount },
    );
  });

  test('a forge that shows writes late gets no duplicates', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const story = beginStory(open);
        story.world.lag = 3000;
        for (const event of history) {
          if (event.kind !== 'publish') happen(story, event);
          else expect((await publishStory(story)).isVisible).toBe(true);
          const markers = threadMarkers(story.world);
          expect(new Set(markers).size).toBe(markers.length);
        }
        const summaries = story.world.data.comments.filter(({ body }) => markerOf(body)?.kind === 'summary');
        expect(summaries.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: Math.ceil(runCount / 3) },
    );
  });

  test('two publications at the same time leave one thread a finding and one summary', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const story = beginStory(open);
        for (const event of history) happen(story, event);
        await Promise.all([publishStory(story), publishStory(story)]);
        await publishStory(story);
        const markers = threadMarkers(story.world);
        expect(new Set(markers).size).toBe(markers.length);
        const summaries = story.world.data.comments.filter(({ body }) => markerOf(body)?.kind === 'summary');
        expect(summaries.length).toBe(1);
      }),
      { numRuns: Math.ceil(runCount / 3) },
    );
  });
});
