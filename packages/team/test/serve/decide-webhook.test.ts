import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type ForgeKind, type Payload, payloadFor, recordedWebhook, SECRET } from '@onceover/testing/server.ts';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { decideWebhook } from '../../src/serve/decide-webhook.ts';
import type { ForgeSettings } from '../../src/serve/types.ts';

const HEAD = 'a'.repeat(40);

function settings(name: ForgeKind): ForgeSettings {
  const places = { api: 'https://api.example.com', graphql: '', clone: 'https://git.example.com' };
  return { name, ...places, repositories: ['house/shop'], secret: SECRET, token: 'token' };
}

function decide(forge: ForgeKind, payload: Payload, headers: Readonly<Record<string, string>> = {}) {
  const body = Buffer.from(JSON.stringify(payload));
  const eventHeaders: Readonly<Record<string, string>> = {
    'x-github-event': 'pull_request',
    'x-github-delivery': 'd-1',
    'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    'x-gitlab-event': 'Merge Request Hook',
    'x-gitlab-event-uuid': 'd-1',
    'x-gitlab-token': SECRET,
    ...headers,
  };
  return decideWebhook(settings(forge), { header: (name) => eventHeaders[name] ?? null, body });
}

function wishOf(forge: ForgeKind, change: (payload: Payload) => void, headers?: Readonly<Record<string, string>>) {
  const payload = payloadFor(forge, HEAD);
  change(payload);
  const decision = decide(forge, payload, headers);
  return decision.ok ? decision.wish.kind : decision.status;
}

test('the payloads of GitHub fit the schemas that GitHub publishes', () => {
  const path = createRequire(import.meta.url).resolve('@octokit/webhooks-schemas/schema.json');
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(JSON.parse(readFileSync(path, 'utf8')), 'webhooks');
  const validate = ajv.getSchema('webhooks#/definitions/pull_request_event');
  for (const payload of [recordedWebhook('github'), payloadFor('github', HEAD)]) {
    expect(validate?.(payload), JSON.stringify(validate?.errors?.[0])).toBe(true);
  }
  expect(validate?.({ action: 'opened' })).toBe(false);
});

describe('what a webhook of GitHub asks for', () => {
  test.each([
    ...['opened', 'synchronize', 'reopened', 'ready_for_review'].map((action) => [action, 'review'] as const),
    ...['labeled', 'assigned', 'edited', 'converted_to_draft', 'anything'].map(
      (action) => [action, 'ignored'] as const,
    ),
    ['closed', 'closed'] as const,
  ])('%s: %s', (action, kind) => {
    expect(wishOf('github', (payload) => Object.assign(payload, { action }))).toBe(kind);
  });

  test('edited with another base branch: review', () => {
    const changes = { base: { ref: { from: 'main' }, sha: { from: HEAD } } };
    expect(wishOf('github', (payload) => Object.assign(payload, { action: 'edited', changes }))).toBe('review');
  });

  test.each([
    ['another event', { 'x-github-event': 'push' }, 'ignored'],
    ['no event', { 'x-github-event': '' }, 'ignored'],
    ['no delivery id', { 'x-github-delivery': '' }, 400],
    ['a wrong signature', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }, 401],
    ['a signature in capitals', { 'x-hub-signature-256': `SHA256=${'A'.repeat(64)}` }, 401],
    ['a signature that is too short', { 'x-hub-signature-256': 'sha256=00' }, 401],
    ['an old signature', { 'x-hub-signature-256': '', 'x-hub-signature': `sha1=${'0'.repeat(40)}` }, 401],
  ])('%s: %s', (_title, headers, kind) => {
    expect(wishOf('github', () => {}, headers)).toBe(kind);
  });

  test.each([
    [
      'a commit that is no id',
      (payload: Payload) => Object.assign(payload.pull_request.head, { sha: '--upload-pack=x' }),
    ],
    ['a number that is a path', (payload: Payload) => Object.assign(payload, { number: '../7' })],
    ['a number that is too large', (payload: Payload) => Object.assign(payload, { number: 2 ** 40 })],
    ['a list', (payload: Payload) => Object.assign(payload, { repository: [] })],
  ])('%s: refused', (_title, change) => {
    expect(wishOf('github', change)).toBe(400);
  });

  test('the name of the repository comes from the settings', () => {
    const payload = payloadFor('github', HEAD);
    payload.repository.full_name = 'HOUSE/Shop';
    expect(decide('github', payload)).toMatchObject({
      wish: { pull: { project: 'house/shop', number: 7 }, head: HEAD },
    });
  });
});

describe('what a webhook of GitLab asks for', () => {
  test.each([
    ['open', {}, {}, 'review'],
    ['reopen', {}, {}, 'review'],
    ['update', { oldrev: HEAD }, {}, 'review'],
    ['update', {}, {}, 'ignored'],
    ['update', {}, { draft: { previous: true, current: false } }, 'review'],
    ['update', {}, { draft: { previous: false, current: true } }, 'ignored'],
    ['update', {}, { target_branch: { previous: 'main', current: 'next' } }, 'review'],
    ['approved', {}, {}, 'ignored'],
    ['close', {}, {}, 'closed'],
    ['merge', {}, {}, 'closed'],
  ])('%s %o %o: %s', (action, attributes, changes, kind) => {
    const change = (payload: Payload) => {
      Object.assign(payload.object_attributes, { action, ...attributes });
      payload.changes = changes;
    };
    expect(wishOf('gitlab', change)).toBe(kind);
  });

  test.each([
    ['another token', { 'x-gitlab-token': `${SECRET}x` }, 401],
    ['no token', { 'x-gitlab-token': '' }, 401],
    ['another event', { 'x-gitlab-event': 'Push Hook' }, 'ignored'],
  ])('%s: %s', (_title, headers, kind) => {
    expect(wishOf('gitlab', () => {}, headers)).toBe(kind);
  });

  test('the key of the delivery comes before the id of the event, which webhooks that cause each other share', () => {
    const deliveryWith = (headers: Readonly<Record<string, string>>) => {
      const decision = decide('gitlab', payloadFor('gitlab', HEAD), headers);
      return decision.ok ? decision.delivery : decision.status;
    };
    expect(deliveryWith({ 'idempotency-key': 'k-1' })).toBe('k-1');
    expect(deliveryWith({})).toBe('d-1');
    expect(deliveryWith({ 'idempotency-key': '../x' })).toBe(400);
  });
});
