import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'onceover-theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

const narrow = matchMedia('screen and (max-width: 900px)');

/** Whether the screen is so narrow that list rows need two lines. The limit is the same as in the style sheet. */
export const isNarrow = signal(narrow.matches);

narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});

export const theme = signal<Theme>(readTheme());

/** The colours in use. Plots are redrawn when this changes. */
export const scheme = signal<'light' | 'dark'>('light');

/** Sets the colours. Also stores the choice, if the browser allows that for pages opened from files. */
export function setTheme(to: Theme): void {
  theme.value = to;
  try {
    localStorage.setItem(KEY, to);
  } catch {
    // Some browsers allow no storage for pages opened from files. The choice then lasts until the page is closed.
  }
  apply();
}

function readTheme(): Theme {
  try {
    const choice = localStorage.getItem(KEY);
    return choice === 'light' || choice === 'dark' ? choice : 'system';
  } catch {
    return 'system';
  }
}

function apply(): void {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && prefersDark.matches);
  scheme.value = isDark ? 'dark' : 'light';
  document.documentElement.dataset['theme'] = scheme.value;
}

prefersDark.addEventListener('change', apply);
apply();
