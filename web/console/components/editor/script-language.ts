/** Highlights TypeScript, JavaScript and JSON token by token. Errors are found by Deno, so nothing is parsed here. */
import { StreamLanguage, type StreamParser, type StringStream } from '@codemirror/language';

interface State {
  /** What the line starts in: a block comment, or template literals with the depth of their braces. */
  isInComment: boolean;
  readonly templates: number[];
  isInTemplate: boolean;
  /** Whether a slash would start a regular expression instead of a division. */
  expectsValue: boolean;
}

const keywords = new Set(
  (
    'as async await break case catch class const continue debugger declare default delete do else enum export extends ' +
    'finally for from function get if implements import in infer instanceof interface is keyof let namespace new of ' +
    'private protected public readonly return satisfies set static super switch this throw try type typeof var void ' +
    'while with yield'
  ).split(' '),
);
const types = new Set('any bigint boolean never number object string symbol unknown'.split(' '));
const constants = new Set(['true', 'false', 'null', 'undefined', 'NaN', 'Infinity']);

function readTemplate(stream: StringStream, state: State): string {
  while (!stream.eol()) {
    const next = stream.next();
    if (next === '\\') stream.next();
    else if (next === '`') {
      state.isInTemplate = false;
      break;
    } else if (next === '$' && stream.eat('{') !== undefined) {
      state.isInTemplate = false;
      state.templates.push(0);
      break;
    }
  }
  return 'string';
}

function readComment(stream: StringStream, state: State): string {
  state.isInComment = !stream.match(/^.*?\*\//);
  if (state.isInComment) stream.skipToEnd();
  return 'comment';
}

/** Reads a brace. The brace that closes an expression in a template literal continues the literal. */
function readBrace(brace: string, state: State): null {
  const depth = state.templates.at(-1);
  if (depth === undefined) return null;
  if (brace === '{') state.templates[state.templates.length - 1] = depth + 1;
  else if (depth > 0) state.templates[state.templates.length - 1] = depth - 1;
  else {
    state.templates.pop();
    state.isInTemplate = true;
  }
  return null;
}

function readToken(stream: StringStream, state: State): string | null {
  if (stream.match('//')) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match('/*')) return readComment(stream, state);
  const { expectsValue } = state;
  state.expectsValue = false;
  if (stream.match(/^(?:0[xob][\da-f_]+|\d[\d_]*(?:\.[\d_]*)?(?:e[+-]?\d+)?)n?/i)) return 'number';
  if (stream.match(/^"(?:[^"\\]|\\.)*"?|^'(?:[^'\\]|\\.)*'?/)) return 'string';
  if (expectsValue && stream.match(/^\/(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[a-z]*/)) return 'string';
  const word = stream.match(/^[\p{L}_$][\p{L}\p{N}_$]*/u);
  if (word !== null && typeof word === 'object') {
    const [name = ''] = word;
    if (constants.has(name)) return 'bool';
    if (types.has(name)) return 'typeName';
    if (!keywords.has(name)) return /^[A-Z]/.test(name) ? 'typeName' : null;
    state.expectsValue = name !== 'this' && name !== 'super';
    return 'keyword';
  }
  const next = stream.next() ?? '';
  if (next === '`') {
    state.isInTemplate = true;
    return readTemplate(stream, state);
  }
  state.expectsValue = !/[)\]}]/.test(next);
  return next === '{' || next === '}' ? readBrace(next, state) : null;
}

const parser: StreamParser<State> = {
  name: 'script',
  startState: () => ({ isInComment: false, templates: [], isInTemplate: false, expectsValue: true }),
  copyState: (state) => ({ ...state, templates: [...state.templates] }),
  token(stream, state) {
    if (state.isInComment) return readComment(stream, state);
    if (state.isInTemplate) return readTemplate(stream, state);
    return stream.eatSpace() ? null : readToken(stream, state);
  },
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', "'", '"', '`'] },
  },
};

const script = StreamLanguage.define(parser);

/** Returns the language of a file, or undefined if its text isn't highlighted. */
export const languageOf = (path: string): StreamLanguage<State> | undefined =>
  /\.(?:[cm]?[jt]s|[jt]sx|jsonc?)$/.test(path) ? script : undefined;
