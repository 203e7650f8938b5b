import type { PhaseDocument } from '@onceover/loops/phases/json-schema';
import type { LoopIssue } from '@onceover/loops/src/phases/types.ts';
import { type CliEnd, type CliOptions, onceover } from '../cli.ts';
import { type GateRepo, gateRepo, type ScriptedAnswer } from '../gates.ts';

/** The answer of a scripted reviewer. */
type ReviewAnswer = ScriptedAnswer & { readonly approved: boolean; readonly issues: readonly LoopIssue[] };

export const APPROVED: ReviewAnswer = { approved: true, issues: [], summary: 'Good.' };

/** Returns an answer with one blocker. */
export function objects(description: string, more: Partial<LoopIssue> = {}): ReviewAnswer {
  return { approved: false, issues: [{ severity: 'blocker', description, ...more }], summary: 'Not yet.' };
}

/** Returns a fixer that makes the spec say this. */
export function fixes(line: string, more: ScriptedAnswer = {}): ScriptedAnswer {
  return { summary: `Now it says: ${line}`, $run: `echo '${line}' >> docs/f/spec.md`, ...more };
}

export type FeatureRepo = GateRepo & {
  /** Runs a phase of docs/f. */
  phase(args: readonly string[], options?: CliOptions): Promise<CliEnd>;
  /** The same with --json. */
  phaseDocument(
    args: readonly string[],
    options?: CliOptions,
  ): Promise<PhaseDocument & Pick<CliEnd, 'code' | 'stderr'>>;
};

const LINES = Array.from({ length: 60 }, (_, n) => `Requirement ${n}: it does thing ${n} and says so to any caller.`);

/** Makes a repository with a feature in docs/f, the reviewer `two`, which can be resumed, and the fixer `one`. */
export function featureRepo(options: { readonly more?: string } = {}): FeatureRepo {
  const files = {
    'docs/f/prd.md': '# PRD\n\nWe want it.\n',
    'docs/f/spec.md': `# Spec\n\n${LINES.join('\n')}\n`,
    'docs/f/design.md': '# Design\n\nA way.\n',
    'docs/f/plan.md': '# Plan\n\nSteps.\n',
    'docs/f/tasks.md': '# Tasks\n\n1. Do it.\n',
  };
  const repo = gateRepo({ agents: ['two', 'one'], files, ...options });
  const phase = ([name = 'specify', ...args]: readonly string[], cli: CliOptions = {}) =>
    onceover(repo.root, ['phase', name, 'docs/f', ...args], cli);
  return {
    ...repo,
    phase,
    async phaseDocument(args, cli = {}) {
      const end = await phase([...args, '--json'], cli);
      return { ...(JSON.parse(end.stdout) as PhaseDocument), code: end.code, stderr: end.stderr };
    },
  };
}
