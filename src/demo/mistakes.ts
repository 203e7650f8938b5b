/** A mistake that a scripted reviewer knows. */
export type Mistake = {
  readonly pattern: RegExp;
  readonly issue: string;
  readonly fix: string;
  readonly priority: 'high' | 'medium';
};

/** What each scripted reviewer knows; whoever has another name knows nothing, and passes everything. */
export const MISTAKES: Readonly<Record<string, readonly Mistake[]>> = {
  careful: [
    {
      pattern: /\.reduce\(\((\w+), (\w+)\) => \1 \+ \2\)/,
      issue: 'An empty cart throws: reduce has no first value.',
      fix: 'Give reduce 0 as its second argument.',
      priority: 'high',
    },
  ],
  exact: [
    {
      pattern: /\.toFixed\([01]?\)/,
      issue: 'Prices are cut to tenths: $9.99 is shown as $10.0.',
      fix: 'Show two digits: toFixed(2).',
      priority: 'medium',
    },
  ],
};
