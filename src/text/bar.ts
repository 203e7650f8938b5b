/** What a bar is drawn with: block characters, or what every terminal has. */
export type BarStyle = 'blocks' | 'ascii';

/** A bar as long as the amount is beside the most there is; what is not nothing is never drawn as nothing. */
export function bar(amount: number, most: number, width: number, style: BarStyle): string {
  if (!(amount > 0 && most > 0)) return '';
  const share = Math.min(1, amount / most) * width;
  if (style === 'ascii') return '#'.repeat(Math.max(1, Math.round(share)));
  const eighths = Math.max(1, Math.round(share * 8));
  return `${'█'.repeat(Math.floor(eighths / 8))}${EIGHTHS[eighths % 8]}`;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;
