// Finds files and functions that are too large, empty catches and forced casts. The limits are ceilings, not targets.
import ts from 'typescript';
import { answer } from './answer.mjs';
import { filesIn, problemAt, SOURCES, textOf } from './files.mjs';

const MOST_LINES = { file: 700, function: 250 };
const MOST_PARAMETERS = 6;

await answer('sizes, empty catches, forced casts, banners', (shown) =>
  filesIn(...SOURCES)
    .filter((file) => file.endsWith('.ts') && (shown === null || shown.has(file)))
    .flatMap(problemsIn),
);

function problemsIn(file) {
  const text = textOf(file);
  const lines = text.split('\n');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const at = (line, issue, fix, priority) =>
    problemAt(file, line + 1, { code: lines[line].trim(), issue, fix, priority });
  const problems = [];
  if (lines.length > MOST_LINES.file) {
    problems.push(at(0, `The file has more than ${MOST_LINES.file} lines.`, 'Split the file by responsibility.'));
  }
  for (const [line, one] of lines.entries()) {
    if (/^\s*(?:\/\/|\*) ?(?:[-=#*]{4,}|TODO|FIXME|XXX|HACK)/.test(one)) {
      problems.push(
        at(line, 'A banner or a TODO comment.', 'Give the reason that the code cannot show, or delete the comment.'),
      );
    }
  }
  visit(source, (node) => {
    const line = lineOf(node.getStart());
    if (ts.isFunctionLike(node) && node.body) {
      if (node.parameters.length > MOST_PARAMETERS) {
        problems.push(at(line, `The function has more than ${MOST_PARAMETERS} parameters.`, 'Pass one named object.'));
      }
      if (lineOf(node.end) - line >= MOST_LINES.function) {
        problems.push(at(line, `The function has more than ${MOST_LINES.function} lines.`, 'Extract named parts.'));
      }
    }
    if (ts.isCatchClause(node) && node.block.statements.length === 0 && !/\/[/*]/.test(node.block.getText())) {
      problems.push(
        at(line, 'The catch block ignores the error.', 'Return a failure, or add a comment with the reason.', 'high'),
      );
    }
    if (ts.isAsExpression(node) && ts.isAsExpression(node.expression) && node.expression.type.getText() !== 'const') {
      problems.push(at(line, 'A double cast forces the type.', 'Check the value at run time.', 'high'));
    }
  });
  return problems;
}

function visit(node, look) {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}
