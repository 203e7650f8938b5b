import type { RepoPath } from '../domain/brand.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import { done, failed } from '../domain/result.ts';
import { readText } from '../io/contents.ts';
import { writeWhole } from '../io/files.ts';

const LONGEST_FILE = 4 * 1024 * 1024;

/** The user's own files at the root, which `init` writes and nothing else does. */
export function openProjectFiles(root: string): ProjectFiles {
  return {
    async read(path) {
      const read = readText(root, path, LONGEST_FILE);
      if (read.kind === 'text' && !read.cut) return done(read.text);
      if (read.kind === 'unusable' && read.why === 'missing') return done(null);
      const code = read.kind === 'text' ? 'too large' : read.why;
      return failed({ kind: 'disk', action: 'read', path, code });
    },
    async write(path: RepoPath, text: string) {
      return writeWhole(root, path, text);
    },
  };
}
