/**
 * Parses the subset of Go's template language that email templates use. This subset consists of fields, variables,
 * pipelines, function calls, `if`, `with`, `range`, comments and trim markers. The actions `define`, `template` and
 * `block` aren't supported.
 */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly line: number; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with' | 'range';
      readonly line: number;
      readonly pipeline: Pipeline;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

export interface Pipeline {
  /**
   * The variables that are declared before a pipeline: with `$name :=`, or in a `range` also with `$index, $item :=`.
   */
  readonly declares: readonly string[];
  readonly commands: readonly Command[];
}

/** A list of operands. If the first operand is a function name, the function is called with the other operands. */
export type Command = readonly Operand[];

export type Operand =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'variable'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'group'; readonly pipeline: Pipeline; readonly path: readonly string[] };

/**
 * An invalid template. The error message quotes the invalid action and ends with the action's line number if it is
 * known.
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(line === undefined ? message : `${message} (line ${line})`);
    this.line = line;
  }
}

/** Runs a step. If the step throws a template error without a line number, adds the line number to the error. */
export function atLine<T>(line: number, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof TemplateError && error.line === undefined)
      throw new TemplateError(error.message, line);
    throw error;
  }
}

/** The maximum nesting depth of blocks and parentheses. */
const maxDepth = 200;

interface Segment {
  readonly text?: string;
  readonly action?: string;
  /** The number of the line in which the action begins. The first line is 1. */
  readonly line: number;
}

/** Parses a template. @throws {TemplateError} */
export function parseTemplate(source: string): readonly Node[] {
  const segments = splitSegments(source);
  let position = 0;
  let depth = 0;

  function parseNodes(): { nodes: Node[]; stop: string | undefined; stopLine: number } {
    const nodes: Node[] = [];
    let line = 1;
    while (position < segments.length) {
      const segment = segments[position++];
      if (segment?.text !== undefined) nodes.push({ kind: 'text', text: segment.text });
      const action = segment?.action;
      if (segment === undefined || action === undefined || action === '') continue;
      line = segment.line;
      if (action === 'end' || action === 'else' || /^else\s+(if|with)\s/.test(action))
        return { nodes, stop: action, stopLine: line };
      nodes.push(parseAction(action, line));
    }
    return { nodes, stop: undefined, stopLine: line };
  }

  const parseAction = (action: string, line: number): Node => atLine(line, () => actionAt(action, line));

  function actionAt(action: string, line: number): Node {
    const control = /^(if|with|range)\s+([\s\S]*)$/.exec(action);
    if (!control) return { kind: 'output', line, pipeline: parsePipeline(action) };
    if (++depth > maxDepth) throw new TemplateError('the template is nested too deeply');
    const kind = control[1] as 'if' | 'with' | 'range';
    const pipeline = parsePipeline(control[2] ?? '');
    const body = parseNodes();
    let otherwise: readonly Node[] = [];
    if (body.stop === 'else') {
      const rest = parseNodes();
      if (rest.stop !== 'end') throw new TemplateError(`{{ ${action} }} has no {{ end }}`);
      otherwise = rest.nodes;
    } else if (body.stop?.startsWith('else')) {
      // The `end` of an `else if` is also the `end` of the preceding `if`.
      otherwise = [parseAction(body.stop.replace(/^else\s+/, ''), body.stopLine)];
    } else if (body.stop !== 'end') throw new TemplateError(`{{ ${action} }} has no {{ end }}`);
    depth--;
    return { kind, line, pipeline, body: body.nodes, otherwise };
  }

  const all = parseNodes();
  if (all.stop !== undefined)
    throw new TemplateError(`{{ ${all.stop} }} without a matching opening tag`, all.stopLine);
  return all.nodes;
}

function splitSegments(source: string): Segment[] {
  const segments: Segment[] = [];
  let rest = source;
  let trimStart = false;
  let line = 1;
  for (;;) {
    const open = rest.indexOf('{{');
    let text = open < 0 ? rest : rest.slice(0, open);
    line += countNewlines(text);
    if (trimStart) text = text.trimStart();
    const trimsBefore = open >= 0 && /^-\s/.test(rest.slice(open + 2));
    if (trimsBefore) text = text.trimEnd();
    if (text !== '') segments.push({ text, line });
    if (open < 0) return segments;
    const inside = rest.slice(open + 2 + (trimsBefore ? 1 : 0));
    const close = findClose(inside);
    if (close < 0) throw new TemplateError('an action is not closed with }}', line);
    let action = inside.slice(0, close);
    trimStart = /\s-$/.test(action);
    if (trimStart) action = action.slice(0, -1);
    action = action.trim();
    segments.push({ action: action.startsWith('/*') ? '' : action, line });
    line += countNewlines(inside.slice(0, close));
    rest = inside.slice(close + 2);
  }
}

const countNewlines = (text: string): number => text.split('\n').length - 1;

