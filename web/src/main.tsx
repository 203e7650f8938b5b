import { render } from 'preact';
import './style.css';
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
