import type { JobProblem } from '../domain/job-problem.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import { didYouMean } from './did-you-mean.ts';

/** What is wrong with a job, and what would be right. */
export function tellJobProblem(what: JobProblem): string {
  switch (what.kind) {
    case 'job-name-differs':
      return `the job is called ${q(what.name)} and its folder ${q(what.folder)}; both must have the same name`;
    case 'duplicate-step':
      return `there is a step ${q(what.id)} already, in line ${what.line}; every step needs an id of its own`;
    case 'duplicate-workflow':
      return `there is a workflow ${q(what.name)} already, in line ${what.line}; every workflow needs a name of its own`;
    case 'unknown-step':
      return `there is no step ${q(what.id)}${didYouMean(what.id, what.known)}`;
    case 'dependency-cycle':
      return what.steps.length === 2
        ? `the step ${q(what.steps[0] ?? '')} depends on itself, so it could never begin`
        : `these steps wait for one another, so none could ever begin: ${what.steps.map(q).join(' → ')}`;
    case 'input-of-no-dependency':
      return `${q(what.from)} is no dependency of ${q(what.step)}, so its outputs may not be there yet; add it to "dependencies"`;
    case 'unknown-output':
      return `the step ${q(what.step)} has no output ${q(what.output)}${what.known.length === 0 ? '; it has none' : didYouMean(what.output, what.known)}`;
    case 'reserved-output':
      return `no output can be called ${q(what.name)}: in "run_each" that means all outputs together`;
    case 'no-criteria':
      return 'a review needs at least one criterion: a name, and the question to be answered with yes';
    case 'outside-job':
      return `${quoteName(what.path)} is outside ${quoteName(what.folder)}; instructions are read from the folder of their job only`;
    case 'step-twice':
      return `the workflow ${q(what.workflow)} has the step ${q(what.step)} twice; a step is done once`;
    case 'step-out-of-order':
      return `the workflow ${q(what.workflow)} has the step ${q(what.step)} ${ORDER[what.why]} ${q(what.needs)}, which it depends on`;
  }
}

function q(name: string): string {
  return `"${showUnseen(name)}"`;
}

const ORDER = {
  later: 'before',
  'same-group': 'at the same time as',
  'left-out': 'but not',
} as const;
