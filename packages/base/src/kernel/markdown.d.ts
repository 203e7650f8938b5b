/** An import of a Markdown file returns its text. */
declare module '*.md' {
  const text: string;
  export default text;
}
