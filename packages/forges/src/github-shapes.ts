import * as z from 'zod';

/** The GraphQL query that reads the comments and threads of a pull request. The two lists are paginated separately. */
export const READ_PULL_REQUEST = `query($owner: String!, $name: String!, $number: Int!, $comments: String, $threads: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      headRefOid
      comments(first: 100, after: $comments) {
        pageInfo { hasNextPage endCursor }
        nodes { id fullDatabaseId body isMinimized viewerDidAuthor lastEditedAt author { __typename login } }
      }
      reviewThreads(first: 50, after: $threads) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          resolvedBy { login }
          comments(first: 100) {
            nodes { id fullDatabaseId body isMinimized viewerDidAuthor lastEditedAt author { __typename login } }
          }
        }
      }
    }
  }
}`;

/** The GraphQL query that reads who wrote a pull request: its author, and the accounts of its commits. */
export const READ_AUTHORS = `query($owner: String!, $name: String!, $number: Int!, $commits: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      author { __typename login }
      commits(first: 100, after: $commits) {
        pageInfo { hasNextPage endCursor }
        nodes { commit { oid authors(first: 100) { nodes { user { login } } } } }
      }
    }
  }
}`;

export const RESOLVE = {
  true: 'mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { clientMutationId } }',
  false: 'mutation($id: ID!) { unresolveReviewThread(input: { threadId: $id }) { clientMutationId } }',
} as const;

export const HIDE = {
  true: 'mutation($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: RESOLVED }) { clientMutationId } }',
  false: 'mutation($id: ID!) { unminimizeComment(input: { subjectId: $id }) { clientMutationId } }',
} as const;

const page = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });

const comment = z.object({
  id: z.string(),
  fullDatabaseId: z.union([z.string(), z.number()]).nullable(),
  body: z.string(),
  isMinimized: z.boolean(),
  viewerDidAuthor: z.boolean(),
  lastEditedAt: z.string().nullable(),
  author: z.object({ __typename: z.string(), login: z.string() }).nullable(),
});

const thread = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  resolvedBy: z.object({ login: z.string() }).nullable(),
  comments: z.object({ nodes: z.array(comment.nullable()).nullable() }),
});

export const pullRequestAnswer = z.object({
  data: z.object({
    repository: z
      .object({
        pullRequest: z
          .object({
            headRefOid: z.string(),
            comments: z.object({ pageInfo: page, nodes: z.array(comment.nullable()).nullable() }),
            reviewThreads: z.object({ pageInfo: page, nodes: z.array(thread.nullable()).nullable() }),
          })
          .nullable(),
      })
      .nullable(),
  }),
});

const account = z.object({ user: z.object({ login: z.string() }).nullable() });

export const authorsAnswer = z.object({
  data: z.object({
    repository: z.object({
      pullRequest: z.object({
        author: z.object({ __typename: z.string(), login: z.string() }).nullable(),
        commits: z.object({
          pageInfo: page,
          nodes: z.array(
            z
              .object({
                commit: z.object({
                  oid: z.string(),
                  authors: z.object({ nodes: z.array(account.nullable()).nullable() }),
                }),
              })
              .nullable(),
          ),
        }),
      }),
    }),
  }),
});

const committer = z.object({ login: z.string().optional() }).nullable();

/** GitHub answers with an empty object instead of null for some commits whose author it does not know. */
export const commitsAnswer = z.array(z.object({ sha: z.string(), author: committer, committer }));

export const graphqlErrors = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).min(1),
});

export const filesAnswer = z.array(
  z.object({ filename: z.string(), previous_filename: z.string().optional(), patch: z.string().optional() }),
);

export const checksAnswer = z.object({
  check_runs: z.array(z.object({ id: z.number(), name: z.string(), external_id: z.string().nullable() })),
});

export const createdCheck = z.object({ id: z.number() });

export const pullsAnswer = z.array(z.object({ number: z.number(), head: z.object({ sha: z.string() }) }));

export type GithubComment = z.output<typeof comment>;

export type GithubThread = z.output<typeof thread>;

/**
 * The facts of a pull request that decide whether and how onceover reviews it. The head repository is null if the fork
 * was deleted.
 */
export const pullAnswer = z.object({
  state: z.string(),
  draft: z.boolean().nullish(),
  head: z.object({ sha: z.string(), repo: z.object({ id: z.number(), full_name: z.string() }).nullable() }),
  base: z.object({
    ref: z.string(),
    repo: z.object({ id: z.number(), full_name: z.string(), html_url: z.url() }),
  }),
});

/** How a commit relates to a branch. `identical` and `behind`: the branch contains the commit. */
export const compareAnswer = z.object({ status: z.string() });

export const permissionAnswer = z.object({ permission: z.string() });
