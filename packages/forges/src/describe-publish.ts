import { quoteName } from '@onceover/base/kernel/escape';
import { count } from '@onceover/base/ui/wording';
import type * as z from 'zod';
import type { publishSchema } from './json-schema.ts';
import type { PublishOutcome, PublishStep } from './publish.ts';
import type { PublishAction } from './types.ts';

type PublishDocument = z.output<typeof publishSchema>;

/** Returns the JSON document that `publish --json` prints. */
export function publishDocument(outcome: PublishOutcome): PublishDocument {
  return {
    forge: outcome.forge,
    outdated: outcome.isOutdated,
    visible: outcome.isVisible,
    writes: outcome.steps.filter(({ end }) => end === 'done').length,
    actions: outcome.steps.map(({ action, end }) => ({
      action: action.kind,
      subject: subjectOf(action),
      why: 'why' in action ? action.why : null,
      end,
    })),
    hints: [...hintsOf(outcome)],
  };
}

/** Describes for the user what was published and what the token was not allowed to do. */
export function describePublished(outcome: PublishOutcome, isDry: boolean): string {
  const { forge, steps, isOutdated } = outcome;
  const counts = new Map<string, number>();
  for (const step of steps) {
    const word = wordOf(step);
    if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const list = [...counts].map(([word, number]) => `  ${number} × ${word}`);
  const verb = isDry ? 'Would publish' : 'Published';
  const emptyMessage =
    steps.length === 0 ? `Nothing to write, ${forge} is up to date.` : `Nothing is published on ${forge}.`;
  return [
    list.length === 0 ? emptyMessage : `${verb} on ${forge}:`,
    ...list,
    ...(isDry ? steps.map(({ action }) => `  ${action.kind} ${subjectOf(action)}`) : []),
    ...(isOutdated ? ['The pull request has newer commits, so only checks are published.'] : []),
    ...(outcome.isVisible ? [] : [`${forge} does not show everything yet. Wait before you publish again.`]),
    ...hintsOf(outcome),
  ].join('\n');
}

function wordOf({ action, end }: PublishStep): string | null {
  if (end === 'refused' && action.kind === 'resolve') return 'closed thread, marked as closed but not resolved';
  if (end === 'refused' || end === 'rejected') return null;
  return WORDS[action.kind];
}

const WORDS: Readonly<Record<PublishAction['kind'], string>> = {
  'create-thread': 'new thread',
  'edit-thread': 'edited thread',
  reply: 'reply',
  resolve: 'resolved thread',
  reopen: 'reopened thread',
  hide: 'hidden comment',
  show: 'shown comment',
  'delete-thread': 'deleted duplicate',
  'create-comment': 'comment',
  'edit-comment': 'updated summary',
  'delete-comment': 'deleted duplicate',
  'create-check': 'check',
};

function subjectOf(action: PublishAction): string {
  switch (action.kind) {
    case 'create-thread': {
      const { place } = action.thread;
      return quoteName(place.kind === 'lines' ? `${place.path}:${place.first}` : place.path);
    }
    case 'create-check':
      return `${quoteName(action.check.name)} ${action.check.conclusion}`;
    case 'create-comment':
      return action.about;
    case 'reply':
    case 'resolve':
    case 'reopen':
      return quoteName(action.thread);
    case 'delete-thread':
      return action.comments.map(quoteName).join(', ');
    default:
      return quoteName(action.comment);
  }
}

/** Returns a hint for each permission that the token lacks, and how to grant it. No hint is repeated. */
function hintsOf({ steps }: PublishOutcome): readonly string[] {
  const has = (kind: PublishAction['kind'], end: PublishStep['end']) =>
    steps.some((step) => step.action.kind === kind && step.end === end);
  const rejectedCount = steps.filter(({ action, end }) => action.kind === 'create-thread' && end === 'rejected').length;
  return [
    ...(has('resolve', 'refused') || has('reopen', 'refused')
      ? [
          'Hint: to let onceover resolve and reopen threads, give its token the permission "contents: write" on GitHub, or the role Developer on GitLab.',
        ]
      : []),
    ...(has('create-check', 'refused')
      ? [
          'Hint: checks are missing. On GitHub they need the permission "checks: write" and the token of an app, such as GITHUB_TOKEN; on GitLab a token with the scope "api" and the role Developer.',
        ]
      : []),
    ...(has('create-thread', 'refused')
      ? ['Hint: threads need the permission "pull-requests: write" on GitHub, or the scope "api" on GitLab.']
      : []),
    ...(rejectedCount > 0
      ? [`${count(rejectedCount, 'finding has', 'findings have')} no thread and are in the summary only.`]
      : []),
  ];
}
