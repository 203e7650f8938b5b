// Posts the result as a comment on the pull request, or updates the earlier comment. A failure here is only a warning.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { annotate, artifactLink, readEvent } from './github.mjs';

const MOST_CHARACTERS = 60_000;
const MOST_MILLISECONDS = 30_000;

const {
  ONCEOVER_TOKEN,
  ONCEOVER_PAGE,
  ONCEOVER_HTML = '',
  GITHUB_GRAPHQL_URL,
  GITHUB_WORKFLOW,
  GITHUB_JOB,
} = process.env;
const which = createHash('sha256')
  .update(JSON.stringify([GITHUB_WORKFLOW, GITHUB_JOB]))
  .digest('hex')
  .slice(0, 16);
const MARK = `<!-- onceover ${which} -->`;

const link = ONCEOVER_HTML === '' ? '' : `\n${artifactLink()}\n`;

const pullRequest = readEvent().pull_request?.node_id;
if (typeof pullRequest !== 'string') {
  annotate('notice', 'This job does not belong to a pull request, so no comment is posted.');
} else {
  try {
    await comment(pullRequest, `${MARK}\n${shortened(readFileSync(ONCEOVER_PAGE, 'utf8'))}${link}`);
  } catch (error) {
    annotate(
      'warning',
      `The comment could not be posted: ${error.message}. The token needs "pull-requests: write"; pull requests from forks do not get it.`,
    );
  }
}

async function comment(subject, body) {
  const { node } = await ask(
    'query($subject: ID!) { node(id: $subject) { ... on PullRequest { comments(last: 100) { nodes { id body viewerDidAuthor } } } } }',
    { subject },
  );
  // Anyone can copy the marker into a comment, so the author must match too.
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

/** Cuts the page to the maximum size of a comment, and closes a code block that was cut. */
function shortened(page) {
  if (page.length <= MOST_CHARACTERS) return page;
  const begun = page.slice(0, MOST_CHARACTERS);
  const kept = begun.slice(0, begun.lastIndexOf('\n'));
  return `${kept}\n${endOfFence(kept)}\n\nThe rest is in the summary of the job.\n`;
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
