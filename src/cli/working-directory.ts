/** Where the program was started; a folder that is gone since is told as one without a repository. */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env['PWD'] ?? '(a folder that is gone)';
  }
}
