import { oneLine } from '@onceover/base/kernel/escape';
import { exposureOf } from '../judge/scores.ts';
import type { PlayedProve } from '../result-types.ts';
import { comparisonText, EXPOSED, proofNotes, scoreRows, wrongResults } from './proof.ts';

/** Returns the result of `onceover prove` as Markdown, for a file or a comment. */
export function proofMarkdown(result: PlayedProve): string {
  const gates = result.proofs.flatMap((proof) => {
    const exposure = exposureOf(proof.scores);
    return [
      `## ${cell(proof.gate)}`,
      '',
      ...(exposure === null ? [] : [`**${cell(EXPOSED[exposure](proof.scores))}**`, '']),
      '| score | of how many, with the 95 % interval |',
      '|---|---|',
      ...scoreRows(proof).map(([label, text]) => `| ${cell(label)} | ${cell(text)} |`),
      '',
      ...proof.comparisons.flatMap((comparison) => [cell(comparisonText(comparison)), '']),
      ...listOf(wrongResults(proof, result.results).map((line) => `- ${cell(line)}`)),
    ];
  });
  return `${['# What the reviewers catch', '', ...gates, ...proofNotes(result).map(cell)].join('\n')}\n`;
}

/** Returns the lines followed by an empty line; nothing if there are no lines. */
function listOf(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Returns text as one line with its Markdown escaped, because titles come from the repository. */
function cell(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>|#]/g, (sign) => `\\${sign}`);
}
