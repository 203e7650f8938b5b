import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { scheme } from './theme.ts';
import { dollars, tokens } from './words.ts';

type Series = { readonly label: string; readonly values: readonly number[]; readonly color: '--accent' | '--soft-bar' };

const HEIGHT = 200;
const FONT = '12px system-ui, sans-serif';

/** Shows one bar per day or week. All labels are our own texts, so no untrusted text reaches the plot. */
export function BarPlot({
  label,
  from,
  series,
  unit,
  describe,
}: {
  readonly label: string;
  readonly from: readonly string[];
  readonly series: readonly Series[];
  readonly unit: 'usd' | 'tokens';
  /** Returns the values of one bar in words. */
  readonly describe: (n: number) => string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [pointedIndex, setPointedIndex] = useState<number | null>(null);
  const currentScheme = scheme.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const show = unit === 'usd' ? dollars : tokens;
    const axis = {
      stroke: color('--soft'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { show: false },
      font: FONT,
    };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        padding: [8, 6, 0, 0],
        cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
        hooks: { setCursor: [({ cursor }) => setPointedIndex(cursor.idx ?? null)] },
        legend: { show: false },
        scales: {
          x: { time: false, range: () => [-0.6, from.length - 0.4] },
          y: { range: (_, __, high) => [0, (high || 1) * 1.1] },
        },
        axes: [
          {
            ...axis,
            size: 28,
            grid: { show: false },
            splits: () => from.map((_, n) => n),
            values: (_, splits) => splits.map((n) => labelOf(from, n, element.clientWidth)),
          },
          { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => show(tick)) },
        ],
        series: [
          {},
          ...series.map((entry) => ({
            label: entry.label,
            fill: color(entry.color),
            stroke: color(entry.color),
            width: 0,
            points: { show: false },
            paths: uPlot.paths.bars?.({ size: [0.6, 40] }) ?? (() => null),
          })),
        ],
      },
      [from.map((_, n) => n), ...series.map(({ values }) => [...values])],
      element,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [from, series, unit, currentScheme]);
  const at = pointedIndex === null ? undefined : from[pointedIndex];
  return (
    <figure>
      <figcaption>
        {at === undefined || pointedIndex === null ? label : `${dayOf(at)}: ${describe(pointedIndex)}`}
      </figcaption>
      <div class="plot" ref={box} role="img" aria-label={summaryOf(label, from, series, unit)} />
    </figure>
  );
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function dayOf(date: string): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? '' : DAY.format(time);
}

/** Returns the date of a bar without its year; an empty text for bars whose labels would overlap. */
function labelOf(from: readonly string[], n: number, width: number): string {
  const every = Math.max(1, Math.ceil(from.length / Math.max(2, Math.floor(width / 90))));
  return n % every === 0 ? dayOf(from[n] ?? '') : '';
}

function summaryOf(label: string, from: readonly string[], series: readonly Series[], unit: 'usd' | 'tokens'): string {
  const show = unit === 'usd' ? dollars : tokens;
  const totals = series.map(
    ({ label: name, values }) => `${name} ${show(values.reduce((sum, value) => sum + value, 0))}`,
  );
  return `${label}, ${from[0] ?? ''} to ${from.at(-1) ?? ''}: ${totals.join(', ')}`;
}
