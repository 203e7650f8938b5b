// Decides whether passes may be kept between runs.

/** Events of a branch: the checked-out commit was pushed to it, so its passes may count for it. */
const OF_THE_BRANCH = ['push', 'merge_group', 'schedule', 'workflow_dispatch'];

/**
 * Returns whether passes may be kept between runs, with the reason if not. GitHub restores a pull request's cache only in that pull request, but a
 * branch's cache in every pull request to it. So a branch must not keep anything that an outsider could write, and a fork keeps nothing.
 */
export function decideKeep({ wanted, eventName, event, repository, head, sha }) {
  if (!wanted) return { keep: false, why: 'the input "receipts" is "false"' };
  if (eventName === 'pull_request') {
    const from = event.pull_request?.head?.repo?.full_name;
    if (from === repository && repository) return { keep: true };
    return { keep: false, why: 'the pull request comes from a fork' };
  }
  if (!OF_THE_BRANCH.includes(eventName)) return { keep: false, why: `the job runs on ${eventName || 'no event'}` };
  if (head === null || head !== sha) return { keep: false, why: 'the checked-out commit is not the commit of the job' };
  return { keep: true };
}
