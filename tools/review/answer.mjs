// Lets a script act as a reviewer: a command agent of onceover.yml.

/**
 * Answers the prompt on standard input with the problems that `find` returns. `find` gets the files in the prompt's diff (null: all files). Earlier
 * findings that the script no longer finds are reported as fixed; waived ones are left out.
 */
export async function answer(checked, find) {
  let prompt = '';
  for await (const chunk of process.stdin) prompt += chunk;
  const [earlier, declined] = [findingsUnder(prompt, 'Earlier findings'), findingsUnder(prompt, 'Declined findings')];
  const isSame = (problem) => (finding) => finding.issue === problem.issue && finding.file === problem.file;
  const standing = find(shown(prompt, earlier)).filter((problem) => !declined.some(isSame(problem)));
  const previous = earlier.map((finding) =>
    standing.some((problem) => isSame(problem)(finding))
      ? { id: finding.id, state: 'open', why: 'The script still finds it.' }
      : { id: finding.id, state: 'fixed', why: 'The script no longer finds it.' },
  );
  const violations = standing.filter((problem) => !earlier.some(isSame(problem)));
  const status = standing.length === 0 ? 'pass' : 'fail';
  const message = `Checked by a script, not by a model: ${checked}.`;
  process.stdout.write(`${JSON.stringify({ status, violations, previous, message })}\n`);
}

/** Returns the files of the prompt's diff and of earlier findings; null if there is no diff. */
function shown(prompt, earlier) {
  const files = [...prompt.matchAll(/^diff --git a\/.+ b\/(.+)$/gm)].map(([, file]) => file);
  return files.length === 0 ? null : new Set([...files, ...earlier.flatMap(({ file }) => file ?? [])]);
}

/** Parses the findings under a heading of the prompt, one code block per finding. */
function findingsUnder(prompt, heading) {
  const [, section = ''] = prompt.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^(`{3,})\n([\s\S]*?)\n\1$/gm)].map(([, , block]) => {
    const field = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    return { id: field('id'), issue: field('issue'), file: field('place')?.replace(/:\d+$/, '') };
  });
}
