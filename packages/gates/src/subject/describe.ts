import { showInvisible } from '@onceover/base/kernel/escape';
import type { SubjectDifference } from '@onceover/base/kernel/review-subject';

/** Describes in which part the subject of an earlier verdict differs from the current one, as the end of a sentence. */
export function describeDifference(difference: SubjectDifference): string {
  return difference.part === 'setting'
    ? `the setting ${settingName(difference.name)} changed since its last review`
    : PARTS[difference.part];
}

const PARTS: Readonly<Record<Exclude<SubjectDifference['part'], 'setting'>, string>> = {
  gate: 'its last review was about another gate',
  content: 'the content changed since its last review',
  prompt: 'the prompt changed since its last review',
  references: 'a reference file changed since its last review',
  context: 'the list of files in its prompt changed since its last review',
  unrecorded:
    'an older version of onceover did not record the reference files, context and settings of its last review',
};

/** Returns the name of a setting as it is written in `onceover.yml`. */
export function settingName(key: string): string {
  return showInvisible(key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}
