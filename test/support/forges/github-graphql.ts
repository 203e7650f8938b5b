import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, GraphQLError, graphql } from 'graphql';
import type { World, WorldComment } from './world.ts';

const schema = buildSchema(readFileSync(join(import.meta.dirname, 'github.graphql'), 'utf8'));

type Page = { readonly first?: number; readonly after?: string | null };

/** Answers a GraphQL request as GitHub does. A request or an answer that does not fit GitHub's schema is an error. */
export async function answerGraphql(world: World, body: unknown): Promise<object> {
  const { query, variables } = body as { query: string; variables: Record<string, unknown> };
  const isRefused = (id: string) => world.viewer !== '' && !world.permissions.contents && id.startsWith('PRRT_');
  const resolve =
    (isResolved: boolean) =>
    ({ input }: { input: { threadId: string } }) => {
      if (isRefused(input.threadId)) throw forbidden();
      const thread = world.data.threads.find(({ id }) => `PRRT_${id}` === input.threadId);
      if (thread === undefined)
        throw new GraphQLError('Could not resolve to a node', { extensions: { type: 'NOT_FOUND' } });
      world.write(() => {
        thread.resolvedBy = isResolved ? world.viewer : null;
      });
      return { clientMutationId: null };
    };
  const minimise =
    (isMinimized: boolean) =>
    ({ input }: { input: { subjectId: string } }) => {
      const all = world.data.threads.flatMap(({ comments }) => comments);
      const comment = all.find(({ id }) => `PRRC_${id}` === input.subjectId);
      if (comment === undefined || !world.permissions.pulls) throw forbidden();
      world.write(() => {
        comment.isMinimized = isMinimized;
      });
      return { clientMutationId: null };
    };
  const rootValue = {
    repository: () => ({ pullRequest: ({ number }: { number: number }) => (number === 7 ? pullRequest(world) : null) }),
    resolveReviewThread: resolve(true),
    unresolveReviewThread: resolve(false),
    minimizeComment: minimise(true),
    unminimizeComment: minimise(false),
  };
  const answer = await graphql({ schema, source: query, rootValue, variableValues: variables });
  const errors = answer.errors?.map(({ message, extensions }) => ({ type: extensions['type'], message }));
  return { data: answer.data, ...(errors === undefined ? {} : { errors }) };
}

function forbidden(): GraphQLError {
  return new GraphQLError('Resource not accessible by integration', { extensions: { type: 'FORBIDDEN' } });
}

function pullRequest(world: World) {
  const seen = world.seen();
  return {
    headRefOid: seen.head,
    author: { __typename: 'User', login: world.pull.author },
    commits: (page: Page) =>
      connection(world.pull.commits, page, ({ id, author, others }) => ({
        commit: {
          oid: id,
          // GraphQL knows only the accounts of people.
          authors: () => ({
            nodes: [author?.endsWith('[bot]') === true ? null : author, ...others].map((login) => ({
              user: login === null ? null : { login },
            })),
          }),
        },
      })),
    comments: (page: Page) => connection(seen.comments, page, (one) => shownComment(world, one, 'IC')),
    reviewThreads: (page: Page) =>
      connection(seen.threads, page, ({ id, resolvedBy, comments }) => ({
        id: `PRRT_${id}`,
        isResolved: resolvedBy !== null,
        // The type has only users, so a thread that a bot resolved names no one.
        resolvedBy: resolvedBy === null || resolvedBy.endsWith('[bot]') ? null : { login: resolvedBy },
        comments: () => ({ nodes: comments.map((one) => shownComment(world, one, 'PRRC')) }),
      })),
  };
}

function connection<T>(items: readonly T[], { first = 100, after }: Page, shown: (item: T) => object) {
  if (first > 100) throw new GraphQLError('Requesting more than 100 records');
  const start = after == null ? 0 : Number(after);
  const end = Math.min(items.length, start + first);
  return {
    pageInfo: { hasNextPage: end < items.length, endCursor: String(end) },
    nodes: items.slice(start, end).map(shown),
  };
}

function shownComment({ viewer }: World, { id, body, author, isMinimized, isEdited }: WorldComment, prefix: string) {
  const isBot = author.endsWith('[bot]');
  return {
    id: `${prefix}_${id}`,
    fullDatabaseId: String(id),
    body,
    isMinimized,
    viewerDidAuthor: author === viewer,
    lastEditedAt: isEdited === true ? '2026-01-01T00:00:00Z' : null,
    author: { __typename: isBot ? 'Bot' : 'User', login: author.replace('[bot]', '') },
  };
}
