/** Writes a call to the REST API in the languages of the official clients. */

/** A value in an example. The value is a result of `sampleOf`, or an object with such values. */
export type Sample = unknown;

export type Call = {
  /** Undefined for the default schema. */
  readonly schema: string | undefined;
  /** The name of the table or function. */
  readonly name: string;
} & (
  | { readonly kind: 'select' }
  | { readonly kind: 'insert'; readonly row: Readonly<Record<string, Sample>> }
  | {
      readonly kind: 'update';
      readonly row: Readonly<Record<string, Sample>>;
      readonly key: readonly [name: string, value: Sample];
    }
  | { readonly kind: 'delete'; readonly key: readonly [name: string, value: Sample] }
  | { readonly kind: 'rpc'; readonly args: Readonly<Record<string, Sample>> }
);

/** The syntax of values in a language. */
interface Syntax {
  readonly text: (text: string) => string;
  readonly yes: string;
  readonly no: string;
  readonly list: (items: readonly string[]) => string;
  readonly map: (members: readonly string[]) => string;
  readonly member: (name: string, value: string) => string;
}

/**
 * Returns a function that quotes text. JSON's escapes are valid in all of these languages. `more` contains characters
 * that start an interpolation.
 */
const quoted =
  (more = '') =>
  (text: string): string =>
    [...more].reduce((result, each) => result.replaceAll(each, `\\${each}`), JSON.stringify(text));

const braces = (members: readonly string[]): string => `{${members.join(', ')}}`;
const brackets = (items: readonly string[]): string => `[${items.join(', ')}]`;
const colon = (name: string, value: string): string => `${name}: ${value}`;

