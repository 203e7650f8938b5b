import { CACHE_RULES, type CacheRule, OTHER_CACHE } from '@onceover/agents/economy/cache-rules';
import type { Parts } from './fill.ts';
import { table } from './table.ts';

const HEAD = [
  'models',
  'cached for',
  'shortest cached prompt, in tokens',
  'how far before a breakpoint a request searches the cache',
  'price of writing',
  'price of reading',
  'date of the source',
  'source',
];

/** The table of cache rules in the page about costs. */
export function cacheParts(): Parts {
  return { caches: table(HEAD, [...CACHE_RULES, OTHER_CACHE].map(rowOf)) };
}

function rowOf(rule: CacheRule): readonly string[] {
  const { lifeMinutes: life, write, lookBack } = rule;
  return [
    rule.models,
    both(minutesText(life['5m']), minutesText(life['1h'])),
    rule.minimumTokens.toLocaleString('en'),
    lookBack ?? 'no limit',
    both(`${write['5m']}`, `${write['1h']}`),
    `${rule.read}`,
    rule.date,
    rule.source,
  ];
}

function both(short: string, long: string): string {
  return short === long ? short : `${short}/${long}`;
}

function minutesText(minutes: number): string {
  return minutes < 60 ? `${minutes} min` : `${minutes / 60} h`;
}
