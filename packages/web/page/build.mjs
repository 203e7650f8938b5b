// Builds dist/page.html: one file with script and style inside, allowed by their hashes, and a place for the data.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vite';

const HERE = import.meta.dirname;
const OUT = join(HERE, '../../../dist/page.html');
const MOST_BYTES = 300_000;

const [result] = [
  await build({
    root: HERE,
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      cssCodeSplit: false,
      rollupOptions: { input: join(HERE, 'src/main.tsx'), output: { format: 'iife', codeSplitting: false } },
    },
  }),
].flat();
const chunk = result.output.find(({ type }) => type === 'chunk');
const sheet = result.output.find(({ fileName }) => fileName.endsWith('.css'));
// Nothing in the script may end its element.
const script = chunk.code.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = String(sheet.source).trim();

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const parts = { CSP: policy, STYLE: style, SCRIPT: script };
const page = readFileSync(join(HERE, 'index.html'), 'utf8').replace(/%([A-Z]+)%/g, (_, name) => parts[name]);
const size = Buffer.byteLength(page);
if (size > MOST_BYTES) throw new Error(`dist/page.html has ${size} bytes, more than ${MOST_BYTES}.`);
mkdirSync(dirname(OUT), { recursive: true });
writeFileSync(OUT, page);
