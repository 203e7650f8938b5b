// Writes the parts of GitHub's published API descriptions that the tests use. The packages are too large to install for every test run (400 MB),
// so install them in an empty folder and name it:
//   npm install --prefix /tmp/api @octokit/openapi @octokit/graphql-schema graphql
//   node tools/forges/extract-github-api.mjs /tmp/api
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [from = ''] = process.argv.slice(2);
const packages = join(resolve(from), 'node_modules');
const target = resolve(import.meta.dirname, '../../test/support/forges');
const {
  buildSchema,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  isInterfaceType,
  isInputObjectType,
  isEnumType,
  getNamedType,
  isScalarType,
  isSpecifiedScalarType,
  isAbstractType,
} = createRequire(join(packages, 'x.js'))('graphql');

const OPERATIONS = [
  ['/repos/{owner}/{repo}/pulls', 'get'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}', 'get'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/files', 'get'],
  ['/repos/{owner}/{repo}/compare/{basehead}', 'get'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/commits', 'get'],
  ['/repos/{owner}/{repo}/collaborators/{username}/permission', 'get'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/reviews', 'post'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/comments', 'post'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies', 'post'],
  ['/repos/{owner}/{repo}/pulls/comments/{comment_id}', 'patch'],
  ['/repos/{owner}/{repo}/pulls/comments/{comment_id}', 'delete'],
  ['/repos/{owner}/{repo}/issues/{issue_number}/comments', 'post'],
  ['/repos/{owner}/{repo}/issues/comments/{comment_id}', 'patch'],
  ['/repos/{owner}/{repo}/issues/comments/{comment_id}', 'delete'],
  ['/repos/{owner}/{repo}/check-runs', 'post'],
  ['/repos/{owner}/{repo}/check-runs/{check_run_id}', 'patch'],
  ['/repos/{owner}/{repo}/commits/{ref}/check-runs', 'get'],
];
const PROSE = [
  'description',
  'example',
  'examples',
  'externalDocs',
  'summary',
  'tags',
  'deprecated',
  'title',
  'x-github',
];

writeFileSync(join(target, 'github-rest.json'), `${JSON.stringify(rest())}\n`);
writeFileSync(join(target, 'github.graphql'), graphqlSchema());

function rest() {
  const api = JSON.parse(readFileSync(join(packages, '@octokit/openapi/generated/api.github.com.json'), 'utf8'));
  const found = { info: { title: api.info.title, version: api.info.version }, paths: {}, components: {} };
  const queue = [];
  for (const [path, method] of OPERATIONS) {
    const { parameters, requestBody, responses } = api.paths[path][method];
    const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const kept = withoutProse({
      parameters,
      requestBody,
      responses: Object.fromEntries(
        answers.map(([status, { content }]) => [status, { schema: content?.['application/json']?.schema }]),
      ),
    });
    found.paths[path] = { ...found.paths[path], [method]: kept };
    queue.push(...references(kept));
  }
  const seen = new Set();
  while (queue.length > 0) {
    const reference = queue.pop();
    if (seen.has(reference)) continue;
    seen.add(reference);
    const [, kind, name] = reference.slice(2).split('/');
    const part = withoutProse(api.components[kind][name]);
    found.components[kind] = { ...found.components[kind], [name]: part };
    queue.push(...references(part));
  }
  return found;
}

function withoutProse(value) {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== 'object' || value === null) return value;
  const isProse = (key, one) => PROSE.includes(key) && (typeof one !== 'object' || key !== 'title');
  // A property may be called "title" or "summary"; then its value is a schema.
  const entries = Object.entries(value).filter(([key, one]) => !isProse(key, one) || one?.type !== undefined);
  return Object.fromEntries(entries.map(([key, one]) => [key, withoutProse(one)]));
}

function references(value) {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (key === '$ref' ? [one] : references(one)));
}

/** Returns the types and fields that our queries use, in GitHub's own words. */
function graphqlSchema() {
  const schema = buildSchema(readFileSync(join(packages, '@octokit/graphql-schema/schema.graphql'), 'utf8'), {
    assumeValid: true,
  });
  const source = readFileSync(resolve(import.meta.dirname, '../../packages/forges/src/github-shapes.ts'), 'utf8');
  const queries = [...source.matchAll(/[`'](\s*(?:query|mutation)\([\s\S]*?\n?\})[`'](?:;|,)/g)].map(
    ([, text]) => text,
  );
  const fields = new Map();
  const inputs = new Set();
  const use = (type, field) => fields.set(type, new Set([...(fields.get(type) ?? []), field]));
  for (const query of queries) {
    const types = new TypeInfo(schema);
    visit(
      parse(query),
      visitWithTypeInfo(types, {
        Field() {
          const [parent, field] = [types.getParentType(), types.getFieldDef()];
          if (field === undefined || field === null) throw new Error(`unknown field in ${query}`);
          if (field.name.startsWith('__')) return;
          use(parent.name, field.name);
          for (const one of field.args) inputs.add(getNamedType(one.type));
          if (isInterfaceType(parent)) for (const name of ['User', 'Bot']) use(name, field.name);
        },
      }),
    );
  }
  const lines = [];
  const scalars = new Set();
  const note = (type) => {
    const named = getNamedType(type);
    if (isScalarType(named) && !isSpecifiedScalarType(named)) scalars.add(named.name);
    if ((isEnumType(named) || isInputObjectType(named)) && !inputs.has(named)) inputs.add(named);
  };
  for (const [name, used] of fields) {
    const type = schema.getType(name);
    const kind = isAbstractType(type) ? 'interface' : 'type';
    const isActor = kind === 'type' && [...(type.getInterfaces?.() ?? [])].some((one) => fields.has(one.name));
    const end = isActor
      ? ` implements ${type
          .getInterfaces()
          .filter((one) => fields.has(one.name))
          .map((one) => one.name)
          .join(' & ')}`
      : '';
    lines.push(`${kind} ${name}${end} {`);
    for (const fieldName of used) {
      const field = type.getFields()[fieldName];
      note(field.type);
      const args = field.args.map((one) => {
        note(one.type);
        return `${one.name}: ${one.type}`;
      });
      lines.push(`  ${fieldName}${args.length > 0 ? `(${args.join(', ')})` : ''}: ${field.type}`);
    }
    lines.push('}');
  }
  for (const type of inputs) {
    if (isInputObjectType(type)) {
      lines.push(`input ${type.name} {`);
      for (const field of Object.values(type.getFields())) {
        note(field.type);
        lines.push(`  ${field.name}: ${field.type}`);
      }
      lines.push('}');
    } else if (isEnumType(type))
      lines.push(
        `enum ${type.name} { ${type
          .getValues()
          .map(({ name }) => name)
          .join(' ')} }`,
      );
    else if (isScalarType(type) && !isSpecifiedScalarType(type)) scalars.add(type.name);
  }
  return `# Written by tools/forges/extract-github-api.mjs.\n${[...scalars].map((name) => `scalar ${name}`).join('\n')}\n${lines.join('\n')}\n`;
}
