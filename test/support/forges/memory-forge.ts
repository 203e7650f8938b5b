import { ok, type Result } from '@onceover/base/kernel/result';
import type { Forge, ForgeComment, NewThread, WriteEnd } from '@onceover/forges/src/types.ts';
import { containsCommit, LONGEST_COMMENT, type World, type WorldComment } from './world.ts';

/** A forge in memory with the rules of GitHub. `mostWrites` ends it with an exception after that many writes. */
export function memoryForge(world: World, mostWrites = Number.POSITIVE_INFINITY): Forge {
  const { data, permissions } = world;
  let written = 0;
  const done = (change: () => void): Result<WriteEnd> => {
    if (written++ >= mostWrites) throw new Error('killed');
    world.write(change);
    return ok('done');
  };
  const rejected = (): Result<WriteEnd> => {
    world.rejected++;
    return ok('rejected');
  };
  const commentBy = (body: string): WorldComment => ({
    id: world.nextId(),
    author: world.viewer,
    body,
    isMinimized: false,
  });
  const shown = ({ id, author, body, isMinimized, isEdited }: WorldComment): ForgeComment => ({
    id: String(id),
    body,
    isOwn: author === world.viewer,
    isHidden: isMinimized,
    author: { name: author, isPerson: !author.endsWith('[bot]') },
    isEdited: isEdited === true,
  });
  const threadWith = (id: string) => data.threads.find((one) => String(one.id) === id);
  const threadComment = (id: string) =>
    data.threads.flatMap(({ comments }) => comments).find((one) => String(one.id) === id);
  const create = ({ place, body }: NewThread) => {
    const line = place.kind === 'lines' ? place.last : null;
    const thread = { id: world.nextId(), path: place.path, line, resolvedBy: null, comments: [commentBy(body)] };
    data.threads.push(thread);
  };
  return {
    name: 'house/shop#7',
    takesConfirmations: true,
    contains: async (branch, commit) => ok(containsCommit(world, branch, commit)),
    readAuthors: async () =>
      ok({
        author: world.pull.author,
        commits: world.pull.commits.map(({ author, others }) => ({
          accounts: [...(author === null ? [] : [author]), ...others],
          isKnown: author !== null,
        })),
      }),
    mayWrite: async (account) => ok(world.pull.writers.includes(account)),
    async read() {
      const seen = world.seen();
      const { isOpen, isDraft, isFork, base } = world.pull;
      return ok({
        pull: {
          ...{ isOpen, isDraft, base, head: seen.head, repository: 'house/shop' },
          headRepository: isFork ? 'stranger/shop' : 'house/shop',
          page: 'https://github.com/house/shop',
        },
        hasAllFiles: true,
        head: seen.head,
        comments: seen.comments.map(shown),
        threads: seen.threads.map(({ id, resolvedBy, comments }) => ({
          id: String(id),
          isResolved: resolvedBy !== null,
          resolvedByUs: resolvedBy === world.viewer,
          comments: comments.map(shown),
        })),
        checks: seen.checks
          .filter(({ sha }) => sha === seen.head)
          .map(({ id, name, externalId }) => ({ id: String(id), name, externalId })),
        files: world.diff(),
      });
    },
    async createThreads(threads) {
      const isBad = (one: NewThread) => !world.accepts(one.place) || one.body.length > LONGEST_COMMENT;
      const ends: WriteEnd[] = [];
      // One bad line rejects the whole review.
      const isWhole = threads.length > 0 && threads.every((one) => one.place.kind === 'lines' && !isBad(one));
      if (isWhole) {
        done(() => threads.forEach(create));
        return ok(threads.map(() => 'done' as const));
      }
      for (const one of threads) {
        const end = isBad(one) ? rejected() : done(() => create(one));
        ends.push(end.ok ? end.value : 'rejected');
      }
      return ok(ends);
    },
    async reply(thread, body) {
      const found = threadWith(thread);
      return found === undefined ? ok('refused') : done(() => found.comments.push(commentBy(body)));
    },
    async setResolved(thread, isResolved) {
      const found = threadWith(thread);
      if (found === undefined || !permissions.contents) return ok('refused');
      return done(() => {
        found.resolvedBy = isResolved ? world.viewer : null;
      });
    },
    async editThreadComment(comment, body) {
      const found = threadComment(comment);
      if (found === undefined) return ok('refused');
      return done(() => {
        found.body = body;
      });
    },
    async setHidden(comment, isHidden) {
      const found = threadComment(comment);
      if (found === undefined) return ok('refused');
      return done(() => {
        found.isMinimized = isHidden;
      });
    },
    async deleteThreadComment(comment) {
      return done(() => removeThreadComment(world, Number(comment)));
    },
    async createComment(body) {
      return body.length > LONGEST_COMMENT ? rejected() : done(() => data.comments.push(commentBy(body)));
    },
    async editComment(comment, body) {
      const found = data.comments.find(({ id }) => String(id) === comment);
      if (found === undefined) return ok('refused');
      return done(() => {
        found.body = body;
      });
    },
    async deleteComment(comment) {
      return done(() => {
        data.comments = data.comments.filter(({ id }) => String(id) !== comment);
      });
    },
    async createCheck(check) {
      if (!permissions.checks) return ok('refused');
      return done(() => {
        data.checks = data.checks.filter(({ name, sha }) => name !== check.name || sha !== data.head);
        data.checks.push({ ...check, id: world.nextId(), sha: data.head, status: 'completed' });
      });
    },
  };
}

/** Removes a comment. A thread without comments is gone. */
export function removeThreadComment({ data }: World, id: number): void {
  for (const thread of data.threads) thread.comments = thread.comments.filter((one) => one.id !== id);
  data.threads = data.threads.filter(({ comments }) => comments.length > 0);
}
