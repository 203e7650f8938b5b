/** The text that replaces a secret in output and records. */
export const MASKED = '[masked]';

/** Patterns of secrets that have a recognisable form, such as a fixed prefix. */
const FORMS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}\b/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bnpm_[A-Za-z0-9]{30,}\b/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bsk-(?:ant-|proj-|live-|test-)?[A-Za-z0-9_-]{20,}/g,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
];

/** Patterns of secrets that are recognised by the word before them. That word, the first group, is not masked. */
const NAMED = [
  /(\b(?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:basic|bearer|token)\s+)[A-Za-z0-9+/=._~-]{8,}/gi,
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,64}:)[^\s/@"'<>]{3,}(?=@)/gi,
  /((?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?key|client[_-]?secret|token)["']?\s*(?:[:=]|=>)\s*)(?:"[^"\n]{6,}"|'[^'\n]{6,}'|(?=[^\s"'{}()<>,;]*\d)[A-Za-z0-9+/=._~!@#$%^&*-]{12,})/gi,
];

/** Returns the text with everything that looks like a password, key or token replaced. */
export function maskSecrets(text: string): string {
  let maskedText = text;
  for (const form of FORMS) maskedText = maskedText.replace(form, MASKED);
  for (const form of NAMED) maskedText = maskedText.replace(form, `$1${MASKED}`);
  return maskedText;
}

const LONGEST_REPEATED = 200;

/** Returns a JSON document with `maskSecrets` applied to every string value. Keys stay as they are. */
export function maskDocument<T>(document: T): T {
  // A long history repeats a few names thousands of times, so each short text is searched once.
  const maskedTexts = new Map<string, string>();
  const maskValue = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (value.length > LONGEST_REPEATED) return maskSecrets(value);
      const cachedText = maskedTexts.get(value);
      if (cachedText !== undefined) return cachedText;
      const text = maskSecrets(value);
      maskedTexts.set(value, text);
      return text;
    }
    if (Array.isArray(value)) return value.map(maskValue);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskValue(inner)]));
  };
  return maskValue(document) as T;
}
