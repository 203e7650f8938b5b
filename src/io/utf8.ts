/** What of the bytes is text: `bytes` of them. */
type Decoded = { readonly text: string; readonly bytes: number };

type How = {
  /** More bytes came after: the last character may be cut. */
  readonly isCut?: boolean;
  /** What people wrote for people and programs to read begins without a byte order mark; what is judged stays as it is. */
  readonly keepsMark?: boolean;
};

/** Decodes UTF-8; null where it is none. */
export function decodeUtf8(bytes: Buffer, { isCut = false, keepsMark = false }: How = {}): Decoded | null {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepsMark });
  // Where a text is cut, up to three bytes of its last character may be left hanging.
  for (let hanging = 0; hanging <= (isCut ? 3 : 0); hanging++) {
    try {
      const length = Math.max(0, bytes.length - hanging);
      return { text: decoder.decode(bytes.subarray(0, length)), bytes: length };
    } catch {
      // Fewer bytes may do.
    }
  }
  return null;
}