/**
 * Returns the index of the first `}}` outside strings and comments. An unclosed string or comment extends to the end of
 * the text, so the function doesn't search again from each character of it.
 */
function findClose(text: string): number {
  const token = /\/\*[\s\S]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*(?:"|\\?$|\n)|`[^`]*(?:`|$)|\}\}/g;
  for (let match = token.exec(text); match; match = token.exec(text))
    if (match[0] === '}}') return match.index;
  return -1;
}

const tokenPattern =
  /\s*(?:("(?:\\.|[^"\\])*")|`([^`]*)`|(:=|=|\||,|\(|\))|(\$[A-Za-z0-9_]*)((?:\.[A-Za-z_][A-Za-z0-9_]*)*)|((?:\.[A-Za-z_][A-Za-z0-9_]*)+|\.)|(-?\d+(?:\.\d+)?)|([A-Za-z_][A-Za-z0-9_]*))/y;

/** `end` is the position in the text at which the symbol ends. */
type Token = { readonly symbol: string; readonly end: number } | { readonly operand: Operand };

function parsePipeline(text: string): Pipeline {
  const tokens = tokenize(text);
  let position = 0;
  let depth = 0;

  function isSymbol(symbol: string, at = position): boolean {
    const token = tokens[at];
    return token !== undefined && 'symbol' in token && token.symbol === symbol;
  }

  function parse(isGroup: boolean): Pipeline {
    const declares = isGroup ? [] : parseDeclarations();
    const commands: Operand[][] = [[]];
    for (; position < tokens.length; position++) {
      const token = tokens[position];
      if (token === undefined || isSymbol(')')) break;
      if ('operand' in token) commands.at(-1)?.push(token.operand);
      else if (token.symbol === '|') commands.push([]);
      else if (token.symbol === '(') {
        position++;
        if (++depth > maxDepth) throw new TemplateError('the template is nested too deeply');
        const pipeline = parse(true);
        depth--;
        if (!isSymbol(')')) throw new TemplateError(`unclosed ( in {{ ${text} }}`);
        const next = tokens[position + 1];
        const follows = next && 'operand' in next && next.operand.kind === 'field' && isGlued(position);
        commands.at(-1)?.push({ kind: 'group', pipeline, path: follows ? next.operand.path : [] });
        if (follows) position++;
      } else throw new TemplateError(`unexpected ${token.symbol} in {{ ${text} }}`);
    }
    if (commands.some((command) => command.length === 0))
      throw new TemplateError(`missing value in {{ ${text} }}`);
    return { declares, commands };
  }

  /**
   * Whether `.Field` follows the closing parenthesis immediately, as in `(…).Field`. Only then is it a field of the
   * group.
   */
  function isGlued(closing: number): boolean {
    const token = tokens[closing];
    return token !== undefined && 'symbol' in token && text[token.end] === '.';
  }

  function parseDeclarations(): string[] {
    const names: string[] = [];
    let at = 0;
    for (;;) {
      const token = tokens[at];
      if (!token || !('operand' in token) || token.operand.kind !== 'variable') return [];
      names.push(token.operand.name);
      if (isSymbol(',', at + 1)) at += 2;
      else if (isSymbol(':=', at + 1) || isSymbol('=', at + 1)) {
        position = at + 2;
        return names;
      } else return [];
    }
  }

  const pipeline = parse(false);
  if (position < tokens.length) throw new TemplateError(`unexpected ) in {{ ${text} }}`);
  return pipeline;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(tokenPattern);
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const match = pattern.exec(text);
    if (!match) throw new TemplateError(`cannot read {{ ${text} }}`);
    const [, quoted, raw, symbol, variable, variablePath, field, number, word] = match;
    if (quoted !== undefined) tokens.push({ operand: { kind: 'literal', value: unquote(quoted, text) } });
    else if (raw !== undefined) tokens.push({ operand: { kind: 'literal', value: raw } });
    else if (symbol !== undefined) tokens.push({ symbol, end: pattern.lastIndex });
    else if (variable !== undefined) {
      tokens.push({ operand: { kind: 'variable', name: variable, path: splitPath(variablePath ?? '') } });
    } else if (field !== undefined) tokens.push({ operand: { kind: 'field', path: splitPath(field) } });
    else if (number !== undefined) tokens.push({ operand: { kind: 'literal', value: Number(number) } });
    else if (word === 'true' || word === 'false') {
      tokens.push({ operand: { kind: 'literal', value: word === 'true' } });
    } else if (word === 'nil') tokens.push({ operand: { kind: 'literal', value: null } });
    else if (word !== undefined) tokens.push({ operand: { kind: 'function', name: word } });
  }
  return tokens;
}

function unquote(quoted: string, action: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new TemplateError(`cannot read the text ${quoted} in {{ ${action} }}`);
  }
}

function splitPath(path: string): string[] {
  return path.split('.').filter((part) => part !== '');
}
