/**
 * Renders email templates written in Go's template language. `renderHtml` escapes values according to their context, as
 * html/template does. `renderText` doesn't escape values.
 *
 * @example renderHtml('<b>{{ .Name }}</b>', { Name: 'A & B' }) // '<b>A &amp; B</b>'
 */
import { type Budget, createBudget } from './budget.ts';
import { createScanner, escapeHtml, type Scanner } from './escape.ts';
import {
  atLine,
  type Command,
  type Node,
  type Operand,
  type Pipeline,
  parseTemplate,
  TemplateError,
} from './parse.ts';

export type TemplateData = Readonly<Record<string, unknown>>;

/** Renders a template as HTML. @throws {TemplateError} */
export function renderHtml(source: string, data: TemplateData): string {
  return render(source, data, createScanner());
}

/** Renders a template as plain text (for text messages and the text part of emails). @throws {TemplateError} */
export function renderText(source: string, data: TemplateData): string {
  return render(source, data, { feed() {}, insert: (value) => value });
}

interface Frame {
  readonly dot: unknown;
  readonly variables: Map<string, unknown>;
  readonly budget: Budget;
}

function render(source: string, data: TemplateData, scanner: Scanner): string {
  let output = '';
  const budget = createBudget();

  function run(nodes: readonly Node[], frame: Frame): void {
    for (const node of nodes) {
      budget.spend();
      if (node.kind === 'text') {
        scanner.feed(node.text);
        output += node.text;
      } else if (node.kind === 'output') {
        const value = atLine(node.line, () => evaluate(node.pipeline, frame));
        if (node.pipeline.declares.length === 0) output += scanner.insert(print(value));
      } else runBlock(node, frame);
      budget.checkLength(output.length);
    }
  }

  function runBlock(node: Exclude<Node, { kind: 'text' | 'output' }>, outer: Frame): void {
    const frame: Frame = { ...outer, variables: new Map(outer.variables) };
    const value = atLine(node.line, () => evaluate(node.pipeline, frame));
    if (node.kind === 'range') {
      const entries = listEntries(value);
      for (const [key, item] of entries) {
        budget.spend();
        const inner = new Map(frame.variables);
        const names = node.pipeline.declares;
        if (names.length === 2) inner.set(names[0] ?? '', key);
        const itemName = names.at(-1);
        if (itemName !== undefined) inner.set(itemName, item);
        run(node.body, { dot: item, variables: inner, budget });
      }
      if (entries.length === 0) run(node.otherwise, outer);
    } else if (!isTrue(value)) run(node.otherwise, outer);
    else run(node.body, node.kind === 'with' ? { ...frame, dot: value } : frame);
  }

  run(parseTemplate(source), { dot: data, variables: new Map([['$', data]]), budget });
  return output;
}

function evaluate(pipeline: Pipeline, frame: Frame): unknown {
  let value: unknown;
  pipeline.commands.forEach((command, index) => {
    value = evaluateCommand(command, frame, index > 0 ? [value] : []);
  });
  if (pipeline.declares.length === 1) frame.variables.set(pipeline.declares[0] ?? '', value);
  frame.budget.checkVariables(frame.variables.size);
  return value;
}

function evaluateCommand(command: Command, frame: Frame, piped: readonly unknown[]): unknown {
  const [first, ...rest] = command;
  if (first?.kind !== 'function') {
    if (rest.length > 0 || piped.length > 0) throw new TemplateError("a value can't be called as a function");
    return first === undefined ? undefined : evaluateOperand(first, frame);
  }
  const call = functions[first.name];
  if (!call) throw new TemplateError(`function "${first.name}" not defined`);
  const result = call(...rest.map((operand) => evaluateOperand(operand, frame)), ...piped);
  frame.budget.spend(result);
  return result;
}

function evaluateOperand(operand: Operand, frame: Frame): unknown {
  const value = resultOf(operand, frame);
  frame.budget.spend(value);
  return value;
}

function resultOf(operand: Operand, frame: Frame): unknown {
  switch (operand.kind) {
    case 'literal':
      return operand.value;
    case 'field':
      return walk(frame.dot, operand.path);
    case 'variable':
      if (!frame.variables.has(operand.name)) throw new TemplateError(`undefined variable "${operand.name}"`);
      return walk(frame.variables.get(operand.name), operand.path);
    case 'group':
      return walk(evaluate(operand.pipeline, frame), operand.path);
    case 'function':
      return evaluateCommand([operand], frame, []);
  }
}

/** Returns the value at a field path. The value of a missing key is empty, as in a Go map. */
function walk(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function listEntries(value: unknown): [unknown, unknown][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

function print(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return `[${value.map(print).join(' ')}]`;
  if (typeof value === 'object') {
    return `map[${listEntries(value)
      .map(([key, item]) => `${String(key)}:${print(item)}`)
      .join(' ')}]`;
  }
  return String(value);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [print(a), print(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function index(value: unknown, ...keys: unknown[]): unknown {
  return keys.reduce((current, key) => {
    if (Array.isArray(current)) {
      if (typeof key !== 'number' || key < 0 || key >= current.length)
        throw new TemplateError('index out of range');
      return current[key];
    }
    return walk(current, [String(key)]);
  }, value);
}

/** The maximum width of a printed number. */
const maxWidth = 200;

function printf(format: unknown, ...values: unknown[]): string {
  let next = 0;
  return print(format).replace(/%(?:%|0?\d*[svdq])/g, (verb) => {
    if (verb === '%%') return '%';
    const value = values[next++];
    const text = verb.endsWith('q') ? JSON.stringify(print(value)) : print(value);
    const width = /^%(0?)(\d+)/.exec(verb);
    return width ? text.padStart(Math.min(Number(width[2]), maxWidth), width[1] === '0' ? '0' : ' ') : text;
  });
}

const functions: Readonly<Record<string, (...values: unknown[]) => unknown>> = Object.assign(
  Object.create(null),
  {
    and: (...values: unknown[]) => values.find((value) => !isTrue(value)) ?? values.at(-1),
    or: (...values: unknown[]) => values.find(isTrue) ?? values.at(-1),
    not: (value: unknown) => !isTrue(value),
    eq: (value: unknown, ...others: unknown[]) => others.some((other) => compare(value, other) === 0),
    ne: (a: unknown, b: unknown) => compare(a, b) !== 0,
    lt: (a: unknown, b: unknown) => compare(a, b) < 0,
    le: (a: unknown, b: unknown) => compare(a, b) <= 0,
    gt: (a: unknown, b: unknown) => compare(a, b) > 0,
    ge: (a: unknown, b: unknown) => compare(a, b) >= 0,
    len: (value: unknown) =>
      typeof value === 'string' ? Buffer.byteLength(value) : listEntries(value).length,
    index,
    slice: (value: unknown, from: unknown, to: unknown) =>
      (Array.isArray(value) ? value : print(value)).slice(
        Number(from ?? 0),
        to === undefined ? undefined : Number(to),
      ),
    print: (...values: unknown[]) => values.map(print).join(''),
    println: (...values: unknown[]) => `${values.map(print).join(' ')}\n`,
    printf,
    html: (value: unknown) => escapeHtml(print(value)),
    js: (value: unknown) => JSON.stringify(print(value)).slice(1, -1),
    urlquery: (value: unknown) => encodeURIComponent(print(value)).replaceAll('%20', '+'),
  },
);
