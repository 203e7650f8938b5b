import { type Paint, PLAIN } from './paint.ts';
import { wrap } from './wrap.ts';

/** How a text is shown: in colour or not, and how wide; null: lines are as long as they are. */
export type Shown = {
  readonly paint: Paint;
  readonly width: number | null;
  /** Whether whoever sees it has started us with npx. */
  readonly byNpx?: boolean;
};

/** For pipes, files and documents. */
export const AS_IT_IS: Shown = { paint: PLAIN, width: null };

/** Sentences, wrapped to the width. */
export function fitted(text: string, { width }: Pick<Shown, 'width'>, indent = 2): string {
  return width === null ? text : wrap(text, width, indent);
}
