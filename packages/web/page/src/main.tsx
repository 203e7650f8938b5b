import { render } from 'preact';
import './styles/base.css';
import './styles/layout.css';
import './styles/gates.css';
import './styles/code.css';
import './styles/figures.css';
import './styles/timeline.css';
import './styles/lists.css';
import './styles/media.css';
import './styles/print.css';
import { App } from './app.tsx';
import { connect } from './live.ts';
import { type PageDocument, page } from './state.ts';

const root = document.getElementById('app');
const data = document.getElementById('data')?.textContent ?? '';
if (data !== '') page.value = JSON.parse(data) as PageDocument;
else connect();
if (root !== null) {
  root.textContent = '';
  render(<App />, root);
}

// Readers cannot unfold anything on paper, so unfold the short parts while the page is printed.
const openedDetails: HTMLDetailsElement[] = [];
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll<HTMLDetailsElement>('details[data-print]:not([open])')) {
    details.open = true;
    openedDetails.push(details);
  }
});
addEventListener('afterprint', () => {
  for (const details of openedDetails.splice(0)) details.open = false;
});
