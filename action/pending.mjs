// Shows that the review has started, before any code of the change runs. So no older result speaks for the change during the review.
import { annotate } from './github.mjs';

const MOST_MILLISECONDS = 30_000;

/** A check of onceover that shows a verdict, which stays valid until there is a new one. */
const HAS_VERDICT = /^[0-9a-f]{16}-(?:[0-9a-f]{12}|0)-[pf]-[0-9a-f]+$/;

/** Creates the check "onceover / BRANCH" without a result. A failure is only a notice: a fork has no token that can write. */
export async function showPending(env, event) {
  const { head, base } = event.pull_request ?? {};
  if (typeof head?.sha !== 'string' || typeof base?.ref !== 'string') return;
  const name = `onceover / ${base.ref}`;
  const checks = `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}`;
  const ask = async (path, body) => {
    const answer = await fetch(`${checks}/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${env.ONCEOVER_TOKEN}`,
        accept: 'application/vnd.github+json',
        'content-type': 'application/json',
        'user-agent': 'onceover',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(MOST_MILLISECONDS),
    });
    if (!answer.ok) throw new Error(`GitHub answered ${answer.status}`);
    return answer.json();
  };
  try {
    const query = new URLSearchParams({ check_name: name, filter: 'latest', per_page: '1' });
    const { check_runs: shown } = await ask(`commits/${head.sha}/check-runs?${query}`);
    if (shown.some(({ external_id }) => HAS_VERDICT.test(external_id ?? ''))) return;
    const output = { title: 'The review has started', summary: 'The review has started.' };
    await ask('check-runs', { name, head_sha: head.sha, status: 'in_progress', output });
  } catch (error) {
    annotate('notice', `The check "${name}" does not show that the review has started: ${error.message}.`);
  }
}
