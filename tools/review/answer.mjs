// How a script takes part in a review: it is a command agent of onceover.yml, and says so.

/**
 * Answers the prompt on standard input with what `find` finds. It is told which files the prompt shows; null: look at all. Earlier findings
 * that it does not find any more are called fixed, declined ones are left out.
 */
export async function answer(checked, find) {
  let prompt = '';
  for await (const chunk of process.stdin) prompt += chunk;
  const [earlier, declined] = [told(prompt, 'Earlier findings'), told(prompt, 'Declined findings')];
  const isSame = (problem) => (finding) => finding.issue === problem.issue && finding.file === problem.file;
  const standing = find(shown(prompt, earlier)).filter((problem) => !declined.some(isSame(problem)));
  const previous = earlier.map((finding) =>
    standing.some((problem) => isSame(problem)(finding))
      ? { id: finding.id, state: 'open', why: 'The script still finds it.' }
      : { id: finding.id, state: 'fixed', why: 'The script does not find it any more.' },
  );
  const violations = standing.filter((problem) => !earlier.some(isSame(problem)));
  const status = standing.length === 0 ? 'pass' : 'fail';
  const message = `By a script, which has read nothing for its sense: ${checked}.`;
  process.stdout.write(`${JSON.stringify({ status, violations, previous, message })}\n`);
}

/** The files of the diff in the prompt, and those of earlier findings; null where there is no diff. */
function shown(prompt, earlier) {
  const files = [...prompt.matchAll(/^diff --git a\/.+ b\/(.+)$/gm)].map(([, file]) => file);
  return files.length === 0 ? null : new Set([...files, ...earlier.flatMap(({ file }) => file ?? [])]);
}

/** The findings under a heading of the prompt, one a block of code. */
function told(prompt, heading) {
  const [, section = ''] = prompt.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^(`{3,})\n([\s\S]*?)\n\1$/gm)].map(([, , block]) => {
    const field = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    return { id: field('id'), issue: field('issue'), file: field('place')?.replace(/:\d+$/, '') };
  });
}
