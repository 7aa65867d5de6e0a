/** Parses and formats JSON text. Numbers keep all of their digits. */

export interface JsonNumber {
  readonly rawJSON: string;
}

interface Source {
  readonly source?: string;
}

/** Part of ECMAScript's "JSON.parse source text access", which TypeScript's library doesn't declare. */
const tools = JSON as unknown as {
  rawJSON?: (text: string) => JsonNumber;
  isRawJSON?: (value: unknown) => value is JsonNumber;
};

export const isExactNumber = (value: unknown): value is JsonNumber => tools.isRawJSON?.(value) === true;

/** Parses JSON. @throws {SyntaxError} */
export function parseJson(text: string): unknown {
  return JSON.parse(text, ((_key: string, value: unknown, context?: Source) =>
    typeof value === 'number' && context?.source !== undefined && tools.rawJSON !== undefined
      ? tools.rawJSON(context.source)
      : value) as (key: string, value: unknown) => unknown);
}

/** Returns why the text isn't valid JSON. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Indents the text. Returns the text unchanged if it is invalid, or if the browser would change its numbers. */
export function indentJson(text: string): string {
  try {
    if (tools.rawJSON === undefined) return text;
    return JSON.stringify(parseJson(text), null, 2);
  } catch {
    return text;
  }
}
