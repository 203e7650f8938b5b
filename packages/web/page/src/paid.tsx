import { DataTable, Empty, Name, Section } from './parts.tsx';
import type { PageDocument } from './state.ts';
import { allTokens, BASELINES, count, countCalls, describeUsage, dollars, LEVERS, tokens } from './words.ts';

const NAMES = ['pass', 'slot', 'session', 'prefix', 'reading'] as const;

/** How many tokens a run, a phase or the whole clone paid for and saved. */
type Balance = {
  readonly title: string;
  readonly paid: number;
  readonly detail: string;
  readonly saved: Readonly<Record<(typeof NAMES)[number], number>>;
};

/** Shows the tokens that were paid for and those that were saved, by the way in which they were saved. */
export function Paid({ page }: { readonly page: PageDocument }) {
  const { cost } = page;
  const balances = balancesOf(page);
  return (
    <Section id="paid" title="Paid and not paid" aside="not paid is an estimate">
      {balances.length === 0 ? (
        <Empty>The ledger could not be read.</Empty>
      ) : (
        <>
          <div class="columns">
            {balances.map((balance) => (
              <Total key={balance.title} {...balance} />
            ))}
          </div>
          <Levers balances={balances} />
        </>
      )}
      {cost !== null && page.page === 'cost' && <Tables cost={cost} />}
    </Section>
  );
}

function balancesOf(page: PageDocument): readonly Balance[] {
  const { run, phase, cost } = page;
  const result = run ?? phase;
  const calls = run?.dispatches ?? null;
  const title = run === null ? 'This phase' : page.page === 'status' ? 'Now' : 'This run';
  const balances: Balance[] = [];
  if (result !== null && result.usage !== null) {
    const detail = `${calls === null ? '' : `${count(calls, 'call')}, `}${describeUsage(result.usage)}`;
    balances.push({ title, paid: allTokens(result.usage), detail, saved: result.saved });
  } else if (result !== null && page.page === 'run') {
    const detail = (calls ?? 0) === 0 ? 'no calls' : `${count(calls ?? 0, 'call')}, tokens unknown`;
    balances.push({ title, paid: 0, detail, saved: result.saved });
  }
  if (cost !== null) {
    const { pass, slot, session, prefix, reading } = cost.not_paid;
    balances.push({
      title: 'This clone so far',
      paid: paidTokens(cost.paid),
      detail: `${count(cost.runs, 'run')}, ${countCalls(cost.paid.looks, cost.paid.dispatches)}, ${priceOf(cost.paid)}`,
      saved: {
        ...{ pass: pass.tokens, slot: slot.tokens, session: session.tokens },
        ...{ prefix: prefix.tokens, reading: reading.tokens },
      },
    });
  }
  return balances;
}

/** Formats the known price of some calls; a dash if the price of none is known. */
function knownPrice(cost: Paying): string {
  return cost.looks_without_price === cost.looks ? '–' : dollars(cost.told_usd + cost.list_price_usd);
}

function priceOf(cost: Paying): string {
  if (cost.looks > 0 && cost.looks_without_price === cost.looks) return 'price unknown';
  const price = dollars(cost.told_usd + cost.list_price_usd);
  return cost.looks_without_price === 0
    ? price
    : `${price} without ${count(cost.looks_without_price, 'review')} of unknown price`;
}

type Paying = NonNullable<PageDocument['cost']>['paid'];

function paidTokens(cost: Paying): number {
  return cost.input_tokens + cost.cached_input_tokens + cost.cache_write_tokens + cost.output_tokens;
}

function Total({ title, paid, detail, saved }: Balance) {
  const savedTokens = NAMES.reduce((sum, name) => sum + saved[name], 0);
  const whole = Math.max(1, paid + savedTokens);
  const share = Math.round((savedTokens / whole) * 100);
  return (
    <div class="balance card">
      <h3>{title}</h3>
      <div class="amounts">
        <p class="big">
          {tokens(paid)} <small>paid</small>
        </p>
        <p class="big spared">
          {tokens(savedTokens)} <small>not paid{savedTokens === 0 ? '' : `, ${share} %`}</small>
        </p>
      </div>
      <div class="stack" aria-hidden="true">
        {paid > 0 && <span class="lever paid" style={{ width: `${(paid / whole) * 100}%` }} />}
        {NAMES.filter((name) => saved[name] > 0).map((name) => (
          <span key={name} class={`lever ${name}`} style={{ width: `${(saved[name] / whole) * 100}%` }} />
        ))}
      </div>
      <p class="soft">{detail}</p>
    </div>
  );
}

/**
 * Shows a table of the paid tokens and of the tokens that each way of saving avoided. For each estimate, the table
 * names the baseline.
 */
function Levers({ balances }: { readonly balances: readonly Balance[] }) {
  const rows = [
    { name: 'paid', text: 'Paid', than: 'tokens of all calls', values: balances.map(({ paid }) => paid) },
    ...NAMES.map((name) => ({
      ...{ name, text: LEVERS[name], than: `compared with ${BASELINES[name]}` },
      values: balances.map(({ saved }) => saved[name]),
    })),
  ];
  const isUnused = ({ values }: (typeof rows)[number]) => values.every((value) => value === 0);
  const unusedRows = rows.filter((row) => row.name !== 'paid' && isUnused(row));
  return (
    <div class="levers panel">
      <table>
        <caption class="hidden">Tokens paid and not paid, and what not paid is compared with</caption>
        <thead>
          <tr>
            <th scope="col">Tokens</th>
            {balances.map(({ title }) => (
              <th scope="col" class="right" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows
            .filter((row) => !unusedRows.includes(row))
            .map(({ name, text, than, values }) => (
              <tr key={name}>
                <th scope="row">
                  <i class={`lever ${name}`} aria-hidden="true" />
                  <span class="lever-name">{text}</span> <span class="soft">{than}</span>
                </th>
                {values.map((value, n) => (
                  <td class="right" key={balances[n]?.title} data-label={balances[n]?.title}>
                    {value === 0 ? '–' : tokens(value)}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
      {unusedRows.length > 0 && (
        <p class="soft unused">Nothing saved yet by: {unusedRows.map(({ text }) => text.toLowerCase()).join(', ')}.</p>
      )}
    </div>
  );
}

function Tables({ cost }: { readonly cost: NonNullable<PageDocument['cost']> }) {
  return (
    <>
      {cost.gates.length > 0 && (
        <>
          <h3 class="plain">By gate</h3>
          <DataTable
            label="Cost by gate"
            head={['Gate', '>Reviews', '>Paid', '>Not paid', '>Price']}
            rows={cost.gates.map(({ gate, paid, not_paid }) => [
              <Name>{gate ?? 'fixes by agents'}</Name>,
              paid.looks,
              tokens(paidTokens(paid)),
              tokens(not_paid.tokens),
              knownPrice(paid),
            ])}
          />
        </>
      )}
      <h3 class="plain">By agent</h3>
      <DataTable
        label="Cost by agent"
        head={['Agent', 'Model', '>Reviews', '>Paid', '>Price']}
        rows={cost.agents.map(({ agent, model, paid }) => [
          <Name>{agent}</Name>,
          model === null ? 'unknown' : <Name>{model}</Name>,
          paid.looks,
          tokens(paidTokens(paid)),
          knownPrice(paid),
        ])}
      />
    </>
  );
}
