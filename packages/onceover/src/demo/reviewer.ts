import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateTokens } from '@onceover/base/kernel/agent';
import { fencedBlocks } from '@onceover/base/kernel/escape';
import { MISTAKES } from './project.ts';

/** A line that a diff adds, with the file and its line number in the new version of the file. */
type NumberedLine = { readonly file: string; readonly line: number; readonly text: string };

/** Applies a diff to the lines that a reviewer has seen: adds the added lines and removes the deleted ones. */
function linesAfterPatch(seenLines: readonly NumberedLine[], diff: string): readonly NumberedLine[] {
  const lines = [...seenLines];
  let before = '';
  let file = '';
  let line = 0;
  for (const text of diff.split('\n')) {
    const header = /^(---|\+\+\+) (?:[ab]\/(.*)|\/dev\/null)$/.exec(text);
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (header !== null) {
      if (header[1] === '---') before = header[2] ?? '';
      file = header[2] ?? '';
    } else if (hunk !== null) line = Number(hunk[1]);
    else if (text.startsWith('+')) lines.push({ file, line: line++, text: text.slice(1) });
    else if (text.startsWith(' ')) line += 1;
    else if (text.startsWith('-')) {
      const index = lines.findIndex((entry) => entry.file === before && entry.text === text.slice(1));
      if (index !== -1) lines.splice(index, 1);
    }
  }
  return lines;
}

/** The lines that a scripted reviewer has seen in one session. */
type DemoMemory = { readonly seen: readonly NumberedLine[] };

/**
 * Returns the answer of a scripted reviewer in the format of a custom agent command. It looks for its mistake only in
 * the diff in the prompt and in the lines that it saw earlier in the session.
 */
export function demoAnswer(name: string, prompt: string, memory: DemoMemory) {
  const blocks = fencedBlocks(prompt);
  const visibleLines = linesAfterPatch(memory.seen, blocks.find(({ label }) => label === 'diff')?.text ?? '');
  const earlier = blocks.flatMap(({ label, text }) => {
    const isEarlier = label === '' && !/^declined\b/m.test(text);
    const id = isEarlier ? /^id: (\S+)$/m.exec(text)?.[1] : undefined;
    return id === undefined ? [] : [{ id, code: (/^code: (.*)$/m.exec(text)?.[1] ?? '').trim() }];
  });
  const isOpen = ({ code }: { readonly code: string }) => visibleLines.some(({ text }) => text.trim() === code);
  const open = earlier.filter(isOpen).map(({ code }) => code);
  const { pattern, ...mistake } = MISTAKES.get(name) ?? { pattern: null };
  const violations = visibleLines
    .filter(({ text }) => pattern?.test(text) === true && !open.includes(text.trim()))
    .map(({ file, line, text }) => ({ file, line, code: text, ...mistake }));
  const previous = earlier.map((finding) =>
    isOpen(finding)
      ? { id: finding.id, state: 'open' as const, why: 'The line is unchanged.' }
      : { id: finding.id, state: 'fixed' as const, why: 'The line is gone.' },
  );
  const status: 'pass' | 'fail' = violations.length + open.length === 0 ? 'pass' : 'fail';
  return { answer: { status, violations, previous }, memory: { seen: visibleLines } };
}

/** The folder in which scripted reviewers store their sessions. It exists only in the demo's repository. */
const DEMO_SESSIONS = '.git/demo-sessions';

/** Returns the answer of a scripted reviewer; null outside the repository of the demo, or if the session is unknown. */
export function answerAsReviewer(name: string, prompt: string, session: string | null) {
  const id = session ?? randomUUID();
  // The caller chooses the session id. Replace other characters, so that the file name cannot lead out of the folder.
  const file = join(DEMO_SESSIONS, `${id.replace(/[^\w-]/g, '_')}.json`);
  try {
    const memory = session === null ? { seen: [] } : (JSON.parse(readFileSync(file, 'utf8')) as DemoMemory);
    const { answer, memory: after } = demoAnswer(name, prompt, memory);
    writeFileSync(file, JSON.stringify(after));
    const usage = {
      input_tokens: estimateTokens(prompt.length),
      output_tokens: estimateTokens(JSON.stringify(answer).length),
    };
    return { ...answer, session_id: id, usage };
  } catch {
    return null;
  }
}
