import type { JobProblem } from '../domain/job-problem.ts';
import { quoteName } from '../domain/quote-name.ts';
import { didYouMean } from './did-you-mean.ts';
import { quoted } from './quoted.ts';

/** What is wrong with a job, and what would be right. */
export function tellJobProblem(what: JobProblem): string {
  switch (what.kind) {
    case 'job-name-differs':
      return `the job is called ${quoted(what.name)} and its folder ${quoted(what.folder)}; both must have the same name`;
    case 'duplicate-step':
      return `there is a step ${quoted(what.id)} already, in line ${what.line}; every step needs an id of its own`;
    case 'duplicate-workflow':
      return `there is a workflow ${quoted(what.name)} already, in line ${what.line}; every workflow needs a name of its own`;
    case 'unknown-step':
      return `there is no step ${quoted(what.id)}${didYouMean(what.id, what.known)}`;
    case 'dependency-cycle':
      return what.steps.length === 2
        ? `the step ${quoted(what.steps[0] ?? '')} depends on itself, so it could never begin`
        : `these steps wait for one another, so none could ever begin: ${what.steps.map(quoted).join(' → ')}`;
    case 'input-of-no-dependency':
      return `${quoted(what.from)} is no dependency of ${quoted(what.step)}, so its outputs may not be there yet; add it to "dependencies"`;
    case 'unknown-output':
      return `the step ${quoted(what.step)} has no output ${quoted(what.output)}${what.known.length === 0 ? '; it has none' : didYouMean(what.output, what.known)}`;
    case 'reserved-output':
      return `no output can be called ${quoted(what.name)}: in "run_each" that means all outputs together`;
    case 'no-criteria':
      return 'a review needs at least one criterion: a name, and the question to be answered with yes';
    case 'outside-job':
      return `${quoteName(what.path)} is outside ${quoteName(what.folder)}; instructions are read from the folder of their job only`;
    case 'step-twice':
      return `the workflow ${quoted(what.workflow)} has the step ${quoted(what.step)} twice; a step is done once`;
    case 'step-out-of-order':
      return `the workflow ${quoted(what.workflow)} has the step ${quoted(what.step)} ${ORDER[what.why]} ${quoted(what.needs)}, which it depends on`;
  }
}

const ORDER = {
  later: 'before',
  'same-group': 'at the same time as',
  'left-out': 'but not',
} as const;
