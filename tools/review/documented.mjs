// Checks that every setting, option and tool is documented for users.
import { answer } from './answer.mjs';
import { filesIn, problemAt, textOf } from './files.mjs';

const pages = filesIn('README.md', 'docs')
  .filter((file) => file.endsWith('.md'))
  .map(textOf)
  .join('\n');

await answer('settings, options and tools that no page names', () => [...settings(), ...options(), ...tools()]);

function settings() {
  const file = 'schemas/onceover.yml.schema.json';
  const { properties } = JSON.parse(textOf(file));
  return Object.keys(properties).flatMap((name) =>
    missing(file, `"${name}"`, name, new RegExp(`(?:^|\`)${name}(?::|\`)`, 'm')),
  );
}

function options() {
  return filesIn('packages/onceover/src/cli/define-*.ts').flatMap((file) => {
    const named = [...textOf(file).matchAll(/ption\(\s*'(?:-\w, )?(--[a-z-]+)[^']*'(?!\)\.hideHelp)/g)];
    return [...new Set(named.map(([, name]) => name))].flatMap((name) =>
      missing(file, name, name, new RegExp(`${name.replace('--no-', '--(?:no-)?')}(?![a-z-])`)),
    );
  });
}

function tools() {
  return filesIn('packages/onceover/src/mcp').flatMap((file) =>
    [...textOf(file).matchAll(/registerTool\(\s*'(\w+)'/g)].flatMap(([, name]) =>
      missing(file, `'${name}'`, name, new RegExp(`\`${name}[\`(]`)),
    ),
  );
}

function missing(file, code, name, sign) {
  if (sign.test(pages)) return [];
  const line =
    textOf(file)
      .split('\n')
      .findIndex((text) => text.includes(code)) + 1;
  return [
    problemAt(file, line, {
      code,
      issue: `README.md and docs/ do not mention ${name}.`,
      fix: 'Document what it does.',
    }),
  ];
}
