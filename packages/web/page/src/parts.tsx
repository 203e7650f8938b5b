import { showInvisible, showInvisibleInLines } from '@onceover/base/kernel/escape';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { query } from './state.ts';
import { isNarrow } from './theme.ts';
import type { Tone } from './words.ts';

/** Shows untrusted text on one line, with invisible characters as escapes. */
export function Name({ children }: { readonly children: string }) {
  return <bdi>{showInvisible(children)}</bdi>;
}

/** Shows untrusted text with its line breaks, and with invisible characters as escapes. */
export function Prose({ children, class: of = '' }: { readonly children: string; readonly class?: string }) {
  return <p class={`prose ${of}`}>{showInvisibleInLines(children)}</p>;
}

export function Pill({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`pill ${tone}`}>{children}</span>;
}

export function Section({
  id,
  title,
  aside,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly aside?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section id={`section-${id}`} aria-labelledby={`title-${id}`}>
      <header class="section-head">
        <h2 id={`title-${id}`}>{title}</h2>
        {aside !== undefined && <span class="aside">{aside}</span>}
      </header>
      {children}
    </section>
  );
}

/** Shows a note where a part of the page has no content. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Shows a note where a list is empty. If the user searches, the note says that nothing matches. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <Empty>{query.value === '' ? children : 'Nothing matches the search.'}</Empty>;
}

/** Shows one figure with its name. `more` is its unit, or a value to compare it with. */
export function Figure({
  name,
  value,
  more,
}: {
  readonly name: string;
  readonly value: string;
  readonly more: string;
}) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        <b>{value}</b> <span class="soft">{more}</span>
      </dd>
    </div>
  );
}

/** Shows code with line numbers. `marked` has the numbers of the first and the last line to highlight. */
export function Code({
  lines,
  first,
  marked,
}: {
  readonly lines: readonly string[];
  readonly first: number;
  readonly marked: readonly [number, number] | null;
}) {
  return (
    <div class="code" tabIndex={0} role="group" aria-label={`Lines ${first} to ${first + lines.length - 1}`}>
      {lines.map((line, n) => {
        const number = first + n;
        const isMarked = marked !== null && number >= marked[0] && number <= marked[1];
        return (
          <div class={isMarked ? 'line marked' : 'line'} key={number}>
            <span class="number" aria-hidden="true">
              {number}
            </span>
            <code>{showInvisibleInLines(line) || ' '}</code>
          </div>
        );
      })}
    </div>
  );
}

const LINE_KINDS: Readonly<Record<string, string>> = { '+': 'ins', '-': 'del', '@': 'hunk' };

/**
 * Splits a diff into lines and their kinds. Lines before the first hunk are the file names, even though they also start
 * with + or -.
 */
function linesOf(text: string): readonly { readonly line: string; readonly kind: string }[] {
  let isHead = true;
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      if (line.startsWith('diff --git ')) isHead = true;
      else if (line.startsWith('@@')) isHead = false;
      return { line, kind: isHead ? 'hunk' : (LINE_KINDS[line[0] ?? ''] ?? '') };
    });
}

/** Shows a unified diff. Added and removed lines are marked by their sign and by colour. */
export function Diff({ text }: { readonly text: string }) {
  return (
    <pre class="diff" tabIndex={0}>
      {linesOf(text).map(({ line, kind }, n) => (
        <span key={n} class={kind}>
          {`${showInvisibleInLines(line)}\n`}
        </span>
      ))}
    </pre>
  );
}

/**
 * Shows a table that scrolls sideways if it is too wide. A column whose title starts with ">" is aligned to the right.
 */
export function DataTable({
  label,
  head,
  rows,
}: {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}) {
  const sideOf = (n: number) => (head[n]?.startsWith('>') ? 'right' : undefined);
  if (rows.length === 0) return <Nothing>There is nothing yet.</Nothing>;
  return (
    <div class="scroll panel" tabIndex={0} role="region" aria-label={label}>
      <table class="data">
        <thead>
          <tr>
            {head.map((title, n) => (
              <th key={title} scope="col" class={sideOf(n)}>
                {title.replace(/^>/, '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...cells], n) => (
            <tr key={n}>
              <th scope="row">{first}</th>
              {cells.map((cell, m) => (
                <td key={m} class={sideOf(m + 1)} data-label={head[m + 1]?.replace(/^>/, '')}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const MOST_CHARACTERS = 24_000;

/** Shows a text of any length quickly, because the browser lays out only the blocks that are on the screen. */
export function LongText({ children }: { readonly children: string }) {
  const blocks: string[] = [];
  for (let at = 0; at < children.length; ) {
    const end = children.length - at <= MOST_CHARACTERS ? children.length : cutAt(children, at);
    blocks.push(children.slice(at, end));
    at = end;
  }
  return (
    <div class="long-text">
      {blocks.map((block, n) => (
        <pre
          key={n}
          class={blocks.length > 1 ? 'lazy' : undefined}
          style={{ containIntrinsicHeight: `auto ${Math.ceil(block.length / 60)}em` }}
        >
          {showInvisibleInLines(block.replace(/\n$/, ''))}
        </pre>
      ))}
    </div>
  );
}

function cutAt(text: string, from: number): number {
  const line = text.lastIndexOf('\n', from + MOST_CHARACTERS);
  return line > from ? line + 1 : from + MOST_CHARACTERS;
}

/** Shows a long list of rows of the same height. Only the rows on the screen are drawn. */
export function RowList<T>({
  rows,
  label,
  head,
  row,
}: {
  readonly rows: readonly T[];
  readonly label: string;
  readonly head: ComponentChildren;
  readonly row: (entry: T, n: number) => ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = isNarrow.value ? 62 : 38;
  const visibleCount = Math.ceil(440 / height) + 2;
  const first = Math.max(0, Math.min(Math.floor(top / height), rows.length - visibleCount));
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = 0;
    setTop(0);
  }, [rows]);
  return (
    <div
      class="rows"
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="rows-head">{head}</div>
      <div class="rows-body" style={{ '--height': `${rows.length * height}px` }}>
        <div class="rows-shown" style={{ '--top': `${first * height}px` }}>
          {rows.slice(first, first + visibleCount).map((entry, n) => (
            <div class="row" key={first + n} style={{ '--height': `${height}px` }}>
              {row(entry, first + n)}
            </div>
          ))}
        </div>
      </div>
      {rows.length > visibleCount && (
        <p class="on-paper">
          {visibleCount} of {rows.length} rows are printed.
        </p>
      )}
    </div>
  );
}
