/** A command that GitHub's runner would execute. */
export type WorkflowCommand = {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
};

const KNOWN =
  'stop-commands|set-env|set-output|save-state|add-mask|add-path|add-matcher|remove-matcher|debug|notice|warning|error|group|endgroup|echo';

/**
 * Finds the commands in a step's output like the runner does: in a line that begins with "::" after white space, and in
 * the older form "##[name …]" anywhere in a line.
 */
export function commandsIn(log: string): readonly WorkflowCommand[] {
  return log.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, name = '', given = '', data = ''] =
      new RegExp(`^[\\s\\u0085]*::(${KNOWN})(?: (.*?))?::(.*)$`, 'is').exec(line) ?? [];
    if (name !== '') return [{ name, properties: propertiesOf(given), data: unescaped(data) }];
    const [, older] = new RegExp(`##\\[(${KNOWN})[ \\]]`, 'i').exec(line) ?? [];
    return older === undefined || !line.includes(']') ? [] : [{ name: older, properties: {}, data: line }];
  });
}

function propertiesOf(given: string): Record<string, string> {
  const pairs = given.split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([^=]+)=(.*)$/s.exec(pair) ?? [];
    return name === undefined || value === undefined ? [] : [[name, unescapedProperty(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function unescaped(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

function unescapedProperty(text: string): string {
  const plain = text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%3A', ':').replaceAll('%2C', ',');
  return plain.replaceAll('%25', '%');
}
