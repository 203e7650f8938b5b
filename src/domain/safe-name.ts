/** A text as part of a file's name: what some file system or shell would stumble over becomes `_`. */
export function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/gu, '_');
}
