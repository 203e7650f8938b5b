import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlacedProblem } from '@onceover/base/kernel/failure';
import { isRecord } from '@onceover/base/kernel/json';
import { describeProblem } from '@onceover/base/ui/describe-problem';
import { parseRules } from '@onceover/gates/src/rules/parse.ts';
import { parseJob } from '@onceover/loops/src/workflows/config/load.ts';
import { parseSettings } from '@onceover/repo/src/config/parse-settings.ts';
import { parse } from 'yaml';
import * as z from 'zod';
import { readAction } from '../composite-action.ts';
import { toldAt } from './commands.ts';
import { type Fence, PROJECT } from './pages.ts';
import { type ReadDocument, wrong } from './read-document.ts';
import { oneByOne } from './words.ts';

const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };

/** Reads a block with the loader of its file type. Its keys show the type: a CI workflow, a job, rules, or settings. */
export function readYamlFence({ text }: Fence, at: string): ReadDocument {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    return wrong(`no YAML: ${error}`);
  }
  if (Array.isArray(value)) return readCi({ steps: value }, at);
  if (!isRecord(value)) return wrong('it is no list and has no keys');
  if ('jobs' in value) return readCi(value, at);
  const all = Object.values(value);
  if (all.some((one) => isRecord(one) && 'script' in one)) return readCi(value, at);
  if ('steps' in value) {
    const job = parseJob(text);
    return wrong(...(job.ok ? [] : job.problems.map((problem) => tell('job.yml', problem))));
  }
  if (all.every((one) => isRecord(one) && ('review' in one || 'match' in one))) {
    return wrong(...parseRules(text).problems.map((problem) => tell('.deepreview', problem)));
  }
  if ('model_list' in value)
    return wrong(...(gateway.safeParse(value).error?.issues.map(({ message }) => message) ?? []));
  const settings = parseSettings(text);
  return wrong(...(settings.ok ? [] : settings.problems.map((problem) => tell('onceover.yml', problem))));
}

function tell(file: string, problem: PlacedProblem): string {
  return describeProblem({ file, ...problem });
}

/** The configuration of the gateway LiteLLM. */
const gateway = z.strictObject({
  model_list: z.array(
    z.strictObject({
      model_name: z.string(),
      litellm_params: z.looseObject({ model: z.string().regex(/^(?:bedrock|vertex_ai|azure)\//) }),
    }),
  ),
});

const step = z.strictObject({
  name: z.string().optional(),
  id: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const workflow = z.strictObject({
  name: z.string().optional(),
  on: z.union([z.string(), z.array(z.string()), z.record(z.string(), z.unknown())]),
  permissions: z.record(z.string(), z.enum(['read', 'write'])).optional(),
  jobs: z.record(
    z.string(),
    z.strictObject({
      if: z.string().optional(),
      'runs-on': z.string(),
      permissions: z.record(z.string(), z.enum(['read', 'write'])).optional(),
      steps: z.array(step),
    }),
  ),
});
const pipeline = z.record(
  z.string(),
  z.strictObject({
    image: z.string(),
    rules: z.array(z.strictObject({ if: z.string(), when: z.literal('always').optional() })).optional(),
    needs: z.array(z.strictObject({ job: z.string(), artifacts: z.boolean() })).optional(),
    environment: z.strictObject({ name: z.string(), action: z.string() }).optional(),
    variables: z.record(z.string(), z.string()).optional(),
    script: z.array(z.string()),
    artifacts: z
      .strictObject({
        when: z.enum(['always', 'on_success', 'on_failure']),
        reports: z.strictObject({ junit: z.string() }).optional(),
        paths: z.array(z.string()).optional(),
      })
      .optional(),
    cache: z.unknown().optional(),
  }),
);
const steps = z.strictObject({ steps: z.array(step) });

/** Reads a GitHub workflow, some of its steps, or a GitLab pipeline. */
function readCi(value: object, at: string): ReadDocument {
  const shape = 'jobs' in value ? workflow : 'steps' in value ? steps : pipeline;
  const read = shape.safeParse(value);
  if (!read.success) return wrong(z.prettifyError(read.error));
  const { data } = read;
  const all = isWorkflow(data) ? Object.values(data.jobs).flatMap((job) => job.steps) : isSteps(data) ? data.steps : [];
  const scripts = isPipeline(data)
    ? Object.values(data).flatMap(({ script }) => script)
    : all.flatMap(({ run = '' }) => run.split('\n'));
  const told = scripts.flatMap(oneByOne).map((line) => toldAt(line, at));
  return { problems: all.flatMap(againstAction), told };
}

function isWorkflow(data: object): data is z.output<typeof workflow> {
  return 'jobs' in data;
}

function isSteps(data: object): data is z.output<typeof steps> {
  return 'steps' in data;
}

function isPipeline(data: object): data is z.output<typeof pipeline> {
  return !isWorkflow(data) && !isSteps(data);
}

/** The inputs that the docs and our workflows pass to other actions. */
export const ACTION_INPUTS: Readonly<Record<string, readonly string[]>> = {
  'actions/checkout@v6': ['fetch-depth', 'persist-credentials', 'ref'],
  'actions/setup-node@v6': ['node-version', 'cache', 'registry-url'],
  'actions/upload-artifact@v6': ['name', 'path', 'if-no-files-found'],
  'actions/download-artifact@v6': ['name', 'path', 'run-id', 'github-token'],
  'github/codeql-action/init@v4': ['languages', 'build-mode'],
  'github/codeql-action/analyze@v4': ['category'],
  'github/codeql-action/upload-sarif@v4': ['sarif_file', 'category'],
};

/** Returns the problems that the used action has with a step. */
function againstAction({ uses, with: given = {} }: z.output<typeof step>): readonly string[] {
  if (uses === undefined) return [];
  const own = `OWNER/onceover@v${version}`;
  const inputs = uses === own ? Object.keys(readAction().inputs) : ACTION_INPUTS[uses];
  if (inputs === undefined) return [`${uses} is neither ${own} nor an action that yaml-fences.ts knows`];
  const unknown = Object.keys(given).filter((name) => !inputs.includes(name));
  return unknown.map((name) => `${uses} has no input "${name}"`);
}