const dart: Syntax = {
  // Strings have single quotes, as Dart's style guide recommends.
  text: (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(/['$]/g, '\\$&')}'`,
  yes: 'true',
  no: 'false',
  list: brackets,
  map: braces,
  member: colon,
};
const python: Syntax = {
  text: quoted(),
  yes: 'True',
  no: 'False',
  list: brackets,
  map: braces,
  member: colon,
};
const swift: Syntax = {
  text: (text) => quoted()(text).replaceAll(/\\u([\da-f]{4})/g, '\\u{$1}'),
  yes: 'true',
  no: 'false',
  list: brackets,
  map: (members) => (members.length === 0 ? '[:]' : brackets(members)),
  member: colon,
};
const kotlin: Syntax = {
  text: quoted('$'),
  yes: 'true',
  no: 'false',
  list: (items) => (items.length === 0 ? 'JsonArray(emptyList())' : `buildJsonArray { ${items.join('; ')} }`),
  map: (members) =>
    members.length === 0 ? 'JsonObject(emptyMap())' : `buildJsonObject { ${members.join('; ')} }`,
  member: (name, value) => `put(${name}, ${value})`,
};

function write(value: Sample, syntax: Syntax): string {
  if (typeof value === 'string') return syntax.text(value);
  if (typeof value === 'boolean') return value ? syntax.yes : syntax.no;
  if (Array.isArray(value)) return syntax.list(value.map((item) => write(item, syntax)));
  if (typeof value !== 'object' || value === null) return String(value);
  return syntax.map(
    Object.entries(value).map(([name, member]) => syntax.member(syntax.text(name), write(member, syntax))),
  );
}

/** Returns the call in Dart. @example inDart({ kind: 'select', schema: undefined, name: 'tasks' }) */
export function inDart(call: Call): string {
  const text = (value: Sample): string => write(value, dart);
  const client = `await supabase${call.schema === undefined ? '' : `\n  .schema(${text(call.schema)})`}`;
  const from = `${client}\n  .from(${text(call.name)})`;
  switch (call.kind) {
    case 'select':
      return `final data = ${from}\n  .select()\n  .limit(10);`;
    case 'insert':
      return `final data = ${from}\n  .insert(${text(call.row)})\n  .select();`;
    case 'update':
      return `final data = ${from}\n  .update(${text(call.row)})\n  .eq(${call.key.map(text).join(', ')})\n  .select();`;
    case 'delete':
      return `${from}\n  .delete()\n  .eq(${call.key.map(text).join(', ')});`;
    case 'rpc':
      return `final data = ${client}\n  .rpc(${text(call.name)}${isEmpty(call.args) ? '' : `, params: ${text(call.args)}`});`;
  }
}

/** Returns the call in Python. @example inPython({ kind: 'select', schema: undefined, name: 'tasks' }) */
export function inPython(call: Call): string {
  const text = (value: Sample): string => write(value, python);
  const client = `supabase${call.schema === undefined ? '' : `.schema(${text(call.schema)})`}`;
  const chain = (...steps: string[]): string =>
    ['response = (', `    ${client}`, ...steps.map((step) => `    .${step}`), '    .execute()', ')'].join(
      '\n',
    );
  const table = `table(${text(call.name)})`;
  switch (call.kind) {
    case 'select':
      return chain(table, 'select("*")', 'limit(10)');
    case 'insert':
      return chain(table, `insert(${text(call.row)})`);
    case 'update':
      return chain(table, `update(${text(call.row)})`, `eq(${call.key.map(text).join(', ')})`);
    case 'delete':
      return chain(table, 'delete()', `eq(${call.key.map(text).join(', ')})`);
    case 'rpc':
      return chain(`rpc(${text(call.name)}, ${text(call.args)})`);
  }
}

/** Returns the call in Swift. @example inSwift({ kind: 'select', schema: undefined, name: 'tasks' }) */
export function inSwift(call: Call): string {
  const text = (value: Sample): string => write(value, swift);
  const object = (value: Readonly<Record<string, Sample>>): string => `${text(value)} as [String: AnyJSON]`;
  const client = `try await supabase${call.schema === undefined ? '' : `\n  .schema(${text(call.schema)})`}`;
  const from = `${client}\n  .from(${text(call.name)})`;
  const eq = (key: readonly [string, Sample]): string => `\n  .eq(${text(key[0])}, value: ${text(key[1])})`;
  switch (call.kind) {
    case 'select':
      return `let response = ${from}\n  .select()\n  .limit(10)\n  .execute()`;
    case 'insert':
      return `let response = ${from}\n  .insert(${object(call.row)})\n  .select()\n  .execute()`;
    case 'update':
      return `let response = ${from}\n  .update(${object(call.row)})${eq(call.key)}\n  .select()\n  .execute()`;
    case 'delete':
      return `${from}\n  .delete()${eq(call.key)}\n  .execute()`;
    case 'rpc': {
      const args = isEmpty(call.args) ? '' : `, params: ${object(call.args)}`;
      return `let response = ${client}\n  .rpc(${text(call.name)}${args})\n  .execute()`;
    }
  }
}

/** Returns the call in Kotlin. @example inKotlin({ kind: 'select', schema: undefined, name: 'tasks' }) */
export function inKotlin(call: Call): string {
  const text = (value: Sample): string => write(value, kotlin);
  const from =
    call.schema === undefined
      ? `supabase.from(${text(call.name)})`
      : `supabase.postgrest.from(${text(call.schema)}, ${text(call.name)})`;
  const filter = (key: readonly [string, Sample]): string => `filter { eq(${key.map(text).join(', ')}) }`;
  switch (call.kind) {
    case 'select':
      return `val result = ${from}.select {\n    limit(10)\n}`;
    case 'insert':
      return `val result = ${from}.insert(${text(call.row)}) {\n    select()\n}`;
    case 'update':
      return `val result = ${from}.update(${text(call.row)}) {\n    select()\n    ${filter(call.key)}\n}`;
    case 'delete':
      return `${from}.delete {\n    ${filter(call.key)}\n}`;
    case 'rpc': {
      const args = isEmpty(call.args) ? '' : `, ${text(call.args)}`;
      const schema = call.schema === undefined ? '' : ` {\n    schema = ${text(call.schema)}\n}`;
      return `val result = supabase.postgrest.rpc(${text(call.name)}${args})${schema}`;
    }
  }
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
