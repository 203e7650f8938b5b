// Whether what passed may be kept between runs.

/** Events of the branch itself: what is checked out was pushed to it, so what its runs leave may count for it. */
const OF_THE_BRANCH = ['push', 'merge_group', 'schedule', 'workflow_dispatch'];

/**
 * Whether what passed may be kept between runs, and where not, why. GitHub gives what a pull request keeps to that pull request alone,
 * and what a branch keeps to everything that goes to it; so nothing that somebody from outside has had in hand may be
 * kept for a branch, and what a fork could have kept must not count at all.
 */
export function decideKeep({ wanted, eventName, event, repository, head, sha }) {
  if (!wanted) return { keep: false, why: 'the input "receipts" is "false"' };
  if (eventName === 'pull_request') {
    const from = event.pull_request?.head?.repo?.full_name;
    if (from === repository && repository) return { keep: true };
    return { keep: false, why: 'the pull request comes from a fork' };
  }
  if (!OF_THE_BRANCH.includes(eventName)) return { keep: false, why: `the job runs on ${eventName || 'no event'}` };
  if (head === null || head !== sha)
    return { keep: false, why: 'another commit is checked out than the one that the job is about' };
  return { keep: true };
}
