/**
 * The functions in the baseline. The functions' parameters and results come from the migrations, the generated types or
 * calls to the functions.
 */
import type { ColumnModel } from '../../types-file/index.ts';
import type { Draft, FunctionDraft } from './draft.ts';
import { bare, typeOfValue } from './print.ts';
import type { Sources } from './sources.ts';

/** A function call. `types` contains the argument types. */
interface CalledFunction {
  readonly schema: string;
  readonly name: string;
  readonly types: readonly string[];
}

/**
 * Describes a function that a migration calls before the function exists. The signature comes from a later migration
 * that declares the function, from the generated types, or otherwise from the statement that uses the function.
 */
export function functionFor(
  draft: Draft,
  sources: Sources,
  { schema, name, types }: CalledFunction,
  statement: string,
): FunctionDraft {
  const base = { schema, name, isCalled: true };
  const header = sources.functionHeader(name, types.length);
  if (header !== undefined) {
    const parameters = header.parameters === '' ? [] : [{ type: header.parameters, optional: false }];
    return { ...base, parameters, returns: header.returns };
  }
  const model = draft.functionModels(schema, name).find(({ parameters }) => {
    const required = parameters.filter(({ optional }) => !optional).length;
    return types.length >= required && types.length <= parameters.length;
  });
  if (model !== undefined) {
    const parameters = parametersFor(draft, model.parameters, types);
    return { ...base, parameters, returns: returnsOf(draft, model.returns) };
  }
  const parameters = types.map((type) => ({ type: type === 'unknown' ? 'text' : type, optional: false }));
  return { ...base, parameters, returns: returnedIn(statement, types.length) };
}

/**
 * Guesses the result type of a function that neither the generated types nor the migrations describe, such as a trigger
 * function.
 */
function returnedIn(statement: string, parameterCount: number): string {
  if (/\bpolicy\b/i.test(statement)) return 'boolean';
  const isNamedOnly = /^\s*(alter|drop|grant|revoke|comment)\b/i.test(statement);
  return parameterCount === 0 && (isNamedOnly || /\btrigger\b/i.test(statement)) ? 'trigger' : 'text';
}

/**
 * Returns the parameters in an order that matches the argument types. Generated types list parameters alphabetically.
 */
function parametersFor(
  draft: Draft,
  parameters: readonly ColumnModel[],
  types: readonly string[],
): FunctionDraft['parameters'] {
  const left = parameters.map((column) => ({ column, type: typeOfValue(draft, column).type }));
  const unqualified = (type: string) => type.replace(/^public\./, '');
  const placed: (FunctionDraft['parameters'][number] | undefined)[] = types.map((type) => {
    const at = left.findIndex((one) => unqualified(one.type) === type);
    if (at < 0) return undefined;
    const [{ column } = { column: undefined }] = left.splice(at, 1);
    return column && { name: column.name, type, optional: column.optional };
  });
  const filled = placed.map((one, index) => {
    const next = one === undefined ? left.shift() : undefined;
    const type = types[index] as string;
    return (
      one ?? {
        name: next?.column.name ?? `p${index + 1}`,
        type: type === 'unknown' ? (next?.type ?? 'text') : type,
        optional: next?.column.optional ?? false,
      }
    );
  });
  return [
    ...filled,
    ...left.map(({ column, type }) => ({ name: column.name, type, optional: column.optional })),
  ];
}

/** Returns the SQL type of a function's result. */
export function returnsOf(
  draft: Draft,
  {
    type,
    columns,
    isSet,
  }: {
    readonly type: ColumnModel['type'];
    readonly columns?: readonly ColumnModel[];
    readonly isSet: boolean;
  },
): string {
  if (columns !== undefined) {
    const list = columns.map((column) => `${bare(column.name)} ${typeOfValue(draft, column).type}`);
    return isSet ? `table(${list.join(', ')})` : 'record';
  }
  if (type.kind === 'unknown') return 'void';
  const single = typeOfValue(draft, {
    name: '',
    type: isSet ? { ...type, dimensions: type.dimensions - 1 } : type,
  }).type;
  return isSet ? `setof ${single}` : single;
}
