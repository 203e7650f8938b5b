import type { WorkflowNotice } from '../domain/workflow-outcome.ts';
import { tellFailure } from './failure.ts';

/** A notice of a workflow, in a sentence. */
export function tellWorkflowNotice(notice: WorkflowNotice): string {
  return `what reviewing this step cost is not in the ledger: ${tellFailure(notice.failure).what}`;
}
