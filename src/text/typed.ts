/** A text for people with our commands as they have to type them: by npx, where that is how they started us. */
export function typed(text: string, byNpx = false): string {
  return byNpx ? text.replace(/"onceover (?=[a-z])/g, '"npx onceover ') : text;
}
