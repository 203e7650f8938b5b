import type { SetUpStep } from '../domain/set-up.ts';

/** What `init` wrote, shown whole, and what to do next. */
export function tellSetUp(steps: readonly SetUpStep[]): string {
  return [...steps.map(tellStep), ...steps.filter((step) => step.ignored).map(tellIgnored), next(steps)].join('\n\n');
}

function tellStep(step: SetUpStep): string {
  if (step.added === null) return `${step.path} is there already and was left as it is.`;
  const head = step.did === 'written' ? `Wrote ${step.path}:` : `Added to ${step.path}:`;
  return `${head}\n\n${step.added.trimEnd().replace(/^(?=.)/gm, '  ')}`;
}

function tellIgnored(step: SetUpStep): string {
  return `git ignores ${step.path}, so it is not read. Add a line "!${step.path}" to your .gitignore.`;
}

function next(steps: readonly SetUpStep[]): string {
  const hints = ['Next: "onceover instructions" writes the reviews that your present change asks for.'];
  if (steps.some((step) => step.path === '.mcp.json')) {
    hints.push('Restart Claude Code here and allow the server "onceover"; then ask it to review your change.');
  }
  return hints.join('\n');
}
