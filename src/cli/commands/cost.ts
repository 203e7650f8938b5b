import { cost } from '../../app.ts';
import { costCsv } from '../../report/cost-csv.ts';
import { costDocument } from '../../report/cost-document.ts';
import { tellCost } from '../../text/cost.ts';
import { barsFor, paintFor } from '../looks.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function costCommand(options: {
  readonly since?: string;
  readonly branch?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
}): Promise<void> {
  const json = options.json === true;
  if (json && options.csv === true) {
    const said = '--json and --csv are two answers: ask for one.';
    return fail({ kind: 'wrong-usage', said, command: 'cost' }, json);
  }
  const found = await cost(workingDirectory(), { since: options.since ?? null, branch: options.branch ?? null });
  if (!found.ok) return fail(found.failure, json);
  const { report, rows } = found.value;
  if (json) answerJson(costDocument(report));
  else if (options.csv === true) answer(costCsv(rows));
  else {
    const { env, stdout } = process;
    const width = stdout.isTTY === true ? stdout.columns || 80 : 80;
    answer(tellCost(report, { paint: paintFor(stdout, env), bars: barsFor(env), width, localTime }));
  }
}

function localTime(at: string): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
