/** A metric with its values, one for each set of labels. */
export type MetricFamily = {
  readonly name: string;
  readonly help: string;
  readonly type?: 'gauge' | 'counter';
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
};

/** Returns metrics in the text format that Prometheus reads. */
export function describeMetrics(families: readonly MetricFamily[]): string {
  return families
    .flatMap(({ name, help, type = 'gauge', samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels, value }) => `${name}${describeLabels(labels)} ${value}`),
    ])
    .join('\n')
    .concat('\n');
}

function describeLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escapeChar)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeChar(char: string): string {
  return char === '\n' ? '\\n' : `\\${char}`;
}
