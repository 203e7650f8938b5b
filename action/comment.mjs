// Writes the result as a comment of the pull request, or brings the one up to date that is there. Nothing is judged by it: what goes wrong is a warning.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { annotate, readEvent } from './github.mjs';

const MOST_CHARACTERS = 60_000;
const MOST_MILLISECONDS = 30_000;

const { ONCEOVER_TOKEN, ONCEOVER_PAGE, GITHUB_GRAPHQL_URL, GITHUB_WORKFLOW, GITHUB_JOB } = process.env;
const which = createHash('sha256')
  .update(JSON.stringify([GITHUB_WORKFLOW, GITHUB_JOB]))
  .digest('hex')
  .slice(0, 16);
const MARK = `<!-- onceover ${which} -->`;

const pullRequest = readEvent().pull_request?.node_id;
if (typeof pullRequest !== 'string') {
  annotate('notice', 'This job is about no pull request, so there is nothing to comment on.');
} else {
  try {
    await comment(pullRequest, `${MARK}\n${shortened(readFileSync(ONCEOVER_PAGE, 'utf8'))}`);
  } catch (error) {
    annotate(
      'warning',
      `The comment could not be written: ${error.message}. It needs a token with "pull-requests: write", which pull requests from forks do not get.`,
    );
  }
}

async function comment(subject, body) {
  const { node } = await ask(
    'query($subject: ID!) { node(id: $subject) { ... on PullRequest { comments(last: 100) { nodes { id body viewerDidAuthor } } } } }',
    { subject },
  );
  // Anybody can write our mark into a comment.
  const own = node.comments.nodes.find((one) => one.viewerDidAuthor && one.body.startsWith(MARK));
  if (own === undefined) {
    const change =
      'mutation($subject: ID!, $body: String!) { addComment(input: { subjectId: $subject, body: $body }) { clientMutationId } }';
    await ask(change, { subject, body });
  } else {
    const change =
      'mutation($id: ID!, $body: String!) { updateIssueComment(input: { id: $id, body: $body }) { clientMutationId } }';
    await ask(change, { id: own.id, body });
  }
}

async function ask(query, variables) {
  const answer = await fetch(GITHUB_GRAPHQL_URL, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ONCEOVER_TOKEN}`,
      'content-type': 'application/json',
      'user-agent': 'onceover',
    },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(MOST_MILLISECONDS),
  });
  if (!answer.ok) throw new Error(`GitHub answered ${answer.status}`);
  const { data, errors } = await answer.json();
  if (errors?.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
  return data;
}

/** A comment holds so much; what is cut off in the middle of a block of code is closed. */
function shortened(page) {
  if (page.length <= MOST_CHARACTERS) return page;
  const begun = page.slice(0, MOST_CHARACTERS);
  const kept = begun.slice(0, begun.lastIndexOf('\n'));
  return `${kept}\n${endOfFence(kept)}\n\nThere is more than fits here: see the summary of the job.\n`;
}

function endOfFence(text) {
  let open = '';
  for (const line of text.split('\n')) {
    const [, fence = ''] = /^[\s>]*(`{3,}|~{3,})/.exec(line) ?? [];
    if (open === '') open = fence;
    else if (fence.startsWith(open) && line.trim() === fence) open = '';
  }
  return open;
}
