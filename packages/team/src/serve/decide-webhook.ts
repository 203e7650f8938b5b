import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { ForgeSettings, WebhookWish } from './types.ts';

/** A webhook request: its headers and its unparsed body. */
export type Webhook = {
  header(name: string): string | null;
  readonly body: Buffer;
};

export type WebhookDecision =
  | {
      readonly ok: true;
      /**
       * The names under which the team store remembers this delivery. A later webhook with one of these names is a
       * repetition and is ignored.
       */
      readonly keys: readonly string[];
      readonly delivery: string;
      readonly wish: WebhookWish;
    }
  | { readonly ok: false; readonly status: 400 | 401; readonly why: string };

/**
 * Decides what a webhook asks for. The webhook counts only if the forge's secret signed its body (GitHub) or was sent
 * in a header (GitLab). Its content only names the pull request to review, so a forged webhook cannot choose the base
 * or the commit.
 */
export function decideWebhook(forge: ForgeSettings, webhook: Webhook): WebhookDecision {
  const isGenuine = forge.name === 'github' ? isSigned : hasToken;
  if (!isGenuine(webhook, forge.secret)) return refusal(401, 'The signature or token of the webhook is not valid.');
  const delivery = deliveryOf(forge, webhook) ?? '';
  if (!/^[\w-]{1,100}$/.test(delivery)) return refusal(400, 'The webhook has no valid delivery id.');
  const content = parseBody(webhook.body);
  if (content === undefined) return refusal(400, 'The webhook is not JSON.');
  const wish = forge.name === 'github' ? githubWish(forge, webhook, content) : gitlabWish(forge, webhook, content);
  if (wish === null) return refusal(400, 'The webhook does not describe a pull request as expected.');
  // GitHub's signature does not cover the delivery id, so a repetition is also recognised by the digest of its body.
  const digest = createHash('sha256').update(webhook.body).digest('hex');
  return { ok: true, delivery, wish, keys: [`${forge.name}:${delivery}`, `${forge.name}:body:${digest}`] };
}

function deliveryOf({ name }: ForgeSettings, { header }: Webhook): string | null {
  if (name === 'github') return header('x-github-delivery');
  // A webhook that another webhook caused has the same event id as that one, so this id comes second. GitLab sends the
  // other header since version 17.4.
  return header('idempotency-key') ?? header('x-gitlab-event-uuid');
}

function refusal(status: 400 | 401, why: string): WebhookDecision {
  return { ok: false, status, why };
}

function isSigned({ header, body }: Webhook, secret: string): boolean {
  const [, signature] = /^sha256=([0-9a-f]{64})$/.exec(header('x-hub-signature-256') ?? '') ?? [];
  if (signature === undefined) return false;
  return timingSafeEqual(Buffer.from(signature, 'hex'), createHmac('sha256', secret).update(body).digest());
}

function hasToken({ header }: Webhook, secret: string): boolean {
  return isSameSecret(header('x-gitlab-token') ?? '', secret);
}

/**
 * Whether two secrets are equal. The comparison takes the same time for all inputs, so timing reveals nothing about the
 * secret.
 */
export function isSameSecret(candidate: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(candidate), digest(secret));
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

const number = z.number().int().positive().max(2_147_483_647);

const commit = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/);

const githubEvent = z.object({
  action: z.string(),
  number,
  repository: z.object({ full_name: z.string() }),
  pull_request: z.object({ head: z.object({ sha: commit }) }),
  changes: z.object({ base: z.unknown().optional() }).optional(),
});

const GITHUB_REVIEWS: readonly string[] = ['opened', 'synchronize', 'reopened', 'ready_for_review'];

function githubWish(forge: ForgeSettings, { header }: Webhook, content: unknown): WebhookWish | null {
  const event = header('x-github-event') ?? '';
  if (event !== 'pull_request') return ignoredWish(`the event is "${event.slice(0, 50)}"`);
  const payload = githubEvent.safeParse(content);
  if (!payload.success) return null;
  const { action, repository, pull_request, changes } = payload.data;
  // If someone changes the base branch of a pull request, its diff changes too, so review it again.
  const isReview = GITHUB_REVIEWS.includes(action) || (action === 'edited' && changes?.base !== undefined);
  return wishFor(forge, isReview ? 'review' : action === 'closed' ? 'closed' : null, {
    ...{ name: repository.full_name, number: payload.data.number, head: pull_request.head.sha, action },
  });
}

const gitlabEvent = z.object({
  object_kind: z.literal('merge_request'),
  project: z.object({ path_with_namespace: z.string() }),
  object_attributes: z.object({
    iid: number,
    action: z.string().optional(),
    oldrev: z.string().optional(),
    last_commit: z.object({ id: commit }),
  }),
  changes: z
    .object({ draft: z.object({ current: z.boolean() }).optional(), target_branch: z.unknown().optional() })
    .optional(),
});

function gitlabWish(forge: ForgeSettings, { header }: Webhook, content: unknown): WebhookWish | null {
  const event = header('x-gitlab-event') ?? '';
  if (event !== 'Merge Request Hook') return ignoredWish(`the event is "${event.slice(0, 50)}"`);
  const payload = gitlabEvent.safeParse(content);
  if (!payload.success) return null;
  const { project, object_attributes, changes } = payload.data;
  const { action = '', oldrev, iid, last_commit } = object_attributes;
  // GitLab sends "update" for new commits and for every edit. Only an update with new commits has `oldrev`.
  const isChanged = oldrev !== undefined || changes?.draft?.current === false || changes?.target_branch !== undefined;
  const isReview = action === 'open' || action === 'reopen' || (action === 'update' && isChanged);
  const isClosed = action === 'close' || action === 'merge';
  return wishFor(forge, isReview ? 'review' : isClosed ? 'closed' : null, {
    ...{ name: project.path_with_namespace, number: iid, head: last_commit.id, action },
  });
}

function wishFor(
  forge: ForgeSettings,
  kind: 'review' | 'closed' | null,
  about: { readonly name: string; readonly number: number; readonly head: string; readonly action: string },
): WebhookWish {
  // Forges ignore upper and lower case in repository names. Use the spelling in the settings everywhere.
  const project = forge.repositories.find((name) => name.toLowerCase() === about.name.toLowerCase());
  if (project === undefined) return ignoredWish('the repository is not in the settings of the server');
  if (kind === null) return ignoredWish(`the action is "${about.action.slice(0, 50)}"`);
  return { kind, pull: { forge: forge.name, project, number: about.number }, head: about.head };
}

function ignoredWish(why: string): WebhookWish {
  return { kind: 'ignored', why };
}
