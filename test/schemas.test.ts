import { publishSchema } from '@onceover/forges/src/json-schema.ts';
import { costSchema, featureCostSchema } from '@onceover/gates/cost/json-schema';
import * as runs from '@onceover/gates/result/json-schema';
import * as ruleDocuments from '@onceover/gates/rules/json-schema';
import { ruleFileSchema } from '@onceover/gates/src/rules/parse.ts';
import * as sharing from '@onceover/gates/src/sharing/json-schema.ts';
import * as phases from '@onceover/loops/phases/json-schema';
import { jobSchema } from '@onceover/loops/src/workflows/config/check.ts';
import { errorDocumentSchema } from '@onceover/onceover/src/cli/error-schema.ts';
import { demoSchema } from '@onceover/onceover/src/demo/json.ts';
import * as setUpDocuments from '@onceover/onceover/src/setup/json-schema.ts';
import { passStatementSchema, waiverStatementSchema } from '@onceover/passes/src/json-statement-schema.ts';
import { proveSchema } from '@onceover/prove/json';
import { settingsSchema } from '@onceover/repo/config/settings-schema';
import * as pages from '@onceover/web/json-schema';
import { expect, test } from 'vitest';
import * as z from 'zod';

const documents = { ...ruleDocuments, ...setUpDocuments };

import * as workflows from '@onceover/loops/workflows/json-schema';

// `npm test -- test/schemas.test.ts -u` writes the published files; this test checks that they are current.
test.each([
  ['onceover.yml', settingsSchema, 'input'],
  ['deepreview', ruleFileSchema, 'input'],
  ['job.yml', jobSchema, 'input'],
  ['instructions', documents.instructionsSchema, 'output'],
  ['rules', documents.rulesSchema, 'output'],
  ['pass', documents.passSchema, 'output'],
  ['explain', documents.explainSchema, 'output'],
  ['doctor', documents.doctorSchema, 'output'],
  ['init', documents.setUpSchema, 'output'],
  ['init-remove', documents.removalSchema, 'output'],
  ['run', runs.runSchema, 'output'],
  ['explain-run', runs.runExplanationSchema, 'output'],
  ['finding', runs.findingSchema, 'output'],
  ['resolved', runs.resolvedSchema, 'output'],
  ['clean', runs.cleanSchema, 'output'],
  ['passes', sharing.passesSchema, 'output'],
  ['passes-end', sharing.passesEndSchema, 'output'],
  ['passes-verify', sharing.passesVerifySchema, 'output'],
  ['cost', costSchema, 'output'],
  ['cost-feature', featureCostSchema, 'output'],
  ['demo', demoSchema, 'output'],
  ['publish', publishSchema, 'output'],
  ['prove', proveSchema, 'output'],
  ['trust', runs.trustSchema, 'output'],
  ['hook-snooze', runs.snoozeSchema, 'output'],
  ['started-run', runs.startedRunSchema, 'output'],
  ['phase', phases.phaseSchema, 'output'],
  ['phase-plan', phases.phasePlanSchema, 'output'],
  ['started-phase', phases.startedPhaseSchema, 'output'],
  ['workflows', workflows.workflowsSchema, 'output'],
  ['workflow-start', workflows.workflowStartSchema, 'output'],
  ['workflow-finish', workflows.stepEndSchema, 'output'],
  ['workflow-status', workflows.workflowStatusSchema, 'output'],
  ['workflow-abort', workflows.workflowAbortSchema, 'output'],
  ['pass-statement', passStatementSchema, 'output'],
  ['waiver-statement', waiverStatementSchema, 'output'],
  ['error', errorDocumentSchema, 'output'],
  ['ui', pages.uiSchema, 'output'],
  ['page', pages.pageSchema, 'output'],
  ['page-transcript', pages.transcriptSchema, 'output'],
  ['page-diff', pages.reviewDiffSchema, 'output'],
  ['page-live', pages.liveSchema, 'output'],
  ['page-session', pages.sessionSchema, 'output'],
] as const)('schemas/%s.schema.json is current', async (name, schema, io) => {
  const text = `${JSON.stringify(z.toJSONSchema(schema, { io, target: 'draft-2020-12' }), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(`../schemas/${name}.schema.json`);
});
