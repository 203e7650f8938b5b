import { cost } from '../../app.ts';
import { costCsv } from '../../report/cost-csv.ts';
import { costDocument } from '../../report/cost-document.ts';
import { featureDocument } from '../../report/feature-document.ts';
import { tellCost } from '../../text/cost.ts';
import { tellFeatureCost } from '../../text/feature-cost.ts';
import { pageLooks } from '../looks.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function costCommand(
  feature: string | undefined,
  options: {
    readonly since?: string;
    readonly branch?: string;
    readonly all?: boolean;
    readonly json?: boolean;
    readonly csv?: boolean;
  },
): Promise<void> {
  const { json = false, csv = false, all = false, since = null, branch = null } = options;
  const wrong = json && csv ? TWO_ANSWERS : all && feature !== undefined ? TWO_QUESTIONS : null;
  if (wrong !== null) return fail({ kind: 'wrong-usage', said: wrong, command: 'cost' }, json);
  const found = await cost(workingDirectory(), { feature: feature ?? null, since, branch });
  if (!found.ok) return fail(found.failure, json);
  const { kind, report, rows } = found.value;
  if (csv) return answer(costCsv(rows));
  if (json) return answerJson(kind === 'all' ? costDocument(report) : featureDocument(report));
  const looks = { ...pageLooks(process), localTime };
  answer(
    kind === 'all' ? tellCost(report, { ...looks, loops: all ? 'full' : 'short' }) : tellFeatureCost(report, looks),
  );
}

const TWO_ANSWERS = '--json and --csv are two answers: ask for one.';
const TWO_QUESTIONS = 'A feature and --all are two questions: ask one.';

function localTime(at: string): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
