import { expect, test } from 'vitest';
import { type Asked, decideAccess } from '../src/decide-access.ts';

const SERVER = { port: 4321, token: 'a-long-token' };

const PAGE: Asked = {
  method: 'GET',
  path: '/a-long-token/',
  host: '127.0.0.1:4321',
  origin: null,
  site: 'none',
  mode: 'navigate',
  contentType: null,
};

const POST: Partial<Asked> = {
  method: 'POST',
  path: '/a-long-token/api/run',
  origin: 'http://127.0.0.1:4321',
  site: 'same-origin',
  mode: 'cors',
  contentType: 'application/json',
};

test.each<[string, Partial<Asked>, string | number]>([
  ['the page', {}, '/'],
  ['the page by another name of this machine', { host: 'localhost:4321' }, '/'],
  ['the page from a link on another page', { site: 'cross-site' }, '/'],
  ['a program without the headers of a browser', { site: null, mode: null }, '/'],
  ['data', { path: '/a-long-token/api/page', site: 'same-origin', mode: 'cors' }, '/api/page'],
  ['an action of the page', POST, '/api/run'],
  ['an action with a charset', { ...POST, contentType: 'application/json; charset=utf-8' }, '/api/run'],
  ['no token', { path: '/' }, 403],
  ['the token without its slash', { path: '/a-long-token' }, 403],
  ['a wrong token', { path: '/a-long-tokeN/' }, 403],
  ['a token with more characters', { path: '/a-long-token1/' }, 403],
  ['an encoded path', { path: '/%2e%2e/a-long-token/' }, 403],
  ['the port of another server', { host: '127.0.0.1:4322' }, 403],
  ['a name that points to this machine', { host: 'evil.invalid:4321' }, 403],
  ['no host', { host: null }, 403],
  ['another origin', { origin: 'http://evil.invalid' }, 403],
  ['an opaque origin', { origin: 'null' }, 403],
  ['the origin of another port', { origin: 'http://127.0.0.1:4322' }, 403],
  ['the origin of the other name', { ...POST, origin: 'http://localhost:4321' }, 403],
  ['data for a page of another site', { site: 'cross-site', mode: 'no-cors' }, 403],
  ['data for another port of this machine', { site: 'same-site', mode: 'cors' }, 403],
  ['an action without an origin', { ...POST, origin: null }, 403],
  ['an action from a page of another site', { ...POST, site: 'cross-site' }, 403],
  ['an action by a form', { ...POST, contentType: 'text/plain' }, 415],
  ['an action without a type', { ...POST, contentType: null }, 415],
  ['another method', { method: 'OPTIONS' }, 405],
  ['a method that writes', { method: 'PUT' }, 405],
])('answers or refuses %s', (_title, differs, expected) => {
  const access = decideAccess({ ...PAGE, ...differs }, SERVER);
  expect(access.ok ? access.rest : access.status).toBe(expected);
});
