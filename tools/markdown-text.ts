/** A Vitest plugin that imports Markdown files as text, as `loader` does in tools/tsdown.config.ts. */
export const markdownText = {
  name: 'markdown-text',
  transform(code: string, id: string) {
    return id.endsWith('.md') ? { code: `export default ${JSON.stringify(code)};`, map: null } : null;
  },
};
