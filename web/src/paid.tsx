import { Empty, Name, Section } from './parts.tsx';
import type { PageDocument } from './state.ts';
import { allTokens, count, describeUsage, dollars, LEVERS, tokens } from './words.ts';

const NAMES = ['pass', 'slot', 'session', 'prefix'] as const;

/** The tokens that were paid and those that were not, by the way they were saved. */
export function Paid({ page }: { readonly page: PageDocument }) {
  const { run, phase, cost } = page;
  const own = run ?? phase;
  const calls = run?.dispatches ?? null;
  return (
    <Section id="paid" title="Paid and not paid">
      {own === null && cost === null && <Empty>The ledger could not be read.</Empty>}
      <div class="columns">
        {own !== null && own.usage !== null && (
          <Balance
            title={run === null ? 'This phase' : page.page === 'status' ? 'Now' : 'This run'}
            paid={allTokens(own.usage)}
            detail={`${calls === null ? '' : `${count(calls, 'call')}, `}${describeUsage(own.usage)}`}
            saved={own.saved}
          />
        )}
        {own !== null && own.usage === null && page.page === 'run' && (
          <Balance
            title="This run"
            paid={0}
            detail={(calls ?? 0) === 0 ? 'no calls' : `${count(calls ?? 0, 'call')}, tokens unknown`}
            saved={own.saved}
          />
        )}
        {cost !== null && (
          <Balance
            title="This clone so far"
            paid={paidTokens(cost.paid)}
            detail={`${count(cost.runs, 'run')}, ${count(cost.paid.dispatches, 'call')}, ${priceOf(cost.paid)}`}
            saved={{
              pass: cost.not_paid.pass.tokens,
              slot: cost.not_paid.slot.tokens,
              session: cost.not_paid.session.tokens,
              prefix: cost.not_paid.prefix.tokens,
            }}
          />
        )}
      </div>
      {cost !== null && (
        <p class="soft note">
          Not paid is an estimate, compared with this baseline: {cost.not_paid.baseline}. {BASELINE_WORDS}
        </p>
      )}
      {cost !== null && page.page === 'cost' && <Tables cost={cost} />}
    </Section>
  );
}

const BASELINE_WORDS = 'A slot is a reviewer.';

/** Returns the known price in a table; a dash if no price is known. */
function knownPrice(paid: Paying): string {
  return paid.looks_without_price === paid.looks ? '–' : dollars(paid.told_usd + paid.list_price_usd);
}

function priceOf(paid: Paying): string {
  if (paid.looks > 0 && paid.looks_without_price === paid.looks) return 'price unknown';
  const known = dollars(paid.told_usd + paid.list_price_usd);
  return paid.looks_without_price === 0
    ? known
    : `${known} without ${count(paid.looks_without_price, 'review')} of unknown price`;
}

type Paying = NonNullable<PageDocument['cost']>['paid'];

function paidTokens(paid: Paying): number {
  return paid.input_tokens + paid.cached_input_tokens + paid.cache_write_tokens + paid.output_tokens;
}

function Balance({
  title,
  paid,
  detail,
  saved,
}: {
  readonly title: string;
  readonly paid: number;
  readonly detail: string;
  readonly saved: Readonly<Record<(typeof NAMES)[number], number>>;
}) {
  const most = Math.max(1, paid, ...NAMES.map((name) => saved[name]));
  const all = NAMES.reduce((sum, name) => sum + saved[name], 0);
  return (
    <div class="balance">
      <h3>{title}</h3>
      <p class="big">
        {tokens(paid)} <small>tokens paid</small>
      </p>
      <p class="soft">{detail}</p>
      <table class="bars">
        <caption class="hidden">{title}: tokens paid and not paid</caption>
        <thead class="hidden">
          <tr>
            <th scope="col">What</th>
            <th scope="col">Tokens</th>
          </tr>
        </thead>
        <tbody>
          <Bar name="Paid" value={paid} most={most} kind="spent" />
          {NAMES.map((name) => (
            <Bar key={name} name={LEVERS[name]} value={saved[name]} most={most} kind="spared" />
          ))}
        </tbody>
      </table>
      <p class="sum">{all === 0 ? 'Nothing saved yet.' : `${tokens(all)} tokens not paid (estimate)`}</p>
    </div>
  );
}

function Bar({ name, value, most, kind }: { name: string; value: number; most: number; kind: 'spent' | 'spared' }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <span class="track">
          <span class={`fill ${kind}`} style={{ width: `${(value / most) * 100}%` }} />
        </span>
        <span class="figure">{value === 0 ? '–' : tokens(value)}</span>
      </td>
    </tr>
  );
}

function Tables({ cost }: { readonly cost: NonNullable<PageDocument['cost']> }) {
  return (
    <>
      <h3 class="plain">By gate</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Cost by gate">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Gate</th>
              <th scope="col" class="right">
                Reviews
              </th>
              <th scope="col" class="right">
                Paid
              </th>
              <th scope="col" class="right">
                Not paid
              </th>
              <th scope="col" class="right">
                Price
              </th>
            </tr>
          </thead>
          <tbody>
            {cost.gates.map(({ gate, paid, not_paid }) => (
              <tr key={gate}>
                <th scope="row">
                  <Name>{gate ?? 'fixes by agents'}</Name>
                </th>
                <td class="right">{paid.looks}</td>
                <td class="right">{tokens(paidTokens(paid))}</td>
                <td class="right">{tokens(not_paid.tokens)}</td>
                <td class="right">{knownPrice(paid)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h3 class="plain">By agent</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Cost by agent">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Model</th>
              <th scope="col" class="right">
                Reviews
              </th>
              <th scope="col" class="right">
                Paid
              </th>
              <th scope="col" class="right">
                Price
              </th>
            </tr>
          </thead>
          <tbody>
            {cost.agents.map(({ agent, model, paid }) => (
              <tr key={`${agent} ${model}`}>
                <th scope="row">
                  <Name>{agent}</Name>
                </th>
                <td>{model === null ? 'unknown' : <Name>{model}</Name>}</td>
                <td class="right">{paid.looks}</td>
                <td class="right">{tokens(paidTokens(paid))}</td>
                <td class="right">{knownPrice(paid)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
