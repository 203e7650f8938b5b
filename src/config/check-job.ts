import { WHOLE_STEP } from '../domain/job.ts';
import type { JobProblem } from '../domain/job-problem.ts';
import { allDependencies, findCycle } from '../domain/step-order.ts';
import type { JobDocument } from './job-schema.ts';
import type { PlacedProblem, YamlFile } from './yaml-file.ts';

type Place = YamlFile['place'];
type StepDocument = JobDocument['steps'][number];
type Report = (path: readonly PropertyKey[], what: JobProblem, at?: 'key') => void;

/** What is wrong with a job whose form is right: names that mean nothing, steps that can never be done. */
export function checkJob(job: JobDocument, place: Place): readonly PlacedProblem[] {
  const problems: PlacedProblem[] = [];
  const report: Report = (path, what, at) => problems.push({ ...place(path, at), what });
  checkStepIds(job, place, report);
  for (const [i, step] of job.steps.entries()) {
    checkDependencies(job, step, i, report);
    checkOutputs(step, i, report);
    checkReviews(step, i, report);
  }
  checkCycle(job, report);
  for (const [i, step] of job.steps.entries()) checkInputs(job, step, i, report);
  checkWorkflows(job, place, report);
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}

function checkStepIds({ steps }: JobDocument, place: Place, report: Report): void {
  for (const [i, { id }] of steps.entries()) {
    const first = steps.findIndex((one) => one.id === id);
    if (first < i) report(['steps', i, 'id'], { kind: 'duplicate-step', id, line: place(['steps', first, 'id']).line });
  }
}

function checkDependencies(job: JobDocument, step: StepDocument, i: number, report: Report): void {
  for (const [j, id] of step.dependencies.entries()) {
    if (!isStep(job, id)) report(['steps', i, 'dependencies', j], unknownStep(job, id));
  }
}

function checkCycle({ steps }: JobDocument, report: Report): void {
  const cycle = findCycle(steps);
  if (cycle === null) return;
  const i = steps.findIndex(({ id }) => id === cycle[0]);
  const j = steps[i]?.dependencies.indexOf(cycle[1] ?? '') ?? 0;
  report(['steps', i, 'dependencies', j], { kind: 'dependency-cycle', steps: cycle });
}

function checkOutputs(step: StepDocument, i: number, report: Report): void {
  if (!Object.hasOwn(step.outputs, WHOLE_STEP)) return;
  report(['steps', i, 'outputs', WHOLE_STEP], { kind: 'reserved-output', name: WHOLE_STEP }, 'key');
}

function checkReviews(step: StepDocument, i: number, report: Report): void {
  for (const [j, { run_each, quality_criteria }] of step.reviews.entries()) {
    if (run_each !== WHOLE_STEP && !Object.hasOwn(step.outputs, run_each)) {
      const known = [WHOLE_STEP, ...Object.keys(step.outputs)];
      report(['steps', i, 'reviews', j, 'run_each'], {
        kind: 'unknown-output',
        step: step.id,
        output: run_each,
        known,
      });
    }
    if (Object.keys(quality_criteria).length === 0) {
      report(['steps', i, 'reviews', j, 'quality_criteria'], { kind: 'no-criteria' });
    }
  }
}

function checkInputs(job: JobDocument, step: StepDocument, i: number, report: Report): void {
  const needed = allDependencies(job.steps, step.id);
  for (const [j, input] of step.inputs.entries()) {
    if (!('file' in input)) continue;
    const path = ['steps', i, 'inputs', j];
    const { file, from_step: from } = input;
    const source = job.steps.find(({ id }) => id === from);
    if (source === undefined) report([...path, 'from_step'], unknownStep(job, from));
    else if (!needed.has(from)) {
      report([...path, 'from_step'], { kind: 'input-of-no-dependency', step: step.id, from });
    } else if (!Object.hasOwn(source.outputs, file)) {
      const known = Object.keys(source.outputs);
      report([...path, 'file'], { kind: 'unknown-output', step: from, output: file, known });
    }
  }
}

function checkWorkflows(job: JobDocument, place: Place, report: Report): void {
  for (const [i, { name }] of job.workflows.entries()) {
    const first = job.workflows.findIndex((one) => one.name === name);
    if (first < i) {
      const { line } = place(['workflows', first, 'name']);
      report(['workflows', i, 'name'], { kind: 'duplicate-workflow', name, line });
    }
    checkOrder(job, i, report);
  }
}

function checkOrder(job: JobDocument, i: number, report: Report): void {
  const workflow = job.workflows[i];
  if (workflow === undefined) return;
  const groups = workflow.steps.map((entry) => (typeof entry === 'string' ? [entry] : entry));
  const groupOf = (id: string) => groups.findIndex((group) => group.includes(id));
  const seen = new Set<string>();
  for (const [g, group] of groups.entries()) {
    for (const [k, id] of group.entries()) {
      const path = ['workflows', i, 'steps', g, ...(typeof workflow.steps[g] === 'string' ? [] : [k])];
      if (seen.has(id)) report(path, { kind: 'step-twice', workflow: workflow.name, step: id });
      else if (!isStep(job, id)) report(path, unknownStep(job, id));
      else {
        for (const needs of job.steps.find((step) => step.id === id)?.dependencies ?? []) {
          const at = groupOf(needs);
          if (!isStep(job, needs) || needs === id || (at !== -1 && at < g)) continue;
          const why = at === -1 ? 'left-out' : at === g ? 'same-group' : 'later';
          report(path, { kind: 'step-out-of-order', workflow: workflow.name, step: id, needs, why });
        }
      }
      seen.add(id);
    }
  }
}

function isStep({ steps }: JobDocument, id: string): boolean {
  return steps.some((step) => step.id === id);
}

function unknownStep({ steps }: JobDocument, id: string): JobProblem {
  return { kind: 'unknown-step', id, known: [...new Set(steps.map((step) => step.id))] };
}
