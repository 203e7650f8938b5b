import { useEffect, useRef } from 'preact/hooks';
import { query, route } from './state.ts';

const KEYS = [
  ['j, k', 'next and previous gate, finding or transcript'],
  ['Enter', 'open the selected item'],
  ['/', 'search'],
  ['Escape', 'leave the search, or go back to the report'],
  ['?', 'this list'],
] as const;

/** Shows the list of keyboard shortcuts, and handles all of them. */
export function Help() {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key === 'Escape') return leave(isTyping);
      if (isTyping || box.current?.open === true) return;
      const action = ACTIONS[event.key];
      if (event.key === '?') box.current?.showModal();
      else if (action === undefined) return;
      else action();
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <dialog ref={box} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, description]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

const ACTIONS: Readonly<Record<string, () => void>> = {
  j: () => step(1),
  k: () => step(-1),
  '/': () => document.getElementById('search')?.focus(),
  Enter: openItem,
};

/** Moves the focus to the next or previous item, starting from the focused item or from the top of the window. */
function step(by: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>('[data-item]')].filter((item) => item.offsetParent !== null);
  const focusIndex = items.findIndex((item) => item.contains(document.activeElement));
  const below = items.findIndex((item) => item.getBoundingClientRect().top > 80);
  const from =
    focusIndex !== -1 ? focusIndex : by === 1 ? Math.max(-1, (below === -1 ? items.length : below) - 1) : below;
  const next = items[Math.max(0, Math.min(items.length - 1, from + by))];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'center' });
}

function openItem(): void {
  const { activeElement: item } = document;
  if (!(item instanceof HTMLElement) || !item.matches('[data-item]')) {
    if (item instanceof HTMLElement) item.click();
    return;
  }
  const details = item.querySelector('details');
  if (details !== null) details.open = !details.open;
  else item.querySelector('a')?.click();
}

function leave(isTyping: boolean): void {
  if (isTyping) {
    query.value = '';
    (document.activeElement as HTMLElement | null)?.blur();
  } else if (route.value.view !== 'report' && document.querySelector('dialog[open]') === null) history.back();
}
